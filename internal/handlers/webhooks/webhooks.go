package webhooks

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
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
)

const webhooksShown = 50 // on a page of the inbox

// checkWords say what each check of a webhook looks at, in the order in which they are made.
var checkWords = [][2]string{
	{"request", "A POST of plain JSON"},
	{"token", "One bearer token"},
	{"header", "Signed with RS256, and nothing in its header that changes how it is read"},
	{"address", "Its certificate or key is at an address of the service"},
	{"fetch", "There is one at that address"},
	{"certificate", "It is good"},
	{"signature", "The signature was made with its key"},
	{"claims", "What the token says can be read"},
	{"times", "The token is valid now"},
	{"application", "It is for this application"},
	{"environment", "It is of this environment"},
	{"size", "The body is whole, and not too large"},
	{"digest", "The token is for this body and no other"},
	{"known", "The certificate or key is the one that is known of the service"},
	{"body", "The body is one JSON object, without a name twice"},
	{"fields", "Its fields are those of the specification"},
	{"age", "The event is of the last day"},
	{"payment", "Its payment is one of ours"},
	{"once", "The event is not known with another body"},
}

func (a *Area) webhookInbox(v *shell.Visit) error {
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
		view.Places = append(view.Places, a.webhookPlace(p))
	}
	for _, d := range found {
		row := pages.WebhookRow{ID: d.ID, Received: c.Exact(d.Received), Title: webhookTitle(d), State: webhookState(d), Detail: providerName(providers, d.ProviderID)}
		switch {
		case !d.Verified:
		case d.LocalID == "":
			row.Detail += ", payment not found"
		default:
			if p, found := own[d.LocalID]; found {
				row.Payee = c.PaidTo(p)
			} else {
				row.Detail += ", payment of somebody else"
			}
		}
		if d.Repeats > 0 {
			row.Repeats = "came " + show.Plural(d.Repeats+1, "time")
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
func (a *Area) webhookPlace(p finance.Provider) ui.Fact {
	fact := ui.Fact{Name: p.Name, Value: "None", Note: "The service cannot reach this Florin: its public address does not begin with https. Florin asks by itself what became of payments."}
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

func webhookTitle(d finance.Delivery) string {
	if d.Verified {
		title := "Status " + string(d.Status)
		if d.Auth != "" {
			title += ", approval " + string(d.Auth)
		}
		return title
	}
	return "Refused: " + d.Failed().Detail
}

func webhookState(d finance.Delivery) ui.Badge {
	switch {
	case !d.Verified:
		return ui.Badge{Tone: ui.Bad, Text: "Refused"}
	case d.Applied.IsZero():
		return ui.Badge{Tone: ui.Busy, Text: "Waiting"}
	}
	return ui.Badge{Tone: ui.Good, Text: "Applied"}
}

func (a *Area) webhookPage(v *shell.Visit) error {
	d, err := a.Store.Delivery(v.Ctx(), v.Request.PathValue("webhook"))
	if err != nil {
		return err
	}
	provider, err := a.Store.Provider(v.Ctx(), d.ProviderID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.WebhookView{ID: d.ID, Title: webhookTitle(d), State: webhookState(d), Body: visible(d.Body), Replay: d.Verified, Checks: webhookChecks(d), Facts: webhookFacts(c, d, provider)}
	if canTrust(d) {
		view.Trust = webhookKey(c, d)
	}
	if !d.Verified {
		view.Skipped = len(checkWords) - len(d.Checks)
	}
	if len(d.Body) < d.Size {
		view.Cut = "The first " + show.Count(int64(len(d.Body))) + " of " + show.Count(int64(d.Size)) + " bytes."
	}
	switch {
	case !d.Verified:
		view.Result = "Nothing. A webhook that fails a check is never believed."
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
func (a *Area) webhookPayment(v *shell.Visit, d finance.Delivery, result *string) (*ui.Link, error) {
	if d.LocalID == "" {
		return nil, nil
	}
	p, err := a.Store.Payment(v.Ctx(), v.User.ID, d.LocalID)
	switch {
	case errors.Is(err, finance.ErrNotFound):
		*result += " The payment is that of somebody else in this household."
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &ui.Link{Text: "Payment to " + a.At(v.Ctx(), time.Now()).PaidTo(p), Href: paths.Payment(p.ID)}, nil
}

// webhookResults says what a webhook changed, and below it what its replays did.
func (a *Area) webhookResults(v *shell.Visit, c show.Clock, d finance.Delivery, view *pages.WebhookView) error {
	results, err := a.Store.DeliveryResults(v.Ctx(), d.ID)
	if err != nil {
		return err
	}
	for i, r := range results {
		if i == 0 {
			view.Result = effectWords(r.Effect)
			continue
		}
		view.Replays = append(view.Replays, ui.Fact{Name: "Replayed " + c.Exact(r.At).Text, Value: effectWords(r.Effect)})
	}
	switch {
	case !d.Applied.IsZero():
	case len(results) == 0:
		view.Result = "Nothing yet: Florin is about to ask the service."
	default:
		view.Replays = append(view.Replays, ui.Fact{Name: "Being replayed", Value: "Florin is about to ask the service."})
	}
	return nil
}

// canTrust reports whether a webhook was refused for its key alone, as far as was looked: its sender holds the key at an address of the service, and names our
// application and this body.
func canTrust(d finance.Delivery) bool { return d.Failed().Name == "known" && d.KeyFingerprint != "" }

// webhookKey are the marks of the certificate or key with which a webhook was signed.
func webhookKey(c show.Clock, d finance.Delivery) []ui.Fact {
	ends := ui.Fact{Name: "Ends", Value: "Never", Note: "It is a bare public key."}
	if !d.KeyEnds.IsZero() {
		ends = ui.Fact{Name: "Ends", Value: c.Until(d.KeyEnds).Text}
	}
	return []ui.Fact{{Name: "SHA-256", Value: d.KeyFingerprint}, ends}
}

func webhookChecks(d finance.Delivery) []ui.Step {
	var steps []ui.Step
	for _, check := range d.Checks {
		step := ui.Step{Tone: ui.Good, Text: check.Name, Note: check.Detail}
		if i := slices.IndexFunc(checkWords, func(w [2]string) bool { return w[0] == check.Name }); i >= 0 {
			step.Text = checkWords[i][1]
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
		{Name: "Service", Value: provider.Name},
		{Name: "Came", Value: c.Precise(d.Received)},
		{Name: "Answered with", Value: strconv.Itoa(d.Answer), Note: http.StatusText(d.Answer)},
	}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, ui.Fact{Name: name, Value: value})
		}
	}
	if d.Verified {
		add("Status", string(d.Status))
		add("Approval", string(d.Auth))
		if d.Expected {
			add("More news", "expected")
		} else {
			add("More news", "not expected")
		}
		facts = append(facts, ui.Fact{Name: "The event happened", Value: c.Precise(d.Triggered)})
	}
	add("webhook_id", d.WebhookID)
	add("payment_id", d.PaymentID)
	switch {
	case d.Counted:
		facts = append(facts, ui.Fact{Name: "Refused so", Value: show.Plural(d.Repeats+1, "time"), Note: "They are counted, and this is the last of them."})
	case d.Repeats > 0:
		add("Came again", show.Plural(d.Repeats, "time"))
	}
	if !d.Applied.IsZero() {
		add("Applied", c.Precise(d.Applied))
	}
	return append(facts, ui.Fact{Name: "SHA-256 of the body", Value: d.BodyHash})
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

func (a *Area) replayWebhook(v *shell.Visit) error {
	id := v.Request.PathValue("webhook")
	if err := a.Store.ReplayDelivery(v.Ctx(), id); err != nil {
		return err
	}
	a.Payments.Wake()
	a.Tell(v, ui.Info, "The webhook is applied once more: Florin asks the service about its payment.")
	v.SeeOther(paths.Webhook(id))
	return nil
}

// trustWebhook makes the key with which a webhook was signed the one that is known of its provider.
func (a *Area) trustWebhook(v *shell.Visit) error {
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
	a.Tell(v, ui.Warning, "The key of this webhook is accepted, and no other. What was refused because of it comes again if the service still sends it.")
	v.SeeOther(paths.Webhook(d.ID))
	return nil
}

// effectWords say what a webhook changed.
func effectWords(e finance.DeliveryEffect) string {
	status := func(s finance.ReportedStatus) string {
		if s.Cancellation != "" {
			return string(s.Status) + " with " + string(s.Cancellation)
		}
		return string(s.Status)
	}
	final := ""
	if e.Final {
		final = " This is final."
	}
	switch e.Kind {
	case finance.EffectStatus:
		return "The status changed from " + status(e.Before) + " to " + status(e.After) + "." + final
	case finance.EffectApproval:
		return "The approval is now " + string(e.Approval) + "." + final
	case finance.EffectDetails:
		return "Details of " + status(e.After) + " changed." + final
	case finance.EffectNone:
		return "Nothing: the service still reports " + status(e.After) + "." + final
	case finance.EffectFinal:
		return "Nothing: the payment was already final as " + status(e.After) + "."
	case finance.EffectFinalApproval:
		return "The approval is known to be " + string(e.Approval) + ". The payment was already final as " + status(e.After) + "."
	case finance.EffectNotAnswered:
		return "Nothing: the service did not say which payment this is."
	case finance.EffectNotOurs:
		return "Nothing: this Florin did not make the payment."
	case finance.EffectStillSending:
		return "Nothing: the payment was still being sent."
	case finance.EffectSameReference:
		return "Nothing: another payment has the same reference."
	}
	return show.Sentence(strings.TrimSuffix(e.Said, "."))
}
