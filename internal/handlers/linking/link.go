package linking

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/linking"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// bankRows is how many banks the list shows at most.
const bankRows = 200

// banks lists the banks that can be linked, searched by name, BIC, group and country.
func (a *Area) banks(v *shell.Visitor) error {
	query := v.Request.URL.Query()
	q, country, kind := strings.TrimSpace(query.Get("q")), query.Get(show.FieldCountry), openbanking.PSUType(query.Get(show.FieldKind))
	all, unlisted, err := a.Linking.Banks(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(b linking.Bank) bool { return b.Country == country }) {
		country = "" // as the form shows it
	}
	if !slices.Contains(kind.Values(), kind) {
		kind = ""
	}
	view := pages.LinkView{Frame: a.Frame(v), Query: q, Countries: countryOptions(v, all, country), Kinds: kindOptions(v, kind)}
	status := http.StatusOK
	several := len(unlisted) > 1 || len(unlisted) == 1 && len(all) > 0 ||
		slices.ContainsFunc(all, func(b linking.Bank) bool { return b.ProviderID != all[0].ProviderID })
	for _, u := range unlisted {
		view.Problems = append(view.Problems, a.listProblem(v, u, several))
		if len(all) == 0 {
			status = http.StatusServiceUnavailable
		}
	}
	if len(all) == 0 && len(unlisted) == 0 {
		view.NoService = &pages.NoService{Owner: v.User.Role == finance.RoleOwner}
	}
	var found []linking.Bank
	typed := strings.Fields(show.Fold(q))
	for _, b := range all {
		if (country == "" || b.Country == country) && (kind == "" || slices.Contains(b.PSUTypes, kind)) && fits(v, b, typed) {
			found = append(found, b)
			view.Frame.Simulated = view.Frame.Simulated || b.Simulated
		}
	}
	view.Found = words.In(v.Ctx()).Message(foundWords(len(found)))
	view.Complete = q == "" && len(found) <= bankRows
	realBanks := slices.ContainsFunc(all, func(b linking.Bank) bool { return !b.Simulated })
	left := bankRows
	groups := arrange(found, realBanks, q != "" || country != "", ownCountry(all, v.Request.Header.Get("Accept-Language")))
	for _, g := range groups {
		part := pages.BankGroupView{Title: g.title, Folded: g.folded, Open: len(groups) == 1}
		for _, b := range g.banks[:min(len(g.banks), left)] {
			part.Banks = append(part.Banks, bankChoice(b, kind, several))
		}
		if left -= len(part.Banks); len(part.Banks) > 0 {
			view.Groups = append(view.Groups, part)
		}
	}
	return v.Page(status, pages.Link(view))
}

// bankChoice is a bank in the list; several says that it has to be told through which service it comes.
func bankChoice(b linking.Bank, kind openbanking.PSUType, several bool) pages.BankChoice {
	aspsp := openbanking.ASPSP{Name: b.Name, Country: b.Country}
	choice := pages.BankChoice{
		Name: show.BankName(b.Name), Href: show.BankPath(b.ProviderID, aspsp, kind, ""), Logo: show.LogoPath(b.ProviderID, aspsp),
		Country: words.Text(countries.Name(b.Country)), BIC: finance.Clean(show.Text(b.BIC)),
		Kinds: kindWords(b.PSUTypes), Beta: b.Beta, Simulated: b.Simulated, Connected: b.Connected,
	}
	if b.Group != nil {
		choice.Group = finance.Clean(b.Group.Name)
	}
	if several {
		choice.Via = b.ProviderName
	}
	return choice
}

// listProblem tells that a service did not answer, and which one when there are several. Banks of other services are still shown.
func (a *Area) listProblem(v *shell.Visitor, u linking.Unlisted, several bool) ui.Notice {
	f := connections.FailureOf(words.In(v.Ctx()), u.Err, "")
	a.Log.WarnContext(v.Ctx(), "list of banks not fetched", "provider", u.Provider.ID, "error", u.Err)
	n := ui.Notice{Tone: ui.Bad, Title: v.Say("The list of banks could not be fetched"), Text: f.What + " " + f.Next, Code: f.Code,
		Action: ui.Link{Text: v.Say("Try again"), Href: paths.Link}}
	if several {
		n.Title = v.Say("The banks of %s are missing here", u.Provider.Name)
	}
	return n
}

