package walk

import (
	"context"
	"fmt"
	"net/url"
)

// Person is what somebody types in at a bank. A bank that does not ask for something does not get it.
type Person struct {
	Username string
	Password string
	Code     string   // the one-time code
	Accounts []string // values of the boxes to tick; nil: as the bank's page has them, or all when none is ticked
}

// Approve walks from the address of an authorisation through consent, sign-in, code and choice of accounts back to the
// application, and returns the redirect with its query. Whatever page comes in between unexpected is an error that names it.
func (b *Browser) Approve(ctx context.Context, start string, person Person) (*url.URL, error) {
	page, err := b.ToBank(ctx, start)
	if err != nil {
		return nil, err
	}
	if page, err = b.SignIn(ctx, page, person); err != nil {
		return nil, err
	}
	form, ok := page.Form("/approve")
	if !ok {
		return nil, unexpected("choice of accounts", page)
	}
	accounts := person.Accounts
	if accounts == nil && form.Fields["account"] == nil {
		accounts = form.Boxes
	}
	changes := url.Values{}
	if accounts != nil {
		changes["account"] = accounts
	}
	return left(b.Submit(ctx, form, changes))
}

// ToBank opens an authorisation, accepts, and returns the first page of the bank.
func (b *Browser) ToBank(ctx context.Context, start string) (*Page, error) {
	page, err := b.Open(ctx, start)
	if err != nil {
		return nil, err
	}
	form, ok := page.Form("/accept")
	if !ok {
		return nil, unexpected("consent", page)
	}
	return b.Submit(ctx, form, nil)
}

// SignIn signs in on a bank's first page, with the one-time code if the bank asks for one, and returns the page after that. A
// bank without a sign-in leaves the page as it is.
func (b *Browser) SignIn(ctx context.Context, page *Page, person Person) (*Page, error) {
	var err error
	if form, ok := page.Form("/sign-in"); ok {
		page, err = b.Submit(ctx, form, url.Values{"username": {person.Username}, "password": {person.Password}})
		if err != nil {
			return nil, err
		}
	}
	if form, ok := page.Form("/code"); ok {
		page, err = b.Submit(ctx, form, url.Values{"code": {person.Code}})
		if err != nil {
			return nil, err
		}
	}
	return page, nil
}

// Cancel opens an authorisation, cancels on the service's page, and returns the redirect to the application.
func (b *Browser) Cancel(ctx context.Context, start string) (*url.URL, error) {
	page, err := b.Open(ctx, start)
	if err != nil {
		return nil, err
	}
	form, ok := page.Form("/cancel")
	if !ok {
		return nil, unexpected("consent", page)
	}
	return left(b.Submit(ctx, form, nil))
}

// Decline declines on a page of a bank and returns the redirect to the application.
func (b *Browser) Decline(ctx context.Context, page *Page) (*url.URL, error) {
	form, ok := page.Form("/decline")
	if !ok {
		return nil, unexpected("bank", page)
	}
	return left(b.Submit(ctx, form, nil))
}

func left(page *Page, err error) (*url.URL, error) {
	if err != nil {
		return nil, err
	}
	if page.Left == nil {
		return nil, unexpected("way back to the application", page)
	}
	return page.Left, nil
}

func unexpected(wanted string, page *Page) error {
	return fmt.Errorf("walk: no %s, but a page with status %d: %q", wanted, page.Status, page.Title)
}
