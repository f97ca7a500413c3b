package people

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// longestName bounds the name of whom an invitation is for, in characters.
const longestName = 100

func (a *Area) peoplePage(v *shell.Visitor) error {
	return a.page(v, http.StatusOK, pages.PeopleView{Roles: roles(v, finance.RoleMember)})
}

// page shows all people and invitations, with the form and the new invitation that view holds.
func (a *Area) page(v *shell.Visitor, status int, view pages.PeopleView) error {
	c := a.At(v.Ctx(), time.Now())
	all, err := a.Store.Users(v.Ctx())
	if err != nil {
		return err
	}
	for _, u := range all {
		signIns, err := a.Auth.SignIns(v.Ctx(), u.ID)
		if err != nil {
			return err
		}
		has, err := a.Auth.SecondFactors(v.Ctx(), u.ID)
		if err != nil {
			return err
		}
		if u.ID == v.User.ID {
			view.Second = pages.SecondFactorRule{Required: has.Required, Own: has.Any()}
		}
		p := pages.Person{ID: u.ID, Email: u.Email, Since: c.Until(u.Created), SignIn: v.Say("not signed in"), Roles: roles(v, u.Role), Second: v.Say(secondOf(has))}
		if len(signIns) > 0 {
			p.SignIn = v.Say("signed in on %d devices, last seen %s", len(signIns), c.When(signIns[0].LastSeen))
		}
		if finance.LastOwner(all, u.ID) {
			p.Fixed = v.Say("Owner. The only one, so this role stays.")
		}
		view.People = append(view.People, p)
	}
	invitations, err := a.Store.Invitations(v.Ctx())
	if err != nil {
		return err
	}
	for _, i := range invitations {
		view.Invitations = append(view.Invitations, row(c, i))
	}
	view.Name.Name, view.Name.Label, view.Name.Type = "name", v.Say("For whom"), "text"
	if !a.Auth.Local() {
		view.JoinWith = a.Auth.Provider().Name()
	}
	view.Name.Hint, view.Name.Required, view.Name.MaxLength, view.Name.Autocomplete = v.Say("A name that tells your invitations apart."), true, longestName, "off"
	view.Frame = a.Frame(v)
	return v.Page(status, pages.People(view))
}

// secondOf names the second factor of a person.
func secondOf(has finance.SecondFactors) words.Text {
	switch {
	case has.Apps > 0 && has.Passkeys > 0:
		return "passkey and authenticator app"
	case has.Apps > 0:
		return "authenticator app"
	case has.Passkeys > 0:
		return "passkey"
	}
	return "password alone"
}

// requireSecond sets whether everybody needs a second factor.
func (a *Area) requireSecond(v *shell.Visitor) error {
	required := v.Field("required") == "yes"
	if err := a.Store.RequireSecondFactor(v.Ctx(), required); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "second factor required", "required", required, "by", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	if required {
		a.Flash(v, ui.Good, v.Say("Everybody needs a second factor from the next sign-in on."))
	} else {
		a.Flash(v, ui.Good, v.Say("Each person chooses whether to have a second factor."))
	}
	v.SeeOther(paths.People)
	return nil
}

// row is an invitation in the list.
func row(c show.Clock, i finance.Invitation) pages.InvitationRow {
	r := pages.InvitationRow{ID: i.ID, Name: i.Name, Role: c.Say(show.Role(i.Role))}
	switch i.State(c.Now) {
	case finance.InvitationOpen:
		r.State, r.When, r.Open = ui.Badge{Tone: ui.Good, Text: c.Say("Open")}, c.Say("until %s", c.When(i.Expires)), true
	case finance.InvitationUsed:
		r.State, r.When = ui.Badge{Tone: ui.Info, Text: c.Say("Used")}, c.When(i.Used)
	case finance.InvitationWithdrawn:
		r.State, r.When = ui.Badge{Tone: ui.Info, Text: c.Say("Withdrawn")}, c.When(i.Withdrawn)
	case finance.InvitationExpired:
		r.State, r.When = ui.Badge{Tone: ui.Warning, Text: c.Say("Expired")}, c.When(i.Expires)
	}
	return r
}

// roles are the choices of a role.
func roles(v *shell.Visitor, chosen finance.Role) []ui.Option {
	var options []ui.Option
	for _, r := range finance.Roles {
		options = append(options, ui.Option{Value: string(r), Text: v.Say(show.Role(r)), Selected: r == chosen})
	}
	return options
}

// role is the role that a form chose.
func role(v *shell.Visitor) (finance.Role, error) {
	r := finance.Role(v.Field("role"))
	if !r.Valid() {
		return "", &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("Florin does not know this role."), Todo: v.Say("Choose one from the list.")}
	}
	return r, nil
}

