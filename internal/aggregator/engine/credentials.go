package engine

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"florin/internal/openbanking"
	"florin/internal/perlregexp"
)

// CredentialFault is what is wrong with a credential before the bank has seen it.
type CredentialFault string

// The faults.
const (
	CredentialMissing   CredentialFault = "missing"   // it is required
	CredentialMalformed CredentialFault = "malformed" // it does not match the template
	CredentialUnknown   CredentialFault = "unknown"   // the method takes no credential of this name
)

// CredentialsError is the error of Answer for credentials with faults, by name.
type CredentialsError struct{ Faults map[string]CredentialFault }

func (e *CredentialsError) Error() string {
	return "engine: " + strconv.Itoa(len(e.Faults)) + " credentials have faults"
}

// maxCredential bounds the length of a credential in characters (our decision).
const maxCredential = 200

// faults compares credentials with what a method takes (spec: Credential).
func faults(takes []openbanking.Credential, supplied map[string]string) map[string]CredentialFault {
	found := map[string]CredentialFault{}
	for name := range supplied {
		if !slices.ContainsFunc(takes, func(c openbanking.Credential) bool { return c.Name == name }) {
			found[name] = CredentialUnknown
		}
	}
	for _, c := range takes {
		switch value := supplied[c.Name]; {
		case value == "" && c.Required:
			found[c.Name] = CredentialMissing
		case value != "" && !matches(c.Template, value):
			found[c.Name] = CredentialMalformed
		}
	}
	return found
}

// matches applies a template as Perl does (spec: Credential): it matches somewhere, unless it says where. One that this service
// cannot read is left to the bank.
func matches(template *string, value string) bool {
	if utf8.RuneCountInString(value) > maxCredential {
		return false
	}
	if template == nil {
		return true
	}
	expression, err := perlregexp.Compile(*template)
	return err != nil || expression.Match(value)
}

// checkCredentials applies the rules of credentials in POST /auth. Those that are only filled in may be incomplete: the
// PSU is asked for the rest.
func checkCredentials(takes []openbanking.Credential, supplied map[string]string, complete bool) error {
	found := faults(takes, supplied)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		problem := ""
		switch found[name] {
		case CredentialUnknown:
			problem = "The method takes no credential of this name: "
		case CredentialMalformed:
			problem = "The credential does not have the form that the ASPSP expects: "
		case CredentialMissing:
			if !complete {
				continue
			}
			problem = "The method needs this credential too: "
		}
		return &openbanking.Error{Code: openbanking.WrongCredentialsProvided, Detail: text(problem + name)}
	}
	return nil
}
