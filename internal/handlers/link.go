package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/linking"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// Names of form fields and query values that choose a bank.
const (
	fieldProvider = "provider"
	fieldBank     = "bank"
	fieldCountry  = "country"
	fieldKind     = "psu_type"
	fieldAgain    = "again"
)

// anotherLogin is the value of fieldAgain that makes a connection of its own; every other is the id of the connection to renew.
const anotherLogin = "another"

// bankRows is how many banks the list shows at most.
const bankRows = 200

// banks lists the banks that can be linked, searched by name, BIC, group and country (pain 22).
func (a *App) banks(v *visit) error {
	query := v.r.URL.Query()
	q, country, kind := strings.TrimSpace(query.Get("q")), query.Get(fieldCountry), openbanking.PSUType(query.Get(fieldKind))
	all, unlisted, err := a.Linking.Banks(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(b linking.Bank) bool { return b.Country == country }) {
		country = "" // as the form shows it
	}
	if !slices.Contains(kind.Values(), kind) {
		kind = ""
	}
	view := pages.LinkView{Frame: a.frame(v), Query: q, Countries: countryOptions(all, country), Kinds: kindOptions(kind)}
	status := http.StatusOK
	several := len(unlisted) > 1 || len(unlisted) == 1 && len(all) > 0 || slices.ContainsFunc(all, func(b linking.Bank) bool { return b.ProviderID != all[0].ProviderID })
	for _, u := range unlisted {
		view.Problems = append(view.Problems, a.listProblem(v, u, several))
		if len(all) == 0 {
			status = http.StatusServiceUnavailable
		}
	}
	if len(all) == 0 && len(unlisted) == 0 {
		view.NoService = &pages.NoService{Owner: v.user.Role == finance.RoleOwner}
	}
	var found []linking.Bank
	words := strings.Fields(fold(q))
	for _, b := range all {
		if (country == "" || b.Country == country) && (kind == "" || slices.Contains(b.PSUTypes, kind)) && fits(b, words) {
			found = append(found, b)
			view.Frame.Simulated = view.Frame.Simulated || b.Simulated
		}
	}
	view.Found = foundWords(len(found))
	view.Complete = q == "" && len(found) <= bankRows
	for _, b := range found[:min(len(found), bankRows)] {
		choice := pages.BankChoice{
			Name: bankName(b.Name), Href: bankPath(b.ProviderID, openbanking.ASPSP{Name: b.Name, Country: b.Country}, kind, ""), Country: countries.Name(b.Country), BIC: finance.Clean(text(b.BIC)),
			Kinds: kindWords(b.PSUTypes), Beta: b.Beta, Simulated: b.Simulated, Connected: b.Connected,
		}
		if b.Group != nil {
			choice.Group = finance.Clean(b.Group.Name)
		}
		if several {
			choice.Via = b.ProviderName
		}
		view.Banks = append(view.Banks, choice)
	}
	return v.page(status, pages.Link(view))
}

// listProblem tells that a service did not answer, and which one when there are several. Banks of other services are still shown.
func (a *App) listProblem(v *visit, u linking.Unlisted, several bool) ui.Notice {
	f := failureOf(u.Err, "")
	a.Log.WarnContext(v.ctx(), "list of banks not fetched", "provider", u.Provider.ID, "error", u.Err)
	n := ui.Notice{Tone: ui.Bad, Title: "The list of banks could not be fetched", Text: f.What + " " + f.Next, Code: f.Code,
		Action: ui.Link{Text: "Try again", Href: paths.Link}}
	if several {
		n.Title = "The banks of " + u.Provider.Name + " are missing here"
	}
	return n
}

func foundWords(n int) string {
	switch {
	case n == 0:
		return "No bank found"
	case n > bankRows:
		return "The first " + count(bankRows) + " of " + plural(n, "bank") + ": type more letters or choose a country"
	}
	return plural(n, "bank")
}

func fits(b linking.Bank, words []string) bool {
	texts := []string{b.Name, text(b.BIC), countries.Name(b.Country), b.Country}
	if b.Group != nil {
		texts = append(texts, b.Group.Name)
	}
	folded := fold(strings.Join(texts, " "))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(folded, word) })
}

