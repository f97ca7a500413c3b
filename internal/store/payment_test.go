package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const canaryURL = "https://bank.example/canary-approval-77aa"

const (
	ibanDE = "DE89370400440532013000"
	ibanGB = "GB29NWBK60161331926819"
)

func transfer(payee, number, amount string) openbanking.CreditTransferTransaction {
	return openbanking.CreditTransferTransaction{InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &payee},
			CreditorAccount: openbanking.GenericIdentification{Identification: number, SchemeName: "IBAN"}}}
}

func order(transfers ...openbanking.CreditTransferTransaction) finance.PaymentOrder {
	return finance.PaymentOrder{ProviderID: "embedded", ASPSP: bank, PSUType: "personal", Type: openbanking.PaymentTypeSEPA,
		Successful: []openbanking.PaymentStatus{"ACSC", "ACCC"},
		Request:    openbanking.PaymentRequestResource{CreditTransferTransaction: transfers}}
}

func agree(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil }

// sent returns a payment that the service has under an id.
func (b *bed) sent(t testing.TB, user finance.User, id string, o finance.PaymentOrder) finance.Payment {
	t.Helper()
	if _, err := b.Provider(t.Context(), "embedded"); errors.Is(err, finance.ErrNotFound) {
		b.provider(t)
	}
	p := must(b.SaveDraft(t.Context(), user.ID, finance.NewID(), o, ""))(t)
	must(b.StartSending(t.Context(), user.ID, p.ID,
		Sending{State: finance.Secret(finance.NewID()), Browser: "b", Lifetime: time.Minute, Answer: time.Minute}, agree))(t)
	return must(b.PaymentCreated(t.Context(), user.ID, p.ID, CreatedPayment{PaymentID: id, Status: "PDNG", URL: canaryURL}))(t)
}

func TestPaymentSecretsAreSealed(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	p := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	if p.Approval.URL != canaryURL {
		t.Errorf("%q", p.Approval.URL)
	}
	check(t, b.Close())
	for _, path := range []string{b.path, b.path + "-wal"} {
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), "canary-approval") {
			t.Errorf("%s holds the address of the approval", path)
		}
	}
	b.open(t)
}

// The database itself enforces the state machine of a payment.
func TestPhasesAreChecked(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	p := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	b.provider(t)
	draft := must(b.SaveDraft(t.Context(), user.ID, "form", order(transfer("A", ibanDE, "5")), ""))(t)
	for _, statement := range []string{
		`UPDATE payment SET phase = 'draft' WHERE id = '` + p.ID + `'`,
		`UPDATE payment SET phase = 'paid' WHERE id = '` + p.ID + `'`,
		`UPDATE payment SET phase = 'unknown' WHERE id = '` + p.ID + `'`,
		`UPDATE payment SET payment_id = NULL WHERE id = '` + p.ID + `'`,
		`UPDATE payment SET status = '' WHERE id = '` + p.ID + `'`,
		`UPDATE payment SET final = 1 WHERE id = '` + p.ID + `'`,
		`UPDATE payment SET final = 1, ended = 'x' WHERE id = '` + p.ID + `'`, // a check of it is still due
		`UPDATE payment SET cancellation = 'ACSC' WHERE id = '` + p.ID + `'`,
		`UPDATE payment SET phase = 'created' WHERE id = '` + draft.ID + `'`,
		`UPDATE payment SET phase = 'sending' WHERE id = '` + draft.ID + `'`,
		`UPDATE payment SET phase = 'failed' WHERE id = '` + draft.ID + `'`,
		`UPDATE payment SET sent = 'x' WHERE id = '` + draft.ID + `'`,
		`UPDATE payment SET next_check_at = 'x' WHERE id = '` + draft.ID + `'`,
		`UPDATE payment_transfer SET minor = 0`,
	} {
		err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.ExecContext(t.Context(), statement); return err })
		if err == nil {
			t.Errorf("taken: %s", statement)
		}
	}
	for name, call := range map[string]func() error{
		"created again": func() error {
			_, err := b.PaymentCreated(t.Context(), user.ID, p.ID, CreatedPayment{PaymentID: "p2", Status: "PDNG"})
			return err
		},
		"created without being sent": func() error {
			_, err := b.PaymentCreated(t.Context(), user.ID, draft.ID, CreatedPayment{PaymentID: "p2", Status: "PDNG"})
			return err
		},
		"failed after all": func() error {
			_, err := b.PaymentFailed(t.Context(), user.ID, p.ID, finance.Failure{Code: "X"})
			return err
		},
		"unknown after all": func() error {
			_, err := b.PaymentUnknown(t.Context(), user.ID, p.ID, finance.Failure{})
			return err
		},
	} {
		if err := call(); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	own := order(transfer("A", ibanDE, "5"))
	own.Type = finance.ByOwnApp
	ours := must(b.SaveDraft(t.Context(), user.ID, "own app", own, ""))(t)
	if _, err := b.StartSending(t.Context(), user.ID, ours.ID, Sending{State: "s2", Browser: "b", Lifetime: time.Minute, Answer: time.Minute}, agree); err == nil {
		t.Error("a payment for the bank's app was sent to a service")
	}
	if p := must(b.Payment(t.Context(), user.ID, ours.ID))(t); p.Phase != finance.PhaseDraft {
		t.Errorf("it is %s", p.Phase)
	}
	if _, err := b.SaveDraft(t.Context(), user.ID, "zero", order(transfer("A", ibanDE, "0")), ""); err == nil {
		t.Error("nothing is paid")
	}
	if _, err := b.SaveDraft(t.Context(), user.ID, "none", order(), ""); err == nil {
		t.Error("a payment without transfers")
	}
}

