package services

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// examined is the registration that an examination looked at, as far as its words depend on it.
type examined struct {
	baseURL       string
	applicationID string
	public        bool     // it is the public service: its issuer and audience are not in doubt
	legalPages    []string // addresses of the privacy notice and of the terms of use
	signed        bool     // whether these say who runs Florin
}

// state is how a finding stands.
type state struct {
	tone ui.Tone
	text words.Text
}

// States of a finding.
var (
	didPass    = state{ui.Good, "Passed"}
	toDo       = state{ui.Bad, "To do"}
	lookAt     = state{ui.Warning, "Please check"}
	goodToKnow = state{ui.Info, "Good to know"}
	notChecked = state{text: "Not checked"}
)

func (s state) badge(l *words.Language) ui.Badge { return ui.Badge{Tone: s.tone, Text: l.Say(s.text)} }

// finding is one line of an examination.
type finding struct {
	pages.Finding

	state state
}

// findings puts an examination into words: a line for each thing that has to hold, with what to do where it does not.
func findings(c show.Clock, e finance.Examination, x examined) *pages.Findings {
	if !e.Done() {
		return nil
	}
	reached := reachFinding(c, e, x)
	rows := []finding{reached, keyFinding(c, e, x)}
	if reached.state == didPass {
		rows = append(rows, clockFinding(c, e))
	}
	if e.Proved() {
		rows = append(rows, applicationFindings(c, e)...)
		rows = append(rows, redirectFinding(c, e), webhookFinding(c, e, x), legalFinding(c, x), banksFinding(c, e))
	}
	f := &pages.Findings{When: c.When(e.At)}
	todo := 0
	for _, r := range rows {
		if r.state == toDo {
			todo++
		}
		r.State = r.state.badge(c.Language)
		f.Rows = append(f.Rows, r.Finding)
	}
	switch {
	case !e.Proved() && reached.state != didPass:
		f.Title = c.Say("Florin could not reach the banking service")
	case !e.Proved():
		f.Title = c.Say("The banking service does not accept Florin’s key")
	case todo > 0:
		f.Title = c.Say("%d things to do", todo)
	default:
		f.Title = c.Say("Everything is fine")
	}
	return f
}

func found(s state, title, text string) finding {
	return finding{state: s, Finding: pages.Finding{Title: title, Text: text}}
}

func reachFinding(c show.Clock, e finance.Examination, x examined) finding {
	host := x.baseURL
	if u, err := url.Parse(x.baseURL); err == nil && u.Host != "" {
		host = u.Host
	}
	f := found(toDo, c.Say("The banking service answers"), "")
	f.Said, f.Code = e.Said, e.Code
	status := strconv.Itoa(e.Status)
	switch e.Problem {
	case finance.ProblemName:
		f.Text = c.Say("No host called %s was found. Check the address, and whether this server can look up names.", host)
	case finance.ProblemRefused:
		f.Text = c.Say("Nothing answers at %s. Check the address and its port, and whether the banking service is running.", host)
	case finance.ProblemTimeout:
		f.Text = c.Say("%s did not answer in time. Try again in a few minutes. If that does not help, check whether a firewall blocks the connection.", host)
	case finance.ProblemCertificate:
		f.Text = c.Say("%s could not prove its identity: its certificate is for another name, has expired, or is not trusted by this server. Nothing was sent.", host)
	case finance.ProblemAddress:
		f.Text = c.Say("%s is in a private network. Florin only calls banking services on the internet, and on this machine as localhost or 127.0.0.1. Nothing was sent.",
			host)
	case finance.ProblemUnanswered:
		f.Text = c.Say("The connection to %s was interrupted. Try again in a few minutes.", host)
	case finance.ProblemRedirect:
		f.Text = c.Say("%s redirects Florin to another address (status %s). Florin does not follow, because that address would receive its proof of identity. Use the address of the API itself.", host, status)
	case finance.ProblemUnreadable:
		f.Text = c.Say("%s answers, but not like this API (status %s). Use the address of the API, not of the website or the control panel.", host, status)
	case finance.ProblemLarge:
		f.Text = c.Say("%s sends a far larger answer than this API would. Check the address.", host)
	case finance.ProblemOwn:
		return found(notChecked, f.Title, c.Say("Florin could not use its stored key. Give it another one."))
	default:
		return found(didPass, f.Title, c.Say("%s answered.", host))
	}
	return f
}

