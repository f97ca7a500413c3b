package webhooks

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

const webhooksShown = 50 // on a page of the inbox

// checkWords say what each check of a webhook looks at, in the order in which they are made.
var checkWords = []struct {
	check string
	looks words.Text
}{
	{"request", "It is a POST with plain JSON"},
	{"token", "It has one bearer token"},
	{"header", "The token is signed with RS256, and its header holds nothing that changes how it is read"},
	{"address", "The certificate or key is at an address of the banking service"},
	{"fetch", "Florin could fetch it from there"},
	{"certificate", "The certificate or key is valid"},
	{"signature", "The signature was made with it"},
	{"claims", "The claims of the token can be read"},
	{"times", "The token is valid now"},
	{"application", "The token is for this application"},
	{"environment", "The token is for this environment"},
	{"size", "The body is complete and not too large"},
	{"digest", "The token is for this body"},
	{"known", "Florin knows this certificate or key of the banking service"},
	{"body", "The body is one JSON object without repeated names"},
	{"fields", "Its fields are those of the specification"},
	{"age", "The event is not older than a day"},
	{"payment", "Florin made this payment"},
	{"once", "The same event did not come with another body before"},
}

func (a *Area) webhookInbox(v *shell.Visitor) error {
	query := v.Request.URL.Query()
	view := pages.WebhooksView{Refused: query.Get("refused") == "yes"}
	found, more, err := a.Store.Deliveries(v.Ctx(), view.Refused, query.Get("before"), webhooksShown)
	if err != nil {
		return err
	}
	providers, err := a.Store.Providers(v.Ctx())
	if err != nil {
		return err
	}
	own, err := a.Store.DeliveryPayments(v.Ctx(), v.User.ID, found)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	for _, p := range providers {
		view.Places = append(view.Places, a.webhookPlace(v, p))
	}
	for _, d := range found {
		row := pages.WebhookRow{ID: d.ID, Received: c.Exact(d.Received), Title: webhookTitle(c, d), State: webhookState(c, d),
			Detail: providerName(providers, d.ProviderID)}
		switch {
		case !d.Verified:
		case d.LocalID == "":
			row.Detail = c.Say("%s, payment not found", row.Detail)
		default:
			if p, found := own[d.LocalID]; found {
				row.Payee = c.PaidTo(p)
			} else {
				row.Detail = c.Say("%s, payment of somebody else", row.Detail)
			}
		}
		if d.Repeats > 0 {
			row.Repeats = c.Say("received %d times", d.Repeats+1)
		}
		view.Rows = append(view.Rows, row)
	}
	address := func(before string) string {
		values := url.Values{}
		if view.Refused {
			values.Set("refused", "yes")
		}
		if before != "" {
			values.Set("before", before)
		}
		if len(values) == 0 {
			return paths.Webhooks
		}
		return paths.Webhooks + "?" + values.Encode()
	}
	if query.Get("before") != "" {
		view.Pager.Newer = address("") // the newest: there is no way back in between
	}
	if more {
		view.Pager.Older = address(found[len(found)-1].ID)
	}
	view.Frame = a.Frame(v)
	return v.Page(http.StatusOK, pages.Webhooks(view))
}

// webhookPlace says where the webhooks of a provider come to.
func (a *Area) webhookPlace(v *shell.Visitor, p finance.Provider) ui.Fact {
	fact := ui.Fact{Name: show.ServiceName(v.Say, p.ID, p.Name), Value: v.Say("None#address"),
		Note: v.Say("The banking service cannot reach this Florin, because its public address does not begin with https. Florin asks it about payments instead.")}
	if a.Payments.WebhookURL != nil {
		if address := a.Payments.WebhookURL(p); address != "" {
			fact.Value, fact.Note = address, ""
		}
	}
	return fact
}

func providerName(providers []finance.Provider, id string) string {
	for _, p := range providers {
		if p.ID == id {
			return p.Name
		}
	}
	return id
}

func webhookTitle(c show.Clock, d finance.Delivery) string {
	if d.Verified {
		if d.Auth != "" {
			return c.Say("Status %s, approval %s", string(d.Status), string(d.Auth))
		}
		return c.Say("Status %s", string(d.Status))
	}
	return c.Say("Refused: %s", findingWords(c, d.Failed()))
}

func webhookState(c show.Clock, d finance.Delivery) ui.Badge {
	switch {
	case !d.Verified:
		return ui.Badge{Tone: ui.Bad, Text: c.Say("Refused")}
	case d.Applied.IsZero():
		return ui.Badge{Tone: ui.Busy, Text: c.Say("Waiting")}
	}
	return ui.Badge{Tone: ui.Good, Text: c.Say("Processed")}
}

