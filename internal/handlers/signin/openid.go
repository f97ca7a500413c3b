package signin

import (
	"errors"
	"net/http"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/middleware"
	"florin/internal/openid"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// leaveForOpenID sends somebody to the provider of OpenID Connect to sign in.
func (a *Area) leaveForOpenID(v *shell.Visitor) error {
	if owned, err := a.HasOwner(v.Ctx()); err != nil {
		return err
	} else if !owned { // who becomes the owner says the link of the first start, not the provider (security T38)
		v.SeeOther(paths.Setup)
		return nil
	}
	return a.Depart(v, finance.OpenIDVisit{Errand: finance.ErrandSignIn, Detail: a.next(v.Field("next")), Remember: v.Field("remember") == "yes"})
}

// backFromOpenID takes the browser back from the provider. What its state says to have been begun, in this browser and as this user, is done; once.
func (a *Area) backFromOpenID(v *shell.Visitor) error {
	visit, who, err := a.Auth.Return(v.Ctx(), a.VisitSecret(v), v.Request.URL.Query())
	if err != nil {
		return a.OpenIDProblem(v, err)
	}
	if visit.UserID != "" && visit.UserID != v.User.ID {
		return a.OpenIDProblem(v, auth.ErrVisit)
	}
	switch visit.Errand {
	case finance.ErrandJoin:
		return a.joinAs(v, visit, who)
	case finance.ErrandLink:
		return a.linkIdentity(v, who)
	case finance.ErrandStepUp:
		return a.ProvenElsewhere(v, visit, who)
	default:
		return a.signInAs(v, visit, who)
	}
}

func (a *Area) signInAs(v *shell.Visitor, visit finance.OpenIDVisit, who openid.Identity) error {
	user, made, err := a.Auth.Recognise(v.Ctx(), who)
	if err != nil {
		return a.OpenIDProblem(v, err)
	}
	if made {
		a.Log.InfoContext(v.Ctx(), "account made for somebody whom the provider knows", "user", user.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
	return a.beginAs(v, user, visit, who)
}

// joinAs creates the person whom an invitation lets in, and signs them in. Whoever was signed in on this browser before is signed out.
func (a *Area) joinAs(v *shell.Visitor, visit finance.OpenIDVisit, who openid.Identity) error {
	user, err := a.Auth.JoinAs(v.Ctx(), visit.Detail, who)
	if err != nil {
		return a.OpenIDProblem(v, err)
	}
	a.Log.InfoContext(v.Ctx(), "joined by an invitation", "user", user.ID, "role", user.Role, "by", "OpenID Connect", "request_id", middleware.RequestIDFrom(v.Ctx()))
	visit.Detail = ""
	return a.beginAs(v, user, visit, who)
}

// beginAs signs the user in whom the provider has told of, and goes where the visit was to lead.
func (a *Area) beginAs(v *shell.Visitor, user finance.User, visit finance.OpenIDVisit, who openid.Identity) error {
	signIn, err := a.Auth.SignInAs(v.Ctx(), user, who, a.Browser(v), visit.Remember)
	if second, is := errors.AsType[*auth.SecondStepError](err); is {
		return a.toSecondStep(v, user, second.Pending, visit.Detail)
	}
	if err != nil {
		return err
	}
	if err := a.Begin(v, user, signIn); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "signed in", "user", user.ID, "by", "OpenID Connect", "request_id", middleware.RequestIDFrom(v.Ctx()))
	v.SeeOther(orAccounts(visit.Detail))
	return nil
}

// linkIdentity links the account at the provider with the user, who proved at the beginning of the visit who they are.
func (a *Area) linkIdentity(v *shell.Visitor, who openid.Identity) error {
	if err := a.Auth.Link(v.Ctx(), v.User.ID, who); err != nil {
		return a.OpenIDProblem(v, err)
	}
	v.Proven()
	a.Log.InfoContext(v.Ctx(), "identity at the provider linked", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("From now on you can sign in with %s.", a.Auth.Provider().Name()))
	v.SeeOther(paths.Settings)
	return nil
}

// local refuses what belongs to signing in here where the provider is the only way in.
func (a *Area) local(handle func(*shell.Visitor) error) func(*shell.Visitor) error {
	return func(v *shell.Visitor) error {
		if a.Auth.Local() {
			return handle(v)
		}
		return &shell.Problem{Status: http.StatusForbidden, Title: v.Say("Florin takes no passwords here"),
			What:   v.Say("On this server people sign in with %s alone.", a.Auth.Provider().Name()),
			Todo:   v.Say("Sign in there. If you cannot, whoever runs this server can let passwords in again, with the setting %s.", "--local-sign-in=on"),
			Action: ui.Link{Text: v.Say("Back to signing in"), Href: paths.SignIn}}
	}
}
