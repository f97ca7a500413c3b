package walk

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
)

// Pay walks from the address of a payment through its review, sign-in, the bank's look at the order and the one-time code
// back to the application, and returns the redirect with its query. The code comes from the message that the page shows
// for the phone. What a page wants done on a phone is done in another browser. Whatever page comes in between unexpected
// is an error that names it.
func (b *Browser) Pay(ctx context.Context, start string, person Person) (*url.URL, error) {
	page, err := b.ToOrder(ctx, start, person)
	if err != nil {
		return nil, err
	}
	if phone, ok := page.Phone(); ok {
		if err := New(b.client.Transport).PayOnPhone(ctx, phone, person); err != nil {
			return nil, err
		}
		return left(b.Open(ctx, page.URL.String()))
	}
	if page, err = b.Order(ctx, page, person); err != nil {
		return nil, err
	}
	if page.Left != nil { // a bank without a code
		return page.Left, nil
	}
	return left(b.Confirm(ctx, page))
}

// ToOrder opens a payment, accepts and signs in. It returns the page that shows the order at the bank, or the page that
// waits for another device.
func (b *Browser) ToOrder(ctx context.Context, start string, person Person) (*Page, error) {
	page, err := b.ToBank(ctx, start)
	if err != nil {
		return nil, err
	}
	return b.SignIn(ctx, page, person)
}

// PayOnPhone signs in and approves the order on the page that another page shows for the phone.
func (b *Browser) PayOnPhone(ctx context.Context, address string, person Person) error {
	page, err := b.Open(ctx, address)
	if err != nil {
		return err
	}
	if page, err = b.SignIn(ctx, page, person); err != nil {
		return err
	}
	if page, err = b.Order(ctx, page, person); err != nil {
		return err
	}
	if _, again := page.Form("/order"); again || page.Status != http.StatusOK {
		return unexpected("end on the phone", page)
	}
	return nil
}

// Order goes on with the order that a page shows: from the first of Person.Accounts, or the account that the page has
// chosen, or the first one that it offers.
func (b *Browser) Order(ctx context.Context, page *Page, person Person) (*Page, error) {
	form, ok := page.Form("/order")
	if !ok {
		return nil, unexpected("order", page)
	}
	changes := url.Values{}
	switch {
	case len(person.Accounts) > 0:
		changes.Set("account", person.Accounts[0])
	case form.Fields.Get("account") == "" && len(form.Offers["account"]) > 0:
		changes.Set("account", form.Offers["account"][0])
	}
	if person.Despite && len(form.Offers["despite"]) > 0 {
		changes["despite"] = form.Offers["despite"]
	}
	return b.Submit(ctx, form, changes)
}

// Confirm types in the one-time code of the message that a page shows.
func (b *Browser) Confirm(ctx context.Context, page *Page) (*Page, error) {
	form, ok := page.Form("/code")
	if !ok || page.Code() == "" {
		return nil, unexpected("code for the payment", page)
	}
	return b.Submit(ctx, form, url.Values{"code": {page.Code()}})
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// Code is the one-time code in the message that a page shows for the phone: the first number of six digits; empty when
// there is none.
func (p *Page) Code() string { return sixDigits.FindString(p.Message) }
