package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
)

// PaymentStartPath is the path of the start page of a payment, below Options.AuthURL, with the payment id as parameter
// payment_id (api-notes 4).
const PaymentStartPath = "/pis/start"

// OnPayments sets what is called when a payment may be due earlier than AdvancePayments said. Call it before anything else.
func (e *Engine) OnPayments(wake func()) { e.wakePayments = wake }

// OnWebhooks sets what is called when there may be a new event to be delivered. Call it before anything else.
func (e *Engine) OnWebhooks(wake func()) { e.wakeWebhooks = wake }

// CreatePayment answers POST /payments. The request holds every required field; what they say is checked here.
func (e *Engine) CreatePayment(ctx context.Context, app aggregator.Application, req openbanking.CreatePaymentRequest) (openbanking.CreatePaymentResponse,
	error) {
	if !slices.Contains(app.Services, openbanking.ServicePIS) {
		return openbanking.CreatePaymentResponse{}, openbanking.AccessDenied
	}
	if err := e.checkOwnAccounts(ctx, app); err != nil {
		return openbanking.CreatePaymentResponse{}, err
	}
	row, err := e.newPayment(app, req, e.now())
	if err != nil {
		return openbanking.CreatePaymentResponse{}, err
	}
	if err := e.checkParties(ctx, app, row); err != nil {
		return openbanking.CreatePaymentResponse{}, err
	}
	credentials, err := e.sealed(row.AuthorizationID, req.Credentials, true)
	if err != nil {
		return openbanking.CreatePaymentResponse{}, err
	}
	if err := e.store.CreatePayment(ctx, row, aggregator.Fingerprint(e.bankState(row.AuthorizationID)), credentials); err != nil {
		return openbanking.CreatePaymentResponse{}, err
	}
	e.paymentDue()
	e.notePayment(ctx, row)
	return openbanking.CreatePaymentResponse{
		PaymentID: row.AuthorizationID,
		Status:    row.Status,
		URL:       e.authURL + PaymentStartPath + "?payment_id=" + row.AuthorizationID,
		PSUIDHash: row.PSUIDHash,
	}, nil
}

// newPayment applies the rules of POST /payments (spec: Payments; api-notes 8).
func (e *Engine) newPayment(app aggregator.Application, req openbanking.CreatePaymentRequest, now time.Time) (aggregator.Payment, error) {
	var none aggregator.Payment
	connector, ok := e.connectors(req.ASPSP)
	if !ok {
		return none, openbanking.WrongASPSPProvided
	}
	if !slices.Contains(app.RedirectURLs, req.RedirectURL) {
		return none, openbanking.RedirectURINotAllowed
	}
	if req.WebhookURL != nil {
		if problem := webhookProblem(app, *req.WebhookURL); problem != "" {
			return none, &openbanking.Error{Code: openbanking.WebhookURINotAllowed, Detail: text("webhook_url " + problem)}
		}
	}
	bank := connector.ASPSP()
	if err := checkCommon(bank, req.PSUType, req.State, req.Language); err != nil {
		return none, err
	}
	kind, ok := paymentType(bank, req.PaymentType, req.PSUType)
	if !ok {
		return none, aggregator.InvalidParameter("payment_type", "is not offered by the ASPSP for psu_type "+string(req.PSUType)+"; "+offered(bank, req.PSUType))
	}
	method, err := authMethod(bank, req.PSUType, req.AuthMethod, req.Credentials, true)
	if err != nil {
		return none, err
	}
	if method != "" && len(kind.AllowedAuthMethods) > 0 && !slices.Contains(kind.AllowedAuthMethods, method) {
		return none, aggregator.InvalidParameter("auth_method", "is not allowed for this payment_type; the ASPSP allows "+join(kind.AllowedAuthMethods))
	}
	paymentrules.Normalize(&req.PaymentRequest)
	if err := brokenRules(paymentrules.Check(kind, req.PaymentRequest, openbanking.DateOf(now), e.paymentLimit)); err != nil {
		return none, err
	}
	row := aggregator.Payment{
		Authorization: aggregator.Authorization{
			AuthorizationID: uuid.NewString(),
			ApplicationID:   app.ID,
			ASPSP:           bank.Reference(),
			PSUType:         req.PSUType,
			AuthMethod:      method,
			PSUIDHash:       e.psuIDHash(app.ID, psuID(req.PSUID)),
			State:           req.State,
			RedirectURL:     req.RedirectURL,
			Language:        aggregator.Trimmed(req.Language),
			Created:         now,
			PageExpires:     now.Add(e.pageLifetime),
		},
		Type:       req.PaymentType,
		Request:    req.PaymentRequest,
		WebhookURL: aggregator.Trimmed(req.WebhookURL),
		Status:     openbanking.PaymentStatusPDNG,
	}
	for range req.PaymentRequest.CreditTransferTransaction {
		row.Transfers = append(row.Transfers, aggregator.Transfer{ID: uuid.NewString(), Status: openbanking.PaymentStatusPDNG})
	}
	return row, nil
}

