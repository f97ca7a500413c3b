package openbanking

// PaymentStatusWebhook is the body of the payment status webhook (spec: Events).
type PaymentStatusWebhook struct {
	PaymentID              string             `json:"payment_id"`               // UUID
	PaymentStatus          PaymentStatus      `json:"payment_status"`           // current status
	PaymentUpdatesExpected bool               `json:"payment_updates_expected"` // whether more status updates are expected
	WebhookID              string             `json:"webhook_id"`               // unique per event; the same value on retries
	WebhookTriggered       string             `json:"webhook_triggered"`        // ISO 8601 date-time of triggering
	PaymentAuthStatus      *PaymentAuthStatus `json:"payment_auth_status"`      // FAILED, CANCELLED, FINALISED or PENDING; absent or null when the PSU has not started authorisation
}

// PaymentAuthStatus is the status of the authorisation of a payment by the PSU (spec: Payment status).
type PaymentAuthStatus string

// Values of PaymentAuthStatus.
const (
	PaymentAuthStatusFailed    PaymentAuthStatus = "FAILED"
	PaymentAuthStatusCancelled PaymentAuthStatus = "CANCELLED"
	PaymentAuthStatusFinalised PaymentAuthStatus = "FINALISED"
	PaymentAuthStatusPending   PaymentAuthStatus = "PENDING"
)

// Values returns every value of the enumeration, in the order of the specification.
func (PaymentAuthStatus) Values() []PaymentAuthStatus {
	return []PaymentAuthStatus{PaymentAuthStatusFailed, PaymentAuthStatusCancelled, PaymentAuthStatusFinalised, PaymentAuthStatusPending}
}
