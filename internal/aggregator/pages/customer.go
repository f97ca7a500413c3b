package pages

import (
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/sandbox"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// signedInFor is how long a customer stays signed in to the page of consents.
const signedInFor = 15 * time.Minute

// customerKey derives the key of the customers' cookie from that of the banks' sites.
func customerKey(bankKey []byte) []byte {
	key, err := hkdf.Expand(sha256.New, bankKey, "florin bank customers", KeySize)
	if err != nil {
		panic("pages: " + err.Error()) // only for a key that is far longer
	}
	return key
}

// consentsHome leads to the bank at which somebody looks after consents.
func (p *Pages) consentsHome(w http.ResponseWriter, r *http.Request) error {
	l := words.In(r.Context())
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	page := hosted.ConsentsHomePage{Query: query}
	for _, bank := range p.banks.Banks() {
		var bic string
		if data := bank.ASPSP(); data.BIC != nil {
			bic = *data.BIC
		}
		if !found(query, bank.Name(), bic, countryName(l, bank.Country())) {
			continue
		}
		if last := len(page.Groups) - 1; last < 0 || page.Groups[last].Code != bank.Country() { // they come by country
			page.Groups = append(page.Groups, hosted.ConsentsHomeGroup{Code: bank.Country(), Country: countryName(l, bank.Country())})
		}
		group := &page.Groups[len(page.Groups)-1]
		page.Shown++
		group.Banks = append(group.Banks, hosted.ConsentsHomeBank{Bank: bankOf(l, bank), URL: consentsPath(bank)})
	}
	slices.SortStableFunc(page.Groups, func(a, b hosted.ConsentsHomeGroup) int { return strings.Compare(a.Country, b.Country) })
	p.render(w, r, http.StatusOK, hosted.ConsentsHome(page))
	return nil
}

// consents shows a customer of a bank the consents given there, and everybody else the way to sign in.
func (p *Pages) consents(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	customer, ok := p.customer(r, bank)
	if !ok {
		return p.customerSignIn(w, r, bank, http.StatusOK, "", "")
	}
	given, err := p.banks.Consents(r.Context(), customer)
	if err != nil {
		return err
	}
	l := words.In(r.Context())
	page := hosted.GivenConsentsPage{
		Bank:       bankOf(l, bank),
		Holder:     customer.Name,
		EndURL:     consentsPath(bank) + "/end",
		SignOutURL: consentsPath(bank) + "/sign-out",
	}
	for _, consent := range given {
		shown := p.givenConsent(l, consent)
		if consent.Active {
			page.Active = append(page.Active, shown)
			continue
		}
		page.Over = append(page.Over, shown)
		if consent.ID == r.URL.Query().Get("ended") && consent.EndedBy == aggregator.EndedByUser {
			page.Done = l.Say("%s can read nothing more.", consent.Application)
		}
	}
	p.render(w, r, http.StatusOK, hosted.GivenConsents(page))
	return nil
}

func (p *Pages) customerSignIn(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, status int, username, problem string) error {
	page := hosted.CustomerSignInPage{
		Bank:     bankOf(words.In(r.Context()), bank),
		Action:   consentsPath(bank) + "/sign-in",
		Username: username,
		Problem:  problem,
		Users:    sampleUsers(bank, openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness),
	}
	if bank.NoCredentials() {
		page.Choices = bank.Usernames()
	}
	p.render(w, r, status, hosted.CustomerSignIn(page))
	return nil
}

// enterConsents signs a customer in.
func (p *Pages) enterConsents(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	fields, err := form(r)
	if err != nil {
		return err
	}
	username := fields.Get("username")
	customer, err := bank.Authenticate(username, fields.Get("password"), strings.TrimSpace(fields.Get("code")))
	if errors.Is(err, sandbox.ErrWrongSignIn) {
		return p.customerSignIn(w, r, bank, http.StatusUnprocessableEntity, username, words.In(r.Context()).Say("The user, the password or the one-time code is wrong."))
	}
	if err != nil {
		return err
	}
	id := bankPath(bank) + "@" + url.QueryEscape(customer.Username) + "@" + strconv.FormatInt(p.now().Add(signedInFor).Unix(), 10)
	if err := p.customers.add(w, r, consentsPath(bank), id); err != nil {
		return err
	}
	return redirect(w, r, consentsPath(bank))
}

// endConsent ends a consent of the customer. One that is over already changes nothing; the list shows it.
func (p *Pages) endConsent(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	fields, err := form(r)
	if err != nil {
		return err
	}
	customer, ok := p.customer(r, bank)
	if !ok {
		return redirect(w, r, consentsPath(bank))
	}
	id := fields.Get("consent")
	if err := p.banks.Revoke(r.Context(), customer, id); err != nil && !errors.Is(err, sandbox.ErrNoConsent) {
		return err
	}
	return redirect(w, r, consentsPath(bank)+"?"+url.Values{"ended": {id}}.Encode())
}

// leaveConsents signs the customer out.
func (p *Pages) leaveConsents(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	if err := p.customers.remove(w, r, consentsPath(bank), p.customersOf(r, bank)...); err != nil {
		return err
	}
	return redirect(w, r, consentsPath(bank))
}

// backToConsents answers a form's address that is opened like a page.
func (p *Pages) backToConsents(w http.ResponseWriter, r *http.Request) error {
	bank, err := p.bank(r)
	if err != nil {
		return err
	}
	return redirect(w, r, consentsPath(bank))
}

// customersOf are the sign-ins at the bank in this browser, the latest one last. Each names the bank, the user and its end.
func (p *Pages) customersOf(r *http.Request, bank *sandbox.Bank) []string {
	_, ids := p.customers.open(r)
	return slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, bankPath(bank)+"@") })
}

