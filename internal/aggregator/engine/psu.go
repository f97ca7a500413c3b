package engine

import (
	"net/textproto"
	"slices"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// checkPSU applies the all-or-none rule of PSU headers (spec: ASPSP data) and returns those that go to the bank. Where a
// bank lists required headers and none of them came, the PSU counts as absent, whatever other headers came.
func checkPSU(required []string, sent aggregator.PSU) (aggregator.PSU, error) {
	missing := slices.DeleteFunc(slices.Clone(required), func(name string) bool {
		return sent[textproto.CanonicalMIMEHeaderKey(name)] != ""
	})
	switch {
	case len(missing) == 0:
		return sent, nil
	case len(missing) == len(required):
		return nil, nil
	}
	return nil, &openbanking.Error{
		Code:   openbanking.PSUHeaderNotProvided,
		Detail: text("PSU header " + camelCase(missing[0]) + " is not provided"),
	}
}

// camelCase spells a header as the detail of PSU_HEADER_NOT_PROVIDED does: psuIpAddress (api-notes 1).
func camelCase(header string) string {
	words := strings.Split(textproto.CanonicalMIMEHeaderKey(header), "-")
	return strings.ToLower(words[0]) + strings.Join(words[1:], "")
}