// An answer that arrives late brings the approval address of a payment that was found meanwhile.
func TestLateAnswer(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	b.provider(t)
	p := must(b.SaveDraft(t.Context(), user.ID, "form", order(transfer("A", ibanDE, "5")), ""))(t)
	must(b.StartSending(t.Context(), user.ID, p.ID, Sending{State: "s", Browser: "b", Lifetime: time.Minute, Answer: -time.Second}, agree))(t)
	lost, next, err := b.SweepSending(t.Context())
	if err != nil || len(lost) != 1 || lost[0].Phase != finance.PhaseUnknown || !next.IsZero() {
		t.Fatalf("%v %+v %v", err, lost, next)
	}
	must(b.PaymentCreated(t.Context(), user.ID, p.ID, CreatedPayment{PaymentID: "p1", Status: "PDNG", Found: true}))(t)
	if _, err := b.PaymentCreated(t.Context(), user.ID, p.ID, CreatedPayment{PaymentID: "other", Status: "PDNG", URL: canaryURL}); !errors.Is(err,
		finance.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if got := must(b.PaymentCreated(t.Context(), user.ID, p.ID,
		CreatedPayment{PaymentID: "p1", Status: "PDNG", URL: canaryURL}))(t); got.Approval.URL != canaryURL || got.Phase != finance.PhaseCreated {
		t.Errorf("%+v", got)
	}
}

func TestPaymentList(t *testing.T) {
	b := newBed(t)
	user, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	for i, name := range []string{"ACME GmbH", "Stadtwerke 100%", "Anna_Lee"} {
		b.sent(t, user, fmt.Sprint("p", i), order(transfer(name, ibanDE, "5")))
	}
	b.sent(t, other, "p9", order(transfer("ACME GmbH", ibanDE, "5")))
	draft := must(b.SaveDraft(t.Context(), user.ID, "form", order(transfer("A", ibanDE, "5"), transfer("B", ibanGB, "6")), ""))(t)
	if draft.Title != "" || len(draft.Order.Request.CreditTransferTransaction) != 2 || draft.Total.String() != "11.00" {
		t.Errorf("%s %s", draft.Title, draft.Total)
	}
	names := func(f PaymentFilter, limit int) string {
		page, more, err := b.Payments(t.Context(), user.ID, f, limit)
		check(t, err)
		var all []string
		for _, p := range page {
			all = append(all, cmp.Or(p.Title, fmt.Sprint(len(p.Order.Request.CreditTransferTransaction), " payments")))
		}
		if more {
			all = append(all, "more")
		}
		return strings.Join(all, ", ")
	}
	page, _, err := b.Payments(t.Context(), user.ID, PaymentFilter{}, 2)
	check(t, err)
	hidden := page[0]
	for want, f := range map[string]PaymentFilter{
		"Anna_Lee, Stadtwerke 100%, ACME GmbH": {},
		"2 payments":                           {Drafts: true},
		"ACME GmbH":                            {Search: "gmbh acme"},
		"Stadtwerke 100%":                      {Search: "100"},
		"Stadtwerke 100%, ACME GmbH":           {Before: hidden.ID},
		"":                                     {AccountID: "other"},
	} {
		if got := names(f, 10); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	if got := names(PaymentFilter{}, 2); got != "Anna_Lee, Stadtwerke 100%, more" {
		t.Error(got)
	}
	check(t, b.HidePayment(t.Context(), user.ID, hidden.ID, true))
	if got := names(PaymentFilter{Open: true}, 10); got != "Stadtwerke 100%, ACME GmbH" {
		t.Error(got)
	}
	if got := names(PaymentFilter{Hidden: true}, 10); got != "Anna_Lee, Stadtwerke 100%, ACME GmbH" {
		t.Error(got)
	}
	claim, _, err := b.ClaimPaymentOf(t.Context(), user.ID, page[1].ID, time.Minute)
	check(t, err)
	_, _, err = b.ApplyNews(t.Context(), claim, finance.PaymentNews{Source: finance.NewsCheck, Status: "ACSC", Final: true},
		func(finance.Payment) time.Time { return time.Now() })
	check(t, err)
	if got := names(PaymentFilter{Open: true}, 10); got != "ACME GmbH" {
		t.Error(got)
	}
}

func TestPayees(t *testing.T) {
	b := newBed(t)
	user, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	ctx := t.Context()
	beneficiary := func(number string) openbanking.Beneficiary { return transfer("", number, "1").Beneficiary }
	acme := must(b.SavePayee(ctx, finance.Payee{UserID: user.ID, Name: " ACME  GmbH", Beneficiary: beneficiary("de89 3704 0044 0532 0130 00")}))(t)
	must(b.SavePayee(ctx, finance.Payee{UserID: user.ID, Name: "Zoe", Beneficiary: beneficiary(ibanGB), Favourite: true}))(t)
	must(b.SavePayee(ctx, finance.Payee{UserID: other.ID, Name: "ACME GmbH", Beneficiary: beneficiary(ibanDE)}))(t)
	if acme.Name != "ACME GmbH" || acme.Account != (finance.PayeeAccount{Scheme: "IBAN", Number: ibanDE}) || acme.History.Times != 0 {
		t.Errorf("%+v", acme)
	}
	if _, err := b.SavePayee(ctx, finance.Payee{UserID: user.ID, Name: "Another", Beneficiary: beneficiary(ibanDE)}); !errors.Is(err, ErrPayeeExists) {
		t.Errorf("%v", err)
	}
	for _, p := range []finance.Payee{{UserID: user.ID, Beneficiary: beneficiary(ibanDE)}, {UserID: user.ID, Name: "X"}} {
		if _, err := b.SavePayee(ctx, p); err == nil {
			t.Errorf("saved %+v", p)
		}
	}
	list := func(search string) string {
		var all []string
		for _, p := range must(b.Payees(ctx, user.ID, search))(t) {
			all = append(all, p.Name)
		}
		return strings.Join(all, ", ")
	}
	for search, want := range map[string]string{"": "Zoe, ACME GmbH", "acme": "ACME GmbH", "gmbh acme": "ACME GmbH", "DE89 3704": "ACME GmbH", "nwbk": "Zoe",
		"%": "", "_": "", "nobody": ""} {
		if got := list(search); got != want {
			t.Errorf("%q: %q, want %q", search, got, want)
		}
	}
	acme.UserID = other.ID
	if _, err := b.SavePayee(ctx, acme); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("changed by a stranger: %v", err)
	}
	if err := b.DeletePayee(ctx, other.ID, acme.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("deleted by a stranger: %v", err)
	}
	if _, err := b.Payee(ctx, other.ID, acme.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("seen by a stranger: %v", err)
	}
	// Past payments count once the bank has accepted them, and are compared by the account, whatever the payee's name.
	for i, status := range []openbanking.PaymentStatus{"ACSC", "ACSP", "RJCT", "PDNG"} {
		p := b.sent(t, user, fmt.Sprint("p", i), order(transfer([]string{"ACME GmbH", "Acme", "ACME GmbH", "ACME GmbH"}[i], ibanDE, "5")))
		claim, _, err := b.ClaimPaymentOf(ctx, user.ID, p.ID, time.Minute)
		check(t, err)
		_, _, err = b.ApplyNews(ctx, claim, finance.PaymentNews{Source: finance.NewsCheck, Status: status},
			func(finance.Payment) time.Time { return time.Now() })
		check(t, err)
	}
	if got := must(b.Payee(ctx, user.ID, acme.ID))(t); got.History.Times != 2 || got.History.LastPaid.IsZero() {
		t.Errorf("%+v", got.History)
	}
	h := must(b.History(ctx, user.ID, acme.Account))(t)
	if h.Times != 2 || strings.Join(h.Names, ", ") != "Acme, ACME GmbH" {
		t.Errorf("%+v", h)
	}
	if h := must(b.History(ctx, other.ID, acme.Account))(t); h.Times != 0 {
		t.Errorf("%+v", h)
	}
	check(t, b.DeletePayee(ctx, user.ID, acme.ID))
	if got := list(""); got != "Zoe" {
		t.Error(got)
	}
}

// The inbox keeps every valid event and a limited number of refused ones.
func TestInbox(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	good := finance.Delivery{ProviderID: "embedded", WebhookID: "w1", PaymentID: "p1", Status: "ACSC", BodyHash: "h", Body: strings.Repeat("x", 2*keptBody),
		Size: 2 * keptBody, Answer: 200, Triggered: time.Now(),
		Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}}}
	if outcome := must(b.KeepDelivery(t.Context(), good))(t); outcome != finance.DeliveryNew {
		t.Fatal(outcome)
	}
	for range countRepeats + 10 {
		if outcome := must(b.KeepDelivery(t.Context(), good))(t); outcome != finance.DeliveryRepeated {
			t.Fatal(outcome)
		}
	}
	altered := good
	altered.BodyHash = "other"
	if outcome := must(b.KeepDelivery(t.Context(), altered))(t); outcome != finance.DeliveryConflict {
		t.Fatal(outcome)
	}
	for i := range keptRefused + 20 {
		check(t, b.KeepRefused(t.Context(), finance.Delivery{ProviderID: "embedded", WebhookID: fmt.Sprint("bad", i), BodyHash: "h", Answer: 401,
			Checks: []finance.DeliveryCheck{{Name: "signature"}}}))
	}
	refused, more, err := b.Deliveries(t.Context(), true, "", 1000)
	check(t, err)
	first := slices.ContainsFunc(refused, func(d finance.Delivery) bool { return d.WebhookID == "bad0" })
	last := slices.ContainsFunc(refused, func(d finance.Delivery) bool { return d.WebhookID == fmt.Sprint("bad", keptRefused+19) })
	if len(refused) != keptRefused || more || first || !last || refused[0].Failed().Name != "signature" {
		t.Errorf("%d refused, the newest %+v", len(refused), refused[0])
	}
	all, more, err := b.Deliveries(t.Context(), false, refused[keptRefused-1].ID, 10)
	check(t, err)
	if len(all) != 1 || more || all[0].WebhookID != "w1" || all[0].Repeats != countRepeats || len(all[0].Body) != keptBody || all[0].Size != 2*keptBody {
		t.Errorf("%d, %v, %+v", len(all), more, all[0].Repeats)
	}
	if err := b.ReplayDelivery(t.Context(), refused[0].ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a refused one was replayed: %v", err)
	}
	if _, err := b.Delivery(t.Context(), "none"); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
	if d := must(b.Delivery(t.Context(), all[0].ID))(t); d.LocalID == "" || !d.Applied.IsZero() {
		t.Errorf("%+v", d)
	}
}