func (a *Area) webhookPage(v *shell.Visitor) error {
	d, err := a.Store.Delivery(v.Ctx(), v.Request.PathValue("webhook"))
	if err != nil {
		return err
	}
	provider, err := a.Store.Provider(v.Ctx(), d.ProviderID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.WebhookView{ID: d.ID, Title: webhookTitle(c, d), State: webhookState(c, d), Body: visible(d.Body), Replay: d.Verified,
		Checks: webhookChecks(c, d), Facts: webhookFacts(c, d, provider)}
	if canTrust(d) {
		view.Trust = webhookKey(c, d)
	}
	if !d.Verified {
		view.Skipped = len(checkWords) - len(d.Checks)
	}
	if len(d.Body) < d.Size {
		view.Cut = c.Say("This is the beginning, %s of %s bytes.", c.Number(int64(len(d.Body))), c.Number(int64(d.Size)))
	}
	switch {
	case !d.Verified:
		view.Result = c.Say("Nothing. Florin ignores a webhook that fails a check.")
	default:
		if err := a.webhookResults(v, c, d, &view); err != nil {
			return err
		}
	}
	if view.Payment, err = a.webhookPayment(v, d, &view.Result); err != nil {
		return err
	}
	view.Frame = a.Frame(v)
	return v.Page(http.StatusOK, pages.Webhook(view))
}

// webhookPayment leads to the payment of a webhook, where it is the owner's own: the owner does not see the payments of others.
func (a *Area) webhookPayment(v *shell.Visitor, d finance.Delivery, result *string) (*ui.Link, error) {
	if d.LocalID == "" {
		return nil, nil
	}
	p, err := a.Store.Payment(v.Ctx(), v.User.ID, d.LocalID)
	switch {
	case errors.Is(err, finance.ErrNotFound):
		*result += " " + v.Say("The payment belongs to somebody else in this household.")
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &ui.Link{Text: v.Say("Payment to %s", a.At(v.Ctx(), time.Now()).PaidTo(p)), Href: paths.Payment(p.ID)}, nil
}

// webhookResults says what a webhook changed, and below it what its replays did.
func (a *Area) webhookResults(v *shell.Visitor, c show.Clock, d finance.Delivery, view *pages.WebhookView) error {
	results, err := a.Store.DeliveryResults(v.Ctx(), d.ID)
	if err != nil {
		return err
	}
	for i, r := range results {
		if i == 0 {
			view.Result = effectWords(c, r.Effect)
			continue
		}
		view.Replays = append(view.Replays, ui.Fact{Name: c.Say("Replayed %s", c.When(r.At)), Value: effectWords(c, r.Effect)})
	}
	switch {
	case !d.Applied.IsZero():
	case len(results) == 0:
		view.Result = c.Say("Nothing yet. Florin is about to ask the banking service.")
	default:
		view.Replays = append(view.Replays, ui.Fact{Name: c.Say("Replay in progress"), Value: c.Say("Florin is about to ask the banking service.")})
	}
	return nil
}

// canTrust reports whether a webhook was refused for its key alone, as far as was looked: its sender holds the key at an address of the service, and names our
// application and this body.
func canTrust(d finance.Delivery) bool { return d.Failed().Name == "known" && d.KeyFingerprint != "" }

// webhookKey are the marks of the certificate or key with which a webhook was signed.
func webhookKey(c show.Clock, d finance.Delivery) []ui.Fact {
	ends := ui.Fact{Name: c.Say("Valid until"), Value: c.Say("No end"), Note: c.Say("This is a public key without a certificate.")}
	if !d.KeyEnds.IsZero() {
		ends = ui.Fact{Name: c.Say("Valid until"), Value: c.Until(d.KeyEnds).Text}
	}
	return []ui.Fact{{Name: "SHA-256", Value: d.KeyFingerprint}, ends}
}

func webhookChecks(c show.Clock, d finance.Delivery) []ui.Step {
	var steps []ui.Step
	for _, check := range d.Checks {
		step := ui.Step{Tone: ui.Good, Text: check.Name, Note: findingWords(c, check)}
		for _, w := range checkWords {
			if w.check == check.Name {
				step.Text = c.Say(w.looks)
			}
		}
		if !check.Passed {
			step.Tone = ui.Bad
		}
		steps = append(steps, step)
	}
	return steps
}

func webhookFacts(c show.Clock, d finance.Delivery, provider finance.Provider) []ui.Fact {
	facts := []ui.Fact{
		{Name: c.Say("Service"), Value: show.ServiceName(c.Say, provider.ID, provider.Name)},
		{Name: c.Say("Received"), Value: c.Precise(d.Received)},
		{Name: c.Say("Florin answered"), Value: strconv.Itoa(d.Answer), Note: http.StatusText(d.Answer)},
	}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, ui.Fact{Name: name, Value: value})
		}
	}
	if d.Verified {
		add(c.Say("Status"), string(d.Status))
		add(c.Say("Approval"), string(d.Auth))
		if d.Expected {
			add(c.Say("Further updates"), c.Say("expected"))
		} else {
			add(c.Say("Further updates"), c.Say("not expected"))
		}
		facts = append(facts, ui.Fact{Name: c.Say("Time of the event"), Value: c.Precise(d.Triggered)})
	}
	add("webhook_id", d.WebhookID)
	add("payment_id", d.PaymentID)
	switch {
	case d.Counted:
		facts = append(facts, ui.Fact{Name: c.Say("Refused for this reason"), Value: c.Say("%d times", d.Repeats+1), Note: c.Say("Florin keeps only the last one.")})
	case d.Repeats > 0:
		add(c.Say("Received again"), c.Say("%d times", d.Repeats))
	}
	if !d.Applied.IsZero() {
		add(c.Say("Processed"), c.Precise(d.Applied))
	}
	return append(facts, ui.Fact{Name: c.Say("SHA-256 of the body"), Value: d.BodyHash})
}

