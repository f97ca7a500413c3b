package walk

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Person is what somebody types in at a bank. A bank that does not ask for something does not get it.
type Person struct {
	Method   string // name of the method to choose where there is a choice; empty: as the page has it
	Username string
	Password string
	Code     string   // the one-time code
	Accounts []string // values of the boxes to tick; nil: as the bank's page has them, or all when none is ticked. Of a payment: the account that it goes from
	Despite  bool     // pay although the name of a payee does not fit the account
}

// Approve walks from the address of an authorisation through consent, sign-in, code and choice of accounts back to the
// application, and returns the redirect with its query. What a page wants done on a phone is done in another browser.
// Whatever page comes in between unexpected is an error that names it.
func (b *Browser) Approve(ctx context.Context, start string, person Person) (*url.URL, error) {
	page, err := b.ToBank(ctx, start)
	if err != nil {
		return nil, err
	}
	if page, err = b.SignIn(ctx, page, person); err != nil {
		return nil, err
	}
	if phone, ok := page.Phone(); ok {
		if err := New(b.client.Transport).approveOnPhone(ctx, phone, person); err != nil {
			return nil, err
		}
		return left(b.Open(ctx, page.URL.String()))
	}
	return left(b.choose(ctx, page, person))
}

// approveOnPhone signs in and approves on the page that another page shows for the phone.
func (b *Browser) approveOnPhone(ctx context.Context, address string, person Person) error {
	page, err := b.Open(ctx, address)
	if err != nil {
		return err
	}
	if page, err = b.SignIn(ctx, page, person); err != nil {
		return err
	}
	if page, err = b.choose(ctx, page, person); err != nil {
		return err
	}
	if _, again := page.Form("/approve"); again || page.Status != http.StatusOK {
		return unexpected("end on the phone", page)
	}
	return nil
}

// choose chooses accounts and approves.
func (b *Browser) choose(ctx context.Context, page *Page, person Person) (*Page, error) {
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
	return b.Submit(ctx, form, changes)
}

// Phone returns the address that a page shows for another device.
func (p *Page) Phone() (address string, ok bool) {
	i := slices.IndexFunc(p.Links, func(link string) bool {
		target, err := url.Parse(link)
		return err == nil && strings.HasSuffix(target.Path, "/authorize")
	})
	if i < 0 {
		return "", false
	}
	return p.Links[i], true
}

// ToBank opens an authorisation, accepts, and returns the first page on which the bank, or the service in its stead, asks.
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

// SignIn chooses a method where there is a choice, and signs in with what the method asks for, on the bank's site or on the
// service's, with the one-time code if the bank asks for one. It returns the page after that: the choice of accounts, or
// the page that waits for another device. A bank without a sign-in leaves the page as it is.
func (b *Browser) SignIn(ctx context.Context, page *Page, person Person) (*Page, error) {
	var err error
	if form, ok := page.Form("/method"); ok {
		changes := url.Values{}
		if person.Method != "" {
			changes.Set("method", person.Method)
		}
		if page, err = b.Submit(ctx, form, changes); err != nil {
			return nil, err
		}
	}
	if form, ok := page.Form("/credentials"); ok {
		if page, err = b.Submit(ctx, form, person.credentials(form)); err != nil {
			return nil, err
		}
	}
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

// credentials fills in what is empty in a form: the password in fields that are typed unseen, the user in others.
func (p Person) credentials(form Form) url.Values {
	changes := url.Values{}
	for name := range form.Fields {
		switch {
		case form.Fields.Get(name) != "" || !strings.HasPrefix(name, "credential."):
		case slices.Contains(form.Unseen, name):
			changes.Set(name, p.Password)
		default:
			changes.Set(name, p.Username)
		}
	}
	return changes
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

// Decline declines where the bank, or the service in its stead, asks, and returns the redirect to the application.
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
