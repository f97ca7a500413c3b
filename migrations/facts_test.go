package migrations_test

import (
	"encoding/json"
	"testing"

	"florin/internal/finance"
	"florin/internal/sqlite"
	"florin/migrations"
)

// What webhooks changed, kept as sentences before, is kept in codes; no word of an unknown sentence is lost.
func TestSentencesBecomeFacts(t *testing.T) {
	db := appBefore(t, "00013")
	sentences := map[string]finance.DeliveryEffect{
		"nothing: the payment is final as ACSC": {Kind: finance.EffectFinal, After: finance.ReportedStatus{Status: "ACSC"},
			Final: true},
		"the authorisation is known to be CANCELLED; the payment is final as CNCL": {Kind: finance.EffectFinalApproval, Approval: "CANCELLED",
			After: finance.ReportedStatus{Status: "CNCL"}, Final: true},
		"nothing new: the service still says ACSP with PDCR": {Kind: finance.EffectNone,
			After: finance.ReportedStatus{Status: "ACSP", Cancellation: "PDCR"}},
		"PDNG became ACSC, which is final": {Kind: finance.EffectStatus, Before: finance.ReportedStatus{Status: "PDNG"},
			After: finance.ReportedStatus{Status: "ACSC"}, Final: true},
		"ACSP with PDCR became ACSP with RJCR": {Kind: finance.EffectStatus,
			Before: finance.ReportedStatus{Status: "ACSP", Cancellation: "PDCR"}, After: finance.ReportedStatus{Status: "ACSP", Cancellation: "RJCR"}},
		"the authorisation became FINALISED": {Kind: finance.EffectApproval, Approval: "FINALISED"},
		"details of RJCT, which is final": {Kind: finance.EffectDetails, After: finance.ReportedStatus{Status: "RJCT"},
			Final: true},
		"nothing: the service did not say which payment this is": {Kind: finance.EffectNotAnswered},
		"nothing: it is a payment that this Florin did not make": {Kind: finance.EffectNotOurs},
		"nothing: the payment is still being sent":               {Kind: finance.EffectStillSending},
		"nothing: another payment has the same reference":        {Kind: finance.EffectSameReference},
		"something else":          {Kind: finance.EffectOther, Said: "something else"},
		`a "word" with a \ in it`: {Kind: finance.EffectOther, Said: `a "word" with a \ in it`},
	}
	const at = `'2026-10-01T08:00:00.000Z'`
	exec := func(statement string, args ...any) {
		t.Helper()
		if err := db.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.ExecContext(t.Context(), statement, args...); return err }); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
		VALUES ('p', 'P', 'b', 'r', 'i', 'a', 'app', 'r', 'SANDBOX', 'k', ` + at + `, ` + at + `)`)
	exec(`INSERT INTO webhook_delivery (id, provider_id, received, body, body_hash, size, checks, verified, answer, webhook_id, payment_id, status, expected, auth, triggered)
		VALUES ('d', 'p', ` + at + `, '', '', 0, '[]', 1, 200, 'w', '1', 'ACSC', 0, '', ` + at + `)`)
	sequence := map[int]finance.DeliveryEffect{}
	for sentence, effect := range sentences {
		sequence[len(sequence)+1] = effect
		exec(`INSERT INTO webhook_result (delivery_id, sequence, at, result) VALUES ('d', $1, `+at+`, $2)`, len(sequence), sentence)
	}
	if err := sqlite.Migrate(t.Context(), db, migrations.App); err != nil {
		t.Fatal(err)
	}
	for n, want := range sequence {
		var text string
		if err := db.Read().QueryRowContext(t.Context(), `SELECT result FROM webhook_result WHERE delivery_id = 'd' AND sequence = $1`, n).Scan(&text); err != nil {
			t.Fatal(err)
		}
		var got finance.DeliveryEffect
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}
