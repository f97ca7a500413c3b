package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Bank is one simulated bank. It is an aggregator.Connector, and tells the pages of its site what they show.
type Bank struct {
	sandbox  *Sandbox
	data     bankData
	slug     string
	users    []*user
	accounts []*account // in the order of the catalogue
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
	return b
}

// Name returns the name of the bank.
func (b *Bank) Name() string { return b.data.Name }

// Country returns the two-letter code of the bank's country.
func (b *Bank) Country() string { return b.data.Country }

// Slug returns the name as it stands in addresses: small ASCII letters, digits and dashes; unique in the country.
func (b *Bank) Slug() string { return b.slug }

// Colour returns the colour of the brand, such as #1a4d8f.
func (b *Bank) Colour() string { return b.data.Colour }

// Group returns the name of the group of the bank, or nothing.
func (b *Bank) Group() string { return b.data.Group }

// Initials returns one or two letters for the logo.
func (b *Bank) Initials() string {
	var letters []rune
	for word := range strings.FieldsFuncSeq(b.data.Name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(letters) < 2 {
			letters = append(letters, unicode.ToUpper([]rune(word)[0]))
		}
	}
	return string(letters)
}

// NoCredentials reports whether the bank's visits begin at the approval: nobody signs in.
func (b *Bank) NoCredentials() bool { return b.data.NoCredentials }

// SampleUser is a user of a simulated bank with what signs in. None of it is secret.
type SampleUser struct {
	Username string
	Password string
	OTP      string // empty: the bank asks for none
	Name     string
	PSUType  openbanking.PSUType
}

// SampleUsers returns the users that a visit of this kind can sign in as; none at a bank without credentials.
func (b *Bank) SampleUsers(psu openbanking.PSUType) []SampleUser {
	var users []SampleUser
	for _, u := range b.users {
		if u.PSUType == psu && !b.data.NoCredentials {
			users = append(users, SampleUser{u.Username, u.Password, u.OTP, u.Name, u.PSUType})
		}
	}
	return users
}

// AuthorizeURL returns the page of a visit. The bank's other pages lie beside it.
func (b *Bank) AuthorizeURL(flowID string) string {
	return b.sandbox.base + "/banks/" + strings.ToLower(b.data.Country) + "/" + b.slug + "/authorize?" + url.Values{"flow": {flowID}}.Encode()
}

// ASPSP returns what the service knows of the bank.
func (b *Bank) ASPSP() aggregator.ASPSP {
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
		data.AuthMethods = append(data.AuthMethods, openbanking.AuthMethod{
			Name:     ptr("redirect_" + string(psu)),
			Title:    ptr("On the site of " + b.data.Name),
			PSUType:  psu,
			Approach: openbanking.AuthenticationApproachRedirect,
		})
		for _, u := range b.SampleUsers(psu) {
			data.Sandbox.Users = append(data.Sandbox.Users, openbanking.SandboxUser{Username: &u.Username, Password: &u.Password, OTP: textOrNil(u.OTP)})
		}
	}
	return aggregator.ASPSP{ASPSPData: data, MinimumConsentValidity: time.Duration(b.data.MinimumConsentValidity) * time.Second}
}

// StartConsent opens a visit and returns the address of its page. The address is good for 15 minutes.
func (b *Bank) StartConsent(ctx context.Context, request aggregator.ConsentRequest) (string, error) {
	back, err := url.Parse(request.ReturnURL)
	if err != nil || back.Host == "" {
		return "", refuse("The return URL is not absolute")
	}
	now := b.sandbox.now()
	flow := aggregator.BankFlow{
		ID:      secret(),
		ASPSP:   openbanking.ASPSP{Name: b.data.Name, Country: b.data.Country},
		Request: request,
		Step:    aggregator.BankFlowSignIn,
		Created: now,
		Expires: now.Add(visitLifetime),
	}
	if !slices.ContainsFunc(b.users, func(u *user) bool { return u.PSUType == request.PSUType }) {
		return "", refuse("The bank has no customers of this kind")
	}
	if b.data.NoCredentials {
		for _, u := range b.users {
			if u.PSUType == request.PSUType {
				flow.Username = u.Username
				break
			}
		}
		flow.Step = aggregator.BankFlowApproval
	}
	if err := b.sandbox.flows.AddBankFlow(ctx, flow); err != nil {
		return "", err
	}
	return b.AuthorizeURL(flow.ID), nil
}

// FinishConsent exchanges a code, once and within five minutes of the approval. A code of another state or bank counts as wrong.
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
		if !b.owns(*flow) || flow.Step != aggregator.BankFlowApproved || !same(flow.Request.State, state) || !b.sandbox.now().Before(flow.Expires) {
			return refuse("The authorisation code is not valid")
		}
		flow.Step = aggregator.BankFlowFinished
		consent = aggregator.Consent{Reference: flow.ID, ValidUntil: b.consentEnd(*flow)}
		return nil
	})
	return consent, err
}

// EndConsent ends the consent. One that the bank does not know has ended.
func (b *Bank) EndConsent(ctx context.Context, consent aggregator.Consent) error {
	err := b.sandbox.flows.UpdateBankFlow(ctx, consent.Reference, func(flow *aggregator.BankFlow) error {
		if b.owns(*flow) && flow.Step == aggregator.BankFlowFinished {
			flow.Step = aggregator.BankFlowEnded
		}
		return nil
	})
	if errors.Is(err, aggregator.ErrNotFound) {
		return nil
	}
	return err
}

