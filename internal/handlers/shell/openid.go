package shell

import (
	"errors"
	"net/http"
	"regexp"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/middleware"
	"florin/internal/openid"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// visitCookie ties a visit to the OpenID Connect provider to the browser that began it (security T70). It holds a random secret; the database stores its
// hash.
const visitCookie = "florin-visit"

// VisitSecret returns the secret of this browser for visits to the provider; "" when it has none.
func (s *Shell) VisitSecret(v *Visitor) finance.Secret {
	cookie, err := v.Request.Cookie(s.visitName)
	if err != nil || len(cookie.Value) != len(finance.NewID()) {
		return ""
	}
	return finance.Secret(cookie.Value)
}

// Depart begins a visit to the provider, and answers with a page that goes there at once. It does not redirect, because browsers apply form-action to
// redirects after a form, and the provider may redirect to further sites (security F2).
func (s *Shell) Depart(v *Visitor, errand finance.OpenIDVisit) error {
	browser := s.VisitSecret(v) // visits in several tabs share it
	if browser == "" {
		browser = finance.Secret(finance.NewID())
	}
	address, err := s.auth.Visit(v.Ctx(), browser, errand)
	if err != nil {
		return s.OpenIDProblem(v, err)
	}
	site, ok := SiteOf(address, true) // package openid allows addresses without https only on this machine
	if !ok {
		return s.OpenIDProblem(v, openid.ErrAddress)
	}
	http.SetCookie(v.Writer, &http.Cookie{ //nolint:gosec // Secure as all cookies are: where Florin has https (ADR 0004)
		Name: s.visitName, Value: browser.Reveal(), Path: "/", MaxAge: int(auth.VisitLifetime.Seconds()), HttpOnly: true,
		Secure: s.https, SameSite: http.SameSiteLaxMode, // sent with the return (security F3)
	})
	v.Writer.Header().Set("Refresh", "0; url="+site.Href)
	return v.Page(http.StatusOK, pages.OpenIDAhead(pages.OpenIDAheadView{Frame: s.Frame(v), Name: s.auth.Provider().Name(), Href: site.Href, Host: site.Host}))
}

// purposeForm matches the text of a purpose (auth.Purpose.String).
var purposeForm = regexp.MustCompile(`^[a-z-]{1,20}(:[A-Za-z0-9_-]{43})?$`)

// ProveElsewhere sends the visitor to the provider to sign in again for the purpose in the form. Only a purpose that a form asks for has an effect.
func (s *Shell) ProveElsewhere(v *Visitor) error {
	purpose := v.Field(pages.PurposeField)
	if !purposeForm.MatchString(purpose) {
		return &Problem{Status: http.StatusBadRequest}
	}
	return s.Depart(v, finance.OpenIDVisit{Errand: finance.ErrandStepUp, UserID: v.User.ID, Detail: purpose})
}

// ProvenElsewhere stores the proof of a visitor who returns from the provider, and says that the other tab can continue.
func (s *Shell) ProvenElsewhere(v *Visitor, visit finance.OpenIDVisit, who openid.Identity) error {
	proof, err := s.auth.Confirm(v.Ctx(), visit, who)
	if err != nil {
		return s.OpenIDProblem(v, err)
	}
	s.keepProof(v, proof)
	v.Proven()
	return v.Page(http.StatusOK, pages.OpenIDProven(pages.OpenIDProvenView{Frame: s.Frame(v)}))
}

// OpenIDProblem turns a failed visit to the provider into a page, and logs the reason. It returns other errors unchanged.
func (s *Shell) OpenIDProblem(v *Visitor, err error) error {
	provider := s.auth.Provider()
	if provider == nil {
		return err
	}
	texts, status := openIDTexts(err, provider.Name(), s.auth.Local())
	if status == 0 {
		return err
	}
	s.log.WarnContext(v.Ctx(), "not recognised by the provider of OpenID Connect", "reason", err, "from", middleware.ClientAddressFrom(v.Ctx()),
		"request_id", middleware.RequestIDFrom(v.Ctx()))
	tell := words.In(v.Ctx()).Message
	p := &Problem{Status: status, Title: tell(texts[0]), What: tell(texts[1]), Todo: tell(texts[2]), Cause: err,
		Action: ui.Link{Text: v.Say("Back to signing in"), Href: paths.SignIn}}
	if v.SignedIn() {
		p.Action = ui.Link{Text: v.Say("Back to the settings"), Href: paths.Settings}
	}
	return p
}

// openIDTexts returns what happened at the provider, what it means, and what to do. status is 0 for an error without relation to the provider. local says
// that people can also sign in with a password here.
func openIDTexts(err error, name string, local bool) (texts [3]words.Message, status int) {
	say := func(status int, title, what, todo words.Message) ([3]words.Message, int) {
		return [3]words.Message{title, what, todo}, status
	}
	again := words.Msg("Try again. If it happens again, whoever runs this server finds the reason in its log.")
	first := words.Msg("If you have an account here, sign in to it first and link %s in its settings. If you have none, ask the owner for one.", name)
	if !local {
		first = words.Msg("Ask whoever runs this server.")
	}
	switch {
	case errors.Is(err, auth.ErrVisit):
		return say(http.StatusForbidden, words.Msg("This return from %s is no longer valid", name),
			words.Msg("It was already used, it took longer than ten minutes, or you started in another browser."), words.Msg("Begin again."))
	case errors.Is(err, auth.ErrInvitation):
		return say(http.StatusNotFound, words.Msg("This invitation does not work"),
			words.Msg("It was used or withdrawn, or it expired, while you were at %s.", name), words.Msg("Ask the person who invited you for another one."))
	case errors.Is(err, auth.ErrUnknownIdentity):
		return say(http.StatusForbidden, words.Msg("Florin does not know you yet"), words.Msg("Nobody here is linked with the account that you have at %s.", name), first)
	case errors.Is(err, store.ErrEmailTaken):
		return say(http.StatusForbidden, words.Msg("Somebody has your e-mail address here already"),
			words.Msg("Florin does not link accounts just because their addresses are the same: anybody could claim an address."), first)
	case errors.Is(err, auth.ErrNoEmail):
		return say(http.StatusForbidden, words.Msg("%s did not share your e-mail address", name), words.Msg("Florin cannot create an account without one."),
			words.Msg("Add your address at %s, or let it share the address with Florin. Then try again.", name))
	case errors.Is(err, store.ErrIdentityTaken):
		return say(http.StatusConflict, words.Msg("This account at %s cannot be linked", name),
			words.Msg("It is linked with somebody here, or you have linked another one."), words.Msg("Sign in to the right account at %s, or remove the link that you have.", name))
	case errors.Is(err, auth.ErrLastWay):
		return say(http.StatusConflict, words.Msg("%s stays linked", name), words.Msg("It is your only way to sign in."),
			words.Msg("Ask whoever runs this server for a link to set a password first."))
	case errors.Is(err, auth.ErrOtherIdentity):
		return say(http.StatusForbidden, words.Msg("You signed in to another account at %s", name), words.Msg("It is not the one that is linked with you here."),
			words.Msg("Sign out at %s, then try again with the right account.", name))
	}
	failed, is := errors.AsType[*openid.Error](err)
	if !is {
		return texts, 0
	}
	switch failed.Fault {
	case openid.Unreachable:
		return say(http.StatusBadGateway, words.Msg("%s does not answer", name), words.Msg("So Florin cannot find out who you are. Nothing has changed."),
			words.Msg("Wait a moment and try again. If the problem continues, whoever runs this server finds the reason in its log."))
	case openid.Misnamed, openid.Unregistered:
		return say(http.StatusBadGateway, words.Msg("%s does not know this Florin", name), words.Msg("The settings here and there do not match."),
			words.Msg("Tell whoever runs this server. The log says what is wrong."))
	case openid.Declined:
		return say(http.StatusForbidden, words.Msg("%s did not let you through", name), words.Msg("You cancelled there, or a rule there does not allow it."),
			words.Msg("Begin again, or ask whoever looks after %s.", name))
	case openid.Used:
		return say(http.StatusForbidden, words.Msg("This return from %s is no longer valid", name),
			words.Msg("It was already used, it took longer than ten minutes, or you started in another browser."), words.Msg("Begin again."))
	case openid.Clock:
		return say(http.StatusBadGateway, words.Msg("The clocks of %s and of this server differ", name), words.Msg("By more than two minutes. So Florin cannot tell whether the answer is new."),
			words.Msg("Tell whoever runs this server. One of the clocks has to be set."))
	case openid.Stale:
		return say(http.StatusForbidden, words.Msg("%s did not ask you to sign in again", name), words.Msg("For this, Florin needs you to sign in again."),
			words.Msg("Confirm in another way. Whoever runs this server can check whether %s reports when people signed in.", name))
	default:
		return say(http.StatusBadGateway, words.Msg("Florin does not trust the answer of %s", name), words.Msg("Nobody was signed in, and nothing has changed."), again)
	}
}