func foundWords(n int) words.Message {
	switch {
	case n == 0:
		return words.Msg("No bank found")
	case n > bankRows:
		return words.Msg("The first %d of %d banks. Type more letters or choose a country.", bankRows, n)
	}
	return words.Msg("%d banks", n)
}

// fits reports whether a bank has all words that were typed, its country in English or in the language of the visitor.
func fits(v *shell.Visitor, b linking.Bank, typed []string) bool {
	country := countries.Name(b.Country)
	texts := []string{b.Name, show.Text(b.BIC), country, v.Say(words.Text(country)), b.Country}
	if b.Group != nil {
		texts = append(texts, b.Group.Name)
	}
	folded := show.Fold(strings.Join(texts, " "))
	return !slices.ContainsFunc(typed, func(word string) bool { return !strings.Contains(folded, word) })
}

func countryOptions(v *shell.Visitor, banks []linking.Bank, selected string) []ui.Option {
	seen := map[string]bool{}
	var options []ui.Option
	for _, b := range banks {
		if !seen[b.Country] {
			seen[b.Country] = true
			options = append(options, ui.Option{Value: b.Country, Text: v.Say(words.Text(countries.Name(b.Country))), Selected: b.Country == selected})
		}
	}
	show.SortOptions(options)
	return append([]ui.Option{{Value: "", Text: v.Say("All countries"), Selected: !seen[selected]}}, options...)
}

func kindOptions(v *shell.Visitor, selected openbanking.PSUType) []ui.Option {
	options := []ui.Option{{Value: "", Text: v.Say("All kinds")}, {Value: string(openbanking.PSUTypePersonal), Text: v.Say("Personal")},
		{Value: string(openbanking.PSUTypeBusiness), Text: v.Say("Business")}}
	for i := range options {
		options[i].Selected = options[i].Value == string(selected)
	}
	return options
}

func kindWords(types []openbanking.PSUType) words.Text {
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
func (a *Area) bank(v *shell.Visitor) error {
	choice := chosenBank(v.Request.URL.Query())
	b, err := a.Linking.Bank(v.Ctx(), v.User.ID, choice.provider, choice.aspsp)
	if err != nil {
		return connections.BankProblem(v, err)
	}
	c := a.At(v.Ctx(), time.Now())
	if _, err := finance.ParseConsentEnd(choice.until, c.Now, b.ConsentUntil(c.Now)); err != nil {
		choice.until = "" // it was good when it was typed
	}
	return a.bankPage(v, http.StatusOK, b, choice, refusal{})
}

// choice is the bank that a form or an address names, and how it is to be linked.
type choice struct {
	provider string
	aspsp    openbanking.ASPSP
	kind     openbanking.PSUType
	again    string // the connection to renew, or anotherLogin
	until    string // how long access lasts, as it was typed; "" for as long as the bank allows
}

// refusal is why a bank was not linked as it was chosen.
type refusal struct {
	failure *pages.Failure
	until   string // what is wrong with choice.until
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
		provider: values.Get(show.FieldProvider), aspsp: openbanking.ASPSP{Name: values.Get(show.FieldBank), Country: values.Get(show.FieldCountry)},
		kind: openbanking.PSUType(values.Get(show.FieldKind)), again: values.Get(show.FieldAgain), until: values.Get(show.FieldUntil),
	}
}

// next returns the site to which the service will send the visitor for the consent. It is known in advance only for Florin's own service. For another
// service only its answer says it, and its site may redirect further, which the policy on forms of this page would block.
func (a *Area) next(b linking.Bank) (site shell.Site, known bool) {
	if b.ProviderID != finance.EmbeddedProvider || a.Simulated == nil {
		return shell.Site{}, false
	}
	site, known = shell.SiteOf(a.Simulated.String(), b.Simulated)
	return site, known && site.Origin != ""
}