// fold makes texts comparable as people compare them: without case and without accents. app.js does the same.
func fold(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

func countryOptions(banks []linking.Bank, selected string) []ui.Option {
	seen := map[string]bool{}
	var options []ui.Option
	for _, b := range banks {
		if !seen[b.Country] {
			seen[b.Country] = true
			options = append(options, ui.Option{Value: b.Country, Text: countries.Name(b.Country), Selected: b.Country == selected})
		}
	}
	slices.SortFunc(options, func(x, y ui.Option) int { return strings.Compare(x.Text, y.Text) })
	return append([]ui.Option{{Value: "", Text: "All countries", Selected: !seen[selected]}}, options...)
}

func kindOptions(selected openbanking.PSUType) []ui.Option {
	options := []ui.Option{{Value: "", Text: "All kinds"}, {Value: string(openbanking.PSUTypePersonal), Text: "Personal"}, {Value: string(openbanking.PSUTypeBusiness), Text: "Business"}}
	for i := range options {
		options[i].Selected = options[i].Value == string(selected)
	}
	return options
}

func kindWords(types []openbanking.PSUType) string {
	personal, business := slices.Contains(types, openbanking.PSUTypePersonal), slices.Contains(types, openbanking.PSUTypeBusiness)
	switch {
	case personal && business:
		return "Personal and business"
	case business:
		return "Business"
	}
	return "Personal"
}

// bank asks to confirm the choice of a bank: what will be shared, and until when.
func (a *App) bank(v *visit) error {
	choice := chosenBank(v.r.URL.Query())
	b, err := a.Linking.Bank(v.ctx(), v.user.ID, choice.provider, choice.aspsp)
	if err != nil {
		return bankProblem(err)
	}
	return a.bankPage(v, http.StatusOK, b, choice, nil)
}

// choice is the bank that a form or an address names, and how it is to be linked.
type choice struct {
	provider string
	aspsp    openbanking.ASPSP
	kind     openbanking.PSUType
	again    string // the connection to renew, or anotherLogin
}

// renews is the connection of the bank that is chosen to be renewed, "" when none is.
func (c choice) renews(b linking.Bank) string {
	if slices.ContainsFunc(b.Connections, func(own finance.Connection) bool { return own.ID == c.again }) {
		return c.again
	}
	return ""
}

func chosenBank(values url.Values) choice {
	return choice{
		provider: values.Get(fieldProvider), aspsp: openbanking.ASPSP{Name: values.Get(fieldBank), Country: values.Get(fieldCountry)},
		kind: openbanking.PSUType(values.Get(fieldKind)), again: values.Get(fieldAgain),
	}
}

func bankProblem(err error) error {
	action := ui.Link{Text: "See all banks", Href: paths.Link}
	if errors.Is(err, linking.ErrUnknownBank) {
		return &problem{status: http.StatusNotFound, title: "This bank is not in the list", what: "The service knows no bank of this name in this country, or no longer does.",
			todo: "Choose a bank from the list.", action: action, cause: err}
	}
	f := failureOf(err, "")
	return &problem{status: http.StatusServiceUnavailable, title: "The banks cannot be reached", what: f.What, todo: f.Next, action: action, cause: err}
}

func (a *App) bankPage(v *visit, status int, b linking.Bank, chosen choice, failure *pages.Failure) error {
	c := a.at(time.Now())
	again, err := a.againChoices(v, c, b, chosen)
	if err != nil {
		return err
	}
	validity := time.Duration(b.MaximumConsentValidity) * time.Second
	view := pages.LinkBankView{
		Frame: a.frame(v), Bank: pages.Bank{Name: bankName(b.Name), Country: countries.Name(b.Country), Simulated: b.Simulated}, Via: b.ProviderName,
		Hidden: []pages.Hidden{{Name: fieldProvider, Value: b.ProviderID}, {Name: fieldBank, Value: b.Name}, {Name: fieldCountry, Value: b.Country}},
		Until:  c.until(b.ConsentUntil(c.now)), UntilNote: validityWords(validity) + ", the longest that this bank allows.",
		Again: again, Problem: failure,
	}
	kind := likelyKind(b, chosen.kind)
	view.Frame.Simulated = b.Simulated
	for _, k := range []pages.KindChoice{
		{Value: string(openbanking.PSUTypePersonal), Title: "Personal", Note: "Accounts that are yours as a person."},
		{Value: string(openbanking.PSUTypeBusiness), Title: "Business", Note: "Accounts of a company or association."},
	} {
		if slices.Contains(b.PSUTypes, openbanking.PSUType(k.Value)) {
			k.Checked = k.Value == string(kind)
			view.Kinds = append(view.Kinds, k)
		}
	}
	return v.page(status, pages.LinkBank(view))
}

// likelyKind is the kind of access that the page proposes: what was chosen, else what was used last at this bank, else personal. The choice is always
// shown, because the login of the bank depends on it (pain 16).
func likelyKind(b linking.Bank, chosen openbanking.PSUType) openbanking.PSUType {
	if chosen == "" && len(b.Connections) > 0 {
		chosen = slices.MaxFunc(b.Connections, func(x, y finance.Connection) int { return x.Authorized.Compare(y.Authorized) }).PSUType
	}
	if !slices.Contains(b.PSUTypes, chosen) {
		return openbanking.PSUTypePersonal
	}
	return chosen
}

// againChoices are the ways to link a bank that was linked before: to renew one of its connections, the first one unless another was chosen, or to add
// another person's login (pain 19).
func (a *App) againChoices(v *visit, c clock, b linking.Bank, chosen choice) ([]pages.AgainChoice, error) {
	if len(b.Connections) == 0 {
		return nil, nil
	}
	accounts, err := a.Store.Accounts(v.ctx(), v.user.ID)
	if err != nil {
		return nil, err
	}
	reaches, err := a.Store.Reaches(v.ctx(), v.user.ID)
	if err != nil {
		return nil, err
	}
	renews := chosen.renews(b)
	if renews == "" && chosen.again != anotherLogin {
		renews = b.Connections[0].ID
	}
	var list []pages.AgainChoice
	for _, connection := range b.Connections {
		s := newSyncState(c, connection, nil)
		again := pages.AgainChoice{Value: connection.ID, Title: "Renew this connection", State: s.consent(), Checked: connection.ID == renews,
			Note: "Its accounts and their history go on. It works until the new consent is confirmed."}
		if !s.active() {
			again.Note = "Its accounts and their history go on where they stopped."
		}
		for _, account := range append(ofConnection(accounts, connection.ID), reachedBy(connection.ID, accounts, reaches)...) {
			again.Accounts = append(again.Accounts, account.Title())
		}
		list = append(list, again)
	}
	return append(list, pages.AgainChoice{Value: anotherLogin, Title: "Another person’s login", Checked: chosen.again == anotherLogin,
		Note: "It becomes a connection of its own. An account that both can see is recognised and counted once."}), nil
}

func validityWords(d time.Duration) string {
	if d < 48*time.Hour {
		return duration(d)
	}
	return plural(int(d/(24*time.Hour)), "day")
}

// linkWithin is how long a person waits until a link begins, or is told that it does not.
const linkWithin = 14 * time.Second

// startLink begins a link and goes to the page that leads to the bank. A form must not end in a redirect to another origin: the policy on
// forms would block it (security F2).
func (a *App) startLink(v *visit) error {
	ctx, cancel := context.WithTimeout(v.ctx(), linkWithin)
	defer cancel()
	choice := chosenBank(v.r.PostForm)
	b, err := a.Linking.Bank(ctx, v.user.ID, choice.provider, choice.aspsp)
	if err != nil {
		return bankProblem(err)
	}
	renews := choice.renews(b)
	if len(b.Connections) > 0 && renews == "" && choice.again != anotherLogin {
		return a.bankPage(v, http.StatusUnprocessableEntity, b, choice, &pages.Failure{
			Title: "You have linked this bank before", What: "Florin has to know whether you renew a connection or add another person’s login.", Who: pages.You,
			Next: "Choose below, then continue.",
		})
	}
	browser, err := a.startFlow(v)
	if err != nil {
		return err
	}
	attempt, err := a.Linking.Start(ctx, v.user.ID, linking.Request{
		ProviderID: choice.provider, ASPSP: choice.aspsp, PSUType: choice.kind, Renews: renews, Another: choice.again == anotherLogin, Language: "en", Browser: browser,
	})
	var refused *openbanking.Error
	switch {
	case errors.Is(err, linking.ErrPSUType):
		return a.bankPage(v, http.StatusUnprocessableEntity, b, choice, &pages.Failure{
			Title: "Choose which accounts", What: "The login at " + bankName(b.Name) + " is different for personal and for business accounts.", Who: pages.You, Next: "Choose one of the two, then continue.",
		})
	case errors.Is(err, linking.ErrUnknownBank):
		return bankProblem(err)
	case errors.As(err, &refused), errors.Is(err, linking.ErrUnreachable), errors.Is(err, linking.ErrSilent):
		a.Log.WarnContext(v.ctx(), "link not started", "error", err)
		f := failureOf(err, bankName(b.Name))
		return a.bankPage(v, http.StatusServiceUnavailable, b, choice, &f)
	case err != nil:
		return err
	}
	v.seeOther(paths.LinkAttempt(attempt.ID))
	return nil
}

// failureOf explains an error of the service.
func failureOf(err error, bank string) pages.Failure {
	var refused *openbanking.Error
	if errors.Is(err, linking.ErrSilent) && bank != "" {
		return pages.Explain(finance.FailureSilent, bank)
	}
	if !errors.As(err, &refused) {
		return pages.Explain(finance.FailureUnreachable, bank)
	}
	f := pages.Explain(string(refused.Code), bank)
	f.Said, f.RequestID = finance.Clean(refused.Message), refused.RequestID
	return f
}