// setRole gives a person another role. Open pages of that person connect again and ask what they may.
func (a *Area) setRole(v *shell.Visitor) error {
	id := v.Request.PathValue("person")
	person, err := a.Store.User(v.Ctx(), id)
	if err != nil {
		return err
	}
	chosen, err := role(v)
	if err != nil {
		return err
	}
	switch err := a.Store.SetRole(v.Ctx(), id, chosen); {
	case errors.Is(err, store.ErrOwnerStays):
		return &shell.Problem{Status: http.StatusConflict, What: v.Say("%s is the only owner. Without an owner, nobody could look after this Florin.", person.Email),
			Todo: v.Say("Make somebody else an owner first."), Action: people(v)}
	case errors.Is(err, store.ErrHasAccounts):
		return &shell.Problem{Status: http.StatusConflict, What: v.Say("%s has accounts here. A viewer has none, and could not look after them.", person.Email),
			Todo: v.Say("Ask the person to delete the accounts and bank connections first."), Action: people(v)}
	case err != nil:
		return err
	}
	a.Log.InfoContext(v.Ctx(), "role changed", "user", id, "role", chosen, "by", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Hub.Disconnect(id)
	a.Flash(v, ui.Good, v.Say("The new role of %s is: %s.", person.Email, show.Role(chosen)))
	if id == v.User.ID && chosen != finance.RoleOwner {
		v.SeeOther(paths.Settings)
		return nil
	}
	v.SeeOther(paths.People)
	return nil
}

// people leads to the page with all people.
func people(v *shell.Visitor) ui.Link { return ui.Link{Text: v.Say("People"), Href: paths.People} }

// invite makes an invitation and shows its address, once: only a hash of its token is kept.
func (a *Area) invite(v *shell.Visitor) error {
	chosen, err := role(v)
	if err != nil {
		return err
	}
	view := pages.PeopleView{Roles: roles(v, chosen), Name: ui.Input{Value: v.Field("name")}}
	name := finance.Clean(view.Name.Value)
	switch {
	case name == "":
		view.Name.Problem = v.Say("Enter whom the invitation is for.")
	case len([]rune(name)) > longestName:
		view.Name.Problem = v.Say("A name may have %d characters at most.", longestName)
	}
	if view.Name.Problem != "" {
		return a.page(v, http.StatusUnprocessableEntity, view)
	}
	i, token, err := a.Auth.Invite(v.Ctx(), v.User, name, chosen)
	if err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "invitation made", "invitation", i.ID, "role", chosen, "by", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	address := a.PublicURL.JoinPath(paths.Join)
	address.RawQuery = url.Values{"token": {token.Reveal()}}.Encode()
	c := a.At(v.Ctx(), time.Now())
	return a.page(v, http.StatusOK, pages.PeopleView{Roles: roles(v, finance.RoleMember),
		New: &pages.NewInvitation{Name: i.Name, Until: c.When(i.Expires), Address: address.String()}})
}

func (a *Area) withdraw(v *shell.Visitor) error {
	id := v.Request.PathValue("invitation")
	if err := a.Store.WithdrawInvitation(v.Ctx(), id); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "invitation withdrawn", "invitation", id, "by", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("The invitation is withdrawn. Its link does not work any more."))
	v.SeeOther(paths.People)
	return nil
}

// joinPage shows the form with which an invited person joins. The address with the token is not linked from anywhere, and the referrer policy keeps it here.
func (a *Area) joinPage(v *shell.Visitor) error {
	token := finance.Secret(v.Request.URL.Query().Get("token"))
	i, err := a.Auth.OpenInvitation(v.Ctx(), token)
	if errors.Is(err, auth.ErrInvitation) {
		return a.joinLink(v, token)
	}
	if err != nil {
		return err
	}
	return a.joinForm(v, http.StatusOK, i, pages.JoinView{Token: token.Reveal()})
}

func (a *Area) joinForm(v *shell.Visitor, status int, i finance.Invitation, view pages.JoinView) error {
	view.Role, view.MinPassword, view.Frame, view.Local = v.Say(joins[i.Role]), auth.MinPassword, a.Frame(v), a.Auth.Local()
	if provider := a.Auth.Provider(); provider != nil {
		view.OpenID = provider.Name()
	}
	inviter, err := a.Store.User(v.Ctx(), i.UserID)
	if err != nil {
		return err
	}
	view.Inviter = v.Say("%s invited you.", inviter.Email)
	return v.Page(status, pages.Join(view))
}