func (a *Area) bankPage(v *shell.Visitor, status int, b linking.Bank, chosen choice, why refusal) error {
	c := a.At(v.Ctx(), time.Now())
	again, err := a.againChoices(v, c, b, chosen)
	if err != nil {
		return err
	}
	validity := time.Duration(b.MaximumConsentValidity) * time.Second
	view := pages.LinkBankView{
		Frame: a.Frame(v), Bank: show.Bank(b.ProviderID, openbanking.ASPSP{Name: b.Name, Country: b.Country}, b.Simulated),
		Via: show.ServiceName(v.Say, b.ProviderID, b.ProviderName),
		Hidden: []pages.Hidden{{Name: show.FieldProvider, Value: b.ProviderID}, {Name: show.FieldBank, Value: b.Name},
			{Name: show.FieldCountry, Value: b.Country}},
		Until: c.Until(b.ConsentUntil(c.Now)), UntilNote: v.Say("%s, the longest that this bank allows.", validityWords(validity)),
		Again: again, Problem: why.failure, Shorter: shorter(c, b, chosen.until, why.until),
	}
	if site, known := a.next(b); known {
		view.NextHost = site.Host
		v.LetFormLeadTo(site)
	}
	kind := likelyKind(b, chosen.kind)
	view.Frame.Simulated = b.Simulated
	for _, k := range []pages.KindChoice{
		{Value: string(openbanking.PSUTypePersonal), Title: v.Say("Personal"), Note: v.Say("Your own private accounts.")},
		{Value: string(openbanking.PSUTypeBusiness), Title: v.Say("Business"), Note: v.Say("Accounts of a company or association.")},
	} {
		if slices.Contains(b.PSUTypes, openbanking.PSUType(k.Value)) {
			k.Checked = k.Value == string(kind)
			view.Kinds = append(view.Kinds, k)
		}
	}
	return v.Page(status, pages.LinkBank(view))
}

// shorter is the field for access for less time than the bank allows; nil at a bank that allows no more than a day.
func shorter(c show.Clock, b linking.Bank, typed, problem string) *ui.Input {
	longest := b.ConsentUntil(c.Now)
	if longest.Sub(c.Now) <= 24*time.Hour {
		return nil
	}
	days := c.Now.AddDate(0, 0, 30)
	if !days.Before(longest) {
		days = c.Now.AddDate(0, 0, 1)
	}
	return &ui.Input{Name: show.FieldUntil, Label: c.Say("Number of days, or last day"), Type: "text", Value: typed, Problem: problem, MaxLength: 40,
		Hint: c.Say("For example %s or %s. If you leave it empty, access lasts as long as the bank allows.", strconv.Itoa(c.DaysAgo(c.Now)-c.DaysAgo(days)), days.Format(time.DateOnly))}
}

// untilProblem says what is wrong with a typed end of a consent. The error is one of finance.ParseConsentEnd.
func untilProblem(c show.Clock, err error) string {
	var facts *finance.ConsentEndError
	var form *finance.DayError
	switch {
	case !errors.As(err, &facts):
		return ""
	case facts.Late:
		return c.Say("The bank allows %d days at most, until %s. Enter fewer days or an earlier day.", facts.MostDays, c.FullDay(facts.Last))
	case facts.Soon:
		return c.Say("Access has to last one day or more. Enter a number of days or a day after today.")
	case errors.As(facts.Form, &form) && form.Day != "":
		return c.Message(show.DayProblem(form))
	}
	return c.Say("Enter a number of days like 30, or a day like 2026-12-31 or 31.12.2026.")
}

