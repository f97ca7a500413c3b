package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// plan returns how SQLite runs a query.
func (b *bed) plan(t testing.TB, query string, args ...any) string {
	t.Helper()
	steps, err := collect(t.Context(), b.db.Read(), func(row scanner) (string, error) {
		var id, parent, x int
		var detail string
		err := row.Scan(&id, &parent, &x, &detail)
		return detail, err
	}, `EXPLAIN QUERY PLAN `+query, args...)
	check(t, err)
	return strings.Join(steps, "\n")
}

// A list reads only its own payments, in its order. So the accounts page costs the same however many payments there are.
func TestListsOfPaymentsAreFoundByIndexes(t *testing.T) {
	b := newBed(t)
	for _, list := range []struct {
		filter PaymentFilter
		index  string
	}{
		{PaymentFilter{}, "payment_user (user_id=?)"},
		{PaymentFilter{Hidden: true}, "payment_user (user_id=?)"},
		{PaymentFilter{Search: "x"}, "payment_user (user_id=?)"},
		{PaymentFilter{Before: "x"}, "payment_user (user_id=? AND created<?)"},
		{PaymentFilter{AccountID: "x"}, "payment_account (account_id=?)"},
		{PaymentFilter{RetryOf: "x", Hidden: true}, "payment_retry (retry_of=?)"},
		{PaymentFilter{Drafts: true}, "payment_draft (user_id=?)"},
		{PaymentFilter{Open: true}, "payment_open (user_id=?)"},
	} {
		query, args := paymentsQuery("u", list.filter, 50)
		if list.filter.Search == "" && strings.Contains(query, "LIKE") {
			t.Errorf("%+v: a pattern without a search", list.filter)
		}
		plan := b.plan(t, query, args...)
		if sorted := strings.Contains(plan, "TEMP B-TREE"); !strings.Contains(plan, "SEARCH payment USING INDEX "+list.index) || sorted && list.filter.RetryOf == "" {
			t.Errorf("%+v:\n%s", list.filter, plan)
		}
	}
	for _, list := range []struct {
		query, index string
		args         []any
	}{
		{draftsQuery, "COVERING INDEX payment_draft (user_id=?)", []any{"u"}},
		{toSendCount, "INDEX payment_handed (user_id=? AND type=?)", []any{"u"}},
		{toSendOther, "INDEX payment_handed (user_id=? AND type=?)", []any{"u"}},
		{toSendPlaces, "INDEX payment_handed (user_id=? AND type=?)", []any{"u"}},
		{`SELECT ` + paymentColumns + paymentFrom + toSendByAge, "INDEX payment_open (user_id=?)", []any{"u", "a", 5}},
		{sentQuery(isHanded), "INDEX payment_handed (user_id=? AND type=?)", []any{"u", finance.ByOwnApp}},
		{sentTransfersQuery(isHanded), "INDEX payment_handed (user_id=? AND type=?)", []any{"u", finance.ByOwnApp}},
		{unseenQuery, "INDEX payment_news (user_id=?)", []any{"u", 5}},
		{sentQuery(isComing + ` AND payment.last_day >= $2`), "INDEX payment_coming (user_id=? AND last_day>?)", []any{"u", "2026-01-01"}},
		{sentQuery(isMatched + ` AND payment.last_day >= $2`), "INDEX payment_match (user_id=? AND last_day>?)", []any{"u", "2026-01-01"}},
		{usersToMatchQuery, "INDEX payment_match (user_id=? AND last_day>?)", []any{"2026-01-01"}},
		{unknownQuery, "INDEX payment_unknown", nil},
		{sentQuery(lookedFor), "INDEX payment_match (user_id=? AND last_day>?)", []any{"u", "2026-01-01"}},
		{bookedQuery(lookedFor), "INDEX sqlite_autoindex_payment_booking_2 (payment_id=?)", []any{"u", "2026-01-01"}},
		{filedQuery(lookedFor), "COVERING INDEX payment_total_payment (payment_id=?)", []any{"u", "2026-01-01"}},
		{recentQuery(lookedFor), "INDEX booked_transaction_page (account_id=? AND sort_key>?)", []any{"u", "2026-01-01", 0}},
		{bookedBeforeQuery(lookedFor), "INTEGER PRIMARY KEY (rowid=?)", []any{"u", "2026-01-01", 0}},
	} {
		plan := b.plan(t, list.query, list.args...)
		if !strings.Contains(plan, "USING "+list.index) || regexp.MustCompile(`SCAN [a-z]+( USING INDEX payment_user.*)?(\n|$)`).MatchString(plan) {
			t.Errorf("%s:\n%s", list.query, plan)
		}
	}
}

