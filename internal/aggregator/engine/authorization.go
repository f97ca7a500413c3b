package engine

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
)

// StartPath and ReturnPath are paths of the hosted pages, below Options.AuthURL.
const (
	StartPath  = "/ais/start"  // with the authorization id as parameter sessionid (api-notes 4)
	ReturnPath = "/ais/return" // where banks send the browser back

	PaymentReturnPath = "/pis/return" // the same for payments
)

// Errors that stop a hosted page. An API client never gets them.
var (
	ErrUnknownAuthorization   = errors.New("there is no such authorisation")
	ErrExpiredAuthorization   = errors.New("the authorisation was not completed in time")
	ErrCompletedAuthorization = errors.New("the authorisation is completed already")
)

// StartAuthorization answers POST /auth. The request holds every required field; what they say is checked here.
func (e *Engine) StartAuthorization(ctx context.Context, app aggregator.Application,
	req openbanking.StartAuthorizationRequest) (openbanking.StartAuthorizationResponse, error) {
	if err := e.checkOwnAccounts(ctx, app); err != nil {
		return openbanking.StartAuthorizationResponse{}, err
	}
	now := e.now()
	row, err := e.newAuthorization(app, req, now)
	if err != nil {
		return openbanking.StartAuthorizationResponse{}, err
	}
	credentials, err := e.sealed(row.AuthorizationID, req.Credentials, autosubmit(req))
	if err != nil {
		return openbanking.StartAuthorizationResponse{}, err
	}
	if err := e.store.CreateSession(ctx, row, aggregator.Fingerprint(e.bankState(row.AuthorizationID)), credentials); err != nil {
		return openbanking.StartAuthorizationResponse{}, err
	}
	e.noteSession(ctx, row)
	return openbanking.StartAuthorizationResponse{
		URL:             e.authURL + StartPath + "?sessionid=" + row.AuthorizationID,
		AuthorizationID: row.AuthorizationID,
		PSUIDHash:       row.PSUIDHash,
	}, nil
}

// sealed is how credentials that come with an authorisation are kept.
func (e *Engine) sealed(authorizationID string, credentials map[string]string, autosubmit bool) (kept aggregator.SuppliedCredentials, err error) {
	if len(credentials) == 0 {
		return kept, nil
	}
	kept.Autosubmit = autosubmit
	kept.Sealed, err = e.secrets.seal(authorizationID, credentials)
	return kept, err
}

// maxState bounds the state of a request, which travels in a query string (our decision).
const maxState = 4096

var language = regexp.MustCompile(`^[a-z]{2}$`)

// newAuthorization applies the rules of POST /auth (spec: Sessions, Access; api-notes 4).
func (e *Engine) newAuthorization(app aggregator.Application, req openbanking.StartAuthorizationRequest, now time.Time) (aggregator.Session, error) {
	var none aggregator.Session
	if !slices.Contains(app.Services, openbanking.ServiceAIS) {
		return none, openbanking.AccessDenied
	}
	connector, ok := e.connectors(req.ASPSP)
	if !ok {
		return none, openbanking.WrongASPSPProvided
	}
	if !slices.Contains(app.RedirectURLs, req.RedirectURL) {
		return none, openbanking.RedirectURINotAllowed
	}
	bank := connector.ASPSP()
	psuType := openbanking.PSUTypePersonal
	if req.PSUType != nil {
		psuType = *req.PSUType
	}
	if err := checkCommon(bank, psuType, req.State, req.Language); err != nil {
		return none, err
	}
	method, err := authMethod(bank, psuType, req.AuthMethod, req.Credentials, autosubmit(req))
	if err != nil {
		return none, err
	}
	access, err := e.access(bank, req.Access, now)
	if err != nil {
		return none, err
	}
	return aggregator.Session{
		Authorization: aggregator.Authorization{
			AuthorizationID: uuid.NewString(),
			ApplicationID:   app.ID,
			ASPSP:           bank.Reference(),
			PSUType:         psuType,
			AuthMethod:      method,
			PSUIDHash:       e.psuIDHash(app.ID, psuID(req.PSUID)),
			State:           req.State,
			RedirectURL:     req.RedirectURL,
			Language:        aggregator.Trimmed(req.Language),
			Created:         now,
			PageExpires:     earlier(now.Add(e.pageLifetime), access.ValidUntil.Time),
		},
		Status: openbanking.SessionStatusPendingAuthorization,
		Access: access,
	}, nil
}

