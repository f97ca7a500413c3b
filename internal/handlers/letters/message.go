package letters

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"florin/internal/courier"
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// kindNames are the kinds of messages as the settings call them.
var kindNames = map[finance.AlertKind]words.Text{
	finance.AlertDebit:        "Unusual direct debits",
	finance.AlertBalanceBelow: "A balance below your limit",
	finance.AlertBookingAbove: "Large bookings",
	finance.AlertBookingFound: "Bookings that match a saved search",
	finance.AlertBudgetPassed: "A budget that is used up",
	finance.AlertPaymentEnded: "How a payment ended",
	finance.AlertConsentEnds:  "A consent that ends soon",
	finance.AlertSyncFails:    "No data from a bank for days",
	finance.AlertDigest:       "The summary",
	finance.AlertMore:         "All messages",
}

// KindName is what the settings call a kind of message.
func KindName(k finance.AlertKind) words.Text { return kindNames[k] }

// ChannelName is what the settings call a channel.
func ChannelName(c finance.Channel) words.Text {
	switch c {
	case finance.ChannelNtfy:
		return "ntfy"
	case finance.ChannelWebhook:
		return "Webhook"
	default:
		return "E-mail"
	}
}

// Message words a message in the language of its person. Names and amounts are in it only where the person wants them; the way to the page is always.
func (w Writer) Message(off func(store.Off) finance.Secret) func(context.Context, finance.Message) courier.Letter {
	return func(_ context.Context, m finance.Message) courier.Letter {
		c := show.Clock{Language: words.Speaking(words.App, m.Language), Now: time.Now().In(w.Location)}
		title, text, path := message(c, m)
		if m.Late {
			text += "\n" + c.Say("This message is late: it is from %s.", c.LongDate(m.Alert.Created))
		}
		kind := m.Alert.Kind
		if !kind.Known() { // what nobody switches turns off all of its channel
			kind = finance.AlertMore
		}
		token := off(store.Off{UserID: m.User.ID, Kind: kind, Channel: m.Channel})
		l := courier.Letter{Title: title, Text: text, Link: w.PublicURL.String() + path, OffText: c.Say("Turn this off")}
		l.Off = w.PublicURL.String() + paths.Off + "?" + url.Values{"token": {token.Reveal()}}.Encode()
		l.Mail = strings.Join([]string{text, c.Say("See it in Florin:") + "\n" + l.Link, c.Say("No more messages of this kind by e-mail:") + "\n" + l.Off,
			"-- \n" + c.Say("Florin at %s", w.PublicURL.String())}, "\n\n") + "\n"
		return l
	}
}

