package sandbox

import (
	"fmt"
	"regexp"
	"slices"

	"florin/internal/openbanking"
	"florin/internal/perlregexp"
)

// methodData is a way to authenticate at a bank of a catalogue (spec: AuthMethod).
type methodData struct {
	Name         string                             `json:"name"`
	Title        string                             `json:"title"`
	PSUType      openbanking.PSUType                `json:"psu_type"` // default personal
	Approach     openbanking.AuthenticationApproach `json:"approach"`
	HiddenMethod bool                               `json:"hidden_method"`
	Credentials  []credentialData                   `json:"credentials"`
}

// credentialData is a value that can be supplied when an authorisation starts (spec: Credential).
type credentialData struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Template    string `json:"template"`
	Is          string `json:"is"` // which value of a user it must be: username or password
}

const (
	credentialUsername = "username"
	credentialPassword = "password"
)

// public returns the method as in GET /aspsps.
func (m methodData) public() openbanking.AuthMethod {
	method := openbanking.AuthMethod{Name: &m.Name, Title: &m.Title, PSUType: m.PSUType, Approach: m.Approach, HiddenMethod: m.HiddenMethod}
	for _, c := range m.Credentials {
		method.Credentials = append(method.Credentials, openbanking.Credential{
			Name: c.Name, Title: c.Title, Required: c.Required, Description: textOrNil(c.Description), Template: textOrNil(c.Template),
		})
	}
	return method
}

// secrets returns the names of credentials that are hidden while typed.
func (b *bankData) secrets() []string {
	var names []string
	for _, m := range b.AuthMethods {
		for _, c := range m.Credentials {
			if c.Is == credentialPassword && !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

var methodNamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// checkMethods fills in defaults and reports mistakes. Customers of a kind without a method use the bank's site.
func (b *bankData) checkMethods(p *problems) {
	for i := range b.AuthMethods {
		m := &b.AuthMethods[i]
		at := p.at(fmt.Sprintf("auth_methods[%d]", i))
		if m.PSUType == "" {
			m.PSUType = openbanking.PSUTypePersonal
		}
		if !methodNamePattern.MatchString(m.Name) {
			at.add("name", "must be 1 to 40 letters, digits, dashes and underscores")
		}
		if slices.ContainsFunc(b.AuthMethods[:i], func(o methodData) bool { return o.Name == m.Name && o.PSUType == m.PSUType }) {
			at.add("name", "%q is there twice for %s", m.Name, m.PSUType)
		}
		if !b.serves(m.PSUType) {
			at.add("psu_type", "the bank has no %s users", m.PSUType)
		}
		if !openbanking.Known(m.Approach) {
			at.add("approach", "%q is none of REDIRECT, DECOUPLED, EMBEDDED", m.Approach)
		}
		if b.NoCredentials && (m.Approach != openbanking.AuthenticationApproachRedirect || len(m.Credentials) > 0) {
			at.add("approach", "a bank with no_credentials has REDIRECT alone, without credentials")
		}
		if m.Title == "" {
			m.Title = map[openbanking.AuthenticationApproach]string{
				openbanking.AuthenticationApproachRedirect:  "On the site of " + b.Name,
				openbanking.AuthenticationApproachDecoupled: "On your phone",
				openbanking.AuthenticationApproachEmbedded:  "User and password",
			}[m.Approach]
		}
		b.checkCredentials(at, m)
	}
	for _, psu := range []openbanking.PSUType{openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness} {
		of := func(m methodData) bool { return m.PSUType == psu }
		switch {
		case !b.serves(psu):
		case !slices.ContainsFunc(b.AuthMethods, of):
			b.AuthMethods = append(b.AuthMethods, methodData{
				Name: "redirect_" + string(psu), Title: "On the site of " + b.Name, PSUType: psu, Approach: openbanking.AuthenticationApproachRedirect,
			})
		case !slices.ContainsFunc(b.AuthMethods, func(m methodData) bool { return of(m) && !m.HiddenMethod }):
			p.add("auth_methods", "%s users need a method that is not hidden", psu)
		}
	}
}

func (b *bankData) serves(psu openbanking.PSUType) bool {
	return slices.ContainsFunc(b.Users, func(u userData) bool { return u.PSUType == psu })
}

// checkCredentials checks that the method has the credentials that its approach needs: the user when the bank asks a device, user and password when nothing
// else asks.
func (b *bankData) checkCredentials(p *problems, m *methodData) {
	var username, password bool
	for i, c := range m.Credentials {
		at := p.at(fmt.Sprintf("credentials[%d]", i))
		if !methodNamePattern.MatchString(c.Name) {
			at.add("name", "must be 1 to 40 letters, digits, dashes and underscores")
		}
		if slices.ContainsFunc(m.Credentials[:i], func(o credentialData) bool { return o.Name == c.Name || o.Is == c.Is }) {
			at.add("name", "the method has a credential of this name or meaning already")
		}
		if c.Title == "" {
			at.add("title", "a credential needs a title")
		}
		switch c.Is {
		case credentialUsername:
			username = c.Required
		case credentialPassword:
			password = c.Required
			if m.Approach != openbanking.AuthenticationApproachEmbedded {
				at.add("is", "only an EMBEDDED method takes the password")
			}
		default:
			at.add("is", "%q is neither username nor password", c.Is)
		}
		b.checkTemplate(at, m, c)
	}
	switch {
	case m.Approach == openbanking.AuthenticationApproachDecoupled && !username:
		p.add("credentials", "a DECOUPLED method needs a required credential that is the username")
	case m.Approach == openbanking.AuthenticationApproachEmbedded && (!username || !password):
		p.add("credentials", "an EMBEDDED method needs two required credentials, the username and the password")
	}
}

func (b *bankData) checkTemplate(p *problems, m *methodData, c credentialData) {
	template, err := perlregexp.Compile(c.Template)
	if err != nil {
		p.add("template", "cannot be read as a Perl-compatible regular expression: %v", err)
		return
	}
	for _, u := range b.Users {
		value := u.Username
		if c.Is == credentialPassword {
			value = u.Password
		}
		if u.PSUType == m.PSUType && !template.Match(value) {
			p.add("template", "does not match the %s of the user %q", c.Is, u.Username)
		}
	}
}
