package handlers_test

import (
	"net/http"
	"strconv"
	"testing"

	"florin/internal/openbanking"
	"florin/internal/search"
)

// A number that the bank does not show in full, such as a card number, cannot be paid again.
func TestPayAgainNeedsAWholeNumber(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	s.syncAll()
	rows, _, err := s.store.Find(t.Context(), mira.ID, search.InAccount(account), 1<<62, 1)
	must(t, err)
	page := "/accounts/" + account + "/transactions/" + strconv.FormatInt(rows[0].ID, 10)
	for number, pays := range map[string]bool{numberOther: true, "12345678": true, "516435******5419": false, "516435XXXXXX5419": false, "•••• 5419": false,
		"": false} {
		s.exec(`UPDATE booked_transaction SET counterparty_account = $1, minor = -100 WHERE account_id = $2`, number, account)
		a := b.get(page).status(http.StatusOK)
		if pays {
			a.has("Pay again")
		} else {
			a.lacks("Pay again")
		}
	}
}

// Direct debits, card payments and salaries can be neither paid again nor paid back.
func TestOnlyTransfersArePaidAgain(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	row := func(reference, amount string, change func(r *openbanking.Transaction)) openbanking.Transaction {
		r := debit(reference, amount, "ACME GmbH", numberOther, 0)
		change(&r)
		return r
	}
	credit := func(r *openbanking.Transaction) {
		r.CreditDebitIndicator, r.Debtor, r.DebtorAccount, r.Creditor, r.CreditorAccount = openbanking.CreditDebitIndicatorCRDT, r.Creditor, r.CreditorAccount,
			nil, nil
	}
	scheme := openbanking.ReferenceNumberSchemeSDDM
	s.books(
		row("t", "1.01", func(*openbanking.Transaction) {}),
		row("m", "1.02", func(r *openbanking.Transaction) { r.ReferenceNumber, r.ReferenceNumberSchema = new("MD-1"), &scheme }),
		row("c", "1.03", func(r *openbanking.Transaction) { r.MerchantCategoryCode = new("5411") }),
		row("d", "1.04", func(r *openbanking.Transaction) {
			r.BankTransactionCode = &openbanking.BankTransactionCode{Code: new("RDDT")}
		}),
		row("i", "1.05", credit),
		row("s", "1.06", func(r *openbanking.Transaction) {
			credit(r)
			r.BankTransactionCode = &openbanking.BankTransactionCode{Code: new("RCDT"), SubCode: new("SALA")}
		}),
		row("x", "1.07", func(r *openbanking.Transaction) {
			r.ExchangeRate = &openbanking.ExchangeRate{InstructedAmount: &openbanking.AmountType{Currency: "USD", Amount: "1.20"}}
		}),
	)
	for amount, offers := range map[string]string{"-1.01": "Pay again", "-1.02": "", "-1.03": "", "-1.04": "", "1.05": "Pay back", "1.06": "",
		"-1.07": "Pay again"} {
		a := b.get(s.rowOf(mira, account, amount)).status(http.StatusOK)
		if offers == "" {
			a.lacks("Pay again", "Pay back")
		} else {
			a.has(offers)
		}
	}
	page := s.rowOf(mira, account, "-1.07")
	id := page[len("/accounts/"+account+"/transactions/"):]
	b.get("/pay?account="+account+"&transaction="+id).has(`value="1.20"`, `<option value="USD" selected`).lacks(`value="1.07"`)
}

// A transfer between the user's own accounts names the other account and leads to it, in both directions.
func TestOwnTransferNamesTheOtherAccount(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	other := accounts[0]
	if other.ID == account {
		other = accounts[1]
	}
	in := debit("in", "2.02", "Mira Kowalczyk", other.IBAN, 0)
	in.CreditDebitIndicator, in.Debtor, in.DebtorAccount, in.Creditor, in.CreditorAccount = openbanking.CreditDebitIndicatorCRDT, in.Creditor,
		in.CreditorAccount, nil, nil
	s.books(debit("out", "2.01", "Mira Kowalczyk", other.IBAN, 0), in, debit("else", "2.03", "Mira Kowalczyk", numberOther, 0))
	link := `<a href="/accounts/` + other.ID + `"><bdi>` + other.Name() + `</bdi></a>`
	b.get(s.rowOf(mira, account, "-2.01")).has(">To your account<", link, "Transfer again").lacks("Paid to")
	b.get(s.rowOf(mira, account, "2.02")).has(">From your account<", link, "Transfer back").lacks("Received from")
	b.get(s.rowOf(mira, account, "-2.03")).has("Paid to", "Mira Kowalczyk").lacks("To your", link)
}