// Payments stored before the column existed have their reference only in the request. It is filled in when Florin starts.
func TestReferencesOfOldPayments(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	first, second, none := transfer("A", ibanDE, "5"), transfer("B", ibanGB, "6"), transfer("C", ibanGB, "7")
	first.ReferenceNumber, first.RemittanceInformation = new("RF18"), []string{"Invoice 7", "of May"}
	second.RemittanceInformation = []string{"Miete für Mai"}
	b.sent(t, user, "p1", order(first, second, none))
	read := func() string {
		all := ""
		for _, key := range must(collect(t.Context(), b.db.Read(), func(row scanner) (key string, err error) { return key, row.Scan(&key) },
			`SELECT r.reference_key FROM payment_transfer r ORDER BY r.position`))(t) {
			all += key + "|"
		}
		return all
	}
	written := read()
	err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE payment_transfer SET reference_key = NULL`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.open(t)
	if got := read(); got != written || got != "RF18INVOICE7OFMAY|MIETEFÜRMAI||" {
		t.Errorf("%q, written %q", got, written)
	}
}

// The SQL condition and the method of a payment agree on what counts as carried out.
func TestCarriedOut(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	p := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	out := 0
	for _, status := range append(openbanking.PaymentStatus("").Values(), "NEWS") {
		for _, final := range []int{0, 1} {
			err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
				_, err := tx.ExecContext(t.Context(), `UPDATE payment SET status = $1, final = $2, ended = $3, next_check_at = NULL WHERE id = $4`, status, final,
					sqlite.At(tx.Now), p.ID)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			var carried bool
			if err := b.db.Read().QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM payment WHERE `+carriedOut+`)`).Scan(&carried); err != nil {
				t.Fatal(err)
			}
			if got := must(b.Payment(t.Context(), user.ID, p.ID))(t).CarriedOut(); got != carried {
				t.Errorf("%s, final %d: %v, in the rows %v", status, final, got, carried)
			}
			if carried {
				out++
			}
		}
	}
	if out < 10 {
		t.Errorf("only %d are carried out", out)
	}
}

