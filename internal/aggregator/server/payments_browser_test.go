package server_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

type step = chromedp.Action[chromedp.Void]

// payments are journeys of a person in a browser through a payment.
type payments struct {
	*service
	application string
	arrived     chan url.Values
	ctx         context.Context //nolint:containedctx // of the window
}

// paying starts a service and opens a window.
func paying(t *testing.T) *payments {
	t.Helper()
	application, arrived := waitingApplication(t)
	ctx := openWindow(t)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(390, 800)); err != nil { // it lives as long as this context
		t.Fatal(err)
	}
	return &payments{service: run(t, strings.Repeat("Haushaltsbuch", 7), "", application+"/callback"), application: application, arrived: arrived, ctx: ctx}
}

// begin orders a payment, and returns the step that opens it on a narrow screen.
func (p *payments) begin(bank openbanking.ASPSP, change func(*openbanking.CreatePaymentRequest)) (id string, open step) {
	p.t.Helper()
	id, start := p.order(bank, func(r *openbanking.CreatePaymentRequest) {
		r.RedirectURL = p.application + "/callback"
		if change != nil {
			change(r)
		}
	})
	return id, chromedp.Steps(chromedp.EmulateViewport(390, 800), chromedp.Navigate(start))
}

// walks takes steps.
func (p *payments) walks(t *testing.T, steps ...step) {
	t.Helper()
	soon, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(soon, steps...); err != nil {
		t.Fatal(err)
	}
}

// arrives takes steps that end at the application, with an error or, where want is empty, with the state alone.
func (p *payments) arrives(t *testing.T, want string, steps ...step) {
	t.Helper()
	p.walks(t, append(steps, chromedp.WaitVisible("#done"))...)
	q := <-p.arrived
	if q.Get("state") != "the state" || q.Get("error_description") != want || want == "" && len(q) != 1 {
		t.Errorf("back with %v, want %q", q, want)
	}
}

// scripts switches scripts on or off.
func scripts(on bool) step {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return chromedp.Void{}, err
	}
}

// typeCode types in the code of the message that the page shows.
func typeCode(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
	message, err := chromedp.Evaluate[string](`document.querySelector("[data-message]").textContent`)(ctx, target)
	if err != nil {
		return chromedp.Void{}, err
	}
	return chromedp.SendKeys("#code", (&walk.Page{Message: message}).Code())(ctx, target)
}

