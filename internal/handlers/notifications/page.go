package notifications

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/courier"
	"florin/internal/finance"
	"florin/internal/handlers/letters"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// testPatience is how long a person waits at most for what becomes of a test.
const testPatience = 15 * time.Second

// form is what a person has chosen, as typed, with what is wrong.
type form struct {
	finance.AlertSettings

	on       map[finance.Channel][]finance.AlertKind
	lines    map[string]finance.AlertAmount
	searches []string

	typed    map[string]string // values of the fields that are texts
	problems map[string]string // of fields

	target  finance.Channel // whose form has the problems; "" for the other one
	address finance.Target
}

// page shows what is chosen.
func (a *Area) page(v *shell.Visitor) error {
	f, err := a.stored(v)
	if err != nil {
		return err
	}
	return a.show(v, http.StatusOK, f)
}

// stored is what the person has chosen before.
func (a *Area) stored(v *shell.Visitor) (f form, err error) {
	f = form{on: map[finance.Channel][]finance.AlertKind{}, typed: map[string]string{}, problems: map[string]string{}}
	if f.AlertSettings, err = a.Store.AlertSettings(v.Ctx(), v.User.ID); err != nil {
		return f, err
	}
	on, err := a.Store.AlertSwitches(v.Ctx(), v.User.ID)
	if err != nil {
		return f, err
	}
	for k, channels := range on {
		for c, is := range channels {
			if is {
				f.on[c] = append(f.on[c], k)
			}
		}
	}
	if f.lines, err = a.Store.AlertLines(v.Ctx(), v.User.ID); err != nil {
		return f, err
	}
	f.searches, err = a.Store.AlertSearches(v.Ctx(), v.User.ID)
	if f.QuietFrom != f.QuietUntil {
		f.typed["quiet_from"], f.typed["quiet_until"] = clockTime(f.QuietFrom), clockTime(f.QuietUntil)
	}
	f.typed["zone"], f.typed["cap"] = f.Zone, strconv.Itoa(f.Cap)
	if above, ok := f.Above.Money(); ok {
		f.typed["above"] = words.In(v.Ctx()).Figure(above)
	}
	for id, l := range f.lines {
		amount, _ := l.Money()
		f.typed["line-"+id] = words.In(v.Ctx()).Figure(amount)
	}
	return f, err
}

// zoneName is what a time zone is called. The machine's own has no name of a place: it goes by what its clock shows, such as CET.
func zoneName(now time.Time, zone *time.Location) string {
	if zone != time.Local {
		return zone.String()
	}
	name, _ := now.In(zone).Zone()
	return name
}

func clockTime(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// show shows the page with what is chosen.
func (a *Area) show(v *shell.Visitor, status int, f form) error {
	c := a.At(v.Ctx(), time.Now())
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	accounts = slices.DeleteFunc(accounts, func(a finance.Account) bool { return !a.Closed.IsZero() })
	saved, err := a.Store.SavedSearches(v.Ctx(), v.User.ID, finance.SavedTransactions)
	if err != nil {
		return err
	}
	view := pages.NotificationsView{Details: f.Details,
		From:  f.input("quiet_from", "time", v.Say("Quiet from"), ""),
		Until: f.input("quiet_until", "time", v.Say("Quiet until"), ""),
		Zone:  f.input("zone", "text", v.Say("Time zone"), v.Say("Such as %s. Empty: that of the server, %s.", "Europe/Berlin", zoneName(c.Now, a.Messages.Location))),
		Cap:   f.input("cap", "text", v.Say("Maximum number of messages a day"), v.Say("On each channel. One more message then says how many were left out.")),
		Digest: []ui.Option{{Value: string(finance.DigestWeekly), Text: v.Say("On Mondays, about the week before"), Selected: f.Digest != finance.DigestMonthly},
			{Value: string(finance.DigestMonthly), Text: v.Say("On the first, about the month before"), Selected: f.Digest == finance.DigestMonthly}},
		Above: f.input("above", "text", v.Say("Tell me about bookings of this amount or more"), v.Say("Money in or out, in this currency. Empty: none.")),
	}
	view.Cap.Mode, view.Above.Mode = "numeric", "decimal"
	currencies := map[string]bool{}
	names := c.AccountNames(accounts)
	for i, account := range accounts {
		if !currencies[account.Currency] && account.Currency != "" {
			currencies[account.Currency] = true
			view.Currency = append(view.Currency, ui.Option{Value: account.Currency, Text: account.Currency, Selected: account.Currency == f.Above.Currency})
		}
		view.Lines = append(view.Lines, f.input("line-"+account.ID, "text", names[i], account.Currency))
	}
	for _, s := range saved {
		view.Searches = append(view.Searches, pages.NotificationSwitch{Text: s.Name, Value: s.ID, On: slices.Contains(f.searches, s.ID)})
	}
	if err := a.channels(v, c, &view, f); err != nil {
		return err
	}
	for _, k := range finance.AlertKinds {
		kind := pages.NotificationKind{Name: v.Say(letters.KindName(k)), Hint: hint(v, k)}
		for _, channel := range a.usable(view) {
			name := v.Say(letters.ChannelName(channel))
			kind.Switches = append(kind.Switches, pages.NotificationSwitch{Text: name, Label: v.Say("%s by %s", kind.Name, name), Value: string(k) + "." + string(channel),
				On: slices.Contains(f.on[channel], k)})
		}
		view.Kinds = append(view.Kinds, kind)
	}
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Notifications(view))
}