// likelyKind returns the kind of access that the page proposes: the chosen kind, else the one last used at this bank, else personal. A kind that the bank
// does not offer is replaced by personal. The page always shows the choice, because the bank has different logins for the two kinds.
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
// another person's login.
func (a *Area) againChoices(v *shell.Visitor, c show.Clock, b linking.Bank, chosen choice) ([]pages.AgainChoice, error) {
	if len(b.Connections) == 0 {
		return nil, nil
	}
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	shared, err := a.Store.SharedAccess(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	renews := chosen.renews(b)
	if renews == "" && chosen.again != show.AnotherLogin {
		renews = b.Connections[0].ID
	}
	var list []pages.AgainChoice
	for _, connection := range b.Connections {
		s := connections.NewSync(c, connection, nil)
		again := pages.AgainChoice{Value: connection.ID, Title: v.Say("Renew this connection"), Login: show.Login(connection), State: s.Consent(), Checked: connection.ID == renews,
			Note: v.Say("Florin keeps its accounts and continues their history. The old consent works until you have given the new one.")}
		if !s.Active() {
			again.Note = v.Say("Florin keeps its accounts and continues their history.")
		}
		for _, account := range append(show.OfConnection(accounts, connection.ID), show.SharedBy(connection.ID, accounts, shared)...) {
			again.Accounts = append(again.Accounts, c.AccountName(account)+endingIn(account))
		}
		list = append(list, again)
	}
	return append(list, pages.AgainChoice{Value: show.AnotherLogin, Title: v.Say("Add another login"), Checked: chosen.again == show.AnotherLogin,
			Note: v.Say("For example that of another person. It becomes a connection of its own. Florin recognises an account that both can see and counts it once.")}),
		nil
}

// endingIn is how the number of an account ends, to stand behind its name.
func endingIn(account finance.Account) string {
	if last := account.Last4(); last != "" {
		return " …" + last
	}
	return ""
}

func validityWords(d time.Duration) words.Message {
	if d < 48*time.Hour {
		return show.Duration(d)
	}
	return words.Msg("%d days", int(d/(24*time.Hour)))
}

// linkWithin is how long a person waits until a link begins, or the page says that it does not.
const linkWithin = 14 * time.Second

// startLink begins a link and goes to the site of the service where the page with the form names it, else to a page that names it: nobody leaves Florin
// without having read where to, and the policy on forms blocks a redirect to any other site (security F2; ASVS 3.7.3).
func (a *Area) startLink(v *shell.Visitor) error {
	ctx, cancel := context.WithTimeout(v.Ctx(), linkWithin)
	defer cancel()
	choice := chosenBank(v.Request.PostForm)
	b, err := a.Linking.Bank(ctx, v.User.ID, choice.provider, choice.aspsp)
	if err != nil {
		return connections.BankProblem(v, err)
	}
	renews := choice.renews(b)
	if len(b.Connections) > 0 && renews == "" && choice.again != show.AnotherLogin {
		return a.bankPage(v, http.StatusUnprocessableEntity, b, choice, refusal{failure: &pages.Failure{
			Title: v.Say("You have linked this bank before"), What: v.Say("Florin has to know whether you want to renew a connection or add another login."),
			Who:  pages.You,
			Next: v.Say("Choose below, then continue."),
		}})
	}
	c := a.At(v.Ctx(), time.Now())
	until, err := finance.ParseConsentEnd(choice.until, c.Now, b.ConsentUntil(c.Now))
	if err != nil {
		return a.bankPage(v, http.StatusUnprocessableEntity, b, choice, refusal{until: untilProblem(c, err)})
	}
	browser, err := a.StartFlow(v)
	if err != nil {
		return err
	}
	attempt, err := a.Linking.Start(ctx, v.User.ID, linking.Request{
		ProviderID: choice.provider, ASPSP: choice.aspsp, PSUType: choice.kind, Renews: renews, Another: choice.again == show.AnotherLogin,
		Until: until, TypedUntil: finance.Typed(choice.until), Language: words.In(v.Ctx()).Code(), Browser: browser,
	})
	var refused *openbanking.Error
	switch {
	case errors.Is(err, linking.ErrPSUType):
		return a.bankPage(v, http.StatusUnprocessableEntity, b, choice, refusal{failure: &pages.Failure{
			Title: v.Say("Choose which accounts"), What: v.Say("This bank has one login for personal and another for business accounts."), Who: pages.You,
			Next: v.Say("Choose one of the two, then continue."),
		}})
	case errors.Is(err, linking.ErrUnknownBank):
		return connections.BankProblem(v, err)
	case errors.As(err, &refused), errors.Is(err, finance.FailureUnreachable), errors.Is(err, finance.FailureSilent):
		a.Log.WarnContext(v.Ctx(), "link not started", "error", err)
		f := connections.FailureOf(words.In(v.Ctx()), err, show.BankName(b.Name))
		return a.bankPage(v, http.StatusServiceUnavailable, b, choice, refusal{failure: &f})
	case err != nil:
		return err
	}
	if named, known := a.next(b); known {
		if site, ok := shell.SiteOf(attempt.URL, b.Simulated); ok && site.Origin == named.Origin {
			v.Leave(site)
			return nil
		}
	}
	v.SeeOther(paths.LinkAttempt(attempt.ID)) // the page that names the site
	return nil
}