// joins says to an invited person what comes with each role.
var joins = map[finance.Role]words.Text{
	finance.RoleOwner:  "You are invited as an owner. You link your own banks, and look after this server and who uses it.",
	finance.RoleMember: "You are invited as a member. You link your own banks. Others see of your accounts only what you share.",
	finance.RoleViewer: "You are invited as a viewer. You see what others share with you, and cannot change anything.",
}

// ended says what has become of an invitation that lets nobody join.
var ended = map[finance.InvitationState]words.Text{
	"":                          "Florin does not know this invitation. Check that you opened the whole link. If you did, ask for another invitation.",
	finance.InvitationUsed:      "This invitation was used already. If it was you who used it, sign in. If not, tell the person who invited you.",
	finance.InvitationWithdrawn: "The person who invited you has withdrawn this invitation. Ask for another one.",
	finance.InvitationExpired:   "This invitation is too old. An invitation works for seven days. Ask for another one.",
}

// joinLink says why the invitation with the token does not work.
func (a *Area) joinLink(v *shell.Visitor, token finance.Secret) error {
	i, err := a.Store.InvitationByToken(v.Ctx(), token)
	state := i.State(time.Now())
	switch {
	case errors.Is(err, finance.ErrNotFound):
		state = ""
	case err != nil:
		return err
	}
	return v.Page(http.StatusNotFound, pages.JoinLink(pages.JoinLinkView{Frame: a.Frame(v), Problem: v.Say(ended[state])}))
}

// join creates the invited person and signs them in. Whoever was signed in on this browser before is signed out.
func (a *Area) join(v *shell.Visitor) error {
	token := v.Secret("token")
	view := pages.JoinView{Token: token.Reveal(), Email: v.Field("email")}
	if !a.Auth.Local() {
		return a.joinThere(v, token)
	}
	user, err := a.Auth.Join(v.Ctx(), token, view.Email, v.Secret("password"))
	weak, isWeak := errors.AsType[*auth.PasswordError](err)
	switch {
	case errors.Is(err, auth.ErrInvitation):
		a.Log.WarnContext(v.Ctx(), "invitation refused", "from", middleware.ClientAddressFrom(v.Ctx()), "request_id", middleware.RequestIDFrom(v.Ctx()))
		return a.joinLink(v, token)
	case errors.Is(err, finance.ErrEmail):
		view.EmailProblem = v.Say("An e-mail address looks like name@example.org.")
	case errors.Is(err, store.ErrEmailTaken):
		view.EmailProblem = v.Say("There is already a user with this e-mail address.")
	case isWeak:
		view.PasswordProblem = words.In(v.Ctx()).Message(show.Password(weak.Fault))
	case err != nil:
		return err
	}
	if err != nil {
		i, err := a.Store.InvitationByToken(v.Ctx(), token)
		if err != nil {
			return err
		}
		return a.joinForm(v, http.StatusUnprocessableEntity, i, view)
	}
	a.Log.InfoContext(v.Ctx(), "joined by an invitation", "user", user.ID, "role", user.Role, "request_id", middleware.RequestIDFrom(v.Ctx()))
	signIn, err := a.Auth.Begin(v.Ctx(), user, a.Browser(v))
	if err != nil {
		return err
	}
	if err := a.BeginWithPassword(v, user, signIn); err != nil {
		return err
	}
	v.SeeOther(paths.Accounts)
	return nil
}

// joinThere refuses a password where the provider is the only way in: the invitation stays as it is.
func (a *Area) joinThere(v *shell.Visitor, token finance.Secret) error {
	name := a.Auth.Provider().Name()
	return &shell.Problem{Status: http.StatusForbidden, Title: v.Say("Florin takes no passwords here"), What: v.Say("On this server people sign in with %s alone.", name),
		Todo:   v.Say("Go back to your invitation and choose “Join with %s”. The invitation still works.", name),
		Action: ui.Link{Text: v.Say("Back to the invitation"), Href: paths.Join + "?" + url.Values{"token": {token.Reveal()}}.Encode()}}
}

// joinElsewhere sends an invited person to the provider, whose answer makes the account. The visit names the invitation by its id: its token is kept nowhere.
func (a *Area) joinElsewhere(v *shell.Visitor) error {
	token := v.Secret("token")
	i, err := a.Auth.OpenInvitation(v.Ctx(), token)
	if errors.Is(err, auth.ErrInvitation) {
		return a.joinLink(v, token)
	}
	if err != nil {
		return err
	}
	return a.Depart(v, finance.OpenIDVisit{Errand: finance.ErrandJoin, Detail: i.ID})
}
