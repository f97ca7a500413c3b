package sandbox

import (
	"strings"
	"testing"

	"florin/internal/openbanking"
)

func TestBuiltInCatalogueHasEveryApproachSeveralTimes(t *testing.T) {
	banks := map[openbanking.AuthenticationApproach]map[string]bool{}
	var hidden, mixed, personalAndBusiness, optional, templates int
	for _, b := range builtInBanks().Banks() {
		a := b.ASPSP()
		visible := map[openbanking.PSUType]map[openbanking.AuthenticationApproach]bool{}
		for _, m := range a.AuthMethods {
			if banks[m.Approach] == nil {
				banks[m.Approach] = map[string]bool{}
			}
			banks[m.Approach][b.Name()] = true
			if m.Name == nil || m.Title == nil || *m.Title == "" {
				t.Errorf("%s: a method without name or title", b.Name())
			}
			if m.HiddenMethod {
				hidden++
			} else {
				if visible[m.PSUType] == nil {
					visible[m.PSUType] = map[openbanking.AuthenticationApproach]bool{}
				}
				visible[m.PSUType][m.Approach] = true
			}
			if m.PSUType == openbanking.PSUTypeBusiness && m.Approach != openbanking.AuthenticationApproachRedirect {
				personalAndBusiness++
			}
			for _, c := range m.Credentials {
				if !c.Required {
					optional++
				}
				if c.Template != nil && c.Description != nil {
					templates++
				}
			}
		}
		for _, psu := range a.PSUTypes {
			if len(visible[psu]) == 0 {
				t.Errorf("%s: no method that a %s customer can choose", b.Name(), psu)
			}
			if len(visible[psu]) > 1 {
				mixed++
			}
		}
		if b.NoCredentials() {
			for _, m := range a.AuthMethods {
				if m.Approach != openbanking.AuthenticationApproachRedirect || len(m.Credentials) > 0 || m.HiddenMethod {
					t.Errorf("%s in %s: not one click (api-notes 9): %+v", b.Name(), b.Country(), m)
				}
			}
		}
	}
	for _, approach := range openbanking.AuthenticationApproach("").Values() {
		if len(banks[approach]) < 4 {
			t.Errorf("%s at %d banks, want several", approach, len(banks[approach]))
		}
	}
	for what, n := range map[string]int{"hidden": hidden, "several visible approaches": mixed, "other approaches for businesses": personalAndBusiness,
		"optional credential": optional, "template with description": templates} {
		if n == 0 {
			t.Errorf("no method: %s", what)
		}
	}
}

