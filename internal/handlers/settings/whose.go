package settings

import (
	"cmp"
	"net/http"

	"florin/internal/handlers/shell"
	"florin/web/templates/paths"
)

// Views are what pages of all areas follow while they are open.
func (a *Area) Views() map[string]shell.OpenView {
	return map[string]shell.OpenView{shell.LiveHousehold: a.OpenHousehold}
}

// chooseWhose keeps whose accounts pages are about, and goes back to the page on which it was chosen, about these accounts.
func (a *Area) chooseWhose(v *shell.Visitor) error {
	whose := v.Field("whose")
	if whose != shell.WhoseMine && whose != shell.WhoseHousehold {
		return &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("Florin does not know this choice."),
			Todo: v.Say("Choose your own accounts or those of the household.")}
	}
	if err := a.Store.LookAtHousehold(v.Ctx(), v.User.ID, whose == shell.WhoseHousehold); err != nil {
		return err
	}
	v.SeeOther(paths.ByWhose(cmp.Or(shell.OwnPage(a.IsPage, v.Request.PostFormValue("back")), paths.Accounts), whose))
	return nil
}