// until waits for an expression to be true, on this page or the next.
func until(expression string) step {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		for {
			if ok, err := chromedp.Evaluate[bool](expression)(ctx, target); err == nil && ok { // an error: the page is on its way
				return chromedp.Void{}, nil
			}
			select {
			case <-ctx.Done():
				shown, _ := chromedp.Evaluate[string](`location.href + " " + document.body.innerText.slice(0, 200)`)(context.WithoutCancel(ctx), target)
				return chromedp.Void{}, fmt.Errorf("it never came true: %s, on %s", expression, shown)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

// script runs a script in the page, which may leave it.
func script(text string) step {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Evaluate[bool]("setTimeout(() => { "+text+" }), true")(ctx, target)
		return chromedp.Void{}, err
	}
}

// says waits for a page with this heading.
func says(title string) step {
	return until(fmt.Sprintf(`document.querySelector("h1")?.textContent.trim() === %q`, title))
}

var (
	pressAccept  = press(`form[action$="/accept"] button`)
	pressOrder   = press(`button[form="order"]`)
	lenaSignsIn  = signsIn(lena)
	felixSignsIn = chromedp.Steps(
		chromedp.WaitVisible("#credential-1"), chromedp.SendKeys("#credential-1", felix.Username), chromedp.SendKeys("#credential-2", felix.Password),
		press(`form[action*="/credentials"] button`),
	)
	noorIsNamed = chromedp.Steps(chromedp.WaitVisible("#credential-1"), chromedp.SendKeys("#credential-1", noor.Username),
		press(`form[action*="/credentials"] button`), chromedp.WaitVisible(".qr"))
	typesCode = chromedp.Steps(chromedp.WaitVisible("#code"), typeCode, press(`form[action*="/code"] button`))
)

// signsIn signs a person in on the bank's site.
func signsIn(person walk.Person) step {
	return chromedp.Steps(
		chromedp.WaitVisible("#username"), chromedp.SendKeys("#username", person.Username), chromedp.SendKeys("#password", person.Password),
		press(`form[action*="/sign-in"] button`),
	)
}

// phoned approves on the phone that the page waits for.
func phoned(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
	address, err := chromedp.Evaluate[string](`document.querySelector("a[target=_blank]").href`)(ctx, target)
	if err == nil {
		err = walk.New(nil).PayOnPhone(ctx, address, noor)
	}
	return chromedp.Void{}, err
}

// A person pays in a browser at a bank of each approach, with scripts and without.
func TestBrowserPays(t *testing.T) {
	testkit.Unwatched(t)
	p := paying(t)
	tests := []struct {
		name   string
		bank   openbanking.ASPSP
		change func(*openbanking.CreatePaymentRequest)
		steps  []step
	}{
		{"redirect", redirectBank, nil, []step{pressAccept, lenaSignsIn, pressOrder, typesCode}},
		{"decoupled", noorsBank, nil, []step{pressAccept, noorIsNamed, phoned}},
		{"embedded", lindwurm, by("direct"), []step{pressAccept, felixSignsIn, pressOrder, typesCode}},
	}
	for _, on := range []bool{true, false} {
		for _, test := range tests {
			t.Run(fmt.Sprintf("%s, scripts %v", test.name, on), func(t *testing.T) {
				id, open := p.begin(test.bank, test.change)
				p.arrives(t, "", append([]step{scripts(on), open}, test.steps...)...)
				if payment, had := p.settled(id); payment.Status == openbanking.PaymentStatusRJCT || payment.Status == openbanking.PaymentStatusCNCL {
					t.Errorf("statuses %v", had)
				}
			})
		}
	}
}

// What becomes of a payment after the browser is back: one that the account does not cover, and one of which a part is rejected.
func TestBrowserPaysWhatTheBankRejects(t *testing.T) {
	testkit.Unwatched(t)
	p := paying(t)
	id, open := p.begin(redirectBank, func(r *openbanking.CreatePaymentRequest) {
		r.PaymentRequest.CreditTransferTransaction[0].InstructedAmount.Amount = "900000"
	})
	p.arrives(t, "", open, pressAccept, lenaSignsIn, pressOrder, typesCode)
	if payment, _ := p.settled(id); payment.Status != openbanking.PaymentStatusRJCT || payment.StatusReasonInformation == nil ||
		payment.StatusReasonInformation.StatusReasonCode != "AM04" {
		t.Errorf("insufficient funds: status %s, reason %+v", payment.Status, payment.StatusReasonInformation)
	}

	bank, change := p.bulk()
	id, open = p.begin(bank, change)
	p.arrives(t, "", open, pressAccept, signsIn(officina), pressOrder, typesCode)
	if payment, had := p.settled(id); !slices.Contains(had, openbanking.PaymentStatusPART) || partly(payment) != "ACSC RJCT ACSC" {
		t.Errorf("bulk: statuses %v, of the transactions %s", had, partly(payment))
	}
}

// A person who gives up comes back from each site.
func TestBrowserCancelsAPayment(t *testing.T) {
	testkit.Unwatched(t)
	p := paying(t)
	decline := press(`form[action*="/decline"] button`)
	tests := []struct {
		name   string
		bank   openbanking.ASPSP
		change func(*openbanking.CreatePaymentRequest)
		steps  []step
	}{
		{"the first page", redirectBank, nil, []step{press(`form[action$="/cancel"] button`)}},
		{"the bank", redirectBank, nil, []step{pressAccept, lenaSignsIn, chromedp.WaitVisible("#order"), decline}},
		{"the bank's code", redirectBank, nil, []step{pressAccept, lenaSignsIn, pressOrder, chromedp.WaitVisible("#code"), decline}},
		{"the service's code", lindwurm, by("direct"), []step{pressAccept, felixSignsIn, pressOrder, chromedp.WaitVisible("#code"), decline}},
		{"the page that waits", noorsBank, nil, []step{pressAccept, noorIsNamed, decline}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id, open := p.begin(test.bank, test.change)
			p.arrives(t, "Cancelled by user", append([]step{open}, test.steps...)...)
			if payment := p.payment(id); payment.Status != openbanking.PaymentStatusCNCL {
				t.Errorf("status %s", payment.Status)
			}
		})
	}
}

func TestBrowserWithFiveWrongCodes(t *testing.T) {
	testkit.Unwatched(t)
	p := paying(t)
	id, open := p.begin(redirectBank, nil)
	steps := []step{open, pressAccept, lenaSignsIn, pressOrder}
	for i := range 5 {
		steps = append(steps, chromedp.WaitVisible("#code"))
		if i > 0 {
			steps = append(steps, until(fmt.Sprintf(`document.querySelector("#problem")?.textContent.includes("You have %d attempt")`, 5-i)))
		}
		steps = append(steps, chromedp.SendKeys("#code", "no code"), press(`form[action*="/code"] button`))
	}
	p.arrives(t, "Too many wrong attempts at the bank", append(steps, says("Access is blocked"), press(`.message a.btn`))...)
	if payment := p.payment(id); payment.Status != openbanking.PaymentStatusRJCT {
		t.Errorf("status %s", payment.Status)
	}
}

// Without a mouse: a name that does not fit its account takes a deliberate tick, and the browser itself asks for it.
func TestBrowserWithKeysAlone(t *testing.T) {
	testkit.Unwatched(t)
	p := paying(t)
	name := "Verein Lindenhof WRONG"
	_, open := p.begin(redirectBank, func(r *openbanking.CreatePaymentRequest) {
		r.PaymentRequest.CreditTransferTransaction[0].Beneficiary.Creditor.Name = &name
	})
	p.arrives(t, "",
		open, chromedp.SendKeys(`form[action$="/accept"] button`, "\r"),
		chromedp.WaitVisible("#username"), chromedp.SendKeys("#username", lena.Username), chromedp.SendKeys("#password", lena.Password+"\r"),
		chromedp.WaitVisible("#despite"), chromedp.SendKeys(`button[form="order"]`, "\r"), says("Check your payment"),
		chromedp.SendKeys("#debtor-1", " "), chromedp.SendKeys("#despite", " "), chromedp.SendKeys(`button[form="order"]`, "\r"),
		chromedp.WaitVisible("#code"), typeCode, chromedp.SendKeys("#code", "\r"),
	)
}

// Reloading, and going back after the end, pays nothing twice.
func TestBrowserGoesBackAfterPaying(t *testing.T) {
	testkit.Unwatched(t)
	p := paying(t)
	for name, test := range map[string]struct {
		bank   openbanking.ASPSP
		change func(*openbanking.CreatePaymentRequest)
		signIn step
	}{"at the bank": {redirectBank, nil, lenaSignsIn}, "on the service's pages": {lindwurm, by("direct"), felixSignsIn}} {
		t.Run(name, func(t *testing.T) {
			id, open := p.begin(test.bank, test.change)
			reload := chromedp.Reload()
			p.arrives(t, "", open, reload, pressAccept, test.signIn, chromedp.WaitVisible("#order"), reload, pressOrder, chromedp.WaitVisible("#code"), reload,
				typesCode)
			p.walks(t, script("history.back()"), until(`!location.pathname.startsWith("/done")`), script("location.reload()"), says("This payment is already closed here"))
			if payment, had := p.settled(id); payment.Status == openbanking.PaymentStatusRJCT || payment.Status == openbanking.PaymentStatusCNCL {
				t.Errorf("statuses %v", had)
			}
		})
	}
}

// WCAG 2.2, 1.4.10: the pages of a payment fit 320 px, whatever names and amounts are in it.
func TestPagesOfAPaymentFitTheNarrowestScreen(t *testing.T) {
	testkit.Unwatched(t)
	p := paying(t)
	long := strings.Repeat("Donaudampfschifffahrts", 3)
	_, open := p.begin(redirectBank, func(r *openbanking.CreatePaymentRequest) {
		transaction := &r.PaymentRequest.CreditTransferTransaction[0]
		transaction.InstructedAmount.Amount = "12345678.90"
		transaction.Beneficiary.Creditor.Name = &long
		transaction.RemittanceInformation = []string{strings.Repeat("x", 140)}
	})
	narrow := chromedp.Steps(chromedp.WaitVisible("h1"), func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		width, err := chromedp.Evaluate[int](`document.documentElement.scrollWidth`)(ctx, target)
		if err == nil && width > 320 {
			err = fmt.Errorf("the page is %d px wide", width)
		}
		return chromedp.Void{}, err
	})
	p.arrives(t, "Cancelled by user",
		open, chromedp.EmulateViewport(320, 640), narrow, pressAccept, chromedp.WaitVisible("#username"), narrow, lenaSignsIn,
		chromedp.WaitVisible("#order"), narrow, pressOrder, chromedp.WaitVisible("#code"), narrow, press(`form[action*="/decline"] button`))
}
