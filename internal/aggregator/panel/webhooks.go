package panel

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // the samples of the page that explains how a webhook is verified
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/panel"
)

// Signer signs as the deliveries of webhooks are signed.
type Signer interface {
	// Token returns a new token for the Authorization header of a delivery of the event.
	Token(ctx context.Context, w aggregator.Webhook) (string, error)
}

// shortID is how many characters of a UUID tell it from the others in a list.
const shortID = 8

// webhooksPerPage is how many events a page of the delivery log shows.
const webhooksPerPage = 50

// applicationRequest is a request for an application: by its owner, or by the operator for one of the operator's.
type applicationRequest struct {
	*http.Request
	owner string // a developer; empty: the operator
	app   aggregator.Application
	frame func(title string) panel.Frame
	head  panel.Head
	path  func(rest string) string
}

// placed runs a handler for an application of the developer who is signed in.
func (p *Panel) placed(handler func(http.ResponseWriter, *applicationRequest) error) func(http.ResponseWriter, *developerRequest) error {
	return func(w http.ResponseWriter, r *developerRequest) error {
		app, err := p.own(r)
		if err != nil {
			return err
		}
		return handler(w, &applicationRequest{
			Request: r.Request, owner: r.developer.ID, app: app, head: headOf(app, "/webhooks"),
			frame: func(title string) panel.Frame { return r.frame(title, "applications") },
			path:  func(rest string) string { return applicationPath(app.ID, rest) },
		})
	}
}

// operated runs a handler for an application of the operator.
func (p *Panel) operated(handler func(http.ResponseWriter, *applicationRequest) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		app, err := p.registry.OwnedApplication(r.Context(), "", r.PathValue("id"))
		if err != nil {
			return err
		}
		path := func(rest string) string { return operatedPath(app.ID, rest) }
		return handler(w, &applicationRequest{
			Request: r, app: app, path: path,
			head: panel.Head{
				Up: panel.Tab{Text: "Operator", URL: operatorPath}, Name: app.Name, ID: app.ID, Environment: string(app.Environment), State: stateOf(app),
				Tabs: []panel.Tab{{Text: "Webhooks", URL: path("/webhooks"), Current: true}},
			},
			frame: func(title string) panel.Frame {
				return panel.Frame{Title: title, Here: "operator", Done: done[r.URL.Query().Get("done")]}
			},
		})
	}
}

// webhooks shows the delivery log of an application, the newest events first. A filter that makes no sense finds nothing.
func (p *Panel) webhooks(w http.ResponseWriter, at *applicationRequest) error {
	query := at.URL.Query()
	state, payment := aggregator.WebhookState(query.Get("status")), strings.ToLower(strings.TrimSpace(query.Get("payment")))
	filter := aggregator.WebhookFilter{
		ApplicationID: at.app.ID, PaymentID: payment, State: state, Before: cursorOf(query.Get("before")), Limit: webhooksPerPage + 1,
	}
	action := at.path("/webhooks")
	page := panel.WebhooksPage{
		Frame: at.frame("Webhooks of " + at.app.Name), Head: at.head, Action: action, VerifyURL: at.path("/webhooks/verify"),
		Payment: panel.Field{Name: "payment", Label: "Payment ID", Value: payment, Code: true},
		Origins: strings.Join(at.app.WebhookOrigins, " or "), Filtered: state != "" || payment != "",
	}
	for _, s := range []struct {
		state aggregator.WebhookState
		text  string
	}{{"", "All"}, {aggregator.WebhookOpen, "Open"}, {aggregator.WebhookDelivered, "Delivered"}, {aggregator.WebhookGivenUp, "Given up"}} {
		page.States = append(page.States, panel.Option{Value: string(s.state), Text: s.text, Selected: s.state == state})
	}
	rows, err := p.registry.Webhooks(at.Context(), at.owner, filter)
	if err != nil {
		return err
	}
	chosen := url.Values{}
	for name, value := range map[string]string{"status": string(state), "payment": payment} {
		if value != "" {
			chosen.Set(name, value)
		}
	}
	if !filter.Before.At.IsZero() {
		page.NewestURL = action + "?" + chosen.Encode()
	}
	if len(rows) > webhooksPerPage {
		rows = rows[:webhooksPerPage]
		last := rows[webhooksPerPage-1]
		chosen.Set("before", cursorText(aggregator.RequestCursor{At: last.Created, ID: last.ID}))
		page.OlderURL = action + "?" + chosen.Encode()
	}
	for _, r := range rows {
		row := panel.WebhookRow{
			URL: at.path("/webhooks/" + url.PathEscape(r.ID)), Created: instant(r.Created), Status: string(r.Status), PaymentStart: r.PaymentID[:shortID],
			PaymentRest: r.PaymentID[shortID:],
			PaymentURL:  action + "?payment=" + url.QueryEscape(r.PaymentID), State: deliveryOf(r.Webhook), Attempts: strconv.Itoa(r.Attempts),
			Last: r.Last.Outcome, Bad: r.Last.Number > 0 && !aggregator.AcknowledgesWebhook(r.Last.Status),
		}
		if r.Open() {
			row.Next = r.Due.UTC().Format(time.TimeOnly) // within ten minutes
		} else if !r.Again.IsZero() {
			row.Next = r.Again.UTC().Format(time.TimeOnly)
		}
		page.Rows = append(page.Rows, row)
	}
	return site.Write(w, at.Request, http.StatusOK, panel.Webhooks(page))
}