func keyFinding(c show.Clock, e finance.Examination, x examined) finding {
	f := found(toDo, c.Say("The key belongs to the application"), "")
	f.Said, f.Code = e.Said, e.Code
	switch e.Problem {
	case "":
		return found(didPass, f.Title, c.Say("The banking service recognises the application %s by Florin’s key.", x.applicationID))
	case finance.ProblemKey:
		switch {
		case e.ClockWrong():
			f.Text = c.Say("The banking service refused Florin’s proof of identity. %s A proof is valid for a short time only. Set the clock, ideally with a time server (NTP), then check again.", clockWords(e))
		case x.public:
			f.Text = c.Say("The banking service refused Florin’s proof of identity (status 401). One of two things is wrong. The application ID: compare %s with the control panel. Or the key: the application was registered with a certificate other than the one on this page.", x.applicationID)
		default:
			f.Text = c.Say("The banking service refused Florin’s proof of identity (status 401). One of three things is wrong. The application ID: compare %s with the control panel. The key: the application was registered with a certificate other than the one on this page. Or issuer and audience: they must be exactly what the service asks for.", x.applicationID)
		}
	case finance.ProblemIP:
		f.Text = c.Say("The application may only be used from certain network addresses. Add the address of this server in the control panel, then check again.")
	case finance.ProblemStatus:
		f.Text = c.Say("The banking service refused to show the application (status %s).", strconv.Itoa(e.Status))
		if e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError {
			f.Text = c.Say("The banking service has a problem of its own (status %s). Try again in a few minutes.", strconv.Itoa(e.Status))
		}
	case finance.ProblemOther:
		f.Text = c.Say("The banking service answered for another application, %s. Florin does not trust that.", e.ApplicationID)
	case finance.ProblemEnvironment:
		f.Text = c.Say("The answer does not say PRODUCTION or SANDBOX. Check that the address is that of the API.")
	case finance.ProblemSwitched:
		f.Text = c.Say("This application is for %s, but the one it would replace is not. Real and simulated accounts cannot be mixed: keep the current key, and connect this application as a separate banking service.", string(e.Environment))
	case finance.ProblemOwn:
		f.Text = c.Say("Florin could not use its stored key. Give it another one.")
	default:
		return found(notChecked, f.Title, c.Say("Florin checks everything else once the banking service answers."))
	}
	return f
}

// clockWords says by how much the own clock is wrong.
func clockWords(e finance.Examination) words.Message {
	if e.Ahead < 0 {
		return words.Msg("The clock of this server is %s behind that of the banking service.", show.Duration(-e.Ahead))
	}
	return words.Msg("The clock of this server is %s ahead of that of the banking service.", show.Duration(e.Ahead))
}

func clockFinding(c show.Clock, e finance.Examination) finding {
	title := c.Say("The clocks agree")
	switch {
	case !e.Clock:
		return found(notChecked, title, c.Say("The banking service did not say what time it has."))
	case e.ClockWrong():
		return found(toDo, title, c.Say("%s Set the clock, ideally with a time server (NTP).", clockWords(e)))
	case e.Ahead < -time.Minute:
		return found(lookAt, title, c.Say("%s It still works. Set the clock, ideally with a time server (NTP).", clockWords(e)))
	}
	return found(didPass, title, c.Say("The clock of this server differs from that of the banking service by less than a minute."))
}

func applicationFindings(c show.Clock, e finance.Examination) []finding {
	production := e.Environment == openbanking.EnvironmentProduction
	environment := found(goodToKnow, c.Say("Environment: sandbox"),
		c.Say("Its banks are simulated: no real accounts, no real money. For real accounts you need a production application."))
	if production {
		environment = found(goodToKnow, c.Say("Environment: production"), c.Say("Its banks are real, and so is the money."))
	}
	if e.Name != "" {
		environment.Text += " " + c.Say("The application is called %s. People see this name when they give their consent.", e.Name)
	}
	active := found(didPass, c.Say("The application is active"), "")
	switch {
	case !e.Active && production:
		active = found(toDo, active.Title,
			c.Say("A new production application is not active yet. Link your own accounts to it in the control panel: that activates it for them. Or sign a contract with the banking service: that activates it for everybody’s accounts."))
	case !e.Active:
		active = found(toDo, active.Title, c.Say("Activate it in the control panel."))
	}
	rows := []finding{environment, active}
	if production {
		own := found(goodToKnow, c.Say("Only your own accounts, without a contract"),
			c.Say("Without a contract with the banking service, you only get accounts that are linked to the application in its control panel. Other accounts are simply missing, and the error below means that none is linked. So link each account there first, and then here."))
		own.Code = string(openbanking.NoAccountsAdded)
		rows = append(rows, own)
	}
	accounts := found(didPass, c.Say("Accounts can be read (AIS)"), "")
	if !slices.Contains(e.Services, openbanking.ServiceAIS) {
		accounts = found(toDo, accounts.Title, c.Say("The application may not read accounts. Ask the banking service for account information."))
	}
	payments := found(didPass, c.Say("Payments can be made (PIS)"), c.Say("They are simulated: no money moves."))
	switch {
	case !slices.Contains(e.Services, openbanking.ServicePIS):
		payments = found(goodToKnow, c.Say("No payments (PIS)"),
			c.Say("The banking service does not let this application make payments. You can ask it for payment initiation; for real banks this needs a licence. Everything else works, and you can still pay: Florin prepares the payment, and your bank’s own app sends it."))
	case production:
		payments = found(lookAt, payments.Title, c.Say("Real money moves. You review each payment, confirm that it is you, and approve it at your bank."))
	}
	rows = append(rows, accounts, payments)
	if len(e.Countries) > 0 {
		var names []string
		for _, code := range e.Countries {
			names = append(names, c.Say(words.Text(countries.Name(code))))
		}
		slices.Sort(names)
		rows = append(rows, found(goodToKnow, c.Say("Countries"), strings.Join(names, ", ")+"."))
	}
	return rows
}

