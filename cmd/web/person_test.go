package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"florin/internal/contract/walk"
	"florin/internal/webauthn/webauthntest"
	"florin/web/templates/pages"
)

// person uses the pages with a plain HTTP client. It is fast where the pages are not what is tested, and proves that no browser is needed.
type person struct {
	t       testing.TB
	browser *walk.Browser
	page    *walk.Page

	again           sync.Mutex // one sign-in at a time: concurrent ones count as attempts
	email, password string
}

func newPerson(t testing.TB) *person { return &person{t: t, browser: walk.New(nil)} }

// visit opens an address and returns the page.
func (p *person) visit(address string) *walk.Page {
	p.t.Helper()
	return p.at(p.browser.Open(context.Background(), address))
}

// send sends the form of the page whose address ends in suffix.
func (p *person) send(suffix string, fields url.Values) *walk.Page {
	p.t.Helper()
	form, ok := p.page.Form(suffix)
	if !ok {
		p.fatalf("there is no form %q", suffix)
	}
	for name := range fields {
		if _, known := form.Fields[name]; !known && len(form.Boxes) == 0 {
			p.fatalf("the form %q has no field %q", suffix, name)
		}
	}
	return p.at(p.browser.Submit(context.Background(), form, fields))
}

// request sends an empty form to an address, or opens it.
func (p *person) request(method, address string) *walk.Page {
	p.t.Helper()
	action, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.at(p.browser.Submit(context.Background(), walk.Form{Method: method, Action: action}, nil))
}

// at stores the page. When the page asks for the password before a setting is changed, the person types it.
func (p *person) at(page *walk.Page, err error) *walk.Page {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	p.page = page
	if i := slices.IndexFunc(page.Forms, func(f walk.Form) bool { return f.Fields.Has(pages.StepUpField) }); i >= 0 && page.Status == http.StatusForbidden {
		return p.at(p.browser.Submit(context.Background(), page.Forms[i], url.Values{"password": {cmp.Or(p.password, ownerPassword)}}))
	}
	return page
}

// sees fails unless the page has this status and contains each of the texts.
func (p *person) sees(status int, texts ...string) {
	p.t.Helper()
	if p.page.Status != status {
		p.fatalf("the status is %d, want %d", p.page.Status, status)
	}
	for _, text := range texts {
		if !strings.Contains(p.page.Body, text) {
			p.fatalf("the page does not show %q", text)
		}
	}
}

func (p *person) fatalf(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("%s\n\nThe page %s (status %d, %q):\n%s", fmt.Sprintf(format, args...), p.page.URL, p.page.Status, p.page.Title, p.page.Body)
}

// leaving returns the first link on the page that begins with to.
func (p *person) leaving(to string) string {
	p.t.Helper()
	for _, link := range p.page.Links {
		if strings.HasPrefix(link, to) {
			return link
		}
	}
	p.fatalf("no link leads to %s", to)
	return ""
}

// The people of the tests.
const (
	ownerName     = "Ada Brandt"
	ownerEmail    = "ada@home.example"
	ownerPassword = "correct horse battery"
)

// exampleCustomer is a sample user of exampleBank.
var exampleCustomer = walk.Person{Username: "lena", Password: "moewe-27", Code: "271828"}

// setUp creates the owner, who is then signed in.
func (p *person) setUp(f *florin) {
	p.t.Helper()
	p.email, p.password = ownerEmail, ownerPassword
	p.visit(f.setup)
	p.send("/setup", url.Values{"email": {ownerEmail}, "password": {ownerPassword}})
	p.sees(200, "No bank is linked yet")
}

// linked starts a Florin whose owner has linked exampleBank and synced everything.
func linked(t testing.TB, arguments ...string) (*florin, *person) {
	t.Helper()
	f, owner := spawn(t, arguments...), newPerson(t)
	owner.setUp(f)
	owner.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	f.synced()
	return f, owner
}

// signIn signs in somebody who has an account.
func (p *person) signIn(f *florin, email, password string) {
	p.t.Helper()
	p.email, p.password = email, password
	p.visit(f.web + "/sign-in")
	p.send("/sign-in", url.Values{"email": {email}, "password": {password}})
}

// link links a bank, with all accounts of the user, and ends on the page that confirms it. When the bank is linked already, it is linked for another user.
func (p *person) link(f *florin, bank, country string, as walk.Person) {
	p.t.Helper()
	p.visit(f.web + "/link?" + url.Values{"q": {bank}, "country": {country}}.Encode())
	p.visit(p.leaving(f.web + "/link/bank"))
	choices := url.Values{}
	if strings.Contains(p.page.Body, `name="again"`) {
		choices.Set("again", "another")
	}
	p.approve(f, choices, as)
}

// approve goes from the page that confirms a bank, through the bank, to the page that says that it is linked.
func (p *person) approve(f *florin, choices url.Values, as walk.Person) {
	p.t.Helper()
	p.send("/link", choices)
	var start string
	if p.page.Left != nil {
		start = p.page.Left.String()
	} else { // the app does not know yet where the service leads, so it shows a page with the link
		start = p.leaving(f.service)
	}
	back, err := p.browser.Approve(context.Background(), start, as)
	if err != nil {
		p.t.Fatal(err)
	}
	p.visit(back.String())
	p.sees(200, "Your accounts there")
}

// addPasskey gives the person a passkey on a device.
func (p *person) addPasskey(f *florin, d *webauthntest.Device) {
	p.t.Helper()
	p.visit(f.web + "/settings")
	p.send("/settings/passkeys/new", nil)
	p.sees(200, "Create the passkey")
	making := p.page
	p.request(http.MethodPost, f.web+"/settings/passkeys/options")
	made := d.Create(p.t, []byte(p.page.Body))
	p.page = making
	p.send("/settings/passkeys", url.Values{"new_passkey": {made}})
	p.sees(200, "From now on it signs you in.")
}

// shownSecret matches the secret of an authenticator app on the page that sets it up.
var shownSecret = regexp.MustCompile(`(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}`)

// codeOf returns the code that an app with the secret on a page shows at a moment.
func codeOf(t testing.TB, page string, at time.Time) string {
	t.Helper()
	secret := strings.ReplaceAll(shownSecret.FindString(page), " ", "")
	code, err := totp.GenerateCode(secret, at)
	if err != nil || secret == "" {
		t.Fatalf("no code for the secret of the page: %v", err)
	}
	return code
}

// addApp gives the person an authenticator app.
func (p *person) addApp(f *florin) {
	p.t.Helper()
	p.visit(f.web + "/settings")
	p.send("/settings/authenticators/new", nil)
	p.sees(200, "Add an authenticator app")
	p.send("/settings/authenticators", url.Values{"app_code": {codeOf(p.t, p.page.Body, time.Now())}})
	p.sees(200, "Your recovery codes")
}