// instant is a time in a log.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }

// deliveryOf is where an event stands.
func deliveryOf(w aggregator.Webhook) panel.State {
	switch w.State() {
	case aggregator.WebhookDelivered:
		return panel.State{Kind: "active", Text: "Delivered"}
	case aggregator.WebhookGivenUp:
		return panel.State{Kind: "bad", Text: "Given up", Note: "It was not acknowledged in time and is not tried any more."}
	}
	return panel.State{Kind: "pending", Text: "Open", Note: "It is tried until it is acknowledged. An event waits for the earlier ones of its payment."}
}

// webhook shows an event with all that was tried.
func (p *Panel) webhook(w http.ResponseWriter, at *applicationRequest) error {
	event, attempts, err := p.registry.Webhook(at.Context(), at.owner, at.app.ID, at.PathValue("webhook"))
	if err != nil {
		return err
	}
	here := at.path("/webhooks/" + url.PathEscape(event.ID))
	page := panel.WebhookPage{
		Frame: at.frame("Webhook " + string(event.Status) + " of " + at.app.Name), Head: at.head, ListURL: at.path("/webhooks"),
		Heading: "Payment is " + string(event.Status), Event: deliveryOf(event),
		Facts: []panel.Fact{
			{Label: "webhook_id", Text: event.ID, Code: true},
			{Label: "Payment", Text: event.PaymentID, Code: true},
			{Label: "Event", Text: "number " + strconv.Itoa(event.Sequence) + " of the payment"},
			{Label: "Goes to", Text: event.URL, Code: true},
			{Label: "Written", Text: instant(event.Created) + " UTC"},
		},
		AgainURL: here + "/again", Again: "The same body with the same webhook_id goes out once more, whatever became of it before.",
		Body: event.Body, VerifyURL: at.path("/webhooks/verify?webhook=" + url.QueryEscape(event.ID)),
	}
	if !event.Again.IsZero() {
		page.Facts = append(page.Facts, panel.Fact{Label: "Sent again", Text: "asked for " + instant(event.Again) + " UTC, not tried yet"})
	}
	switch event.State() {
	case aggregator.WebhookDelivered:
		page.Facts = append(page.Facts, panel.Fact{Label: "Delivered", Text: instant(event.Delivered) + " UTC"})
	case aggregator.WebhookGivenUp:
		page.Facts = append(page.Facts, panel.Fact{Label: "Given up", Text: instant(event.GivenUp) + " UTC"})
	case aggregator.WebhookOpen:
		page.Facts = append(page.Facts, panel.Fact{Label: "Next try", Text: instant(event.Due) + " UTC"})
	}
	for _, a := range attempts {
		page.Attempts = append(page.Attempts, panel.AttemptRow{
			Number: strconv.Itoa(a.Number), Time: instant(a.At), Status: answerText(a.Status), Outcome: a.Outcome, Latency: milliseconds(a.Latency),
			Bad: !aggregator.AcknowledgesWebhook(a.Status),
		})
	}
	if at.owner != "" {
		page.RequestURL = at.path("/requests?resource=" + url.QueryEscape(event.PaymentID))
	}
	page.Headers = headers(event.URL, "…")
	token, err := p.signer.Token(at.Context(), event)
	if err != nil {
		return err
	}
	page.TokenHead, page.Claims = opened(token)
	return site.Write(w, at.Request, http.StatusOK, panel.Webhook(page))
}

