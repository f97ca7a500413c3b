// Package walk goes through the hosted pages of a service as a person with a plain browser would, without scripts: it
// opens a page, fills in a form, follows redirects and keeps cookies. It knows the pages by what they show, so it serves tests of any
// address that speaks like ours.
package walk

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Browser is one browser with cookies of its own.
type Browser struct{ client *http.Client }

// New returns a browser without cookies. transport may be nil.
func New(transport http.RoundTripper) *Browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // it never fails without options
	}
	return &Browser{client: &http.Client{
		Transport:     transport,
		Jar:           jar,
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Cookies are those that the browser sends to an address.
func (b *Browser) Cookies(to *url.URL) []*http.Cookie { return b.client.Jar.Cookies(to) }

// SetCookies gives the browser cookies for an address, as those of another browser of the same person.
func (b *Browser) SetCookies(to *url.URL, cookies []*http.Cookie) {
	b.client.Jar.SetCookies(to, cookies)
}

// Page is where a browser has come to.
type Page struct {
	URL    *url.URL
	Status int
	Header http.Header
	Body   string
	Title  string // text of the first h1
	Lang   string // attribute lang of the document
	Forms  []Form
	Links  []string // absolute addresses of the links within main

	Message string // what the page says that a bank sends to the phone; empty when it says nothing of the kind

	// Left is the address on another site to which the last redirect leads; it was not opened. Nil on a page.
	Left *url.URL
}

// Form is a form of a page, filled in as the page has it.
type Form struct {
	Method string // GET or POST
	Action *url.URL
	Fields url.Values // what would be sent now: a box that is not ticked is missing
	Boxes  []string   // the values of all boxes that can be ticked, ticked or not
	Offers url.Values // the same by their names
	Unseen []string   // names of the fields that are typed unseen
}

// Form returns the form whose address ends in the path suffix, such as "/accept".
func (p *Page) Form(suffix string) (Form, bool) {
	i := slices.IndexFunc(p.Forms, func(f Form) bool { return strings.HasSuffix(f.Action.Path, suffix) })
	if i < 0 {
		return Form{}, false
	}
	return p.Forms[i], true
}

// Open opens an address and follows redirects within its site.
func (b *Browser) Open(ctx context.Context, address string) (*Page, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("walk: %w", err)
	}
	return b.visit(ctx, http.MethodGet, target, nil)
}

// Submit sends a form with its fields, those of changes put in their place; a field that changes to nil is left out.
func (b *Browser) Submit(ctx context.Context, form Form, changes url.Values) (*Page, error) {
	fields := maps.Clone(form.Fields)
	if fields == nil {
		fields = url.Values{}
	}
	for name, values := range changes {
		if values == nil {
			delete(fields, name)
		} else {
			fields[name] = values
		}
	}
	if form.Method == http.MethodGet {
		target := *form.Action
		target.RawQuery = fields.Encode()
		return b.visit(ctx, http.MethodGet, &target, nil)
	}
	return b.visit(ctx, http.MethodPost, form.Action, fields)
}

// Location sends a form as the page has it and returns the address to which the answer redirects, without going there.
func (b *Browser) Location(ctx context.Context, form Form) (string, error) {
	page, next, err := b.once(ctx, form.Method, form.Action, form.Fields, form.Action.Scheme+"://"+form.Action.Host)
	switch {
	case err != nil:
		return "", err
	case next == nil:
		return "", unexpected("redirect", page)
	}
	return next.String(), nil
}

const maxRedirects = 10

func (b *Browser) visit(ctx context.Context, method string, target *url.URL, fields url.Values) (*Page, error) {
	site := target.Scheme + "://" + target.Host
	for range maxRedirects {
		page, next, err := b.once(ctx, method, target, fields, site)
		if err != nil {
			return nil, err
		}
		switch {
		case next == nil:
			return page, nil
		case next.Scheme+"://"+next.Host != site:
			page.Left = next
			return page, nil
		}
		method, target, fields = http.MethodGet, next, nil
	}
	return nil, errors.New("walk: the redirects do not end")
}

// Upload submits a form with a file in one of its fields, as browsers do where the form may hold files.
func (b *Browser) Upload(ctx context.Context, form Form, changes url.Values, field, name string, content []byte) (*Page, error) {
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	fields := maps.Clone(form.Fields)
	maps.Copy(fields, changes)
	delete(fields, field)
	for other, values := range fields {
		for _, value := range values {
			if err := parts.WriteField(other, value); err != nil {
				return nil, fmt.Errorf("walk: %w", err)
			}
		}
	}
	file, err := parts.CreateFormFile(field, name)
	if err != nil {
		return nil, fmt.Errorf("walk: %w", err)
	}
	if _, err := file.Write(content); err != nil {
		return nil, fmt.Errorf("walk: %w", err)
	}
	if err := parts.Close(); err != nil {
		return nil, fmt.Errorf("walk: %w", err)
	}
	page, next, err := b.send(ctx, form.Method, form.Action, &body, parts.FormDataContentType(), form.Action.Scheme+"://"+form.Action.Host)
	if err != nil || next == nil {
		return page, err
	}
	return b.visit(ctx, http.MethodGet, next, nil)
}

// once makes one request. next is where it redirects to, nil when it is a page.
func (b *Browser) once(ctx context.Context, method string, target *url.URL, fields url.Values, site string) (page *Page, next *url.URL, err error) {
	var body io.Reader
	if fields != nil {
		body = strings.NewReader(fields.Encode())
	}
	return b.send(ctx, method, target, body, "application/x-www-form-urlencoded", site)
}

func (b *Browser) send(ctx context.Context, method string, target *url.URL, body io.Reader, kind, site string) (page *Page, next *url.URL, err error) {
	request, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, nil, fmt.Errorf("walk: %w", err)
	}
	request.Header.Set("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
	if method == http.MethodPost { // as a browser does for a form of the site itself
		request.Header.Set("Content-Type", kind)
		request.Header.Set("Origin", site)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	response, err := b.client.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("walk: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return nil, nil, fmt.Errorf("walk: read %s: %w", target.Path, err)
	}
	page = &Page{URL: target, Status: response.StatusCode, Header: response.Header, Body: string(text)}
	if location := response.Header.Get("Location"); location != "" && response.StatusCode/100 == 3 {
		if response.StatusCode != http.StatusSeeOther && method == http.MethodPost {
			return nil, nil, fmt.Errorf("walk: a form at %s was answered with the redirect %d, want 303", target.Path, response.StatusCode)
		}
		next, err = target.Parse(location)
		if err != nil {
			return nil, nil, fmt.Errorf("walk: redirect from %s: %w", target.Path, err)
		}
		return page, next, nil
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		if err := page.read(); err != nil {
			return nil, nil, fmt.Errorf("walk: the page %s cannot be read: %w", target.Path, err)
		}
	}
	return page, nil, nil
}

// read finds the heading, the forms and the links.
func (p *Page) read() error {
	decoder := xml.NewDecoder(strings.NewReader(p.Body))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var heading, main, message bool
	form := -1      // the open form
	var area string // the name of the open text area of a form
	var text strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.CharData:
			if heading {
				p.Title += string(t)
			}
			if message {
				p.Message += string(t)
			}
			text.Write(t)
		case xml.EndElement:
			switch t.Name.Local {
			case "h1":
				heading = false
			case "p":
				message = false
			case "form":
				form = -1
			case "textarea":
				if form >= 0 && area != "" {
					p.Forms[form].Fields.Add(area, strings.TrimPrefix(text.String(), "\n")) // as browsers do
				}
			case "main":
				main = false
			}
		case xml.StartElement:
			attributes := map[string]string{}
			for _, a := range t.Attr {
				attributes[a.Name.Local] = a.Value
			}
			switch t.Name.Local {
			case "p":
				_, message = attributes["data-message"]
			case "html":
				p.Lang = attributes["lang"]
			case "h1":
				heading = p.Title == ""
			case "main":
				main = true
			case "a":
				if link, err := p.URL.Parse(attributes["href"]); err == nil && main {
					p.Links = append(p.Links, link.String())
				}
			case "form":
				action, err := p.URL.Parse(attributes["action"])
				if err != nil {
					return err
				}
				method := strings.ToUpper(attributes["method"])
				if method != http.MethodPost {
					method = http.MethodGet
				}
				p.Forms = append(p.Forms, Form{Method: method, Action: action, Fields: url.Values{}, Offers: url.Values{}})
				form = len(p.Forms) - 1
			case "input":
				if form >= 0 {
					p.Forms[form].field(attributes)
				}
			case "textarea":
				text.Reset()
				if area = attributes["name"]; has(attributes, "disabled") {
					area = ""
				}
			}
		}
	}
	p.Title = strings.Join(strings.Fields(p.Title), " ")
	p.Message = strings.TrimSpace(p.Message)
	return nil
}

func has(attributes map[string]string, name string) bool {
	_, there := attributes[name]
	return there
}

// field notes a field as a browser would send it.
func (f *Form) field(attributes map[string]string) {
	name := attributes["name"]
	if has(attributes, "disabled") || name == "" {
		return
	}
	switch attributes["type"] {
	case "password":
		f.Unseen = append(f.Unseen, name)
	case "checkbox", "radio":
		f.Boxes = append(f.Boxes, attributes["value"])
		f.Offers.Add(name, attributes["value"])
		if !has(attributes, "checked") {
			return
		}
	}
	f.Fields.Add(name, attributes["value"])
}
