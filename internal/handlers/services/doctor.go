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
	"florin/internal/handlers/offers"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// patient is whom an examination looked at, as far as its words depend on it.
type patient struct {
	baseURL       string
	applicationID string
	public        bool // it is the public service: its issuer and audience are not in doubt
}

// States of a finding.
var (
	didPass    = ui.Badge{Tone: ui.Good, Text: "Passed"}
	toDo       = ui.Badge{Tone: ui.Bad, Text: "To do"}
	lookAt     = ui.Badge{Tone: ui.Warning, Text: "Look at it"}
	goodToKnow = ui.Badge{Tone: ui.Info, Text: "Good to know"}
	notChecked = ui.Badge{Text: "Not checked"}
)

// findings puts an examination into words: a line for each thing that has to hold, with what to do where it does not.
func findings(c show.Clock, e finance.Examination, p patient) *pages.Findings {
	if !e.Done() {
		return nil
	}
	f := &pages.Findings{When: c.When(e.At)}
	reached, key := reachFinding(e, p), keyFinding(e, p)
	f.Rows = append(f.Rows, reached, key)
	if reached.State == didPass {
		f.Rows = append(f.Rows, clockFinding(e))
	}
	if e.Proved() {
		f.Rows = append(f.Rows, applicationFindings(e)...)
		f.Rows = append(f.Rows, redirectFinding(e), webhookFinding(e, p), banksFinding(e))
	}
	todo := 0
	for _, r := range f.Rows {
		if r.State == toDo {
			todo++
		}
	}
	switch {
	case !e.Proved():
		f.Title = "The service does not know Florin by this key"
		if reached.State != didPass {
			f.Title = "The service was not reached"
		}
	case todo > 0:
		f.Title = show.Plural(todo, "thing") + " to do"
	default:
		f.Title = "All is well"
	}
	return f
}

func reachFinding(e finance.Examination, p patient) pages.Finding {
	host := p.baseURL
	if u, err := url.Parse(p.baseURL); err == nil && u.Host != "" {
		host = u.Host
	}
	f := pages.Finding{State: toDo, Title: "The service answers"}
	status := ""
	if e.Status != 0 {
		status = " (status " + strconv.Itoa(e.Status) + ")"
	}
	switch e.Problem {
	case finance.ProblemName:
		f.Text = "There is no host called " + host + ". Check the address, and whether this server can look up names."
	case finance.ProblemRefused:
		f.Text = "Nothing answers at " + host + ". Check the address with its port, and whether the service runs."
	case finance.ProblemTimeout:
		f.Text = host + " did not answer in time. Try again in a few minutes; if it stays so, check whether a firewall keeps this server from it."
	case finance.ProblemCertificate:
		f.Text = host + " could not prove that it is the one: its certificate is not for this name, has run out, or comes from nobody whom this server trusts. Nothing was sent."
	case finance.ProblemAddress:
		f.Text = host + " leads to a machine in a private network. Florin calls services on the internet, and on this machine itself under the names localhost and 127.0.0.1. Nothing was sent."
	case finance.ProblemUnanswered:
		f.Text = "The connection to " + host + " broke off. Try again in a few minutes."
	case finance.ProblemRedirect:
		f.Text = host + " sends Florin on to another address" + status + ". Florin does not follow: whoever is there would get its proof of identity. Use the address of the interface itself."
	case finance.ProblemUnreadable:
		f.Text = "Something answers at " + host + status + ", but not as this interface does. The address is that of the interface, not that of the website or the control panel."
	case finance.ProblemLarge:
		f.Text = "Something answers at " + host + ", but with far more than an application can be. It is hardly this interface."
	case finance.ProblemOwn:
		f.State, f.Text = notChecked, "Florin could not use the key that it keeps. Give it another one."
	default:
		f.State, f.Text = didPass, host+" answered."
	}
	if f.State == toDo {
		f.Said, f.Code = e.Said, e.Code
	}
	return f
}