// psuID is psu_id with its default, a random one.
func psuID(given *string) string {
	if given == nil {
		return rand.Text()
	}
	return *given
}

// checkCommon applies the rules that POST /auth and POST /payments share.
func checkCommon(bank aggregator.ASPSP, psuType openbanking.PSUType, state string, lang *string) error {
	switch {
	case len(state) > maxState:
		return aggregator.InvalidParameter("state", "is longer than "+strconv.Itoa(maxState)+" bytes")
	case !slices.Contains(bank.PSUTypes, psuType):
		return aggregator.InvalidParameter("psu_type", "is not supported by the ASPSP; it supports "+join(bank.PSUTypes))
	case lang != nil && !language.MatchString(*lang):
		return aggregator.InvalidParameter("language", "must be two lower-case letters")
	}
	return nil
}

// authMethod returns the name of the chosen method, empty when none was chosen. Credentials that are to be submitted as
// they are have to be complete.
func authMethod(bank aggregator.ASPSP, psuType openbanking.PSUType, method *string, credentials map[string]string, complete bool) (string, error) {
	if method == nil {
		if len(credentials) > 0 {
			return "", aggregator.InvalidParameter("credentials", "may be given only together with auth_method")
		}
		return "", nil
	}
	i := slices.IndexFunc(bank.AuthMethods, func(m openbanking.AuthMethod) bool {
		return m.Name != nil && *m.Name == *method && m.PSUType == psuType
	})
	if i < 0 {
		return "", aggregator.InvalidParameter("auth_method", "is not one of the ASPSP's methods for psu_type "+string(psuType))
	}
	if len(credentials) == 0 {
		return *method, nil
	}
	return *method, checkCredentials(bank.AuthMethods[i].Credentials, credentials, complete)
}

// autosubmit is credentials_autosubmit with its default (api-notes 4).
func autosubmit(req openbanking.StartAuthorizationRequest) bool {
	return req.CredentialsAutosubmit == nil || *req.CredentialsAutosubmit
}

// maxBeyond is how far valid_until may lie beyond what the bank allows: clients add the whole maximum to a clock of their own.
const maxBeyond = time.Minute

// access returns the access as it will be confirmed: scopes default to true; valid_until is in UTC, in whole seconds, and
// never beyond what the bank allows. A request for more than maxBeyond beyond it is WRONG_REQUEST_PARAMETERS.
func (e *Engine) access(bank aggregator.ASPSP, asked openbanking.Access, now time.Time) (openbanking.Access, error) {
	validUntil := asked.ValidUntil.UTC()
	latest := now.Add(time.Duration(bank.MaximumConsentValidity) * time.Second)
	if validUntil.After(latest.Add(maxBeyond)) {
		return openbanking.Access{}, &openbanking.Error{
			Code:    openbanking.WrongRequestParameters,
			Message: "ASPSP does not support consent validity more than " + strconv.Itoa(bank.MaximumConsentValidity) + " seconds in the future",
		}
	}
	validUntil = earlier(validUntil, latest.UTC()).Truncate(time.Second)
	if !validUntil.After(now) {
		return openbanking.Access{}, aggregator.InvalidParameter("access.valid_until", "must be in the future")
	}
	accounts := slices.Clone(asked.Accounts)
	for i, account := range accounts {
		checked, err := checkAccount("access.accounts["+strconv.Itoa(i)+"]", account)
		if err != nil {
			return openbanking.Access{}, err
		}
		accounts[i] = checked
	}
	return openbanking.Access{
		Accounts:     accounts,
		Balances:     granted(asked.Balances),
		Transactions: granted(asked.Transactions),
		ValidUntil:   openbanking.DateTime{Time: validUntil},
	}, nil
}