// message says what has happened in a title and a text, and which page tells more.
func message(c show.Clock, m finance.Message) (title, text, path string) {
	f, full := m.Alert.Facts, m.Details
	amount := func(a finance.AlertAmount) string {
		of, _ := a.Money()
		return c.Money(of)
	}
	account := ""
	if full && m.Account.ID != "" {
		account = c.Say("Account: %s", c.AccountName(m.Account))
	}
	rest := func(parts ...string) string {
		var all []string
		for _, p := range parts {
			if p != "" {
				all = append(all, p)
			}
		}
		return strings.Join(all, "\n")
	}
	row := paths.Transactions
	switch {
	case f.Account != "" && f.Transaction != 0:
		row = paths.Transaction(f.Account, strconv.FormatInt(f.Transaction, 10))
	case f.Account != "":
		row = paths.Account(f.Account)
	}
	name := c.TransactionName(f.Name)
	switch m.Alert.Kind {
	case finance.AlertBalanceBelow:
		title = c.Say("A balance is below your limit")
		text = c.Say("The balance of an account has fallen below the limit that you set. Florin tells you again only after it has been above the limit.")
		if full {
			title = c.Say("%s: %s", c.AccountName(m.Account), amount(f.Amount))
			text = rest(c.Say("The balance is below your limit of %s.", amount(f.Limit)), c.Say("Florin tells you again only after it has been above the limit."))
		}
		return title, text, paths.Account(f.Account)
	case finance.AlertBookingAbove:
		if f.Count > 1 {
			return c.Say("%d bookings above your limit", f.Count), c.Say("They came with one sync, so Florin reports them together."), paths.Transactions
		}
		if full {
			return c.Say("%s: %s", name, amount(f.Amount)), rest(c.Say("A booking above your limit of %s.", amount(f.Limit)), account), row
		}
		return c.Say("A booking above your limit"), c.Say("There is a booking above your limit in an account."), row
	case finance.AlertBookingFound:
		if f.Count > 1 {
			title = c.Say("%d bookings match a search that you saved", f.Count)
			text = c.Say("They came with one sync, so Florin reports them together.")
			if full {
				text = rest(c.Say("Search: %s", f.SearchName), text)
			}
			return title, text, paths.Transactions
		}
		if full {
			return c.Say("%s: %s", name, amount(f.Amount)), rest(c.Say("Search: %s", f.SearchName), account), row
		}
		return c.Say("A booking matches a search that you saved"), c.Say("There is a new booking in an account that matches a search of yours."), row
	case finance.AlertBudgetPassed:
		if full {
			return c.Say("The budget for %s is used up", f.Name), c.Say("%s of %s are spent.", amount(f.Amount), amount(f.Limit)), paths.Budgets
		}
		return c.Say("A budget is used up"), c.Say("This month’s spending is above one of your budgets."), paths.Budgets
	case finance.AlertPaymentEnded:
		title, text = c.Say("A payment was executed"), c.Say("The bank has executed a payment of yours. Its status is final.")
		if f.Code != "" {
			title, text = c.Say("A payment was not executed"), c.Say("A payment of yours has ended without being executed. Florin shows why.")
		}
		if full && f.Name != "" {
			title = c.Say("%s: %s", title, name)
		}
		if _, known := f.Amount.Money(); full && known {
			text = rest(c.Say("Amount: %s", amount(f.Amount)), text)
		}
		return title, text, paths.Payment(f.Payment)
	case finance.AlertConsentEnds:
		end := c.LongDate(f.Ends)
		title, text = c.Say("A consent ends on %s", end), c.Say("After that Florin gets no new transactions from the bank. The old consent works until you have given the new one.")
		if full {
			title = c.Say("Your consent at %s ends on %s", bank(m.Bank), end)
		}
		if !f.Ends.After(c.Now) {
			title, text = c.Say("A consent ended on %s", end), c.Say("Florin has had no new transactions from the bank since then. Reconnect it, and its accounts continue where they stopped.")
			if full {
				title = c.Say("Your consent at %s ended on %s", bank(m.Bank), end)
			}
		}
		return title, text, show.AgainPath(m.Bank)
	case finance.AlertSyncFails:
		title, text = c.Say("No data from a bank for days"), c.Say("Florin tries again by itself. The page of the connection says what is wrong and who has to act.")
		if full {
			title = c.Say("No data from %s since %s", bank(m.Bank), c.LongDate(f.Since))
		}
		return title, text, paths.Connection(f.Connection)
	case finance.AlertDebit:
		title, text = c.Say("Please check a direct debit"), c.Say("Florin found something unusual about a direct debit. Its page says what, and until when the bank has to refund it.")
		if full {
			title = c.Say("Please check a direct debit: %s, %s", name, amount(f.Amount))
			text = rest(text, account)
		}
		return title, text, row
	case finance.AlertDigest:
		return digest(c, m, amount)
	case finance.AlertMore:
		return c.Say("%d more messages", m.Count), c.Say("They were above your limit of messages for a day. Florin shows what has happened."), paths.Accounts
	default:
		return c.Say("Test message from Florin"), c.Say("This message has arrived. You asked for it in the settings."), paths.Notifications
	}
}