// Before a payment, Florin asks about an equal earlier one that the person may have approved. It asks as long as the bank has not reported the result, not only
// for a day, because that payment may have been carried out.
func TestEqualPaymentWhileTheBankIsSilent(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	p := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	again := must(b.SaveDraft(t.Context(), user.ID, finance.NewID(), order(transfer("A", ibanDE, "5")), ""))(t)
	change := func(statement string, args ...any) {
		t.Helper()
		check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.ExecContext(t.Context(), statement, args...); return err }))
	}
	const longAgo = `2026-01-01T00:00:00.000Z`
	for _, test := range []struct {
		name, change         string
		asked, waiting, open bool
	}{
		{"within a day, not approved", `UPDATE payment SET news = news WHERE id = $1`, true, false, true},
		{"days later, not approved", `UPDATE payment SET sent = '` + longAgo + `' WHERE id = $1`, false, false, false},
		{"days later, back from the bank", `UPDATE payment SET returned = '` + longAgo + `' WHERE id = $1`, true, true, false},
		{"days later, approved and accepted", `UPDATE payment SET returned = NULL, at_approved = '` + longAgo + `', status = 'ACCP' WHERE id = $1`, true, true,
			false},
		{"days later, carried out", `UPDATE payment SET status = 'ACSC', final = 1, ended = '` + longAgo + `', next_check_at = NULL WHERE id = $1`, false,
			false, false},
	} {
		change(test.change, p.ID)
		past, _, err := b.PaidBefore(t.Context(), user.ID, again.ID)
		check(t, err)
		var equal []finance.PastTransfer
		for _, transfer := range past {
			if transfer.LocalID == p.ID {
				equal = append(equal, transfer)
			}
		}
		switch {
		case len(equal) == 1 && !test.asked || len(equal) == 0 && test.asked || len(equal) > 1:
			t.Errorf("%s: %+v", test.name, equal)
		case test.asked && (equal[0].Waiting != test.waiting || equal[0].Unapproved != test.open):
			t.Errorf("%s: waiting %v, not approved %v", test.name, equal[0].Waiting, equal[0].Unapproved)
		}
	}
}

// The last day of payments stored before the column existed is filled in when Florin starts. Only a standing order without an end has no last day.
func TestLastDaysAreFilledIn(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	dated, monthly, ends := transfer("A", ibanDE, "5"), transfer("B", ibanDE, "6"), transfer("C", ibanDE, "7")
	dated.RequestedExecutionDate = new(openbanking.Date("2099-01-01"))
	monthly.Frequency, ends.Frequency, ends.EndDate = new(openbanking.FrequencyCodeMNTH), new(openbanking.FrequencyCodeMNTH), new(openbanking.Date("2099-06-01"))
	want := map[string]string{}
	for id, o := range map[string]finance.PaymentOrder{"2099-01-01": order(dated), "9999-12-31": order(monthly), "2099-06-01": order(ends)} {
		want[b.sent(t, user, "key "+id, o).ID] = id
	}
	b.exec(t, `UPDATE payment SET last_day = ''`)
	b.open(t)
	for id, day := range want {
		var got string
		if err := b.db.Read().QueryRowContext(t.Context(), `SELECT last_day FROM payment WHERE id = $1`, id).Scan(&got); err != nil || got != day {
			t.Errorf("%q, %v, want %s", got, err, day)
		}
	}
}