func keyFinding(e finance.Examination, p patient) pages.Finding {
	f := pages.Finding{State: toDo, Title: "The key belongs to the application", Said: e.Said, Code: e.Code}
	switch e.Problem {
	case "":
		return pages.Finding{State: didPass, Title: f.Title, Text: "The service knows the application " + p.applicationID + " by Florin’s key."}
	case finance.ProblemKey:
		if e.ClockWrong() {
			f.Text = "The service refused Florin’s proof of identity, and the clock of this server is " + clockWords(e) + ". Such a proof is good for a short time only. Set the clock, best by a time server (NTP), then check again."
			return f
		}
		f.Text = "The service refused Florin’s proof of identity (status 401). One of two things is wrong. The application id: compare " + p.applicationID +
			" with the control panel. Or the key: the application was registered with another certificate than the one of this page."
		if !p.public {
			f.Text += " A third one is possible here: issuer and audience, which have to be exactly those that the service asks for."
		}
	case finance.ProblemIP:
		f.Text = "The application may be used from certain network addresses only. Add the one of this server in the control panel, then check again."
	case finance.ProblemStatus:
		f.Text = "The service refused to tell anything about the application (status " + strconv.Itoa(e.Status) + ")."
		if e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError {
			f.Text = "The service has a problem of its own (status " + strconv.Itoa(e.Status) + "). Try again in a few minutes."
		}
	case finance.ProblemOther:
		f.Text = "The service answered for another application, " + e.ApplicationID + ". Florin does not trust that."
	case finance.ProblemEnvironment:
		f.Text = "The answer names no environment that Florin knows: PRODUCTION or SANDBOX. It is hardly this interface."
	case finance.ProblemSwitched:
		f.Text = "This application is of " + string(e.Environment) + ", and the one whose place it would take is not. Real accounts and simulated ones do not mix: keep the present key, and connect this application as a service of its own."
	case finance.ProblemOwn:
		f.Text = "Florin could not use the key that it keeps. Give it another one."
	default:
		return pages.Finding{State: notChecked, Title: f.Title, Text: "Everything else is looked at when the service answers."}
	}
	return f
}

func clockWords(e finance.Examination) string {
	if e.Ahead < 0 {
		return words.English.Tell(show.Duration(-e.Ahead)) + " behind the one of the service"
	}
	return words.English.Tell(show.Duration(e.Ahead)) + " ahead of the one of the service"
}

func clockFinding(e finance.Examination) pages.Finding {
	f := pages.Finding{State: didPass, Title: "The clocks agree", Text: "The clock of this server differs from the one of the service by less than a minute."}
	switch {
	case !e.Clock:
		f.State, f.Text = notChecked, "The service did not say what time it is there."
	case e.ClockWrong():
		f.State, f.Text = toDo, "The clock of this server is "+clockWords(e)+". Set it, best by a time server (NTP)."
	case e.Ahead < -time.Minute:
		f.State, f.Text = lookAt, "The clock of this server is "+clockWords(e)+". It works still; set it, best by a time server (NTP)."
	}
	return f
}

func applicationFindings(e finance.Examination) []pages.Finding {
	production := e.Environment == openbanking.EnvironmentProduction
	rows := []pages.Finding{{State: goodToKnow, Title: "Environment: sandbox", Text: "Its banks are simulated. No real account is read, and no money moves. An application of Production is needed for real accounts."}}
	if production {
		rows[0] = pages.Finding{State: goodToKnow, Title: "Environment: production", Text: "Its banks are real, and so is the money."}
	}
	if e.Name != "" {
		rows[0].Text += " The application is called " + e.Name + ": people read this name when they give their consent."
	}
	active := pages.Finding{State: didPass, Title: "The application is active"}
	if !e.Active {
		active.State = toDo
		active.Text = "Switch it on in the control panel."
		if production {
			active.Text = "A new application of Production waits. Link your own accounts to it in the control panel: that makes it active for them. Or clear the formalities with the service: that makes it active for everybody’s."
		}
	}
	rows = append(rows, active)
	if production {
		rows = append(rows, pages.Finding{State: goodToKnow, Title: "Own accounts only, without a contract", Code: string(openbanking.NoAccountsAdded),
			Text: "As long as there is no contract with the service, the application brings only accounts that are linked to it in the control panel. Others are missing without a word, and the error below means that none is linked. So link each account there first, then here."})
	}
	accounts := pages.Finding{State: didPass, Title: "Accounts can be read (AIS)"}
	if !slices.Contains(e.Services, openbanking.ServiceAIS) {
		accounts.State, accounts.Text = toDo, "The application may not read accounts. Ask the service for account information."
	}
	payments := pages.Finding{State: didPass, Title: "Payments can be started (PIS)", Text: "They are simulated: no money moves."}
	switch {
	case !slices.Contains(e.Services, openbanking.ServicePIS):
		payments = pages.Finding{State: goodToKnow, Title: "No payments (PIS)", Text: string(offers.NotAllowed) + " All else works, and everything about payments is left out of the pages."}
	case production:
		payments.State, payments.Text = lookAt, "Real money moves. Each payment is reviewed, confirmed with the password, and approved at the bank."
	}
	rows = append(rows, accounts, payments)
	if len(e.Countries) > 0 {
		var names []string
		for _, code := range e.Countries {
			names = append(names, countries.Name(code))
		}
		slices.Sort(names)
		rows = append(rows, pages.Finding{State: goodToKnow, Title: "Countries", Text: strings.Join(names, ", ") + "."})
	}
	return rows
}

