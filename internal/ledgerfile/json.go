package ledgerfile

import (
	"bufio"
	"encoding/json"

	"florin/internal/openbanking"
)

// jsonFormat names the form of the file, so that a reader of a later one knows it.
const jsonFormat = "florin-1"

// jsonAccount and jsonRow are the objects of a JSON file. An amount is a text, since readers of JSON round numbers.
type jsonAccount struct {
	Account   int                         `json:"account"` // number that the rows name, from 1
	Name      string                      `json:"name"`
	Bank      string                      `json:"bank"`
	Holder    string                      `json:"holder,omitempty"`
	IBAN      string                      `json:"iban,omitempty"`
	Number    string                      `json:"number,omitempty"`
	Currency  string                      `json:"currency"`
	Type      openbanking.CashAccountType `json:"type"`
	Simulated bool                        `json:"simulated,omitempty"`
}

type jsonRow struct {
	Account             int              `json:"account"`
	ID                  string           `json:"id"`
	Date                openbanking.Date `json:"date,omitempty"`
	BookingDate         openbanking.Date `json:"booking_date,omitempty"`
	ValueDate           openbanking.Date `json:"value_date,omitempty"`
	TransactionDate     openbanking.Date `json:"transaction_date,omitempty"`
	Amount              string           `json:"amount"`
	Currency            string           `json:"currency"`
	Counterparty        string           `json:"counterparty,omitempty"`
	CounterpartyAccount string           `json:"counterparty_account,omitempty"`
	Text                string           `json:"text,omitempty"`
	Kind                string           `json:"kind,omitempty"`
	Reference           string           `json:"reference,omitempty"`
	Payee               string           `json:"payee,omitempty"`
	Category            string           `json:"category,omitempty"`
	Tags                []string         `json:"tags,omitempty"`
	Note                string           `json:"note,omitempty"`
	Parts               []jsonPart       `json:"parts,omitempty"`
	Reviewed            bool             `json:"reviewed,omitempty"`
}

type jsonPart struct {
	Amount   string `json:"amount"`
	Category string `json:"category,omitempty"`
	Note     string `json:"note,omitempty"`
}

// writeJSON writes one object with all accounts and all rows, a line for each.
func writeJSON(w *bufio.Writer, l Ledger, _ Options) error {
	object := func(before string, v any) error {
		line, err := json.Marshal(v)
		_, _ = w.WriteString(before)
		_, _ = w.Write(line)
		return err
	}
	if err := object(`{"format":`, jsonFormat); err != nil {
		return err
	}
	_, _ = w.WriteString(",\n\"accounts\":[")
	separator := "\n"
	for i, a := range l.Accounts {
		err := object(separator, jsonAccount{i + 1, a.Name, a.Bank, a.Holder, a.IBAN, a.Number, a.Currency, a.Type, a.Simulated})
		if err != nil {
			return err
		}
		separator = ",\n"
	}
	_, _ = w.WriteString("\n],\n\"transactions\":[")
	separator = "\n"
	for r, err := range l.Rows {
		if err != nil {
			return err
		}
		var parts []jsonPart
		for _, p := range r.Parts {
			parts = append(parts, jsonPart{p.Amount.String(), p.Category.Name, p.Note})
		}
		err := object(separator, jsonRow{r.Account + 1, r.ID, r.Date, r.BookingDate, r.ValueDate, r.TransactionDate, r.Amount.String(), r.Amount.Currency(),
			r.Counterparty, r.CounterpartyAccount, r.Text, r.Kind, r.Reference, r.payee(), r.Category.Name, r.Tags, r.Note, parts, r.Reviewed})
		if err != nil {
			return err
		}
		separator = ",\n"
	}
	_, err := w.WriteString("\n]}\n")
	return err
}