// answerText is the status of an answer.
func answerText(status int) string {
	if status == 0 {
		return "none"
	}
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// headers are those of a delivery, with this token.
func headers(target, token string) string {
	request, host := "/", ""
	if u, err := url.Parse(target); err == nil {
		request, host = u.RequestURI(), u.Host
	}
	return "POST " + request + " HTTP/1.1\nHost: " + host + "\nContent-Type: application/json\nAuthorization: Bearer " + token + "\nX-Request-Id: …\n"
}

// opened returns header and payload of a token as indented JSON.
func opened(token string) (header, claims string) {
	header, rest, _ := strings.Cut(token, ".")
	claims, _, _ = strings.Cut(rest, ".")
	return indented(header), indented(claims)
}

// indented is a part of a token as indented JSON, empty when it is none.
func indented(part string) string {
	var text bytes.Buffer
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil || json.Indent(&text, data, "", "  ") != nil {
		return ""
	}
	return text.String()
}

// sendAgain makes an event due at once.
func (p *Panel) sendAgain(w http.ResponseWriter, at *applicationRequest) error {
	id := at.PathValue("webhook")
	if err := p.registry.SendAgain(at.Context(), at.owner, at.app.ID, id); err != nil {
		return err
	}
	return site.Redirect(w, at.Request, at.path("/webhooks/"+url.PathEscape(id)+"?done=again"))
}

// The samples of the page that explains how a webhook is verified. docs/webhooks.md holds them too; tests run them.
var (
	//go:embed sample/main.go
	receiver string
	//go:embed sample/verify.sh
	verifyScript string
)

// verifyPage explains how a webhook is verified, with a delivery of the application for an example if there is one.
func (p *Panel) verifyPage(w http.ResponseWriter, at *applicationRequest) error {
	event, delivered, err := p.example(at)
	if err != nil {
		return err
	}
	token, err := p.signer.Token(at.Context(), event)
	if err != nil {
		return err
	}
	domain := p.webhookDomain
	page := panel.VerifyPage{
		Frame: at.frame("How to verify a webhook"), Head: at.head, ListURL: at.path("/webhooks"), Domain: domain, RootURL: p.rootURL,
		Facts: []panel.Fact{
			{Label: "sub", Text: at.app.ID, Code: true},
			{Label: "environment", Text: string(at.app.Environment), Code: true},
			{Label: "Host of x5u", Text: domain, Code: true},
		},
		Invented: !delivered, Of: "There is no delivery of this application yet; this one is about a payment that does not exist.",
		Body: event.Body, Token: token, Program: receiver,
		Call:       sendCommand(event, token),
		Script:     p.verifyCommand(at.app, event, token),
		RunProgram: "go run main.go -application " + at.app.ID + " -environment " + string(at.app.Environment) + " -domain " + domain,
	}
	if delivered {
		page.Of = "The event " + string(event.Status) + " of payment " + event.PaymentID + ", written " + moment(event.Created) + "."
	}
	if p.rootURL != "" {
		page.RunProgram += " -root florin-ca.pem"
	}
	return site.Write(w, at.Request, http.StatusOK, panel.Verify(page))
}

// example returns the event that the address names, or the newest of the application; where there is none, an invented one.
func (p *Panel) example(at *applicationRequest) (event aggregator.Webhook, delivered bool, err error) {
	if id := at.URL.Query().Get("webhook"); id != "" {
		event, _, err = p.registry.Webhook(at.Context(), at.owner, at.app.ID, id)
		return event, true, err
	}
	rows, err := p.registry.Webhooks(at.Context(), at.owner, aggregator.WebhookFilter{ApplicationID: at.app.ID, Limit: 1})
	if err != nil {
		return event, false, err
	}
	if len(rows) > 0 {
		return rows[0].Webhook, true, nil
	}
	const nowhere = "00000000-0000-4000-8000-000000000000"
	authorised := openbanking.PaymentAuthStatusFinalised
	body, err := json.Marshal(openbanking.PaymentStatusWebhook{
		PaymentID: nowhere, PaymentStatus: openbanking.PaymentStatusACSC, WebhookID: nowhere, WebhookTriggered: p.now().UTC().Format(time.RFC3339),
		PaymentAuthStatus: &authorised,
	})
	return aggregator.Webhook{
		ID: nowhere, PaymentID: nowhere, ApplicationID: at.app.ID, Environment: at.app.Environment, Sequence: 1, Body: string(body),
		Status: openbanking.PaymentStatusACSC,
		URL:    firstOf(at.app.WebhookOrigins, "http://127.0.0.1:9000") + "/",
	}, false, err
}

func firstOf(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return cmp.Or(list[0], otherwise)
}

// sendCommand sends an event to the address of the application, as a delivery does.
func sendCommand(event aggregator.Webhook, token string) string {
	return strings.Join([]string{
		"curl -i " + word(event.URL),
		"-H " + word("Content-Type: application/json"),
		"-H " + word("Authorization: Bearer "+token),
		"--data-binary " + word(event.Body),
	}, " \\\n  ")
}

// verifyCommand is a shell script that verifies an event.
func (p *Panel) verifyCommand(app aggregator.Application, event aggregator.Webhook, token string) string {
	text := "printf %s " + word(event.Body) + " > body.json\nprintf %s " + word(token) + " > token.txt\n"
	if p.rootURL != "" {
		text += "curl -fsS -o florin-ca.pem " + word(p.rootURL) + "\n"
	}
	return text + "set -- " + word(app.ID) + " " + word(string(app.Environment)) + " " + word(p.webhookDomain) + "\n" + verifyScript
}

// word is a text as one word of a shell.
func word(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