// usable are the channels for which kinds can be chosen: mail always, for a mail server may be set later.
func (a *Area) usable(view pages.NotificationsView) []finance.Channel {
	all := []finance.Channel{finance.ChannelMail}
	if view.Ntfy.On {
		all = append(all, finance.ChannelNtfy)
	}
	if view.Webhook.On {
		all = append(all, finance.ChannelWebhook)
	}
	return all
}

// hint says what a kind needs.
func hint(v *shell.Visitor, k finance.AlertKind) string {
	switch k {
	case finance.AlertBalanceBelow, finance.AlertBookingAbove, finance.AlertBookingFound:
		return v.Say("You set what counts under “Your limits”.")
	case finance.AlertSyncFails:
		return v.Say("From three days on.")
	case finance.AlertConsentEnds:
		return v.Say("14, 7 and 1 days before.")
	case finance.AlertBudgetPassed:
		return v.Say("Once for a budget and month.")
	default:
		return ""
	}
}

func (f form) input(name, kind, label, hint string) ui.Input {
	return ui.Input{Name: name, Type: kind, Label: label, Hint: hint, Value: f.typed[name], Problem: f.problems[name]}
}

// channels says of each channel where it leads, when it last took a message, and what was wrong.
func (a *Area) channels(v *shell.Visitor, c show.Clock, view *pages.NotificationsView, f form) error {
	targets, err := a.Store.Targets(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	last, err := a.Store.LastMessages(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	sent, err := a.Store.LastSent(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	for _, channel := range finance.Channels {
		target, set := targets[channel]
		if f.target == channel && channel != finance.ChannelMail {
			target = f.address
		}
		shown := pages.NotificationChannel{Name: string(channel), On: set}
		switch channel {
		case finance.ChannelMail:
			shown.On = a.Messages.Sends(channel)
			shown.Facts = append(shown.Facts, ui.Fact{Name: v.Say("E-mail address"), Value: v.User.Email})
			view.Mail = shown
		case finance.ChannelNtfy:
			shown.Fields = []ui.Input{
				{Name: "ntfy_address", Label: v.Say("Address of the server"), Type: "url", Value: cmp.Or(target.Address, "https://ntfy.sh"), Problem: f.problems["ntfy_address"]},
				{Name: "ntfy_topic", Label: v.Say("Topic"), Type: "text", Value: target.Topic, Problem: f.problems["ntfy_topic"], Autocomplete: "off",
					Hint: v.Say("Letters, digits, - and _.")},
				{Name: "ntfy_token", Label: v.Say("Token, if the server wants one"), Type: "password", Autocomplete: "off", Hint: tokenHint(v, target)},
			}
		case finance.ChannelWebhook:
			shown.Fields = []ui.Input{{Name: "webhook_address", Label: v.Say("Address of the receiver"), Type: "url", Value: target.Address,
				Problem: f.problems["webhook_address"], Autocomplete: "off"}}
			if set {
				shown.Secret = targets[channel].Secret.Reveal()
			}
		}
		if at, ok := sent[channel]; ok {
			shown.Facts = append(shown.Facts, ui.Fact{Name: v.Say("Last message"), Value: v.Say("sent %s", c.When(at))})
		}
		if m, ok := last[channel]; ok && m.Reason != "" && (shown.On || set) {
			shown.Notice = &ui.Notice{Tone: ui.Warning, Title: v.Say("A message could not be sent %s", c.When(m.Tried)), Text: c.Message(letters.MessageReason(channel, m.Reason))}
		}
		switch channel {
		case finance.ChannelMail:
			view.Mail = shown
		case finance.ChannelNtfy:
			view.Ntfy = shown
		case finance.ChannelWebhook:
			view.Webhook = shown
		}
	}
	return nil
}

func tokenHint(v *shell.Visitor, t finance.Target) string {
	if t.Secret != "" {
		return v.Say("A token is stored. Empty: it stays.")
	}
	return ""
}

// save stores what is chosen, all of it or nothing.
func (a *Area) save(v *shell.Visitor) error {
	f, err := a.read(v)
	if err != nil {
		return err
	}
	if len(f.problems) > 0 {
		return a.show(v, http.StatusUnprocessableEntity, f)
	}
	if err := a.Store.SaveAlerts(v.Ctx(), v.User.ID, f.AlertSettings, f.on, f.lines, f.searches); err != nil {
		return err
	}
	if a.Changed != nil {
		a.Changed()
	}
	a.Flash(v, ui.Good, v.Say("Your notifications are saved."))
	v.SeeOther(paths.Notifications)
	return nil
}

// read reads the form.
func (a *Area) read(v *shell.Visitor) (f form, err error) {
	f = form{on: map[finance.Channel][]finance.AlertKind{}, lines: map[string]finance.AlertAmount{}, typed: map[string]string{}, problems: map[string]string{}}
	f.AlertSettings = finance.AlertSettings{Details: v.Field("details") == "yes", Digest: finance.DigestWeekly, Zone: v.Field("zone")}
	if v.Field("digest") == string(finance.DigestMonthly) {
		f.Digest = finance.DigestMonthly
	}
	for _, field := range []string{"quiet_from", "quiet_until", "zone", "cap", "above"} {
		f.typed[field] = v.Field(field)
	}
	for _, value := range v.Request.PostForm["on"] {
		kind, channel, _ := strings.Cut(value, ".")
		if k, c := finance.AlertKind(kind), finance.Channel(channel); k.Known() && c.Known() {
			f.on[c] = append(f.on[c], k)
		}
	}
	f.searches = v.Request.PostForm["search"]
	if f.Cap, err = strconv.Atoi(f.typed["cap"]); err != nil || f.Cap < 1 || f.Cap > finance.MaxCap {
		f.problems["cap"] = v.Say("Enter a number from 1 to %d.", finance.MaxCap)
	}
	if _, err := time.LoadLocation(f.Zone); err != nil || f.Zone == "Local" {
		f.problems["zone"] = v.Say("Florin does not know this time zone. Enter one such as %s.", "Europe/Berlin")
	}
	if f.typed["quiet_from"] != "" || f.typed["quiet_until"] != "" {
		for field, to := range map[string]*int{"quiet_from": &f.QuietFrom, "quiet_until": &f.QuietUntil} {
			at, err := time.Parse("15:04", f.typed[field])
			if err != nil {
				f.problems[field] = v.Say("Enter a time such as 22:00, or leave both empty.")
				continue
			}
			*to = at.Hour()*60 + at.Minute()
		}
	}
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return f, err
	}
	if currency := v.Field("above_currency"); f.typed["above"] != "" &&
		slices.ContainsFunc(accounts, func(account finance.Account) bool { return account.Currency == currency }) {
		above, err := finance.ParseAmount(f.typed["above"], currency)
		if err != nil {
			f.problems["above"] = words.In(v.Ctx()).Message(show.AmountProblem(err))
		}
		f.Above = finance.AlertAmountOf(above)
	}
	for _, account := range accounts {
		field := "line-" + account.ID
		if f.typed[field] = v.Field(field); f.typed[field] == "" {
			continue
		}
		line, err := finance.ParseBalance(f.typed[field], account.Currency)
		if err != nil {
			f.problems[field] = words.In(v.Ctx()).Message(show.AmountProblem(err))
			continue
		}
		f.lines[account.ID] = finance.AlertAmountOf(line)
	}
	return f, nil
}

// saveChannel sets up a channel, or changes where it leads.
func (a *Area) saveChannel(v *shell.Visitor) error {
	channel, err := ofPath(v)
	if err != nil {
		return err
	}
	f, err := a.stored(v)
	if err != nil {
		return err
	}
	targets, err := a.Store.Targets(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	f.target, f.address = channel, finance.Target{Address: v.Field(string(channel) + "_address"), Secret: targets[channel].Secret}
	if failure, wrong := errors.AsType[*courier.Failure](a.Messages.Courier.CheckAddress(f.address.Address)); wrong {
		f.problems[string(channel)+"_address"] = words.In(v.Ctx()).Message(letters.MessageReason(channel, string(failure.Step)))
	}
	if channel == finance.ChannelNtfy {
		f.address.Topic = v.Field("ntfy_topic")
		if !courier.CheckTopic(f.address.Topic) {
			f.problems["ntfy_topic"] = v.Say("A topic has 1 to 64 letters, digits, - and _.")
		}
		switch token := v.Field("ntfy_token"); {
		case token != "":
			f.address.Secret = finance.Secret(token)
		case f.address.Address != targets[channel].Address: // the token is of another server
			f.address.Secret = ""
		}
	} else if f.address.Secret == "" {
		f.address.Secret = courier.NewSecret()
	}
	if len(f.problems) > 0 {
		return a.show(v, http.StatusUnprocessableEntity, f)
	}
	if err := a.Store.SaveTarget(v.Ctx(), v.User.ID, channel, f.address); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The address is saved. Send a test, and choose below what comes this way."))
	v.SeeOther(paths.Notifications)
	return nil
}

// ofPath is the channel in the address, which is one that people set up.
func ofPath(v *shell.Visitor) (finance.Channel, error) {
	c := finance.Channel(v.Request.PathValue("channel"))
	if !c.Known() || c == finance.ChannelMail {
		return "", finance.ErrNotFound
	}
	return c, nil
}

// removeChannel takes a channel away.
func (a *Area) removeChannel(v *shell.Visitor) error {
	channel, err := ofPath(v)
	if err != nil {
		return err
	}
	if err := a.Store.DeleteTarget(v.Ctx(), v.User.ID, channel); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("Florin sends nothing there any more."))
	v.SeeOther(paths.Notifications)
	return nil
}

// test sends a message and waits for what becomes of it.
func (a *Area) test(v *shell.Visitor) error {
	channel := finance.Channel(v.Request.PathValue("channel"))
	if !channel.Known() || !a.Messages.Sends(channel) {
		return finance.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(v.Ctx(), testPatience)
	defer cancel()
	reason, err := a.Messages.Test(ctx, v.User.ID, channel)
	if err != nil {
		return err
	}
	if reason == "" {
		a.Flash(v, ui.Good, v.Say("The test was sent. It should arrive soon."))
	} else {
		a.Flash(v, ui.Bad, v.Say("The test was not sent. %s", words.In(v.Ctx()).Message(letters.MessageReason(channel, reason))))
	}
	v.SeeOther(paths.Notifications)
	return nil
}

// offPage asks whether a kind of message is to be turned off. It changes nothing: mail programs follow links by themselves.
func (a *Area) offPage(v *shell.Visitor) error { return a.offView(v, false) }

// off turns a kind of message off. Mail programs call it too (RFC 8058).
func (a *Area) off(v *shell.Visitor) error {
	o, err := a.Store.OffOf(finance.Secret(v.Request.URL.Query().Get("token")))
	if err != nil {
		return err
	}
	if err := a.Store.TurnOff(v.Ctx(), o); err != nil {
		return err
	}
	return a.offView(v, true)
}

func (a *Area) offView(v *shell.Visitor, done bool) error {
	token := v.Request.URL.Query().Get("token")
	o, err := a.Store.OffOf(finance.Secret(token))
	if err != nil {
		return err
	}
	return v.Page(http.StatusOK, pages.Off(pages.OffView{Frame: a.Frame(v), Kind: v.Say(letters.KindName(o.Kind)),
		Channel: v.Say(letters.ChannelName(o.Channel)), Action: paths.Off + "?" + url.Values{"token": {token}}.Encode(), Done: done}))
}
