package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// column is one column of a query, and where its value goes.
type column struct {
	name string
	into any
}

// namesOf lists columns for a SELECT.
func namesOf(columns []column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// scanColumns reads a row of these columns.
func scanColumns(row scanner, columns []column) error {
	into := make([]any, len(columns))
	for i, c := range columns {
		into[i] = c.into
	}
	return row.Scan(into...)
}

// paymentRow is a payment with what its row has in another form.
type paymentRow struct {
	payment           finance.Payment
	environment       openbanking.Environment
	request, readBack string // JSON
	transfers         int    // how many, for a list, which does not always read the request
	successful        string // with spaces between
	currency          string // "" when there are several
	minor, lostMinor  int64
	sealedURL         string
}

// columns are all of a payment, in its parts.
func (r *paymentRow) columns() []column {
	p, o := &r.payment, &r.payment.Order
	return slices.Concat([]column{
		{"payment.id", &p.ID}, {"payment.user_id", &p.UserID}, {"payment.form_key", &p.FormKey}, {"COALESCE(payment.retry_of, '')", &p.RetryOf},
		{"COALESCE(payment.request_id, '')", &p.RequestID}, {isWithdrawn, &p.Withdrawn},
		{"payment.revision", &p.Revision}, {"payment.phase", &p.Phase}, {"payment.title", &p.Title}, {"payment.minor", &r.minor}, {"payment.currency", &r.currency},
		{"COALESCE(provider.name, '')", &p.ProviderName}, {environmentOf, &r.environment}, {"payment.created", sqlite.Into(&p.Created)},
		{"payment.sent", sqlite.Into(&p.Sent)},
		{"payment.failure_code", &p.Failure.Code}, {"payment.failure_text", &p.Failure.Said}, {"payment.failure_request", &p.Failure.RequestID},
		{"COALESCE(payment.payment_id, '')", &p.PaymentID}, {"payment.hidden", &p.Hidden}, {"payment.seen", sqlite.Into(&p.Seen)},
		{"payment.stopped", sqlite.Into(&p.Stopped)}, {"payment.filed", sqlite.Into(&p.Filed)},
		{"COALESCE(payment.provider_id, '')", &o.ProviderID}, {"COALESCE(payment.account_id, '')", &o.AccountID}, {"payment.aspsp_name", &o.ASPSP.Name},
		{"payment.country", &o.ASPSP.Country},
		{"payment.psu_type", &o.PSUType}, {"payment.type", &o.Type}, {"payment.auth_method", &o.AuthMethod}, {"payment.request", &r.request},
		{"payment.successful", &r.successful},
	}, r.approval(), r.progress(), checkColumns(&p.Check))
}

// isWithdrawn is the condition that the request behind a payment was withdrawn.
const isWithdrawn = `EXISTS (SELECT 1 FROM payment_request request WHERE request.id = payment.request_id AND request.payer_id = payment.user_id
	AND request.state = 'withdrawn')`

func (r *paymentRow) approval() []column {
	a := &r.payment.Approval
	return []column{
		{"payment.url", &r.sealedURL}, {"payment.auth", &a.Status}, {"payment.auth_source", &a.Source}, {"payment.auth_at", sqlite.Into(&a.At)},
		{"payment.returned", sqlite.Into(&a.Returned)},
	}
}

func (r *paymentRow) progress() []column {
	p := &r.payment.Progress
	columns := []column{
		{"payment.status", &p.Status}, {"payment.cancellation", &p.Cancellation}, {"payment.final", &p.Final}, {"payment.reason_code", &p.Reason.Code},
		{"payment.reason_text", &p.Reason.Text},
		{"payment.read_back", &r.readBack}, {"payment.news", sqlite.Into(&p.Changed)}, {"payment.source", &p.Source}, {"payment.ended", sqlite.Into(&p.Ended)},
		{lostCount, &p.Lost.Transfers}, {lostSum, &r.lostMinor},
	}
	for _, step := range finance.Steps() {
		columns = append(columns, column{"payment." + stepColumns[step], sqlite.Into(&p.Reached[step])})
	}
	return columns
}

// stepColumns hold when a payment reached each step.
var stepColumns = map[finance.Step]string{
	finance.StepCreated: "at_created", finance.StepApproved: "at_approved", finance.StepAccepted: "at_accepted", finance.StepSent: "at_sent",
	finance.StepArrived: "at_arrived",
}

func checkColumns(c *finance.PaymentCheck) []column {
	return []column{
		{"payment.checked", sqlite.Into(&c.Answered)}, {"payment.next_check_at", sqlite.Into(&c.Next)}, {"payment.check_errors", &c.Failures},
		{"payment.error_code", &c.Error.Code}, {"payment.error_message", &c.Error.Said}, {"payment.error_request", &c.Error.RequestID},
		{"payment.error_at", sqlite.Into(&c.Error.At)},
	}
}

// listed are the columns of what a list tells of a payment. The documents of the order and of what the bank made of it come only where a list needs
// them: for days, rhythms, and sums in more than one currency. The others stand for themselves as so many transfers.
func (r *paymentRow) listed() []column {
	p, o := &r.payment, &r.payment.Order
	return []column{
		{"payment.id", &p.ID}, {"payment.user_id", &p.UserID}, {environmentOf, &r.environment}, {"COALESCE(payment.account_id, '')", &o.AccountID},
		{"payment.phase", &p.Phase}, {"payment.hidden", &p.Hidden}, {"payment.aspsp_name", &o.ASPSP.Name}, {"payment.type", &o.Type},
		{"CASE WHEN " + isDated + " OR payment.currency = '' THEN payment.request ELSE '' END", &r.request},
		{"CASE WHEN " + isDated + " THEN payment.read_back ELSE '' END", &r.readBack},
		{"(SELECT COUNT(*) FROM payment_transfer transfer WHERE transfer.payment_id = payment.id)", &r.transfers},
		{"payment.successful", &r.successful}, {"payment.title", &p.Title}, {"payment.minor", &r.minor}, {"payment.currency", &r.currency},
		{"payment.created", sqlite.Into(&p.Created)}, {"payment.sent", sqlite.Into(&p.Sent)},
		{"payment.failure_code", &p.Failure.Code}, {"payment.failure_text", &p.Failure.Said}, {"payment.failure_request", &p.Failure.RequestID},
		{"CASE WHEN payment.final = 0 THEN payment.url ELSE '' END", &r.sealedURL}, {"payment.auth", &p.Approval.Status}, {"payment.auth_source", &p.Approval.Source},
		{"payment.status", &p.Progress.Status}, {"payment.cancellation", &p.Progress.Cancellation}, {"payment.final", &p.Progress.Final},
		{"payment.reason_code", &p.Progress.Reason.Code}, {"payment.reason_text", &p.Progress.Reason.Text}, {lostCount, &p.Progress.Lost.Transfers},
		{lostSum, &r.lostMinor},
		{"payment.at_created", sqlite.Into(&p.Progress.Reached[finance.StepCreated])}, {"payment.news", sqlite.Into(&p.Progress.Changed)},
		{"payment.ended", sqlite.Into(&p.Progress.Ended)},
		{"payment.error_code", &p.Check.Error.Code},
	}
}

// isDated says that an order names a day or a rhythm.
const isDated = `(instr(payment.request, '"requested_execution_date":"') > 0 OR instr(payment.request, '"frequency":"') > 0)`

// lostCount and lostSum are the number and the sum of the transfers of a payment that were rejected or cancelled.
var (
	lostCount = `(SELECT COUNT(*) FROM payment_transfer transfer WHERE transfer.payment_id = payment.id AND transfer.status IN ` + voidStatuses + `)`
	lostSum   = `(SELECT COALESCE(SUM(transfer.minor), 0) FROM payment_transfer transfer WHERE transfer.payment_id = payment.id AND transfer.status IN ` +
		voidStatuses + `)`
)

// Conditions about the status of payments and transfers, made of the lists of the domain.
var (
	voidStatuses = quoted(finance.VoidStatuses())
	// carriedOut is Payment.CarriedOut of a row.
	carriedOut = `payment.phase = 'created' AND payment.status NOT IN ` + voidStatuses + ` AND (payment.final = 1 OR payment.status NOT IN ` +
		quoted(finance.UndecidedStatuses()) + `)`
	// transferPaid is the condition that a transfer was neither rejected nor cancelled. When the payment is carried out, such a transfer was paid.
	transferPaid = `transfer.status NOT IN ` + voidStatuses
)

// quoted is a list of statuses for IN: ('RJCT', 'CNCL').
func quoted(statuses []openbanking.PaymentStatus) string {
	list := make([]string, len(statuses))
	for i, s := range statuses {
		list[i] = "'" + string(s) + "'"
	}
	return "(" + strings.Join(list, ", ") + ")"
}

var (
	paymentColumns = namesOf(new(paymentRow).columns())
	listedColumns  = namesOf(new(paymentRow).listed())
)

const paymentFrom = ` FROM payment LEFT JOIN provider ON provider.id = payment.provider_id `

// environmentOf is the environment of a payment, which says whether money moves: that of its banking service, or for an account without one, whether its
// rows came from a simulated bank.
const environmentOf = `COALESCE(provider.environment, (SELECT CASE WHEN kept.simulated = 1 THEN 'SANDBOX' END FROM account kept WHERE kept.id = payment.account_id), 'PRODUCTION')`

// scanPayment reads paymentColumns.
func (s *Store) scanPayment(row scanner) (finance.Payment, error) {
	var r paymentRow
	if err := scanColumns(row, r.columns()); err != nil {
		return r.payment, err
	}
	return s.paymentOfRow(&r)
}

// scanListed reads listedColumns.
func (s *Store) scanListed(row scanner) (finance.Payment, error) {
	var r paymentRow
	if err := scanColumns(row, r.listed()); err != nil {
		return r.payment, err
	}
	r.payment.Order.Request.CreditTransferTransaction = make([]openbanking.CreditTransferTransaction, r.transfers)
	return s.paymentOfRow(&r)
}

// paymentOfRow brings what a row has in another form into the payment. The error is ErrSealed when only the address of the bank cannot be read: then the
// rest of the payment is there.
func (s *Store) paymentOfRow(r *paymentRow) (finance.Payment, error) {
	p := &r.payment
	if r.request != "" {
		p.Order.Request = openbanking.PaymentRequestResource{}
		if err := json.Unmarshal([]byte(r.request), &p.Order.Request); err != nil {
			return *p, fmt.Errorf("read the order of payment %s: %w", p.ID, err)
		}
	}
	if r.readBack != "" {
		if err := json.Unmarshal([]byte(r.readBack), &p.Progress.ReadBack); err != nil {
			return *p, fmt.Errorf("read what the service has of payment %s: %w", p.ID, err)
		}
	}
	for status := range strings.FieldsSeq(r.successful) {
		p.Order.Successful = append(p.Order.Successful, openbanking.PaymentStatus(status))
	}
	p.Simulated = finance.Provider{Environment: r.environment}.Simulated()
	if r.currency != "" {
		p.Total, p.Progress.Lost.Sum = money.FromMinor(r.minor, r.currency), money.FromMinor(r.lostMinor, r.currency)
	}
	url, err := s.key.open(r.sealedURL, "payment", "url", p.ID)
	p.Approval.URL = url
	return *p, err
}