func redirectFinding(e finance.Examination) pages.Finding {
	f := pages.Finding{State: didPass, Title: "The redirect URL is registered", Text: "Banks can send people back to Florin."}
	if e.RedirectAllowed {
		return f
	}
	f.State, f.Text, f.Copy = toDo, "Add this address to the application in the control panel, exactly as it stands here. Without it no bank can be linked.", e.RedirectURL
	for _, registered := range e.RedirectURLs {
		if why := nearly(registered, e.RedirectURL); why != "" {
			f.Text += " One is registered that differs only by " + why + ": " + registered
			return f
		}
	}
	if len(e.RedirectURLs) > 0 {
		f.Text += " Registered are: " + strings.Join(e.RedirectURLs[:min(len(e.RedirectURLs), 5)], ", ")
	}
	return f
}

// nearly says by what two addresses differ that people take for the same; "" for those that nobody does.
func nearly(a, b string) string {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	switch {
	case errX != nil || errY != nil:
		return ""
	case strings.TrimRight(a, "/") == strings.TrimRight(b, "/"):
		return "a slash at its end"
	case strings.EqualFold(a, b):
		return "capital letters"
	case x.Host == y.Host && x.Path == y.Path && x.Scheme != y.Scheme:
		return "http instead of https, or the reverse"
	case x.Scheme == y.Scheme && x.Path == y.Path && x.Hostname() == y.Hostname():
		return "its port"
	case x.Scheme == y.Scheme && x.Path == y.Path:
		return "its host"
	case x.Scheme == y.Scheme && x.Host == y.Host:
		return "its path"
	}
	return ""
}

func webhookFinding(e finance.Examination, p patient) pages.Finding {
	f := pages.Finding{State: goodToKnow, Title: "News of payments", Text: "Florin asks by itself what became of a payment."}
	switch {
	case e.WebhookURL != "":
		f.State, f.Text, f.Copy = didPass, "The service can tell Florin at once what became of a payment. Where the control panel asks for origins of webhooks, allow this one.", originOf(e.WebhookURL)
	case p.public:
		f.Text += " The service could tell it at once if the public address of Florin began with https and could be reached from the internet."
	default:
		f.Text += " Webhooks of this service are not taken: Florin does not know whose signatures to believe."
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

func banksFinding(e finance.Examination) pages.Finding {
	f := pages.Finding{State: didPass, Title: show.Plural(e.Banks, "bank"), Text: "They are in the list from which people choose."}
	switch {
	case e.BanksProblem && !e.Active:
		f = pages.Finding{State: notChecked, Title: "The list of banks", Text: "There is one as soon as the application is active."}
	case e.BanksProblem:
		f = pages.Finding{State: toDo, Title: "The list of banks", Text: "It could not be fetched. Check again in a few minutes.", Said: e.BanksSaid, Code: e.BanksCode}
	case e.Banks == 0:
		f.State, f.Title, f.Text = toDo, "The list of banks", "It is empty. Ask the service which banks the application may use."
	}
	return f
}
