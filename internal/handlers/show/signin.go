package show

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"florin/internal/finance"
	"florin/web/templates/words"
)

// SignInMethod returns how a person signed in; the zero Message when unknown. passkeys are the person's present passkeys. provider is the name of the OpenID
// Connect provider, "" without one.
func SignInMethod(s finance.SignIn, passkeys []finance.Passkey, provider string) words.Message {
	switch s.Method {
	case finance.SignInPassword:
		return words.Msg("With the password")
	case finance.SignInPasskey:
		if i := slices.IndexFunc(passkeys, func(p finance.Passkey) bool { return p.ID == s.PasskeyID }); i >= 0 {
			return words.Msg("With the passkey %s", passkeys[i].Name)
		}
		return words.Msg("With a passkey that was removed since")
	case finance.SignInOpenID:
		if provider != "" {
			return words.Msg("With %s", provider)
		}
		return words.Msg("With another provider")
	}
	return words.Message{}
}

// Network returns from where a sign-in was last used. here is the network of the reader.
func Network(network, here netip.Prefix) words.Message {
	switch {
	case !network.IsValid():
		return words.Msg("Unknown network")
	case network.Addr().IsLoopback():
		return words.Msg("The machine on which Florin runs")
	case network == here:
		return words.Msg("This network (%s)", shortened(network))
	}
	return words.Msg("Another network (%s)", shortened(network))
}

// shortened returns the beginning of a network's address: "192.0.2.…", "2001:db8:7:…".
func shortened(network netip.Prefix) string {
	bytes := network.Addr().AsSlice()
	var parts []string
	if network.Addr().Is4() {
		for _, b := range bytes[:network.Bits()/8] {
			parts = append(parts, strconv.Itoa(int(b)))
		}
		return strings.Join(parts, ".") + ".…"
	}
	for i := 0; i < network.Bits()/8; i += 2 {
		parts = append(parts, strconv.FormatInt(int64(bytes[i])<<8|int64(bytes[i+1]), 16))
	}
	return strings.Join(parts, ":") + ":…"
}
