package finance

import (
	"slices"
	"time"
)

// NoticeKind says what a person is told, on the pages until they close it and by mail.
type NoticeKind string

// Values of NoticeKind.
const (
	NoticeConsentEnds     NoticeKind = "consent-ends"
	NoticePasswordChanged NoticeKind = "password-changed"
	NoticePasswordReset   NoticeKind = "password-reset" // with a one-time link
	NoticePasswordSet     NoticeKind = "password-set"   // by the operator
	NoticeNewDevice       NoticeKind = "new-device"     // Name: the device
	NoticePasskeyAdded    NoticeKind = "passkey-added"  // Name: the passkey
	NoticePasskeyRemoved  NoticeKind = "passkey-removed"
	NoticePasskeyCopied   NoticeKind = "passkey-copied" // its counter shows that there are two of it
	NoticeProviderAdded   NoticeKind = "provider-added" // Name: the provider where an account now signs the person in
	NoticeProviderRemoved NoticeKind = "provider-removed"
	NoticeAppAdded        NoticeKind = "app-added" // Name: the authenticator app
	NoticeAppRemoved      NoticeKind = "app-removed"
	NoticeRecoveryCodes   NoticeKind = "recovery-codes"      // new ones were made
	NoticeRecoveryUsed    NoticeKind = "recovery-code-used"  // Name: how many are left
	NoticeSecondReset     NoticeKind = "second-factor-reset" // by the operator
)

// NoticeKinds are all kinds.
var NoticeKinds = []NoticeKind{NoticeConsentEnds, NoticePasswordChanged, NoticePasswordReset, NoticePasswordSet, NoticeNewDevice,
	NoticePasskeyAdded, NoticePasskeyRemoved, NoticePasskeyCopied, NoticeProviderAdded, NoticeProviderRemoved,
	NoticeAppAdded, NoticeAppRemoved, NoticeRecoveryCodes, NoticeRecoveryUsed, NoticeSecondReset}

// Notice is something that a person is told.
type Notice struct {
	ID         string
	Kind       NoticeKind
	Name       string // of what it is about, such as a device; "" where the kind needs none
	At         time.Time
	Connection Connection // whose consent ends; zero for other kinds
	StillOpen  Ways       // what else signs the person in, where somebody set a new password (NoticeKind.SetsPassword); zero for other kinds
}

// SetsPassword reports whether the notice is about a new password that was set without the old one. Passkeys, linked providers and the calendar address
// stay valid after that, so the notice warns about them: an intruder may have set them up.
func (k NoticeKind) SetsPassword() bool { return k == NoticePasswordReset || k == NoticePasswordSet }

// Ways are the ways in which a person signs in without a password.
type Ways struct {
	Passkeys int    // those that are not refused
	Provider string // the provider of OpenID Connect where the account is linked, by its issuer; "" for none
	Calendar bool   // an address at which a calendar is read, which signs nobody in
}

// MailKind says what a mail is about: a NoticeKind, or one of these.
type MailKind string

// Values of MailKind beside the kinds of notices.
const (
	MailResetLink MailKind = "reset-link" // a one-time link to set a new password
	MailTest      MailKind = "test"
)

// MailState is how far a mail is.
type MailState string

// Values of MailState. What is sending may have left already, and never waits again unless it is certain that it has not.
const (
	MailWaiting MailState = "waiting"
	MailSending MailState = "sending"
	MailSent    MailState = "sent"
	MailFailed  MailState = "failed"
)

// Reasons why a mail was not sent, beside the steps of handing it over (mailing.Step).
const (
	MailInterrupted = "interrupted" // Florin was stopped while it handed the mail over: nobody knows whether it has left
	MailLate        = "late"        // it was of no use any more before it could be sent
	MailOutdated    = "outdated"    // what it tells is no longer so
)

// Mail is a mail to a person. Its words are made when it is sent.
type Mail struct {
	ID       string
	User     User
	Language string // two letters: the person's, else that of the browser at the last sign-in; "" when neither is known
	Kind     MailKind
	Notice   Notice // what it tells; zero where the kind is none of a notice
	State    MailState
	Reason   string // why it waits again or has failed: a code; "" for none
	Attempts int    // with the present one
	Until    time.Time
	Created  time.Time
	Tried    time.Time // zero before the first attempt
}

// remindDays are the days before the end of a consent on which its person is reminded, the last one first.
var remindDays = []int{1, 7, RenewWithin}

// Reminder returns which reminder about the end of the consent is current: 14, 7 or 1, the number of days before the end. ok is false when none has become
// due since the consent was given, and when the connection is not active.
func (c Connection) Reminder(now time.Time) (days int, ok bool) {
	if c.State(now) != ConnectionActive {
		return 0, false
	}
	for _, days := range remindDays {
		if at := c.remindedAt(days); !now.Before(at) {
			return days, c.Authorized.Before(at)
		}
	}
	return 0, false
}

// endNoticeFor is how long after the end of a consent Florin still notifies the person that it has ended.
const endNoticeFor = 30 * 24 * time.Hour

// EndedUnnoticed reports whether the consent ended within endNoticeFor, and was given early enough for a reminder on the day before.
func (c Connection) EndedUnnoticed(now time.Time) bool {
	return c.State(now) == ConnectionExpired && !c.ValidUntil.After(now) && now.Before(c.ValidUntil.Add(endNoticeFor)) && c.Authorized.Before(c.remindedAt(1))
}

// NextReminder returns when the next reminder after now is due; zero for none.
func (c Connection) NextReminder(now time.Time) time.Time {
	for _, days := range slices.Backward(remindDays) {
		if at := c.remindedAt(days); now.Before(at) {
			return at
		}
	}
	return time.Time{}
}

func (c Connection) remindedAt(days int) time.Time {
	return c.ValidUntil.Add(-time.Duration(days) * 24 * time.Hour)
}