// visible writes a text of unknown origin for people: JSON indented, and whatever cannot be seen as an escape.
func visible(body string) string {
	if json.Valid([]byte(body)) {
		return show.Readable(json.RawMessage(body))
	}
	var b strings.Builder
	for _, r := range body {
		if r == '\n' || unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

func (a *Area) replayWebhook(v *shell.Visitor) error {
	id := v.Request.PathValue("webhook")
	if err := a.Store.ReplayDelivery(v.Ctx(), id); err != nil {
		return err
	}
	a.Payments.Wake()
	a.Flash(v, ui.Info, v.Say("Florin is asking the banking service about the payment again."))
	v.SeeOther(paths.Webhook(id))
	return nil
}

// trustWebhook makes the key with which a webhook was signed the one that is known of its provider.
func (a *Area) trustWebhook(v *shell.Visitor) error {
	d, err := a.Store.Delivery(v.Ctx(), v.Request.PathValue("webhook"))
	if err != nil {
		return err
	}
	if !canTrust(d) {
		return finance.ErrNotFound
	}
	if err := a.Store.TrustKey(v.Ctx(), d.ID); err != nil {
		return err
	}
	a.Log.WarnContext(v.Ctx(), "another key of webhooks is trusted", "provider", d.ProviderID, "sha256", d.KeyFingerprint, "user", v.User.ID)
	a.Flash(v, ui.Warning, v.Say("Florin now accepts this key and no other. If the banking service sends a refused webhook again, Florin will accept it."))
	v.SeeOther(paths.Webhook(d.ID))
	return nil
}

// effectWords say what a webhook changed.
func effectWords(c show.Clock, e finance.DeliveryEffect) string {
	status := func(s finance.ReportedStatus) string {
		if s.Cancellation != "" {
			return c.Say("%s with %s", string(s.Status), string(s.Cancellation))
		}
		return string(s.Status)
	}
	text := effectText(c, e, status)
	if e.Final && e.Kind != finance.EffectFinal && e.Kind != finance.EffectFinalApproval {
		text += " " + c.Say("This status is final.")
	}
	return text
}

func effectText(c show.Clock, e finance.DeliveryEffect, status func(finance.ReportedStatus) string) string {
	switch e.Kind {
	case finance.EffectStatus:
		return c.Say("The status changed from %s to %s.", status(e.Before), status(e.After))
	case finance.EffectApproval:
		return c.Say("The approval is now %s.", string(e.Approval))
	case finance.EffectDetails:
		return c.Say("Details of %s changed.", status(e.After))
	case finance.EffectNone:
		return c.Say("Nothing: the banking service still reports %s.", status(e.After))
	case finance.EffectFinal:
		return c.Say("Nothing: the payment was already final with %s.", status(e.After))
	case finance.EffectFinalApproval:
		return c.Say("Florin now knows that the approval is %s. The payment was already final with %s.", string(e.Approval), status(e.After))
	case finance.EffectNotAnswered:
		return c.Say("Nothing: the banking service did not say which payment this is.")
	case finance.EffectNotOurs:
		return c.Say("Nothing: this Florin did not make the payment.")
	case finance.EffectStillSending:
		return c.Say("Nothing: the payment was still being sent.")
	case finance.EffectSameReference:
		return c.Say("Nothing: another payment has the same reference.")
	}
	return sentence(e.Said)
}

// sentence makes a sentence of a text that an older Florin stored without a capital and an end.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
