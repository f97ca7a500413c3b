package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Bank is one simulated bank. It implements aggregator.Connector, and provides the contents of the pages on its site.
type Bank struct {
	sandbox  *Sandbox
	data     bankData
	slug     string
	users    []*user
	accounts []*account // in the order of the catalogue
	aspsp    aggregator.ASPSP
}

// user is a customer with accounts.
type user struct {
	userData
	accounts []*account
}

func newBank(s *Sandbox, data bankData) *Bank {
	b := &Bank{sandbox: s, data: data, slug: slug(data.Name)}
	byID := map[string]*account{}
	for i, d := range data.Accounts {
		a := newAccount(b, i, d, byID)
		byID[d.ID] = a
		b.accounts = append(b.accounts, a)
	}
	for _, d := range data.Users {
		u := &user{userData: d}
		for _, id := range d.Accounts {
			u.accounts = append(u.accounts, byID[id])
			byID[id].holders = append(byID[id].holders, u)
		}
		b.users = append(b.users, u)
	}
	b.aspsp = b.published()
	return b
}

// Name returns the name of the bank.
func (b *Bank) Name() string { return b.data.Name }

// Country returns the two-letter code of the bank's country.
func (b *Bank) Country() string { return b.data.Country }

// Slug returns the name in the form for addresses: small ASCII letters, digits and dashes; unique in the country.
func (b *Bank) Slug() string { return b.slug }

// Colour returns the colour of the brand, such as #1a4d8f.
func (b *Bank) Colour() string { return b.data.Colour }

// Group returns the name of the bank's group, or "".
func (b *Bank) Group() string { return b.data.Group }

// Initials returns one or two letters for the logo.
func (b *Bank) Initials() string { return initials(b.data.Name) }

// NoCredentials reports whether visits to the bank begin at the approval, without a sign-in.
func (b *Bank) NoCredentials() bool { return b.data.NoCredentials }

// SampleUser is a user of a simulated bank with their credentials, which are not secret.
type SampleUser struct {
	Username string
	Password string
	OTP      string // empty when the bank asks for none
	Name     string
	PSUType  openbanking.PSUType
}

// SampleUsers returns the users of this kind who can sign in; none at a bank without credentials.
func (b *Bank) SampleUsers(psu openbanking.PSUType) []SampleUser {
	var users []SampleUser
	for _, u := range b.users {
		if u.PSUType == psu && !b.data.NoCredentials {
			users = append(users, SampleUser{u.Username, u.Password, u.OTP, u.Name, u.PSUType})
		}
	}
	return users
}

// AuthorizeURL returns the address of a visit. The bank's other pages are in the same folder.
func (b *Bank) AuthorizeURL(flowID string) string {
	return b.sandbox.base + "/banks/" + strings.ToLower(b.data.Country) + "/" + b.slug + "/authorize?" + url.Values{"flow": {flowID}}.Encode()
}

// ASPSP returns the description of the bank for the service. Callers must not change its lists, which are shared.
func (b *Bank) ASPSP() aggregator.ASPSP { return b.aspsp }

func (b *Bank) published() aggregator.ASPSP {
	data := openbanking.ASPSPData{
		Name:                   b.data.Name,
		Country:                b.data.Country,
		MaximumConsentValidity: b.data.MaximumConsentValidity,
		Beta:                   b.data.Beta,
		BIC:                    textOrNil(b.data.BIC),
		RequiredPSUHeaders:     slices.Clone(b.data.RequiredPSUHeaders),
		Payments:               slices.Clone(b.data.Payments),
		Sandbox:                &openbanking.SandboxInfo{},
	}
	if b.data.Group != "" {
		data.Group = &openbanking.ASPSPGroup{Name: b.data.Group}
	}
	for _, psu := range []openbanking.PSUType{openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness} {
		if !slices.ContainsFunc(b.users, func(u *user) bool { return u.PSUType == psu }) {
			continue
		}
		data.PSUTypes = append(data.PSUTypes, psu)
		for _, m := range b.data.AuthMethods {
			if m.PSUType == psu {
				data.AuthMethods = append(data.AuthMethods, m.public())
			}
		}
		for _, u := range b.SampleUsers(psu) {
			data.Sandbox.Users = append(data.Sandbox.Users, openbanking.SandboxUser{Username: &u.Username, Password: &u.Password, OTP: textOrNil(u.OTP)})
		}
	}
	return aggregator.ASPSP{
		ASPSPData:              data,
		MinimumConsentValidity: time.Duration(b.data.MinimumConsentValidity) * time.Second,
		Secrets:                b.data.secrets(),
	}
}

