package payments

import (
	"fmt"
	"testing"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// What is looked at before a payment follows from the payment, however much was paid before: salaries are paid each month to the same people.
func TestReviewDoesNotGrowWithHistory(t *testing.T) {
	const people = 30
	r := newRig(t)
	o := order("1", "", ibanACME)
	o.Type, o.Request.CreditTransferTransaction = openbanking.PaymentTypeBulkSEPA, nil
	for i := range people {
		number, err := iban.Compute("DE", fmt.Sprintf("37040044%010d", i))
		check(t, err)
		one := order(fmt.Sprint(i+1), fmt.Sprintf("Person %d", i), number.String()).Request.CreditTransferTransaction[0]
		one.RemittanceInformation = []string{"Salary"}
		o.Request.CreditTransferTransaction = append(o.Request.CreditTransferTransaction, one)
	}
	var length int
	for month := range 4 {
		draft, err := r.Save(t.Context(), r.user.ID, finance.NewID(), o, "")
		check(t, err)
		past, _, err := r.Store.PaidBefore(t.Context(), r.user.ID, draft.ID)
		check(t, err)
		if month == 1 {
			length = len(past)
		}
		if month == 0 && len(past) != 0 || month > 0 && (length == 0 || len(past) != length) {
			t.Errorf("month %d: %d rows, %d in the first month", month, len(past), length)
		}
		review, err := r.Review(t.Context(), r.user.ID, draft.ID)
		check(t, err)
		codes := map[finance.WarningCode]int{}
		for _, w := range review.Warnings {
			codes[w.Code]++
		}
		if month == 0 && codes[finance.WarnNewPayee] != people || month > 0 && (codes[finance.WarnDuplicate] != people || len(codes) != 1) {
			t.Errorf("month %d: %v", month, codes)
		}
		p, err := r.Confirm(t.Context(), r.user.ID, r.confirmation(t, draft.ID))
		check(t, err)
		r.service.set(p.PaymentID, openbanking.PaymentStatusACSC, true, "")
		_, err = r.Check(t.Context(), r.user.ID, p.ID)
		check(t, err)
		// The long columns of what was paid are not even read.
		db, err := sqlite.Open(t.Context(), r.path)
		check(t, err)
		check(t, db.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), `UPDATE payment SET request = 'not JSON' WHERE sent IS NOT NULL`)
			return err
		}))
		check(t, db.Close())
	}
}
