package payments

import (
	"cmp"
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/payments"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// reviewWarnings are what to agree to before a payment is sent, each with its own box. New payees of a bulk have one box together: nobody reads a hundred.
func reviewWarnings(c show.Clock, r payments.Review, agreed []string) []pages.ReviewWarning {
	fresh := newPayees(r.Warnings)
	var all []pages.ReviewWarning
	for _, w := range r.Warnings {
		if fresh == nil || w.Code != finance.WarnNewPayee {
			warning := warningWords(c, w, r.Transfers)
			warning.Ticked = slices.Contains(agreed, w.Key())
			all = append(all, warning)
		}
	}
	if fresh == nil {
		return all
	}
	var names []string
	for _, w := range fresh {
		if w.Position >= len(r.Transfers) {
			continue
		}
		if name := cmp.Or(r.Transfers[w.Position].Payee, r.Transfers[w.Position].Account.Format()); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	const most = 8
	list := c.List(names)
	if more := len(names) - most; more > 0 {
		list = c.Say("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	key := togetherKey(fresh)
	return append(all, pages.ReviewWarning{Key: key, Tone: ui.Info, Title: c.Say("%d payments go to new payees", len(fresh)), Ticked: slices.Contains(agreed, key),
		Text: c.Say("You have not paid these accounts from Florin before: %s. Compare their accounts in the list below with the invoices: it is hard to get money back.", list), Box: c.Say("I have compared these accounts")})
}

// newPayees are the warnings about new payees, when there are several.
func newPayees(warnings []finance.Warning) []finance.Warning {
	fresh := slices.DeleteFunc(slices.Clone(warnings), func(w finance.Warning) bool { return w.Code != finance.WarnNewPayee })
	if len(fresh) < 2 {
		return nil
	}
	return fresh
}

// togetherKey returns one key for several warnings. It differs for any other set of warnings, so agreeing to these does not agree to others.
func togetherKey(warnings []finance.Warning) string {
	var keys []string
	for _, w := range warnings {
		keys = append(keys, w.Key())
	}
	return "together-" + digestOf(strings.Join(keys, " "))
}

// agreedTo are the keys of the warnings whose boxes were ticked.
func agreedTo(warnings []finance.Warning, ticked []string) []string {
	agreed := slices.Clone(ticked)
	if fresh := newPayees(warnings); fresh != nil && slices.Contains(ticked, togetherKey(fresh)) {
		for _, w := range fresh {
			agreed = append(agreed, w.Key())
		}
	}
	return agreed
}

// warningWords says what to think about before paying.
func warningWords(c show.Clock, w finance.Warning, transfers []finance.PaymentTransfer) pages.ReviewWarning {
	var t finance.PaymentTransfer
	if w.Position < len(transfers) {
		t = transfers[w.Position]
	}
	name := cmp.Or(t.Payee, t.Account.Format())
	r := pages.ReviewWarning{Key: w.Key(), Tone: ui.Warning}
	again := func() {
		r.Box, r.Link = c.Say("Yes, send it again"), ui.Link{Text: c.Say("See that payment"), Href: paths.Payment(w.Past.LocalID)}
	}
	switch w.Code {
	case finance.WarnDuplicate:
		again()
		r.Title = c.Say("You sent %s to %s %s. Send it again?", t.Amount, name, c.Ago(w.Past.Sent))
		switch {
		case w.Past.Uncertain:
			r.Text = c.Say("Florin does not know whether that payment was created. Check your account first.")
		case w.Past.Waiting && w.Past.Unapproved: // in the app of the bank
			r.Title = c.Say("You prepared a payment of %s to %s %s and have not sent it. Prepare another one?", t.Amount, name, c.Ago(w.Past.Sent))
			r.Text, r.Box = c.Say("If you send both, you pay twice."), c.Say("Yes, prepare another one")
		case w.Past.Waiting:
			r.Text = c.Say("Your bank has not said yet what happened to that payment. It may have been made. Check your account first.")
		case w.Past.Unapproved:
			r.Title = c.Say("You started a payment of %s to %s %s and have not approved it. Start another one?", t.Amount, name, c.Ago(w.Past.Sent))
			r.Text = c.Say("If you approve both, you pay twice.")
		default:
			r.Text = c.Say("It is the same payee and the same amount.")
		}
	case finance.WarnSameReference:
		again()
		r.Title, r.Text = c.Say("You paid %s with the same reference %s. Send it again?", name, c.When(w.Past.Sent)), c.Say("You may have paid this invoice already.")
		if w.Past.Unapproved {
			r.Title = c.Say("You started a payment to %s with the same reference %s and have not approved it. Start another one?", name, c.When(w.Past.Sent))
			r.Text = c.Say("If you approve both, you pay twice.")
		}
	case finance.WarnChanged:
		r.Tone = ui.Bad
		r.Title = c.Say("Careful, this may be fraud: %s had another account until now.", name)
		r.Text = c.Say("This payment goes to %s.", t.Account.Format()) + " " + changedAccount(c, w)
		r.Box = c.Say("I asked the payee, and the new account is correct")
	case finance.WarnOtherName:
		r.Title, r.Text = otherName(c, w)
		r.Box = c.Say("This account belongs to %s", name)
	case finance.WarnWithdrawn:
		r.Title, r.Text = c.Say("This payment request is no longer open"), c.Say("Whoever asked you for it has withdrawn the request. It may be paid already.")
		r.Box = c.Say("Pay anyway")
	case finance.WarnFunds:
		r.Title = c.Say("This is more than the account has.")
		r.Text = fundsWords(c, w.Funds) + " " + c.Say("Your bank decides, and may refuse the payment.")
		r.Box = c.Say("Pay anyway")
	default:
		r.Tone = ui.Info
		r.Title = c.Say("New payee: your first payment to %s", name)
		if w.Saved {
			r.Title = c.Say("Your first payment to %s", name)
		}
		r.Text = c.Say("You have not paid this account from Florin before. Compare it with the invoice: it is hard to get money back.")
		r.Box = c.Say("I have compared the account")
	}
	return r
}

// otherName says that an account is known under another name: as it was saved, else as it was paid.
func otherName(c show.Clock, w finance.Warning) (title, text string) {
	if w.Saved {
		return c.Say("You saved this account under another name"), c.Say("You know it as %s.", c.List(w.Known))
	}
	return c.Say("You paid this account under another name"), c.Say("You paid it as %s.", c.List(w.Known))
}

// changedAccount says what to do when a known name has another account.
func changedAccount(c show.Clock, w finance.Warning) string {
	return c.Say("You know this payee with another account: %s. A new account number on an invoice is a common fraud: call the payee, on a phone number that you already had.", c.List(w.Known))
}