// customer returns who is signed in at the bank in this browser. The latest sign-in counts.
func (p *Pages) customer(r *http.Request, bank *sandbox.Bank) (sandbox.Customer, bool) {
	ids := p.customersOf(r, bank)
	if len(ids) == 0 {
		return sandbox.Customer{}, false
	}
	_, signIn, _ := strings.Cut(ids[len(ids)-1], "@")
	escaped, end, _ := strings.Cut(signIn, "@")
	username, err := url.QueryUnescape(escaped)
	until, notNumber := strconv.ParseInt(end, 10, 64)
	if err != nil || notNumber != nil || !p.now().Before(time.Unix(until, 0)) {
		return sandbox.Customer{}, false
	}
	return bank.Customer(username)
}

// givenConsent says in words what a customer has allowed.
func (p *Pages) givenConsent(l *words.Language, consent sandbox.GivenConsent) hosted.GivenConsent {
	shown := hosted.GivenConsent{ID: consent.ID, Application: consent.Application, Given: l.DateTime(consent.Given)}
	switch {
	case consent.ListOnly, !consent.Balances && !consent.Transactions:
		shown.Scope = l.Say("Which accounts there are")
	case consent.Balances && consent.Transactions:
		shown.Scope = l.Say("Balances and transactions")
	case consent.Balances:
		shown.Scope = l.Say("Balances")
	default:
		shown.Scope = l.Say("Transactions")
	}
	for _, a := range consent.Accounts {
		shown.Accounts = append(shown.Accounts, hosted.Fact{Label: a.Name, Text: readable(a.Number) + " · " + a.Currency})
	}
	until, note := untilText(l, consent.Until, p.now())
	switch {
	case consent.Active:
		shown.Until = until + ", " + note
	case consent.EndedBy == aggregator.EndedByUser:
		shown.Until = l.Say("You ended it on %s", l.DateTime(consent.Until))
	case consent.EndedBy == aggregator.EndedByService:
		shown.Until = l.Say("The application ended it on %s", l.DateTime(consent.Until))
	case consent.EndedBy == aggregator.EndedByBank:
		shown.Until = l.Say("A newer consent took its place on %s", l.DateTime(consent.Until))
	default:
		shown.Until = l.Say("It ran out on %s", l.DateTime(consent.Until))
	}
	return shown
}

// consentsPath is the address of a bank's page of consents.
func consentsPath(bank *sandbox.Bank) string { return bankPath(bank) + "consents" }

// scenarios lists the quirks of real banks that one can pick.
func (p *Pages) scenarios(w http.ResponseWriter, r *http.Request) error {
	l := words.In(r.Context())
	var page hosted.ScenariosPage
	for _, s := range p.banks.Scenarios() {
		if last := len(page.Groups) - 1; last < 0 || page.Groups[last].Name != s.Group {
			page.Groups = append(page.Groups, hosted.ScenarioGroup{ID: "group-" + strconv.Itoa(last+2), Name: s.Group})
		}
		shown := hosted.Scenario{Name: s.Name, Bank: s.Bank, Client: s.Client}
		for _, place := range s.Places {
			shown.Places = append(shown.Places, hosted.ScenarioPlace{
				Bank: bankOf(l, place.Bank),
				User: hosted.SampleUser{Username: place.User.Username, Password: place.User.Password, Code: place.User.OTP},
			})
		}
		group := &page.Groups[len(page.Groups)-1]
		group.Scenarios = append(group.Scenarios, shown)
	}
	p.render(w, r, http.StatusOK, hosted.Scenarios(page))
	return nil
}