// MaxTransactions returns the largest max_transactions that any bank states.
func (e *Engine) MaxTransactions() int {
	most := 1
	for _, connector := range e.list() {
		for _, offer := range connector.ASPSP().Payments {
			if offer.MaxTransactions != nil {
				most = max(most, *offer.MaxTransactions)
			}
		}
	}
	return most
}

// paymentType returns what a bank says of a payment type for a kind of PSU; false: it does not offer it.
func paymentType(bank aggregator.ASPSP, kind openbanking.PaymentType, psuType openbanking.PSUType) (openbanking.ResponsePaymentType, bool) {
	for _, offer := range bank.Payments {
		if offer.PaymentType == kind && offer.PSUType == psuType {
			return offer, true
		}
	}
	return openbanking.ResponsePaymentType{}, false
}

// offered says which payment types a bank offers.
func offered(bank aggregator.ASPSP, psuType openbanking.PSUType) string {
	var kinds []openbanking.PaymentType
	for _, offer := range bank.Payments {
		if offer.PSUType == psuType {
			kinds = append(kinds, offer.PaymentType)
		}
	}
	if len(kinds) == 0 {
		return "it offers no payments for it"
	}
	return "it offers " + join(kinds)
}

// webhookProblem applies the rules of webhook_url: its origin is one of the application's. A browser would spell the
// origin in small letters and leave out the port of the scheme; both spellings are good.
func webhookProblem(app aggregator.Application, text string) string {
	_, problem := aggregator.WebURL(text)
	switch {
	case problem != "":
		return problem
	case strings.Contains(text, "#"):
		return "must have no fragment (#)"
	case !aggregator.ListsOrigin(app.WebhookOrigins, aggregator.OriginOf(text)):
		return "must begin with one of the webhook origins of the application"
	}
	return ""
}

// checkParties checks the accounts of a payment of a restricted application: it must name the debtor account, and may pay only between its own accounts
// (spec: UNTRUSTED_PAYMENT_PARTY).
func (e *Engine) checkParties(ctx context.Context, app aggregator.Application, row aggregator.Payment) error {
	if !app.Restricted {
		return nil
	}
	own, err := e.store.OwnAccounts(ctx, app.ID)
	if err != nil {
		return err
	}
	untrusted := func(field, problem string) error {
		return &openbanking.Error{Code: openbanking.UntrustedPaymentParty, Detail: text(field + " " + problem)}
	}
	if row.Request.DebtorAccount == nil {
		return untrusted("payment_request.debtor_account", "is needed, since the application may pay from and to its own accounts alone")
	}
	if !e.isOwn(own, *row.Request.DebtorAccount, func(bank openbanking.ASPSP) bool { return bank == row.ASPSP }) {
		return untrusted("payment_request.debtor_account", "is none of the own accounts of the application at this ASPSP")
	}
	for i, t := range row.Request.CreditTransferTransaction {
		if !e.isOwn(own, t.Beneficiary.CreditorAccount, func(bank openbanking.ASPSP) bool { return bank.Country == row.ASPSP.Country }) {
			return untrusted("payment_request.credit_transfer_transaction["+strconv.Itoa(i)+"].beneficiary.creditor_account",
				"is none of the own accounts of the application")
		}
	}
	return nil
}

// isOwn reports whether an identifier names one of the linked accounts. An identifier other than an IBAN is known only within its bank, so it counts only
// for accounts at a bank for which at is true.
func (e *Engine) isOwn(own []aggregator.OwnAccount, id openbanking.GenericIdentification, at func(openbanking.ASPSP) bool) bool {
	return slices.ContainsFunc(own, func(a aggregator.OwnAccount) bool {
		return (id.SchemeName == openbanking.SchemeNameIBAN || at(a.ASPSP)) &&
			a.Hash == e.identificationHashes(a.ASPSP, []openbanking.GenericIdentification{id})[0]
	})
}