// checkAccount returns an account with its number as machines write it. It wants an IBAN or another identification (spec:
// INVALID_ACCOUNT_ID); an IBAN that is none is WRONG_REQUEST_PARAMETERS, before the PSU meets a page without accounts.
func checkAccount(name string, account openbanking.AccountIdentification) (openbanking.AccountIdentification, error) {
	if account.IBAN != nil && strings.TrimSpace(*account.IBAN) != "" {
		number, err := iban.Parse(*account.IBAN)
		if err != nil {
			return account, aggregator.InvalidParameter(name+".iban", "is not a valid IBAN. "+err.Error())
		}
		account.IBAN = new(number.String())
		return account, nil
	}
	if account.Other == nil || strings.TrimSpace(account.Other.Identification) == "" {
		return account, &openbanking.Error{Code: openbanking.InvalidAccountID, Detail: text(name + " needs iban or other")}
	}
	other := *account.Other
	if other.SchemeName == openbanking.SchemeNameIBAN {
		if _, err := iban.Parse(other.Identification); err != nil {
			return account, aggregator.InvalidParameter(name+".other.identification", "is not a valid IBAN. "+err.Error())
		}
	}
	other.Identification = paymentrules.AccountNumber(other)
	account.Other = &other
	return account, nil
}

// granted is a scope as confirmed: true unless it was asked not to be (api-notes 4).
func granted(scope *bool) *bool {
	confirmed := scope == nil || *scope
	return &confirmed
}

// Authorization returns an authorisation that waits for the PSU, with its application and bank, for the hosted pages.
// Other errors than ErrUnknownAuthorization, ErrExpiredAuthorization and ErrCompletedAuthorization are failures.
func (e *Engine) Authorization(ctx context.Context, authorizationID string) (aggregator.Session, aggregator.Application, aggregator.ASPSP, error) {
	row, err := e.pending(e.store.SessionByAuthorization(ctx, authorizationID))
	if err != nil {
		return aggregator.Session{}, aggregator.Application{}, aggregator.ASPSP{}, err
	}
	app, bank, err := e.parties(ctx, row.Authorization)
	if err != nil {
		return aggregator.Session{}, aggregator.Application{}, aggregator.ASPSP{}, err
	}
	return row, app, bank, nil
}

// parties returns the application and the bank of an authorisation. ErrUnknownAuthorization: one of them is there no more.
func (e *Engine) parties(ctx context.Context, row aggregator.Authorization) (aggregator.Application, aggregator.ASPSP, error) {
	app, err := e.store.Application(ctx, row.ApplicationID)
	if err != nil {
		return aggregator.Application{}, aggregator.ASPSP{}, err
	}
	connector, ok := e.connectors(row.ASPSP)
	if ok && !app.Active() { // own accounts are linked before an application is active
		_, err = e.store.LinkingOf(ctx, row.AuthorizationID)
		if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return aggregator.Application{}, aggregator.ASPSP{}, err
		}
		ok = err == nil && app.Status != aggregator.ApplicationDeleted
	}
	if !ok {
		return aggregator.Application{}, aggregator.ASPSP{}, ErrUnknownAuthorization
	}
	bank := connector.ASPSP()
	bank.Logo = e.LogoURL(row.ASPSP)
	return app, bank, nil
}

// AuthorizationOfState returns the id of the authorisation to which a bank's state belongs, whatever its status, so that
// the hosted pages can tell whether it is the one of this browser. ErrUnknownAuthorization: there is none.
func (e *Engine) AuthorizationOfState(ctx context.Context, state string) (authorizationID string, err error) {
	row, err := e.store.SessionByBankState(ctx, aggregator.Fingerprint(state))
	if !errors.Is(err, aggregator.ErrNotFound) {
		return row.AuthorizationID, err
	}
	payment, err := e.store.PaymentByBankState(ctx, aggregator.Fingerprint(state))
	if errors.Is(err, aggregator.ErrNotFound) {
		return "", ErrUnknownAuthorization
	}
	return payment.AuthorizationID, err
}