func TestMistakesInMethodsAreNamed(t *testing.T) {
	catalogue := func(bank string) string {
		return `{"banks": [{"name": "Hafenbank", "country": "DE", "bank_code": "99077001", ` + bank + `,
			"users": [{"username": "ada", "password": "leuchtturm", "name": "Ada", "accounts": ["giro"]}], "accounts": [{"id": "giro", "type": "CACC"}]}]}`
	}
	const user = `{"name": "u", "title": "User", "required": true, "is": "username"}`
	tests := []struct{ name, methods, want string }{
		{"no name", `"auth_methods": [{"approach": "REDIRECT"}]`, "auth_methods[0].name: must be 1 to 40"},
		{"twice", `"auth_methods": [{"name": "a", "approach": "REDIRECT"}, {"name": "a", "approach": "REDIRECT"}]`, `auth_methods[1].name: "a" is there twice`},
		{"no such customers", `"auth_methods": [{"name": "a", "approach": "REDIRECT", "psu_type": "business"}]`,
			"auth_methods[0].psu_type: the bank has no business users"},
		{"approach", `"auth_methods": [{"name": "a", "approach": "FAX"}]`, `auth_methods[0].approach: "FAX" is none of`},
		{"hidden alone", `"auth_methods": [{"name": "a", "approach": "REDIRECT", "hidden_method": true}]`,
			"auth_methods: personal users need a method that is not hidden"},
		{"one click", `"no_credentials": true, "auth_methods": [{"name": "a", "approach": "DECOUPLED", "credentials": [` + user + `]}]`,
			"a bank with no_credentials has REDIRECT alone"},
		{"decoupled without user", `"auth_methods": [{"name": "a", "approach": "DECOUPLED"}]`, "auth_methods[0].credentials: a DECOUPLED method needs"},
		{"embedded without password", `"auth_methods": [{"name": "a", "approach": "EMBEDDED", "credentials": [` + user + `]}]`,
			"auth_methods[0].credentials: an EMBEDDED method needs"},
		{"password by redirect", `"auth_methods": [{"name": "a", "approach": "REDIRECT", "credentials": [{"name": "p", "title": "P", "is": "password"}]}]`,
			"credentials[0].is: only an EMBEDDED method takes the password"},
		{"meaning", `"auth_methods": [{"name": "a", "approach": "REDIRECT", "credentials": [{"name": "p", "title": "P", "is": "shoe size"}]}]`,
			`credentials[0].is: "shoe size" is neither`},
		{"no title", `"auth_methods": [{"name": "a", "approach": "REDIRECT", "credentials": [{"name": "p", "is": "username"}]}]`,
			"credentials[0].title: a credential needs a title"},
		{"two of a meaning", `"auth_methods": [{"name": "a", "approach": "DECOUPLED", "credentials": [` + user +
			`, {"name": "v", "title": "V", "is": "username"}]}]`, "credentials[1].name: the method has a credential"},
		{"broken template", `"auth_methods": [{"name": "a", "approach": "REDIRECT", "credentials": [{"name": "u", "title": "U", "is": "username", "template": "("}]}]`, "credentials[0].template: cannot be read as a Perl-compatible regular expression: "},
		{"template that Perl knows and this does not",
			`"auth_methods": [{"name": "a", "approach": "REDIRECT", "credentials": [{"name": "u", "title": "U", "is": "username", "template": "^a++$"}]}]`,
			"credentials[0].template: cannot be read as a Perl-compatible regular expression: "},
		{"template with a lookahead that shuts out",
			`"auth_methods": [{"name": "a", "approach": "REDIRECT", "credentials": [{"name": "u", "title": "U", "is": "username", "template": "^(?!ada)[a-z]+$"}]}]`,
			`credentials[0].template: does not match the username of the user "ada"`},
		{"template that shuts out", `"auth_methods": [{"name": "a", "approach": "REDIRECT", "credentials": [{"name": "u", "title": "U", "is": "username", "template": "^[0-9]+$"}]}]`, `credentials[0].template: does not match the username of the user "ada"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := decodeCatalogue([]byte(catalogue(test.methods)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestCustomersWithoutAMethodGoToTheSite(t *testing.T) {
	s, _ := newTest(t, `{"banks": [{"name": "Hafenbank", "country": "DE", "bank_code": "99077001",
		"auth_methods": [{"name": "app", "psu_type": "business", "approach": "DECOUPLED", "credentials": [{"name": "u", "title": "U", "required": true, "is": "username"}]}],
		"users": [{"username": "ada", "password": "x", "name": "Ada", "accounts": ["giro"]}, {"username": "gmbh", "password": "x", "psu_type": "business", "name": "GmbH", "accounts": ["giro"]}],
		"accounts": [{"id": "giro", "type": "CACC"}]}]}`)
	methods := bankNamed(t, s, "DE", "Hafenbank").ASPSP().AuthMethods
	if len(methods) != 2 || *methods[0].Name != "redirect_personal" || methods[0].Approach != openbanking.AuthenticationApproachRedirect ||
		*methods[1].Name != "app" || *methods[1].Title != "On your phone" || methods[1].Credentials[0].Template != nil {
		t.Errorf("methods %+v", methods)
	}
}