// FinishConsent exchanges a code, once and within five minutes after the approval. A code for another state or bank is refused.
func (b *Bank) FinishConsent(ctx context.Context, state, code string) (aggregator.Consent, error) {
	found, err := b.sandbox.flows.BankFlowByCode(ctx, hash(code))
	if errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.Consent{}, refuse("The authorisation code is not valid")
	}
	if err != nil {
		return aggregator.Consent{}, err
	}
	var consent aggregator.Consent
	err = b.sandbox.flows.UpdateBankFlow(ctx, found.ID, func(flow *aggregator.BankFlow) error {
		if !b.owns(*flow) || flow.Order != nil || flow.Step != aggregator.BankFlowApproved || !same(flow.Request.State, state) ||
			!b.sandbox.now().Before(flow.Expires) {
			return refuse("The authorisation code is not valid")
		}
		flow.Step = aggregator.BankFlowFinished
		flow.Expires = b.consentEnd(*flow)
		consent = aggregator.Consent{Reference: flow.ID, ValidUntil: flow.Expires}
		return nil
	})
	if err != nil {
		return aggregator.Consent{}, err
	}
	return consent, b.endOlder(ctx, found)
}

// EndConsent ends the consent. It returns nil when the bank does not know it.
func (b *Bank) EndConsent(ctx context.Context, consent aggregator.Consent) error {
	_, err := b.end(ctx, consent.Reference, aggregator.EndedByService)
	return err
}

// Accounts returns the accounts of the consent in the bank's order. Scenarios only affect later calls.
func (b *Bank) Accounts(ctx context.Context, consent aggregator.Consent, _ aggregator.PSU) ([]aggregator.BankAccount, error) {
	flow, err := b.consent(ctx, consent)
	if err != nil {
		return nil, err
	}
	var list []aggregator.BankAccount
	if u := b.user(flow.Username); u != nil {
		for _, a := range u.accounts {
			if slices.Contains(flow.Accounts, a.reference) {
				list = append(list, b.view(flow, u, a).details())
			}
		}
	}
	return list, nil
}

// Account returns one account of the consent.
func (b *Bank) Account(ctx context.Context, consent aggregator.Consent, reference string, psu aggregator.PSU) (aggregator.BankAccount, error) {
	v, err := b.covered(ctx, consent, reference)
	if err != nil {
		return aggregator.BankAccount{}, err
	}
	v.kind, v.attended = aggregator.FetchDetails, psu.Attended()
	if err := v.pass(ctx); err != nil {
		return aggregator.BankAccount{}, err
	}
	return v.details(), nil
}

// Balances returns the balances of an account that the bank's habits name.
func (b *Bank) Balances(ctx context.Context, consent aggregator.Consent, reference string, psu aggregator.PSU) ([]openbanking.BalanceResource, error) {
	v, err := b.readable(ctx, consent, reference, func(r aggregator.ConsentRequest) bool { return r.Balances })
	if err != nil {
		return nil, err
	}
	v.kind, v.attended = aggregator.FetchBalances, psu.Attended()
	if err := v.pass(ctx); err != nil {
		return nil, err
	}
	return v.balances()
}

// Transactions returns one page, newest first: pending ones, then booked ones by booking date. All pages of a listing show the ledger at the time when it
// began, so rows added meanwhile shift nothing. Without date_from the listing begins 90 days ago; the longest one begins when the account was opened.
func (b *Bank) Transactions(ctx context.Context, consent aggregator.Consent, reference string, query aggregator.TransactionQuery,
	psu aggregator.PSU) (aggregator.TransactionPage, error) {
	v, err := b.readable(ctx, consent, reference, func(r aggregator.ConsentRequest) bool { return r.Transactions })
	if err != nil {
		return aggregator.TransactionPage{}, err
	}
	v.kind, v.later, v.attended = aggregator.FetchTransactions, query.Cursor != "", psu.Attended()
	if err := v.pass(ctx); err != nil {
		return aggregator.TransactionPage{}, err
	}
	return v.page(query)
}

// Transaction returns a transaction with all its details.
func (b *Bank) Transaction(ctx context.Context, consent aggregator.Consent, reference, transactionID string, psu aggregator.PSU) (openbanking.Transaction,
	error) {
	v, err := b.readable(ctx, consent, reference, func(r aggregator.ConsentRequest) bool { return r.Transactions })
	if err != nil {
		return openbanking.Transaction{}, err
	}
	v.kind, v.attended = aggregator.FetchTransaction, psu.Attended()
	if err := v.pass(ctx); err != nil {
		return openbanking.Transaction{}, err
	}
	t, ok := v.account.rows(v.asOf).find(transactionID)
	if !ok {
		return openbanking.Transaction{}, &openbanking.Error{Code: openbanking.TransactionDoesNotExist}
	}
	return t, nil
}

// readable is covered for an account whose data may be read: it is not blocked, and the consent includes the scope.
func (b *Bank) readable(ctx context.Context, consent aggregator.Consent, reference string, scope func(aggregator.ConsentRequest) bool) (view, error) {
	v, err := b.covered(ctx, consent, reference)
	if err != nil {
		return view{}, err
	}
	if v.account.data.Blocked || b.listsOnly(v.flow) || !scope(v.flow.Request) {
		return view{}, &openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible}
	}
	moved, err := b.sandbox.moves(v.account, v.asOf, b.sandbox.ordersOf(ctx))
	if err != nil {
		return view{}, err
	}
	v.account = v.account.with(moved)
	return v, nil
}

