package webhook

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"florin/internal/openbanking"
	"florin/internal/strictjson"
)

// maxID is the longest webhook_id that is taken.
const maxID = 200

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// readBody reads the body of a webhook strictly: names once and spelt exactly, every required field of its type, enumerations with values that the specification names.
// Fields that it does not name are ignored.
func readBody(body []byte) (hook openbanking.PaymentStatusWebhook, triggered time.Time, err error) {
	fields, err := strictjson.Object(body, "payment_id", "payment_status", "payment_updates_expected", "webhook_id", "webhook_triggered", "payment_auth_status")
	if err != nil {
		return hook, triggered, refuse(CheckBody, http.StatusBadRequest, "%s", err)
	}
	triggered, err = readFields(fields, &hook)
	if err != nil {
		return hook, triggered, refuse(CheckFields, http.StatusBadRequest, "%s", err)
	}
	return hook, triggered, nil
}

func readFields(fields strictjson.Fields, hook *openbanking.PaymentStatusWebhook) (triggered time.Time, err error) {
	if hook.PaymentID, err = fields.Text("payment_id"); err != nil || !uuid.MatchString(hook.PaymentID) {
		return triggered, errors.New("payment_id is no UUID")
	}
	status, err := fields.Text("payment_status")
	if hook.PaymentStatus = openbanking.PaymentStatus(status); err != nil || !openbanking.Known(hook.PaymentStatus) {
		return triggered, errors.New("payment_status is none that is known")
	}
	var expected *bool
	if raw, ok := fields["payment_updates_expected"]; !ok || json.Unmarshal(raw, &expected) != nil || expected == nil {
		return triggered, errors.New("payment_updates_expected is neither true nor false")
	}
	hook.PaymentUpdatesExpected = *expected
	hook.WebhookID, err = fields.Text("webhook_id")
	if err != nil || hook.WebhookID == "" || len(hook.WebhookID) > maxID || strings.ContainsFunc(hook.WebhookID, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return triggered, errors.New("webhook_id is missing, too long or not plain")
	}
	hook.WebhookTriggered, err = fields.Text("webhook_triggered")
	if err != nil {
		return triggered, errors.New("webhook_triggered is no time")
	}
	at, err := openbanking.ParseDateTime(hook.WebhookTriggered)
	if err != nil {
		return triggered, errors.New("webhook_triggered is no time")
	}
	if raw, ok := fields["payment_auth_status"]; ok && string(raw) != "null" {
		text, err := fields.Text("payment_auth_status")
		auth := openbanking.PaymentAuthStatus(text)
		if err != nil || !openbanking.Known(auth) {
			return triggered, errors.New("payment_auth_status is none that is known")
		}
		hook.PaymentAuthStatus = &auth
	}
	return at.Time, nil
}