// digest says what happened in a week or a month, and what comes.
func digest(c show.Clock, m finance.Message, amount func(finance.AlertAmount) string) (title, text, path string) {
	f := m.Alert.Facts
	title = c.Say("Your week from %s to %s", c.FullDay(f.Day), c.FullDay(f.Until))
	if f.Code == string(finance.DigestMonthly) {
		title = c.Say("Your month from %s to %s", c.FullDay(f.Day), c.FullDay(f.Until))
	}
	lines := []string{c.Say("%d bookings.", f.Count)}
	if m.Details {
		for _, side := range []struct {
			text words.Text
			all  []finance.AlertAmount
		}{{"Money in: %s", f.In}, {"Money out: %s", f.Out}} {
			for _, a := range side.all {
				lines = append(lines, c.Say(side.text, amount(a)))
			}
		}
	}
	if len(f.Coming) > 0 {
		lines = append(lines, c.Say("%d debits and incomes are expected in the next week.", len(f.Coming)))
	}
	if m.Details {
		for _, e := range f.Coming {
			lines = append(lines, c.FullDay(e.Day)+": "+c.TransactionName(e.Name)+", "+amount(e.Amount))
		}
	}
	return title, strings.Join(lines, "\n"), paths.Accounts
}

// bank names a connection without a digit of its accounts.
func bank(c finance.Connection) string {
	name := show.BankName(c.ASPSP.Name)
	if c.Nickname != "" {
		return name + " (" + c.Nickname + ")"
	}
	return name
}

// MessageReason says why a message was not sent on a channel, and what to do. status says whether it is tried again.
func MessageReason(channel finance.Channel, reason string) words.Message {
	if reason == finance.MailInterrupted {
		return words.Msg("Florin was stopped while it was handing the message over. Nobody knows whether it arrived, so Florin does not send it again.")
	}
	if reason == finance.MailLate {
		return words.Msg("The server took no message for two days.")
	}
	if channel == finance.ChannelMail {
		return mailReason(reason)
	}
	switch courier.Step(reason) {
	case courier.StepAddress:
		return words.Msg("The address is not one that Florin can use. It begins with https://.")
	case courier.StepPrivate:
		return words.Msg("The address belongs to a private network. Whoever runs this server can allow such addresses with the setting %s.", "--private-channels")
	case courier.StepConnect:
		return words.Msg("The server does not answer. Check the address, and that the server runs.")
	case courier.StepTLS:
		return words.Msg("The connection to the server cannot be protected. Check that the address begins with https:// and that its certificate is valid.")
	case courier.StepRedirect:
		return words.Msg("The server sends Florin to another address. Enter that address yourself: Florin follows none.")
	case courier.StepSignIn:
		return words.Msg("The server does not accept the token, or wants one.")
	case courier.StepGone:
		return words.Msg("The server says that nothing takes messages at this address.")
	case courier.StepRefused:
		return words.Msg("The server does not accept the message.")
	case courier.StepServer:
		return words.Msg("The server answers with an error of its own. Florin tries again, after longer and longer pauses.")
	default:
		return words.Msg("The server took the message and gave no answer. Nobody knows whether it arrived.")
	}
}

// mailReason says to somebody who does not run the mail server why a mail was not sent.
func mailReason(reason string) words.Message {
	switch reason {
	case "recipient", "address":
		return words.Msg("The mail server does not accept your e-mail address.")
	case "answer":
		return words.Msg("The connection broke while Florin handed the message over. Nobody knows whether it arrives, so Florin does not send it again.")
	case "tls":
		return words.Msg("The connection to the mail server cannot be protected. Tell whoever runs this server.")
	case "connect":
		return words.Msg("The mail server does not answer. Tell whoever runs this server.")
	default:
		return words.Msg("The mail server does not accept the message. Tell whoever runs this server.")
	}
}
