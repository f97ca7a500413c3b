package banksites

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
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// signedInFor is how long a customer stays signed in to a page for customers.
const signedInFor = 15 * time.Minute

// room is a page of a bank's site for customers who have signed in there.
type room struct {
	path          func(*sandbox.Bank) string // also that of the cookie
	title, reason words.Text                 // of the sign-in
}

// consentsRoom is the page on which customers see and end the consents that they have given.
var consentsRoom = room{
	path:   consentsPath,
	title:  "Your consents",
	reason: "Sign in to see which applications may read your accounts, and to end their access.",
}

// customerKey derives the key of the customers' cookie from that of the banks' sites.
func customerKey(bankKey []byte) []byte {
	key, err := hkdf.Expand(sha256.New, bankKey, "florin bank customers", site.KeySize)
	if err != nil {
		panic("banksites: " + err.Error()) // only for a key that is far longer
	}
	return key
}

// consentsHome leads to the bank at which somebody looks after consents.
func (s *Sites) consentsHome(w http.ResponseWriter, r *http.Request) error {
	l := words.In(r.Context())
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	page := hosted.ConsentsHomePage{Query: query}
	for _, bank := range s.banks.Banks() {
		var bic string
		if data := bank.ASPSP(); data.BIC != nil {
			bic = *data.BIC
		}
		if !found(query, bank.Name(), bic, site.CountryName(l, bank.Country())) {
			continue
		}
		if last := len(page.Groups) - 1; last < 0 || page.Groups[last].Code != bank.Country() { // they come by country
			page.Groups = append(page.Groups, hosted.ConsentsHomeGroup{Code: bank.Country(), Country: site.CountryName(l, bank.Country())})
		}
		group := &page.Groups[len(page.Groups)-1]
		page.Shown++
		group.Banks = append(group.Banks, hosted.ConsentsHomeBank{Bank: bankOf(l, bank), URL: consentsPath(bank)})
	}
	slices.SortStableFunc(page.Groups, func(a, b hosted.ConsentsHomeGroup) int { return strings.Compare(a.Country, b.Country) })
	s.site.Render(w, r, http.StatusOK, hosted.ConsentsHome(page))
	return nil
}

// consents shows a customer of a bank the consents given there, and everybody else the way to sign in.
func (s *Sites) consents(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	customer, ok := s.customer(r, bank)
	if !ok {
		return s.customerSignIn(w, r, bank, consentsRoom, http.StatusOK, "", "")
	}
	given, err := s.banks.Consents(r.Context(), customer)
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
		shown := s.givenConsent(l, consent)
		if consent.Active {
			page.Active = append(page.Active, shown)
			continue
		}
		page.Over = append(page.Over, shown)
		if consent.ID == r.URL.Query().Get("ended") && consent.EndedBy == aggregator.EndedByUser {
			page.Done = l.Say("%s can read nothing more.", consent.Application)
		}
	}
	s.site.Render(w, r, http.StatusOK, hosted.GivenConsents(page))
	return nil
}

func (s *Sites) customerSignIn(w http.ResponseWriter, r *http.Request, bank *sandbox.Bank, to room, status int, username, problem string) error {
	page := hosted.CustomerSignInPage{
		Bank:     bankOf(words.In(r.Context()), bank),
		Title:    to.title,
		Reason:   to.reason,
		Action:   to.path(bank) + "/sign-in",
		Username: username,
		Problem:  problem,
		Users:    sampleUsers(bank, openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness),
	}
	if bank.NoCredentials() {
		page.Choices = bank.Usernames()
	}
	s.site.Render(w, r, status, hosted.CustomerSignIn(page))
	return nil
}

// enter signs a customer in to a page.
func (s *Sites) enter(to room) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		bank, err := s.bank(r)
		if err != nil {
			return err
		}
		fields, err := site.Form(r)
		if err != nil {
			return err
		}
		username := fields.Get("username")
		customer, err := bank.Authenticate(username, fields.Get("password"), strings.TrimSpace(fields.Get("code")))
		if errors.Is(err, sandbox.ErrWrongSignIn) {
			return s.customerSignIn(w, r, bank, to, http.StatusUnprocessableEntity, username,
				words.In(r.Context()).Say("The user, the password or the one-time code is wrong."))
		}
		if err != nil {
			return err
		}
		id := bankPath(bank) + "@" + url.QueryEscape(customer.Username) + "@" + strconv.FormatInt(s.now().Add(signedInFor).Unix(), 10)
		if err := s.customers.Add(w, r, to.path(bank), id); err != nil {
			return err
		}
		return site.Redirect(w, r, to.path(bank))
	}
}

// endConsent ends a consent of the customer. One that is over already changes nothing; the list shows it.
func (s *Sites) endConsent(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	fields, err := site.Form(r)
	if err != nil {
		return err
	}
	customer, ok := s.customer(r, bank)
	if !ok {
		return site.Redirect(w, r, consentsPath(bank))
	}
	id := fields.Get("consent")
	if err := s.banks.Revoke(r.Context(), customer, id); err != nil && !errors.Is(err, sandbox.ErrNoConsent) {
		return err
	}
	return site.Redirect(w, r, consentsPath(bank)+"?"+url.Values{"ended": {id}}.Encode())
}

// leave signs the customer out of a page.
func (s *Sites) leave(from room) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		bank, err := s.bank(r)
		if err != nil {
			return err
		}
		if err := s.customers.Remove(w, r, from.path(bank), s.customersOf(r, bank)...); err != nil {
			return err
		}
		return site.Redirect(w, r, from.path(bank))
	}
}

// backTo answers the address of a form of a page that is opened like a page.
func (s *Sites) backTo(from room) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		bank, err := s.bank(r)
		if err != nil {
			return err
		}
		return site.Redirect(w, r, from.path(bank))
	}
}

// customersOf are the sign-ins at the bank in this browser, the latest one last. Each names the bank, the user and its end.
func (s *Sites) customersOf(r *http.Request, bank *sandbox.Bank) []string {
	return slices.DeleteFunc(s.customers.IDs(r), func(id string) bool { return !strings.HasPrefix(id, bankPath(bank)+"@") })
}

// customer returns who is signed in at the bank in this browser. The latest sign-in counts.
func (s *Sites) customer(r *http.Request, bank *sandbox.Bank) (sandbox.Customer, bool) {
	ids := s.customersOf(r, bank)
	if len(ids) == 0 {
		return sandbox.Customer{}, false
	}
	_, signIn, _ := strings.Cut(ids[len(ids)-1], "@")
	escaped, end, _ := strings.Cut(signIn, "@")
	username, err := url.QueryUnescape(escaped)
	until, notNumber := strconv.ParseInt(end, 10, 64)
	if err != nil || notNumber != nil || !s.now().Before(time.Unix(until, 0)) {
		return sandbox.Customer{}, false
	}
	return bank.Customer(username)
}

// givenConsent says in words what a customer has allowed.
func (s *Sites) givenConsent(l *words.Language, consent sandbox.GivenConsent) hosted.GivenConsent {
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
		shown.Accounts = append(shown.Accounts, hosted.Fact{Label: a.Name, Text: site.Readable(a.Number) + " · " + a.Currency})
	}
	until, note := site.UntilText(l, consent.Until, s.now())
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
func (s *Sites) scenarios(w http.ResponseWriter, r *http.Request) error {
	l := words.In(r.Context())
	var page hosted.ScenariosPage
	for _, s := range s.banks.Scenarios() {
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
	s.site.Render(w, r, http.StatusOK, hosted.Scenarios(page))
	return nil
}
