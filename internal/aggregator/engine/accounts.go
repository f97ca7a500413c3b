package engine

import (
	"context"
	"errors"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Account is an account that one call may read: its session is AUTHORIZED, and the PSU headers are in order.
type Account struct {
	Bank openbanking.ASPSP

	engine    *Engine
	connector aggregator.Connector
	session   aggregator.Session
	kept      aggregator.SessionAccount
	psu       aggregator.PSU
}

// Account opens an account of a session of the application by its uid. An unknown uid, or one of another application,
// gives ACCOUNT_DOES_NOT_EXIST; a session that is not AUTHORIZED the error of its state (api-notes 5).
func (e *Engine) Account(ctx context.Context, app aggregator.Application, uid string, psu aggregator.PSU) (*Account, error) {
	kept, session, err := e.store.SessionAccount(ctx, app.ID, uid)
	if errors.Is(err, aggregator.ErrNotFound) {
		return nil, openbanking.AccountDoesNotExist
	}
	if err != nil {
		return nil, err
	}
	session = session.At(e.now())
	e.noteSession(ctx, session)
	if err := aggregator.UsableError(session.Status); err != nil {
		return nil, err
	}
	mayRead, err := e.mayRead(ctx, app)
	if err != nil {
		return nil, err
	}
	if !mayRead(kept.Hash) { // unlinked since
		return nil, openbanking.AccountDoesNotExist
	}
	connector, err := e.connector(session.ASPSP)
	if err != nil {
		return nil, err
	}
	if psu, err = checkPSU(connector.ASPSP().RequiredPSUHeaders, psu); err != nil {
		return nil, err
	}
	return &Account{Bank: session.ASPSP, engine: e, connector: connector, session: session, kept: kept, psu: psu}, nil
}

// Details answers GET /accounts/{account_id}/details.
func (a *Account) Details(ctx context.Context) (openbanking.AccountResource, error) {
	account, err := a.connector.Account(ctx, a.session.Consent, a.kept.Reference, a.psu)
	if err != nil {
		return openbanking.AccountResource{}, a.failed(ctx, "account details", err)
	}
	return resource(account, a.kept), nil
}

// Balances answers GET /accounts/{account_id}/balances. Without the scope: ACCESS_DENIED.
func (a *Account) Balances(ctx context.Context) (openbanking.HalBalances, error) {
	if err := a.scope(a.session.Access.Balances, "balances"); err != nil {
		return openbanking.HalBalances{}, err
	}
	balances, err := a.connector.Balances(ctx, a.session.Consent, a.kept.Reference, a.psu)
	if err != nil {
		return openbanking.HalBalances{}, a.failed(ctx, "balances", err)
	}
	return openbanking.HalBalances{Balances: balances}, nil
}

// Transactions answers GET /accounts/{account_id}/transactions with one page. Without the scope: ACCESS_DENIED.
func (a *Account) Transactions(ctx context.Context, req openbanking.TransactionsQuery) (openbanking.HalTransactions, error) {
	var none openbanking.HalTransactions
	if err := a.scope(a.session.Access.Transactions, "transactions"); err != nil {
		return none, err
	}
	if req.Strategy == "" {
		req.Strategy = openbanking.TransactionsFetchStrategyDefault
	}
	if err := checkPeriod(req.DateFrom, req.DateTo, a.engine.now()); err != nil {
		return none, err
	}
	query := aggregator.TransactionQuery{DateFrom: req.DateFrom, DateTo: req.DateTo, Status: req.TransactionStatus, Strategy: req.Strategy}
	if req.ContinuationKey != "" {
		cursor, err := a.engine.openContinuation(a.kept.UID, req)
		if err != nil {
			return none, err
		}
		query.Cursor = cursor
	}
	if query.Strategy == openbanking.TransactionsFetchStrategyLongest {
		query.DateTo = "" // spec: longest ignores date_to
	}
	page, err := a.connector.Transactions(ctx, a.session.Consent, a.kept.Reference, query, a.psu)
	if err != nil {
		return none, a.failed(ctx, "transactions", err)
	}
	answer := openbanking.HalTransactions{Transactions: page.Transactions}
	if page.Next != "" {
		key := a.engine.sealContinuation(a.kept.UID, req, page.Next)
		answer.ContinuationKey = &key
	}
	return answer, nil
}

// Transaction answers GET /accounts/{account_id}/transactions/{transaction_id}. Without the scope: ACCESS_DENIED.
func (a *Account) Transaction(ctx context.Context, transactionID string) (openbanking.Transaction, error) {
	if err := a.scope(a.session.Access.Transactions, "transactions"); err != nil {
		return openbanking.Transaction{}, err
	}
	transaction, err := a.connector.Transaction(ctx, a.session.Consent, a.kept.Reference, transactionID, a.psu)
	return transaction, a.failed(ctx, "transaction", err)
}

// failed makes an error of the bank fit for the client. A session whose consent turns out to be over ends.
func (a *Account) failed(ctx context.Context, doing string, err error) error {
	if over, ok := consentOver(err); ok {
		ctx = context.WithoutCancel(ctx)
		if err := a.engine.store.End(ctx, a.session.AuthorizationID, over, a.engine.now()); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return err
		}
		_, a.session.Status = aggregator.Transition(over)
		a.engine.noteSession(ctx, a.session)
	}
	return a.engine.bankError(a.Bank, doing, err)
}

// scope refuses what the access of the session does not cover.
func (a *Account) scope(granted *bool, name string) error {
	if granted != nil && *granted {
		return nil
	}
	return &openbanking.Error{Code: openbanking.AccessDenied, Detail: text("The session has no access to " + name)}
}

// checkPeriod applies the rules of dates (spec: GET transactions), with the strategy longest too: that it ignores date_to
// does not make a wrong pair right.
func checkPeriod(from, to openbanking.Date, now time.Time) error {
	for _, d := range []struct {
		name string
		date openbanking.Date
	}{{"date_from", from}, {"date_to", to}} {
		if d.date == "" {
			continue
		}
		if _, err := d.date.Time(); err != nil {
			return aggregator.InvalidParameter(d.name, "is "+err.Error())
		}
	}
	switch {
	case to != "" && from == "":
		return openbanking.DateToWithoutDateFrom
	case from > openbanking.DateOf(now):
		return openbanking.DateFromInFuture
	case to != "" && from > to:
		return openbanking.WrongDateInterval
	}
	return nil
}