func redirectFinding(c show.Clock, e finance.Examination) finding {
	title := c.Say("The redirect URL is registered")
	if e.RedirectAllowed {
		return found(didPass, title, c.Say("Banks can send people back to Florin."))
	}
	f := found(toDo, title, c.Say("Add this address to the application in the control panel, exactly as it is here. Without it no bank can be linked."))
	f.Copy = []string{e.RedirectURL}
	for _, registered := range e.RedirectURLs {
		if why := nearly(registered, e.RedirectURL); why != "" {
			f.Text += " " + c.Say(why, registered)
			return f
		}
	}
	if len(e.RedirectURLs) > 0 {
		f.Text += " " + c.Say("Registered: %s", strings.Join(e.RedirectURLs[:min(len(e.RedirectURLs), 5)], ", "))
	}
	return f
}

// nearly says by what two addresses differ that people take for the same, as a sentence about the first; "" for those that nobody does.
func nearly(a, b string) words.Text {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	switch {
	case errX != nil || errY != nil:
		return ""
	case strings.TrimRight(a, "/") == strings.TrimRight(b, "/"):
		return "A registered one differs only by a slash at the end: %s"
	case strings.EqualFold(a, b):
		return "A registered one differs only in capital letters: %s"
	case x.Host == y.Host && x.Path == y.Path && x.Scheme != y.Scheme:
		return "A registered one differs only in http or https: %s"
	case x.Scheme == y.Scheme && x.Path == y.Path && x.Hostname() == y.Hostname():
		return "A registered one differs only in its port: %s"
	case x.Scheme == y.Scheme && x.Path == y.Path:
		return "A registered one differs only in its host: %s"
	case x.Scheme == y.Scheme && x.Host == y.Host:
		return "A registered one differs only in its path: %s"
	}
	return ""
}

func webhookFinding(c show.Clock, e finance.Examination, x examined) finding {
	title := c.Say("Payment updates")
	switch {
	case e.WebhookURL != "":
		f := found(didPass, title, c.Say("The banking service can tell Florin about payments at once. If the control panel asks for webhook origins, allow this one."))
		f.Copy = []string{originOf(e.WebhookURL)}
		return f
	case x.public:
		return found(goodToKnow, title,
			c.Say("Florin asks the banking service for the status of payments. The service could report it at once if Florin’s public address began with https and could be reached from the internet."))
	}
	return found(goodToKnow, title,
		c.Say("Florin asks the banking service for the status of payments. It does not accept webhooks from this service, because it does not know whose signatures to trust."))
}

// unsigned is what to do so that the public pages say who runs Florin.
const unsigned words.Text = "They do not say yet who runs this Florin: set --operator-name and --operator-contact, and start Florin again."

func legalFinding(c show.Clock, x examined) finding {
	f := found(goodToKnow, c.Say("Privacy and terms pages"), c.Say("For real accounts the control panel asks for the addresses of these two pages. Florin has them, and everybody can read them."))
	f.Copy = x.legalPages
	if !x.signed {
		f.state = lookAt
		f.Text += " " + c.Say(unsigned)
	}
	return f
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func banksFinding(c show.Clock, e finance.Examination) finding {
	title := c.Say("The list of banks")
	switch {
	case e.BanksProblem && !e.Active:
		return found(notChecked, title, c.Say("It becomes available once the application is active."))
	case e.BanksProblem:
		f := found(toDo, title, c.Say("It could not be loaded. Check again in a few minutes."))
		f.Said, f.Code = e.BanksSaid, e.BanksCode
		return f
	case e.Banks == 0:
		return found(toDo, title, c.Say("It is empty. Ask the banking service which banks the application may use."))
	}
	return found(didPass, c.Say("%d banks", e.Banks), c.Say("People can choose them when they link a bank."))
}