// pending turns a row into the typed errors of the hosted pages unless it waits for the PSU.
func (e *Engine) pending(row aggregator.Session, err error) (aggregator.Session, error) {
	if errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.Session{}, ErrUnknownAuthorization
	}
	if err != nil {
		return aggregator.Session{}, err
	}
	now := e.now()
	switch row = row.At(now); {
	case row.Status == openbanking.SessionStatusPendingAuthorization:
		return row, nil
	case row.Status == openbanking.SessionStatusInvalid && row.CodeExpires.IsZero() && !now.Before(row.PageExpires):
		return aggregator.Session{}, ErrExpiredAuthorization
	default:
		return aggregator.Session{}, ErrCompletedAuthorization
	}
}

// Deny ends an authorisation whose PSU refused to share data, and returns where the browser goes (spec: Account
// information flow). Its errors are those of Authorization.
func (e *Engine) Deny(ctx context.Context, authorizationID string) (returnURL string, err error) {
	row, err := e.pending(e.store.SessionByAuthorization(ctx, authorizationID))
	if err != nil {
		return "", err
	}
	if visit, err := e.store.VisitOf(ctx, authorizationID); err == nil {
		e.abandon(ctx, row.ASPSP, visit)
	}
	return e.refuse(ctx, row, aggregator.EventCancelled, accessDenied, "Denied data sharing consent")
}

// Errors of the redirect to the application (api-notes 4).
const (
	accessDenied = "access_denied"
	serverError  = "server_error"

	cancelledByUser = "Cancelled by user"
	notInTime       = "The authorisation was not completed in time"
	tooManyAttempts = "Too many wrong attempts at the bank"
)

// ReturnFromBank takes the browser that a bank sent back with state and code, or an error, and returns where it goes:
// to the application with code and state, or with error, error_description and state. A state works once. Its errors
// are those of Authorization; an authorisation that is late goes back to the application as a server_error.
//
// With a payment comes no code: whether it was approved says the bank. ErrNotApproved: it says no. *UndecidedError: it cannot be asked. Both
// leave the payment as it is, so that the browser can come back once more, as it can after an approval.
func (e *Engine) ReturnFromBank(ctx context.Context, state, code, bankError, bankErrorDescription string) (returnURL string, err error) {
	row, err := e.store.SessionByBankState(ctx, aggregator.Fingerprint(state))
	if errors.Is(err, aggregator.ErrNotFound) {
		return e.returnOfPayment(ctx, state, bankError, bankErrorDescription)
	}
	if err != nil {
		return "", err
	}
	switch bankError {
	case "":
		return e.finish(ctx, row, code)
	case accessDenied:
		return e.takeBack(ctx, row, func(ctx context.Context) (string, error) {
			return e.refuse(ctx, row, aggregator.EventCancelled, accessDenied, cancelledByUser)
		})
	}
	return e.takeBack(ctx, row, func(ctx context.Context) (string, error) {
		return e.refuse(ctx, row, aggregator.EventFailed, serverError, sentence(bankErrorDescription))
	})
}

// finish takes an authorisation that is approved at the bank back from it, with the bank's code.
func (e *Engine) finish(ctx context.Context, row aggregator.Session, bankCode string) (returnURL string, err error) {
	return e.takeBack(ctx, row, func(ctx context.Context) (string, error) {
		returnURL, err := e.complete(ctx, row, bankCode)
		var refused *openbanking.Error
		if errors.As(err, &refused) {
			return e.refuse(ctx, row, aggregator.EventFailed, serverError, "")
		}
		return returnURL, err
	})
}

