package contract

import (
	"strings"
	"testing"

	"florin/internal/openbanking"
	"florin/internal/perlregexp"
)

// methods: every method that the bank offers to persons can be asked for by its name, hidden or not, comes back with a code
// whatever its approach, and checks the credentials that come along (spec: AuthMethod, Credential, Start authorization).
func (s *suite) methods() {
	type m = map[string]any
	for _, method := range s.bank().AuthMethods {
		if method.Name == nil || method.PSUType != openbanking.PSUTypePersonal {
			continue
		}
		s.Run(*method.Name, func(t *testing.T) {
			in := s.with(t)
			in.start(m{"auth_method": *method.Name})
			required := m{}
			for _, c := range method.Credentials {
				if c.Required {
					required[c.Name] = ""
				}
				if value := mismatch(c); value != "" {
					in.refused(in.call("POST", "/auth", in.authRequest(m{"auth_method": *method.Name, "credentials": m{c.Name: value}})), 422,
						openbanking.WrongCredentialsProvided)
				}
			}
			if len(required) > 0 {
				in.refused(in.call("POST", "/auth", in.authRequest(m{"auth_method": *method.Name, "credentials": m{"no_such_credential": "x"}})), 422,
					openbanking.WrongCredentialsProvided)
			}
			if in.target.Approve == nil {
				t.Skip("not walked here: the target has no Approve")
			}
			in.link(m{"auth_method": *method.Name})
		})
	}
}

// mismatch is a value that does not have the form of a credential; empty when every value has.
func mismatch(c openbanking.Credential) string {
	if c.Template == nil {
		return ""
	}
	pattern, err := perlregexp.Compile(*c.Template)
	if err != nil { // one that this suite cannot read
		return ""
	}
	for _, value := range []string{" ", "?", strings.Repeat("9 x", 100)} {
		if !pattern.Match(value) {
			return value
		}
	}
	return ""
}