// A list shows the same about a payment as the payment's page, for every kind of payment.
func TestListedPaymentsTellTheSame(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org")
	tomorrow, later, monthly := openbanking.DateOf(time.Now().AddDate(0, 0, 1)), openbanking.DateOf(time.Now().AddDate(0, 0, 3)), openbanking.FrequencyCodeMNTH
	dated := func(day openbanking.Date) openbanking.CreditTransferTransaction {
		c := transfer("Later", ibanDE, "7.10")
		c.RequestedExecutionDate = &day
		return c
	}
	standing := dated(tomorrow)
	standing.Frequency = &monthly
	dollars := transfer("Abroad", ibanGB, "3.00")
	dollars.InstructedAmount.Currency = "USD"
	sent := map[string]finance.Payment{}
	for name, o := range map[string]finance.PaymentOrder{
		"at once": order(transfer("Shop", ibanDE, "5")), "for a day": order(dated(tomorrow)), "standing": order(standing),
		"many": order(transfer("A", ibanDE, "1"), transfer("B", ibanGB, "2")), "two currencies": order(transfer("A", ibanDE, "1"), dollars),
	} {
		sent[name] = b.sent(t, user, name, o)
	}
	moved := sent["for a day"].Order.Request
	wire := openbanking.PaymentRequestResourceDetails{CreditTransferTransaction: []openbanking.CreditTransferTransactionDetails{{
		CreditTransferTransaction: dated(later)}}}
	wire.CreditTransferTransaction[0].PaymentID = moved.CreditTransferTransaction[0].PaymentID
	claim, _, err := b.ClaimPaymentOf(t.Context(), user.ID, sent["for a day"].ID, time.Minute)
	check(t, err)
	_, _, err = b.ApplyNews(t.Context(), claim, finance.PaymentNews{Source: finance.NewsCheck, Status: "ACSP", Details: wire},
		func(finance.Payment) time.Time { return time.Now() })
	check(t, err)
	check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE payment_transfer SET status = 'RJCT' WHERE payment_id = $1 AND position = 1`, sent["many"].ID)
		return err
	}))
	check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error { // the person is back from the bank, but the bank does not report the result
		_, err := tx.ExecContext(t.Context(), `UPDATE payment SET auth = 'FINALISED', auth_source = 'return', error_code = 'ASPSP_TIMEOUT' WHERE id = $1`,
			sent["at once"].ID)
		return err
	}))
	must(b.SaveDraft(t.Context(), user.ID, "form", order(transfer("Draft", ibanDE, "9")), ""))(t)
	for _, f := range []PaymentFilter{{}, {Drafts: true}} {
		page, _, err := b.Payments(t.Context(), user.ID, f, 50)
		check(t, err)
		if len(page) == 0 {
			t.Fatalf("%+v: nothing", f)
		}
		for _, p := range page {
			whole := must(b.Payment(t.Context(), user.ID, p.ID))(t)
			totals := func(p finance.Payment) any {
				if !p.Total.IsZero() {
					return p.Total
				}
				return must(p.Order.Totals())(t)
			}
			now := time.Now()
			for what, pair := range map[string][2]any{
				"the story": {p.Story(now), whole.Story(now)}, "the story in a week": {p.Story(now.AddDate(0, 0, 8)), whole.Story(now.AddDate(0, 0, 8))},
				"the day":                    {p.Day(), whole.Day()},
				"the day that was asked for": {p.Order.ExecutionDate(), whole.Order.ExecutionDate()}, "the rhythm": {p.Order.Standing(), whole.Order.Standing()},
				"the sum":     {totals(p), totals(whole)},
				"its address": {p.Approval.URL, whole.Approval.URL}, "who waits": {p.Waiting(), whole.Waiting()},
				"its times": {[]time.Time{p.Created, p.Sent, p.Progress.Changed}, []time.Time{whole.Created, whole.Sent, whole.Progress.Changed}},
				"the rest": {[]any{p.UserID, p.Phase, p.Title, p.Simulated, p.Hidden, p.Order.AccountID, p.Order.ASPSP.Name, p.Order.Type, p.Failure},
					[]any{whole.UserID, whole.Phase, whole.Title, whole.Simulated, whole.Hidden, whole.Order.AccountID, whole.Order.ASPSP.Name,
						whole.Order.Type,
						whole.Failure}},
			} {
				if listed, wanted := fmt.Sprintf("%+v", pair[0]), fmt.Sprintf("%+v", pair[1]); listed != wanted {
					t.Errorf("%s, %s: %s, its page has %s", p.Title, what, listed, wanted)
				}
			}
			if plain := p.Title == "Shop"; plain && !slices.EqualFunc(p.Order.Request.CreditTransferTransaction, []string{""},
				func(c openbanking.CreditTransferTransaction, s string) bool { return c.InstructedAmount.Amount == s }) {
				t.Errorf("the order of a plain payment is read for a list: %+v", p.Order.Request)
			}
		}
	}
}
