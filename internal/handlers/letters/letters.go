// Package letters words what people are told: as a notice on their pages, and as a mail. The mails are plain text, and hold neither balances nor account
// numbers.
package letters

import (
	"context"
	"net/url"
	"strings"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/mailing"
	"florin/internal/outbox"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

const (
	signedIn  words.Text = "If it was not you, change your password and sign out the other devices in the settings."
	addedBy   words.Text = "If it was not you, remove the passkey, change your password and sign out the other devices in the settings."
	linkedBy  words.Text = "If it was not you, remove the link to this account, change your password and sign out the other devices in the settings."
	copied    words.Text = "Florin refuses the passkey from now on, and has signed out the devices that signed in with it. Remove it in the settings, and add a new one."
	appBy     words.Text = "If it was not you, remove the app, change your password and sign out the other devices in the settings."
	codesBy   words.Text = "If it was not you, change your password, make new recovery codes and sign out the other devices in the settings."
	lostTheir words.Text = "If it was not you, somebody else can get into your account. Choose “Forgotten your password?” on the sign-in page, or ask whoever runs this server."
)

// kinds are the words of each kind of notice but that of consents: what has happened, with the name of the notice where it has one, and what to do about it.
var kinds = map[finance.NoticeKind]struct{ what, todo words.Text }{
	finance.NoticePasswordChanged: {"Your password was changed", lostTheir},
	finance.NoticePasswordReset:   {"A new password was set with a one-time link", lostTheir},
	finance.NoticePasswordSet:     {"Whoever runs this server has set a new password for you", lostTheir},
	finance.NoticeNewDevice:       {"You signed in on a new device: %s", signedIn},
	finance.NoticePasskeyAdded:    {"You have a new passkey: %s", addedBy},
	finance.NoticePasskeyCopied:   {"There is a copy of your passkey %s", copied},
	finance.NoticePasskeyRemoved:  {"A passkey was removed: %s", signedIn},
	finance.NoticeProviderAdded:   {"You can sign in with an account at %s now", linkedBy},
	finance.NoticeProviderRemoved: {"You can no longer sign in with your account at %s", signedIn},
	finance.NoticeAppAdded:        {"You have a new authenticator app: %s", appBy},
	finance.NoticeAppRemoved:      {"An authenticator app was removed: %s", signedIn},
	finance.NoticeRecoveryCodes:   {"You have new recovery codes. The old ones no longer work", codesBy},
	finance.NoticeRecoveryUsed:    {"One of your recovery codes was used. %s are left", codesBy},
	finance.NoticeSecondReset:     {"Whoever runs this server has removed your passkeys, authenticator apps and recovery codes", lostTheir},
}

// what says what has happened.
func what(c show.Clock, n finance.Notice) string {
	text := kinds[n.Kind].what
	if !strings.Contains(string(text), "%s") {
		return c.Say(text)
	}
	name := n.Name
	if n.Kind == finance.NoticeNewDevice {
		name = show.Device(c, n.Name)
	}
	return c.Say(text, name)
}

// Notice is a notice as pages show it. back is the page that shows it, to which closing it leads.
func Notice(c show.Clock, n finance.Notice, back string) ui.Notice {
	dismiss := ui.Dismiss{Action: paths.NoticeClose(n.ID), Back: back, Text: c.Say("Close")}
	if n.Kind == finance.NoticeConsentEnds {
		dismiss.Text = c.Say("Remind me later")
		return ui.Notice{Tone: ui.Info, Title: c.Say("Your consent at %s ends %s", show.ConnectionName(n.Connection), c.When(n.Connection.ValidUntil)),
			Action: ui.Link{Text: c.Say("Renew"), Href: show.AgainPath(n.Connection)}, Dismiss: dismiss}
	}
	notice := ui.Notice{Tone: ui.Info, Title: what(c, n), Text: c.Say("This was %s.", c.When(n.At)) + " " + c.Say(kinds[n.Kind].todo), Dismiss: dismiss}
	if open := stillOpen(c, n.StillOpen); open != "" {
		notice.Text += " " + open
		notice.Action = ui.Link{Text: c.Say("Look at them in the settings"), Href: paths.Settings + "#passkeys"}
		switch {
		case n.StillOpen.Passkeys == 0 && n.StillOpen.Provider == "":
			notice.Action = ui.Link{Text: c.Say("Replace the calendar address"), Href: paths.Calendar}
		case n.StillOpen.Passkeys == 0:
			notice.Action = ui.Link{Text: c.Say("Look at it in the settings"), Href: paths.Settings + "#openid"}
		}
	}
	return notice
}

// stillOpen says what signs a person in, or shows a calendar, besides the new password, and what to do; "" for nothing.
func stillOpen(c show.Clock, w finance.Ways) string {
	var parts []string
	if w.Passkeys > 0 {
		parts = append(parts, c.Say("You can still sign in with %d passkeys.", w.Passkeys))
	}
	if w.Provider != "" {
		parts = append(parts, c.Say("You can still sign in with your account at %s.", w.Provider))
	}
	if parts != nil {
		parts = append(parts, c.Say("Remove what you do not know."))
	}
	if w.Calendar {
		parts = append(parts, c.Say("Your calendar address still works: it needs no password. Make a new one if somebody else may know it."))
	}
	return strings.Join(parts, " ")
}

// Writer writes mails.
type Writer struct {
	PublicURL *url.URL
	Location  *time.Location // in which times are told
}

// Write words a mail in the language of its person; reset is the token of a link for a new password.
func (w Writer) Write(_ context.Context, m finance.Mail, reset finance.Secret) outbox.Letter {
	now := time.Now()
	c := show.Clock{Language: words.Speaking(words.App, m.Language), Now: now.In(w.Location)}
	link := func(path string) string { return w.PublicURL.String() + path }
	var subject string
	var parts []string
	switch m.Kind {
	case finance.MailResetLink:
		subject = c.Say("Set a new password for Florin")
		parts = []string{c.Say("Somebody asked for a link to set a new password for %s.", m.User.Email),
			c.Say("Set the new password here:") + "\n" + link(paths.Reset) + "?" + url.Values{"token": {reset.Reveal()}}.Encode(),
			c.Say("The link works once, until %s. Only the newest link works.", c.Full(now.Add(auth.ResetLinkLifetime))+c.Zone(now)),
			c.Say("If it was not you, do nothing. Your password stays as it is.")}
	case finance.MailTest:
		subject = c.Say("Test message from Florin")
		parts = []string{c.Say("This message has arrived, so Florin can send e-mail. You asked for it in the settings.")}
	default:
		subject = what(c, m.Notice)
		parts = []string{subject, c.Say("This was on %s.", c.Full(m.Notice.At)+c.Zone(m.Notice.At)), c.Say(kinds[m.Notice.Kind].todo)}
		if open := stillOpen(c, m.Notice.StillOpen); open != "" {
			parts = append(parts, open)
		}
		parts = append(parts, c.Say("Your settings:")+"\n"+link(paths.Settings))
	}
	parts = append(parts, "-- \n"+c.Say("Florin at %s", w.PublicURL.String()))
	return outbox.Letter{Subject: subject, Text: strings.Join(parts, "\n\n") + "\n"}
}

// Reason says why a mail was not sent, and what to do.
func Reason(reason string) words.Message {
	switch mailing.Step(reason) {
	case mailing.StepAddress:
		return words.Msg("The sender or the recipient is no usable e-mail address. Check the setting %s and the address of the person.", "--smtp-from")
	case mailing.StepConnect:
		return words.Msg("Florin does not reach the mail server. Check the settings %s and %s, and that the server runs.", "--smtp-host", "--smtp-port")
	case mailing.StepTLS:
		return words.Msg("The connection to the mail server cannot be protected. Check the settings %s and %s, and the certificate of the server.", "--smtp-tls", "--smtp-port")
	case mailing.StepSignIn:
		return words.Msg("The mail server does not accept the user or the password. Check the settings %s and %s.", "--smtp-user", "--smtp-password")
	case mailing.StepSender:
		return words.Msg("The mail server does not accept the sender. Check the setting %s.", "--smtp-from")
	case mailing.StepRecipient:
		return words.Msg("The mail server does not accept the recipient. Check the e-mail address of the person.")
	case mailing.StepMessage:
		return words.Msg("The mail server does not accept the message. Its log says why.")
	}
	return words.Msg("The connection broke while Florin handed the message over. Nobody knows whether it arrives, so Florin does not send it again.")
}
