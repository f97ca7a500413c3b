package webhook

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/strictjson"
)

// maxID is the longest webhook_id that is taken.
const maxID = 200

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// readBody reads the body of a webhook strictly: names once and spelt exactly, every required field of its type, enumerations with values that the
// specification names.
// Fields that it does not name are ignored.
func readBody(body []byte) (hook openbanking.PaymentStatusWebhook, triggered time.Time, err error) {
	fields, err := readObject(body, "payment_id", "payment_status", "payment_updates_expected", "webhook_id", "webhook_triggered", "payment_auth_status")
	if err != nil {
		return hook, triggered, refuse(CheckBody, http.StatusBadRequest, err)
	}
	triggered, err = readFields(fields, &hook)
	if err != nil {
		return hook, triggered, refuse(CheckFields, http.StatusBadRequest, err)
	}
	return hook, triggered, nil
}

func readFields(fields strictjson.Fields, hook *openbanking.PaymentStatusWebhook) (triggered time.Time, err error) {
	if hook.PaymentID, err = fields.Text("payment_id"); err != nil || !uuid.MatchString(hook.PaymentID) {
		return triggered, flaw{Code: finance.FindingNotUUID, Of: "payment_id"}
	}
	status, err := fields.Text("payment_status")
	if hook.PaymentStatus = openbanking.PaymentStatus(status); err != nil || !openbanking.Known(hook.PaymentStatus) {
		return triggered, flaw{Code: finance.FindingUnknownValue, Of: "payment_status"}
	}
	var expected *bool
	if raw, ok := fields["payment_updates_expected"]; !ok || json.Unmarshal(raw, &expected) != nil || expected == nil {
		return triggered, flaw{Code: finance.FindingNotBoolean, Of: "payment_updates_expected"}
	}
	hook.PaymentUpdatesExpected = *expected
	hook.WebhookID, err = fields.Text("webhook_id")
	if err != nil || hook.WebhookID == "" || len(hook.WebhookID) > maxID ||
		strings.ContainsFunc(hook.WebhookID, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return triggered, flaw{Code: finance.FindingBadID, Of: "webhook_id"}
	}
	hook.WebhookTriggered, err = fields.Text("webhook_triggered")
	if err != nil {
		return triggered, flaw{Code: finance.FindingNotTime, Of: "webhook_triggered"}
	}
	at, err := openbanking.ParseDateTime(hook.WebhookTriggered)
	if err != nil {
		return triggered, flaw{Code: finance.FindingNotTime, Of: "webhook_triggered"}
	}
	if raw, ok := fields["payment_auth_status"]; ok && string(raw) != "null" {
		text, err := fields.Text("payment_auth_status")
		auth := openbanking.PaymentAuthStatus(text)
		if err != nil || !openbanking.Known(auth) {
			return triggered, flaw{Code: finance.FindingUnknownValue, Of: "payment_auth_status"}
		}
		hook.PaymentAuthStatus = &auth
	}
	return at.Time, nil
}
