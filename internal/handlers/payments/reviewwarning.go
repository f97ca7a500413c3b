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
	text := "You have not paid these accounts from Florin before: " + strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += " and " + show.Count(int64(more)) + " more"
	}
	key := togetherKey(fresh)
	return append(all, pages.ReviewWarning{Key: key, Tone: ui.Info, Title: show.Plural(len(fresh), "payment") + " go to new payees", Ticked: slices.Contains(agreed, key),
		Text: text + ". Their accounts are in the list below. Compare every character with the invoices: money that was sent is hard to get back.", Box: "I have compared these accounts"})
}

// newPayees are the warnings about new payees, when there are several.
func newPayees(warnings []finance.Warning) []finance.Warning {
	fresh := slices.DeleteFunc(slices.Clone(warnings), func(w finance.Warning) bool { return w.Code != finance.WarnNewPayee })
	if len(fresh) < 2 {
		return nil
	}
	return fresh
}

// togetherKey names several warnings as the person saw them: agreeing to these is not agreeing to others.
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
	switch w.Code {
	case finance.WarnDuplicate:
		r.Title = "You sent " + t.Amount.Format() + " " + t.Amount.Currency() + " to " + name + " " + c.Ago(w.Past.Sent) + ". Send again?"
		r.Text = "It is the same payee and the same amount."
		switch {
		case w.Past.Uncertain:
			r.Text = "It is not known whether that one was created. Look at your account first."
		case w.Past.Waiting:
			r.Text = "Your bank has not said yet what became of that one, and may have carried it out. Look at your account first."
		case w.Past.Unapproved:
			r.Title = "You began to pay " + t.Amount.Format() + " " + t.Amount.Currency() + " to " + name + " " + c.Ago(w.Past.Sent) + " and have not approved it. Begin another one?"
			r.Text = "It is the same payee and the same amount. If you approve both, both are paid."
		}
		r.Box, r.Link = "Yes, send it again", ui.Link{Text: "See that payment", Href: paths.Payment(w.Past.LocalID)}
	case finance.WarnSameReference:
		r.Title = "You paid " + name + " with the same reference " + c.When(w.Past.Sent) + ". Send again?"
		r.Text = "An invoice is paid once."
		if w.Past.Unapproved {
			r.Title = "You began to pay " + name + " with the same reference " + c.When(w.Past.Sent) + " and have not approved it. Begin another one?"
			r.Text = "If you approve both, both are paid."
		}
		r.Box, r.Link = "Yes, send it again", ui.Link{Text: "See that payment", Href: paths.Payment(w.Past.LocalID)}
	case finance.WarnChanged:
		r.Tone = ui.Bad
		r.Title = name + " has had another account until now"
		r.Text = "This payment goes to " + t.Account.Format() + ". " + changedAccount(w)
		r.Box = "I have asked the payee, and the new account is right"
	case finance.WarnOtherName:
		r.Title, r.Text = otherName(w)
		r.Box = "The account is right for " + name
	case finance.WarnFunds:
		r.Title = "This is more than the account has"
		r.Text = fundsWords(c, w.Funds) + " Your bank decides, and may refuse the payment."
		r.Box = "Pay all the same"
	default:
		r.Tone = ui.Info
		r.Title = "New payee: first payment to " + name
		if w.Saved {
			r.Title = "First payment to " + name
		}
		r.Text = "No payment from Florin to this account has gone through yet. Compare every character with the invoice: money that was sent is hard to get back."
		r.Box = "I have compared the account"
	}
	return r
}

// otherName says that an account is known under another name: as it was saved, else as it was paid.
func otherName(w finance.Warning) (title, text string) {
	if w.Saved {
		return "This account is saved under another name", "You know it as " + strings.Join(w.Known, " and ") + "."
	}
	return "This account was paid under another name", "You paid it as " + strings.Join(w.Known, " and ") + "."
}

// changedAccount says what to do when a known name has another account.
func changedAccount(w finance.Warning) string {
	return "You know " + strings.Join(w.Known, " and ") + ". A changed account on an invoice is the usual sign of a fraud: ask the payee, by a phone number that you had before."
}