// takeBack notes that an authorisation came back from the bank and does what follows, once.
func (e *Engine) takeBack(ctx context.Context, row aggregator.Session, then func(context.Context) (string, error)) (returnURL string, err error) {
	ctx = context.WithoutCancel(ctx) // a browser that leaves does not leave half a return behind
	switch err := e.store.TakeReturn(ctx, row.AuthorizationID, e.now()); {
	case errors.Is(err, aggregator.ErrNotFound):
		return e.returnedLate(ctx, row)
	case err != nil:
		return "", err
	}
	return then(ctx)
}

// returnedLate answers a return from the bank that came too late or a second time. When the authorisation has expired it returns the way back to the
// application with an error; otherwise the error is that of a hosted page.
func (e *Engine) returnedLate(ctx context.Context, row aggregator.Session) (string, error) {
	switch _, err := e.pending(row, nil); {
	case err == nil: // it came back before, and that return is under way or broke off
		return "", ErrCompletedAuthorization
	case !errors.Is(err, ErrExpiredAuthorization):
		return "", err
	}
	if err := e.store.End(ctx, row.AuthorizationID, aggregator.EventFailed, e.now()); err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return "", err
	}
	return redirect(row.Authorization, "error", serverError, "error_description", notInTime, "state", row.State), nil
}

// complete exchanges the bank's code for a consent and issues the code of the service.
func (e *Engine) complete(ctx context.Context, row aggregator.Session, bankCode string) (string, error) {
	connector, err := e.connector(row.ASPSP)
	if err != nil {
		return "", err
	}
	consent, err := connector.FinishConsent(ctx, e.bankState(row.AuthorizationID), bankCode)
	if err != nil {
		return "", e.bankError(row.ASPSP, "end of a consent", err)
	}
	if consent.ValidUntil.IsZero() {
		consent.ValidUntil = row.Access.ValidUntil.Time
	}
	row.Consent = consent
	code := rand.Text()
	expires := earlier(e.now().Add(e.codeLifetime), row.Expires())
	if err := e.store.Complete(ctx, row.AuthorizationID, consent, aggregator.Fingerprint(code), expires); err != nil {
		e.endConsent(ctx, row)
		if errors.Is(err, aggregator.ErrNotFound) {
			return "", ErrCompletedAuthorization
		}
		return "", err
	}
	return e.sendBack(ctx, row, code)
}

// refuse ends an authorisation and returns the way back to the application with an error.
func (e *Engine) refuse(ctx context.Context, row aggregator.Session, event aggregator.Event, code, description string) (string, error) {
	if err := e.store.End(ctx, row.AuthorizationID, event, e.now()); errors.Is(err, aggregator.ErrNotFound) {
		return "", ErrCompletedAuthorization
	} else if err != nil {
		return "", err
	}
	if description == "" {
		return redirect(row.Authorization, "error", code, "state", row.State), nil
	}
	return redirect(row.Authorization, "error", code, "error_description", description, "state", row.State), nil
}

// redirectParameters are the parameters of every redirect to an application (spec: Account information flow, Payment initiation flow).
var redirectParameters = []string{"code", "error", "error_description", "state"}

// redirect adds parameters to the redirect URL. It keeps the query that the URL has, except parameters of the same names and of those that Florin sends:
// with two values the application would not know which one counts.
func redirect(row aggregator.Authorization, pairs ...string) string {
	values := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		values.Set(pair[0], pair[1])
	}
	address, query, _ := strings.Cut(row.RedirectURL, "?")
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		return pair == "" || err == nil && (values.Has(name) || slices.Contains(redirectParameters, name))
	})
	return address + "?" + strings.Join(append(kept, values.Encode()), "&")
}

// bankState is the state of an authorisation at its bank: unguessable, and the same for each visit.
func (e *Engine) bankState(authorizationID string) string {
	return base64.RawURLEncoding.EncodeToString(aggregator.MAC(e.secrets.State, authorizationID))
}

// sentence is what a bank said, cut to a line that is fit for a query string.
func sentence(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > 200 {
		s = string(runes[:200])
	}
	return s
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func join[S ~string](values []S) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}
