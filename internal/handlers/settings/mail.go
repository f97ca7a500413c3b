package settings

import (
	"cmp"
	"context"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/letters"
	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// testPatience is how long a person waits at most for what becomes of a test message.
const testPatience = 15 * time.Second

// mail says whether Florin can send mail to the person, and what was wrong with the last one. The owner learns it of the last mail to anybody.
func (a *Area) mail(v *shell.Visitor) (pages.MailSettings, error) {
	view := pages.MailSettings{Sends: a.Mail.Sends()}
	of, owner := v.User.ID, v.User.Role == finance.RoleOwner
	if owner {
		of = ""
	}
	last, err := a.Store.LastMail(v.Ctx(), of)
	if errors.Is(err, finance.ErrNotFound) || !view.Sends {
		return view, nil
	}
	c := a.At(v.Ctx(), time.Now())
	switch {
	case last.Reason != "" && owner:
		view.Problem = &ui.Notice{Tone: ui.Warning, Title: v.Say("An e-mail could not be sent %s", c.When(last.Tried)), Text: c.Message(letters.Reason(last.Reason))}
	case last.Reason != "":
		view.Problem = &ui.Notice{Tone: ui.Warning, Title: v.Say("An e-mail to you could not be sent %s", c.When(last.Tried)),
			Text: v.Say("Tell whoever runs this server. Their settings say what is wrong.")}
	case last.State == finance.MailSent:
		view.Last = v.Say("The mail server took the last message %s.", c.When(last.Tried))
	}
	return view, err
}

// testMail sends the owner a message and waits for what the mail server says to it.
func (a *Area) testMail(v *shell.Visitor) error {
	if a.Mail.Sends() {
		ctx, cancel := context.WithTimeout(v.Ctx(), testPatience)
		defer cancel()
		failure, err := a.Mail.Test(ctx, v.User.ID)
		if err != nil {
			return err
		}
		if failure == nil {
			a.Flash(v, ui.Good, v.Say("The mail server has taken the test message. It should reach %s soon.", v.User.Email))
		} else {
			a.Flash(v, ui.Bad, v.Say("The test message was not sent. See “E-mail” for what is wrong."))
		}
	}
	v.SeeOther(paths.Settings)
	return nil
}

// closeNotice closes a notice and goes back to the page that showed it.
func (a *Area) closeNotice(v *shell.Visitor) error {
	if err := a.Store.CloseNotice(v.Ctx(), v.User.ID, v.Request.PathValue("notice")); err != nil {
		return err
	}
	v.SeeOther(cmp.Or(shell.OwnPage(a.IsPage, v.Request.PostFormValue("back")), paths.Accounts))
	return nil
}
