package payments

import (
	"bytes"
	"cmp"
	"errors"
	"image/png"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/qrcode"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// bankWords name the bank of a payment, or say "your bank" where the person has not said which.
func bankWords(c show.Clock, p finance.Payment) string {
	if p.Order.ASPSP.Name == "" {
		return c.Say("your bank")
	}
	return show.BankName(p.Order.ASPSP.Name)
}

// handedOver reports whether a payment is there to be sent in the app of the bank.
func handedOver(p finance.Payment) bool {
	return p.Order.OwnApp() && p.Phase == finance.PhaseCreated && !p.Progress.Final
}

// handed records that the person has seen the code of a payment. Only the first time counts.
func (a *Area) handed(v *shell.Visitor, p finance.Payment) (finance.Payment, error) {
	if !handedOver(p) || !p.Progress.Reached[finance.StepApproved].IsZero() {
		return p, nil
	}
	if err := a.Payments.Handed(v.Ctx(), v.User.ID, p.ID); err != nil {
		return p, err
	}
	return a.Store.Payment(v.Ctx(), v.User.ID, p.ID)
}

// handoff is what the person takes to the app of the bank; nil where there is nothing to send there.
func (a *Area) handoff(v *shell.Visitor, c show.Clock, p finance.Payment) (*pages.Handoff, error) {
	if !handedOver(p) {
		return nil, nil //nolint:nilnil // no section on the page
	}
	h := &pages.Handoff{Bank: bankWords(c, p), Many: len(p.Order.Request.CreditTransferTransaction) > 1}
	if day := p.Order.ExecutionDate(); day != "" {
		h.Day = c.DayInFull(day)
	}
	if !h.Many {
		t := p.Order.Request.CreditTransferTransaction[0]
		invoice, code, err := codeOf(t)
		if err != nil {
			return nil, err
		}
		h.Code, h.Bill = &code, invoice.Bill()
		if !h.Bill {
			if h.Link, err = invoice.Payto(); err != nil {
				return nil, err
			}
		}
		h.Fields, h.Note = handoffFields(c, invoice), passedOn(c, t)
	}
	if h.Bill {
		h.NoFile = c.Say("There is no file for payments in francs yet. Scan the code with the app of your bank, or copy the fields.")
		return h, nil
	}
	_, err := a.painOrder(v, p)
	switch {
	case err == nil:
		h.File = true
		h.Picked = painVersions(c, "")
	case errors.Is(err, paymentfile.ErrNoPayer):
		h.NoFile = c.Say(noPayer)
	default:
		return nil, err
	}
	return h, nil
}

// codeOf is a transfer as a payment code, with what that holds.
func codeOf(t openbanking.CreditTransferTransaction) (invoice paymentfile.Invoice, code qrcode.Code, err error) {
	if invoice, err = paymentfile.InvoiceOf(t); err != nil {
		return invoice, code, err
	}
	text, err := invoice.Code()
	if err != nil {
		return invoice, code, err
	}
	if code, err = qrcode.Encode(text, qrcode.M); err == nil && invoice.Bill() {
		code = code.WithSwissCross()
	}
	return invoice, code, err
}

// handoffFields are the fields of the forms of banks, as these take them. Those of a Swiss QR-bill have the names and the order of its payment part (Swiss
// Implementation Guidelines QR-bill, version 2.3, chapter "Information section").
func handoffFields(c show.Clock, v paymentfile.Invoice) []pages.HandoffField {
	if v.Bill() {
		town := strings.TrimSpace(v.Address.PostCode + " " + v.Address.Town)
		return filled([]pages.HandoffField{{Name: c.Say("Account"), Value: v.IBAN.Groups()}, {Name: c.Say("IBAN without spaces"), Value: v.IBAN.String()},
			{Name: c.Say("Payable to"), Value: v.Name}, {Name: c.Say("Street and number"), Value: v.Address.Street}, {Name: c.Say("Postcode and town"), Value: town},
			{Name: c.Say("Country"), Value: c.Say(words.Text(countries.Name(v.Address.Country)))}, {Name: c.Say("Reference"), Value: v.ReferenceGroups()},
			{Name: c.Say("Additional information"), Value: v.Text}, {Name: c.Say("Currency"), Value: v.Currency}, {Name: c.Say("Amount"), Value: c.Typed(v.Amount)}})
	}
	return filled([]pages.HandoffField{{Name: c.Say("Payee"), Value: v.Name}, {Name: c.Say("IBAN"), Value: v.IBAN.Groups()},
		{Name: c.Say("IBAN without spaces"), Value: v.IBAN.String()}, {Name: c.Say("Amount in euros"), Value: c.Typed(v.Amount)},
		{Name: "BIC", Value: v.BIC}, {Name: c.Say("Reference"), Value: v.Reference}, {Name: c.Say("Text"), Value: v.Text}})
}

// filled are the fields that are not empty.
func filled(fields []pages.HandoffField) []pages.HandoffField {
	return slices.DeleteFunc(fields, func(f pages.HandoffField) bool { return f.Value == "" })
}

// passedOn says how the bank will receive the name, text and address where the code changes their letters; "" when it changes none.
func passedOn(c show.Clock, t openbanking.CreditTransferTransaction) string {
	v, err := paymentfile.InvoiceOf(t)
	if err != nil {
		return ""
	}
	name := ""
	if t.Beneficiary.Creditor != nil {
		name = finance.Typed(show.Text(t.Beneficiary.Creditor.Name))
	}
	text := v.Text != "" && !sameText(t, v)
	var notes []string
	switch {
	case name != v.Name && text:
		notes = append(notes, c.Say("Banks pass on plain letters only. In the code, the payee is “%s” and the text is “%s”.", v.Name, v.Text))
	case name != v.Name:
		notes = append(notes, c.Say("Banks pass on plain letters only. In the code, the payee is “%s”.", v.Name))
	case text:
		notes = append(notes, c.Say("Banks pass on plain letters only. In the code, the text is “%s”.", v.Text))
	}
	if address := addressLine(v.Address); v.Bill() && address != addressLine(addressOf(t)) {
		notes = append(notes, c.Say("In the code, the address is “%s”.", address))
	}
	return strings.Join(notes, " ")
}

// sameText reports whether a code has the text of a transfer, or where there is none its reference, as they were typed.
func sameText(t openbanking.CreditTransferTransaction, v paymentfile.Invoice) bool {
	if v.Text != "" && v.Reference != "" {
		t.ReferenceNumber = nil // stands beside it
	}
	return finance.ReferenceText(t) == cmp.Or(v.Text, v.Reference)
}

// addressOf is the address of the payee of a transfer, as it was typed.
func addressOf(t openbanking.CreditTransferTransaction) (a paymentfile.Address) {
	if t.Beneficiary.Creditor == nil || t.Beneficiary.Creditor.PostalAddress == nil {
		return a
	}
	p := t.Beneficiary.Creditor.PostalAddress
	return paymentfile.Address{Street: finance.Typed(show.Text(p.StreetName)), PostCode: finance.Typed(show.Text(p.PostCode)),
		Town: finance.Typed(show.Text(p.TownName)), Country: show.Text(p.Country)}
}

func addressLine(a paymentfile.Address) string {
	return strings.Join(slices.DeleteFunc([]string{a.Street, strings.TrimSpace(a.PostCode + " " + a.Town), a.Country}, func(s string) bool { return s == "" }), ", ")
}

// painOrder is a payment as a file. The error is paymentfile.ErrNoPayer where too little is known of the account, and
// paymentfile.ErrNotEuro where it is not in euros.
func (a *Area) painOrder(v *shell.Visitor, p finance.Payment) (paymentfile.PainOrder, error) {
	o, err := a.painPayer(v, p.Order.AccountID)
	if err != nil {
		return o, err
	}
	o.ID, o.Created = show.Text(p.Order.Request.PaymentInformationID), p.Sent
	credits, err := paymentfile.PainCredits(p.Order)
	o.Days = []paymentfile.PainDay{{Day: fileDay(p), Credits: credits}}
	return o, err
}

// noPayer says why there is no file.
const noPayer words.Text = "A file needs the IBAN and the holder of your account, and Florin does not know both."

// painPayer is a file without transfers from an account. The error is paymentfile.ErrNoPayer where too little is known of it.
func (a *Area) painPayer(v *shell.Visitor, accountID string) (paymentfile.PainOrder, error) {
	o := paymentfile.PainOrder{Version: paymentfile.Pain00109}
	account, err := a.Store.Account(v.Ctx(), v.User.ID, accountID)
	if errors.Is(err, finance.ErrNotFound) {
		return o, paymentfile.ErrNoPayer
	}
	if err != nil {
		return o, err
	}
	o.Payer = account.Holder
	if o.Account, err = iban.Parse(account.IBAN); err != nil || o.Payer == "" {
		return o, paymentfile.ErrNoPayer
	}
	return o, nil
}

// fileDay returns the execution date for the file: the requested day, or the first possible day when that has passed.
func fileDay(p finance.Payment) openbanking.Date {
	return max(p.Order.ExecutionDate(), finance.PaymentDay(time.Now()))
}

// painVersions are the versions of files to choose from.
func painVersions(c show.Clock, chosen paymentfile.PainVersion) []ui.Option {
	return []ui.Option{
		{Value: string(paymentfile.Pain00109), Text: c.Say("%s (new)", string(paymentfile.Pain00109)), Selected: chosen == paymentfile.Pain00109},
		{Value: string(paymentfile.Pain00103), Text: c.Say("%s (older)", string(paymentfile.Pain00103)), Selected: chosen == paymentfile.Pain00103},
	}
}

// toHand is a payment of the visitor that is there to be sent in the app of the bank; finance.ErrNotFound for any other.
func (a *Area) toHand(v *shell.Visitor) (finance.Payment, error) {
	p, err := a.Store.Payment(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if err == nil && !handedOver(p) {
		err = finance.ErrNotFound
	}
	return p, err
}

// A module of a code is so many pixels of its picture.
const codeScale = 12

// paymentCode is the code of a payment as a picture to save.
func (a *Area) paymentCode(v *shell.Visitor) error {
	p, err := a.toHand(v)
	if err != nil {
		return err
	}
	if len(p.Order.Request.CreditTransferTransaction) != 1 {
		return finance.ErrNotFound
	}
	_, code, err := codeOf(p.Order.Request.CreditTransferTransaction[0])
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := png.Encode(&file, code.Picture(codeScale)); err != nil {
		return err
	}
	give(v, "image/png", "inline", "florin-"+string(openbanking.DateOf(p.Sent))+".png", file.Bytes())
	return nil
}

// paymentFile is a payment as a file for the website of the bank. It is made here and kept nowhere.
func (a *Area) paymentFile(v *shell.Visitor) error {
	p, err := a.toHand(v)
	if err != nil {
		return err
	}
	o, err := a.painOrder(v, p)
	if err != nil {
		if errors.Is(err, paymentfile.ErrNoPayer) || errors.Is(err, paymentfile.ErrNotEuro) {
			return finance.ErrNotFound
		}
		return err
	}
	query := v.Request.URL.Query()
	o.OneTotal = query.Get("total") != ""
	if version := query.Get("version"); version != "" {
		o.Version = paymentfile.PainVersion(version)
	}
	file, err := o.Write()
	if errors.Is(err, paymentfile.ErrNoVersion) {
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say(noVersion), Todo: v.Say("Choose a version from the list."),
			Action: ui.Link{Text: v.Say("See the payment"), Href: paths.Payment(p.ID)}}
	}
	if err != nil {
		return err
	}
	give(v, "application/xml; charset=utf-8", "attachment", o.Name(), file)
	return nil
}

// give answers with a file that no cache keeps.
func give(v *shell.Visitor, kind, how, name string, file []byte) {
	header := v.Writer.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": name}))
	header.Set("Content-Length", strconv.Itoa(len(file)))
	header.Set("Cache-Control", "no-store")
	_, _ = v.Writer.Write(file)
}

// saySent takes what the person says of a payment: that it was sent in the app of the bank, or that it was not.
func (a *Area) saySent(v *shell.Visitor) error {
	id, sent := v.Request.PathValue("payment"), v.Field("sent") != ""
	err := a.Payments.SaySent(v.Ctx(), v.User.ID, id, sent)
	if errors.Is(err, finance.ErrNotFound) {
		if _, err := a.Store.Payment(v.Ctx(), v.User.ID, id); err != nil {
			return err
		}
		a.Flash(v, ui.Info, v.Say("This payment has already ended. Nothing was changed."))
		v.SeeOther(paths.Payment(id))
		return nil
	}
	if err != nil {
		return err
	}
	if sent {
		a.Syncer.Await(v.User.ID, v.Present())
		a.Flash(v, ui.Good, v.Say("Noted. Florin looks for the booking."))
	} else {
		a.Flash(v, ui.Good, v.Say("Noted. Florin no longer waits for this payment. If you send it after all, you find the booking among your transactions."))
	}
	v.SeeOther(paths.Payment(id))
	return nil
}

// chooseBooking takes which booked transaction a payment is.
func (a *Area) chooseBooking(v *shell.Visitor) error {
	id := v.Request.PathValue("payment")
	if _, err := a.Store.Payment(v.Ctx(), v.User.ID, id); err != nil {
		return err
	}
	booked, err := strconv.ParseInt(v.Field("booking"), 10, 64)
	if err != nil {
		return finance.ErrNotFound
	}
	err = a.Payments.Choose(v.Ctx(), v.User.ID, id, booked)
	switch {
	case errors.Is(err, finance.ErrNotFound):
		a.Flash(v, ui.Info, v.Say("This booking belongs to another payment, or is gone. Nothing was changed."))
	case err != nil:
		return err
	default:
		a.Flash(v, ui.Good, v.Say("Noted: this booking is the payment."))
	}
	v.SeeOther(paths.Payment(id))
	return nil
}

// ownAppStops are the stops of a payment that the person sends. Whether it arrived is never reported.
func ownAppStops(c show.Clock, p finance.Payment, story finance.Story) []pages.PaymentStop {
	var list []pages.PaymentStop
	for _, stop := range []struct {
		step finance.Step
		name words.Text
	}{{finance.StepCreated, "Prepared"}, {finance.StepApproved, "Handed to you"}, {finance.StepSent, "Seen in the booking"}, {finance.StepArrived, "Arrived"}} {
		view := pages.PaymentStop{Name: c.Say(stop.name), Reached: story.Step >= stop.step, Unreported: stop.step == finance.StepArrived && !story.NoMoney}
		if at := p.Progress.Reached[stop.step]; view.Reached && !at.IsZero() {
			view.At = c.Exact(at)
		}
		if view.Reached {
			for i := range list {
				list[i].Last = false
			}
			view.Last = true
		} else if story.NoMoney && len(list) > 0 && list[len(list)-1].Reached {
			view.Stopped = true
		}
		list = append(list, view)
	}
	return list
}

// ownAppSource says where the last news of a payment that the person sends came from.
func ownAppSource(c show.Clock, p finance.Payment) string {
	at := c.Exact(p.Progress.Changed).Text
	switch p.Progress.Status {
	case openbanking.PaymentStatusACSP, openbanking.PaymentStatusPART, openbanking.PaymentStatusCNCL:
		return c.Say("Last news at %s: you said so.", at)
	case openbanking.PaymentStatusACSC:
		return c.Say("Last news at %s: the booking was found.", at)
	}
	return c.Say("Handed to you at %s.", at)
}

// ownAppEvent is a line of the history about what became of a payment that the person sends.
func ownAppEvent(c show.Clock, e finance.PaymentEvent) string {
	switch e.Status {
	case openbanking.PaymentStatusACSC:
		return c.Say("All of it is booked")
	case openbanking.PaymentStatusPART:
		return c.Say("You said that the rest was not sent")
	case openbanking.PaymentStatusCNCL:
		return c.Say("You said that it was not sent")
	}
	return c.Say("You said that it was sent, or its booking is gone")
}