// consent returns the visit that gave a valid consent.
func (b *Bank) consent(ctx context.Context, consent aggregator.Consent) (aggregator.BankFlow, error) {
	flow, err := b.sandbox.flows.BankFlow(ctx, consent.Reference)
	if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.BankFlow{}, err
	}
	switch {
	case err != nil || !b.owns(flow):
		return aggregator.BankFlow{}, refuse("The consent is not known")
	case flow.EndedBy == aggregator.EndedByUser:
		return aggregator.BankFlow{}, aggregator.ErrConsentRevoked
	case flow.Step != aggregator.BankFlowFinished || !b.sandbox.now().Before(flow.Expires):
		return aggregator.BankFlow{}, aggregator.ErrConsentEnded
	}
	return flow, nil
}

// covered returns an account of a valid consent, as the user who gave it sees it.
func (b *Bank) covered(ctx context.Context, consent aggregator.Consent, reference string) (view, error) {
	flow, err := b.consent(ctx, consent)
	if err != nil {
		return view{}, err
	}
	if u := b.user(flow.Username); u != nil && slices.Contains(flow.Accounts, reference) {
		for _, a := range u.accounts {
			if a.reference == reference {
				return b.view(flow, u, a), nil
			}
		}
	}
	return view{}, &openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible}
}

// view returns an account as the consent of a user sees it now.
func (b *Bank) view(flow aggregator.BankFlow, u *user, a *account) view {
	now := b.sandbox.now()
	return view{account: a, user: u, flow: flow, now: now.UTC(), asOf: momentOf(now), scenarios: b.scenariosOf(u)}
}

// listsOnly reports whether the consent only covers the list of accounts: at some banks one that names no account does (spec: Access).
func (b *Bank) listsOnly(flow aggregator.BankFlow) bool {
	return b.data.Access == accessList && len(flow.Request.Accounts) == 0
}

// consentEnd returns the end of the consent: the requested time, but not before the bank's minimum (spec: Access) and not after its maximum.
func (b *Bank) consentEnd(flow aggregator.BankFlow) time.Time {
	end := flow.Request.ValidUntil
	if minimum := flow.Created.Add(time.Duration(b.data.MinimumConsentValidity) * time.Second); end.Before(minimum) {
		end = minimum
	}
	if u := b.user(flow.Username); u != nil {
		for _, s := range b.scenariosOf(u) {
			if longest := flow.Created.Add(s.validity); s.validity > 0 && longest.Before(end) {
				end = longest
			}
		}
	}
	return end
}

func (b *Bank) owns(flow aggregator.BankFlow) bool {
	return flow.ASPSP.Name == b.data.Name && flow.ASPSP.Country == b.data.Country
}

func (b *Bank) user(username string) *user {
	for _, u := range b.users {
		if u.Username == username {
			return u
		}
	}
	return nil
}

func (b *Bank) choices(flow aggregator.BankFlow) []aggregator.AccountChoice {
	u := b.user(flow.Username)
	if u == nil {
		return nil
	}
	var choices []aggregator.AccountChoice
	for _, a := range u.accounts {
		if len(flow.Request.Accounts) > 0 && !slices.ContainsFunc(flow.Request.Accounts, a.is) {
			continue
		}
		choice := a.choice()
		choice.PreSelected = b.data.NoCredentials || len(flow.Request.Accounts) > 0 || !b.Chooses()
		choices = append(choices, choice)
	}
	return choices
}

func (a *account) choice() aggregator.AccountChoice {
	return aggregator.AccountChoice{
		Reference: a.reference,
		Type:      a.data.Type,
		Product:   a.product(),
		Details:   a.data.Details,
		Number:    a.number(),
		Currency:  a.data.Currency,
		Blocked:   a.data.Blocked,
	}
}

// refuse returns an error of the bank with an explanation for developers.
func refuse(message string) error {
	detail, _ := json.Marshal(map[string]string{"message": message}) // two texts cannot fail
	return &openbanking.Error{Code: openbanking.ASPSPError, Detail: detail}
}

// slug returns a name in small ASCII letters, digits and single dashes.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case plain[r] != "":
			b.WriteString(plain[r])
		case r == '\'' || r == '’':
		default:
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// plain spells the letters of Europe in ASCII.
var plain = func() map[rune]string {
	m := map[rune]string{'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'æ': "ae", 'ø': "oe", 'å': "aa", 'œ': "oe", 'þ': "th", 'ð': "d", 'ł': "l", 'đ': "d"}
	for to, from := range map[string]string{
		"a": "áàâãăāą", "c": "çćčċ", "d": "ď", "e": "éèêëēėęě", "g": "ģğġ", "i": "íìîïīįı", "k": "ķ", "l": "ĺļľ", "n": "ñńņň",
		"o": "óòôõőō", "r": "ŕř", "s": "śšşș", "t": "ťţț", "u": "úùûūůűų", "y": "ýÿ", "z": "źżž",
	} {
		for _, r := range from {
			m[r] = to
		}
	}
	return m
}()

func ptr[T any](v T) *T { return &v }

func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