// Payment answers GET /payments/{payment_id}. It asks the bank first, where the PSU has been led there and the status is
// not final; a bank that cannot be asked is an error.
func (e *Engine) Payment(ctx context.Context, app aggregator.Application, id string) (openbanking.Payment, error) {
	row, err := e.payment(ctx, app, id)
	if err != nil {
		return openbanking.Payment{}, err
	}
	return openbanking.Payment{
		PaymentID: row.AuthorizationID,
		Status:    row.Status,
		PaymentDetails: openbanking.PaymentRequestResourceDetails{
			PaymentInformation:        row.Request.PaymentInformation,
			CreditTransferTransaction: transactionDetails(row),
		},
		PaymentType:             row.Type,
		ASPSP:                   row.ASPSP,
		FinalStatus:             row.Final,
		PSUIDHash:               row.PSUIDHash,
		StatusReasonInformation: row.Reason,
	}, nil
}

// PaymentTransaction answers GET /payments/{payment_id}/transactions/{transaction_id}. Its errors are those of Payment, and
// TRANSACTION_DOES_NOT_EXIST.
func (e *Engine) PaymentTransaction(ctx context.Context, app aggregator.Application, paymentID, transactionID string) (openbanking.PaymentTransaction, error) {
	row, err := e.payment(ctx, app, paymentID)
	if err != nil {
		return openbanking.PaymentTransaction{}, err
	}
	i := slices.IndexFunc(row.Transfers, func(t aggregator.Transfer) bool { return t.ID == transactionID })
	if i < 0 {
		return openbanking.PaymentTransaction{}, openbanking.TransactionDoesNotExist
	}
	return openbanking.PaymentTransaction{PaymentID: row.AuthorizationID, TransactionDetails: transactionDetails(row)[i]}, nil
}

// payment returns a payment of the application as it is now.
func (e *Engine) payment(ctx context.Context, app aggregator.Application, id string) (aggregator.Payment, error) {
	if !slices.Contains(app.Services, openbanking.ServicePIS) {
		return aggregator.Payment{}, openbanking.AccessDenied
	}
	row, err := e.store.Payment(ctx, app.ID, id)
	if errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.Payment{}, openbanking.PaymentNotFound
	}
	if err == nil {
		e.notePayment(ctx, row)
	}
	if err != nil || row.Final {
		return row, err
	}
	return e.refresh(ctx, row)
}

// transactionDetails are the transactions of a payment as they are read back.
func transactionDetails(row aggregator.Payment) []openbanking.CreditTransferTransactionDetails {
	details := make([]openbanking.CreditTransferTransactionDetails, len(row.Transfers))
	for i, transfer := range row.Transfers {
		d := openbanking.CreditTransferTransactionDetails{
			CreditTransferTransaction: row.Request.CreditTransferTransaction[i],
			TransactionID:             &transfer.ID,
			TransactionStatus:         &transfer.Status,
		}
		if transfer.ExecutionDate != "" {
			d.RequestedExecutionDate = &transfer.ExecutionDate
		}
		details[i] = d
	}
	return details
}

// DeletePayment answers DELETE /payments/{payment_id} and returns the bank.
func (e *Engine) DeletePayment(ctx context.Context, app aggregator.Application, id string) (openbanking.ASPSP, error) {
	if !slices.Contains(app.Services, openbanking.ServicePIS) {
		return openbanking.ASPSP{}, openbanking.AccessDenied
	}
	row, err := e.store.Payment(ctx, app.ID, id)
	if errors.Is(err, aggregator.ErrNotFound) {
		return openbanking.ASPSP{}, openbanking.PaymentNotFound
	}
	if err != nil {
		return openbanking.ASPSP{}, err
	}
	e.notePayment(ctx, row)
	if !row.Final {
		return row.ASPSP, openbanking.PaymentNotFinalized
	}
	err = e.store.DeletePayment(ctx, app.ID, id, e.now())
	if errors.Is(err, aggregator.ErrNotFound) { // another request was faster
		return row.ASPSP, openbanking.PaymentNotFound
	}
	return row.ASPSP, err
}