// Accounts lists the accounts of the consent in the order in which the bank shows them.
func (b *Bank) Accounts(ctx context.Context, consent aggregator.Consent, _ aggregator.PSU) ([]aggregator.BankAccount, error) {
	flow, err := b.consent(ctx, consent)
	if err != nil {
		return nil, err
	}
	var list []aggregator.BankAccount
	if u := b.user(flow.Username); u != nil {
		for _, a := range u.accounts {
			if slices.Contains(flow.Accounts, a.reference) {
				list = append(list, a.describe(u))
			}
		}
	}
	return list, nil
}

// Account returns one account of the consent.
func (b *Bank) Account(ctx context.Context, consent aggregator.Consent, reference string, _ aggregator.PSU) (aggregator.BankAccount, error) {
	flow, err := b.consent(ctx, consent)
	if err != nil {
		return aggregator.BankAccount{}, err
	}
	a, u, err := b.covered(flow, reference)
	if err != nil {
		return aggregator.BankAccount{}, err
	}
	return a.describe(u), nil
}

// Balances returns the balances of an account: those that the bank's habits name.
func (b *Bank) Balances(ctx context.Context, consent aggregator.Consent, reference string, _ aggregator.PSU) ([]openbanking.BalanceResource, error) {
	a, err := b.readable(ctx, consent, reference, func(r aggregator.ConsentRequest) bool { return r.Balances })
	if err != nil {
		return nil, err
	}
	return a.balances(b.now()), nil
}

// Transactions returns one page, newest first: pending ones, then booked ones by booking date. All pages of a listing show the
// ledger of the minute in which it began, so rows that are added meanwhile shift nothing. Without date_from the listing begins 90 days ago;
// the longest one begins when the account was opened.
func (b *Bank) Transactions(ctx context.Context, consent aggregator.Consent, reference string, query aggregator.TransactionQuery, _ aggregator.PSU) (aggregator.TransactionPage, error) {
	a, err := b.readable(ctx, consent, reference, func(r aggregator.ConsentRequest) bool { return r.Transactions })
	if err != nil {
		return aggregator.TransactionPage{}, err
	}
	return a.page(query, b.now())
}

// Transaction returns a transaction with all that the bank knows of it.
func (b *Bank) Transaction(ctx context.Context, consent aggregator.Consent, reference, transactionID string, _ aggregator.PSU) (openbanking.Transaction, error) {
	a, err := b.readable(ctx, consent, reference, func(r aggregator.ConsentRequest) bool { return r.Transactions })
	if err != nil {
		return openbanking.Transaction{}, err
	}
	t, ok := a.rows(b.now()).find(transactionID)
	if !ok {
		return openbanking.Transaction{}, &openbanking.Error{Code: openbanking.TransactionDoesNotExist}
	}
	return t, nil
}

// readable returns an account whose data may be read: covered by the consent, in its scope, and not blocked.
func (b *Bank) readable(ctx context.Context, consent aggregator.Consent, reference string, scope func(aggregator.ConsentRequest) bool) (*account, error) {
	flow, err := b.consent(ctx, consent)
	if err != nil {
		return nil, err
	}
	a, _, err := b.covered(flow, reference)
	if err != nil {
		return nil, err
	}
	if a.data.Blocked || !scope(flow.Request) {
		return nil, &openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible}
	}
	return a, nil
}

// consent returns the visit behind a consent that is in force.
func (b *Bank) consent(ctx context.Context, consent aggregator.Consent) (aggregator.BankFlow, error) {
	flow, err := b.sandbox.flows.BankFlow(ctx, consent.Reference)
	if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
		return aggregator.BankFlow{}, err
	}
	if err != nil || !b.owns(flow) || flow.Step != aggregator.BankFlowFinished || !b.sandbox.now().Before(b.consentEnd(flow)) {
		return aggregator.BankFlow{}, refuse("The consent is not valid, or no longer")
	}
	return flow, nil
}

// covered returns an account of the consent and the user who gave it.
func (b *Bank) covered(flow aggregator.BankFlow, reference string) (*account, *user, error) {
	if u := b.user(flow.Username); u != nil && slices.Contains(flow.Accounts, reference) {
		for _, a := range u.accounts {
			if a.reference == reference {
				return a, u, nil
			}
		}
	}
	return nil, nil, &openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible}
}

// consentEnd is what was asked for, raised to the bank's minimum (spec: Access).
func (b *Bank) consentEnd(flow aggregator.BankFlow) time.Time {
	minimum := flow.Created.Add(time.Duration(b.data.MinimumConsentValidity) * time.Second)
	if flow.Request.ValidUntil.Before(minimum) {
		return minimum
	}
	return flow.Request.ValidUntil
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

func (b *Bank) choices(flow aggregator.BankFlow) []Choice {
	u := b.user(flow.Username)
	if u == nil {
		return nil
	}
	var choices []Choice
	for _, a := range u.accounts {
		if len(flow.Request.Accounts) > 0 && !slices.ContainsFunc(flow.Request.Accounts, a.is) {
			continue
		}
		choices = append(choices, Choice{
			Reference:   a.reference,
			Type:        a.data.Type,
			Product:     a.product(),
			Details:     a.data.Details,
			Number:      a.number(),
			Currency:    a.data.Currency,
			Blocked:     a.data.Blocked,
			PreSelected: b.data.NoCredentials || len(flow.Request.Accounts) > 0,
		})
	}
	return choices
}

func (b *Bank) now() moment { return momentOf(b.sandbox.now()) }

// refuse is an answer of the bank that explains itself to developers.
func refuse(message string) error {
	detail, _ := json.Marshal(map[string]string{"message": message}) // two texts cannot fail
	return &openbanking.Error{Code: openbanking.ASPSPError, Detail: detail}
}

// slug writes a name with small ASCII letters, digits and single dashes.
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
