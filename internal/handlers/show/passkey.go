package show

import (
	"florin/internal/auth"
	"florin/internal/finance"
	"florin/web/templates/words"
)

// Passkey returns why a passkey is refused, and what to do.
func Passkey(fault auth.PasskeyFault) words.Message {
	switch fault {
	case auth.PasskeyLate:
		return words.Msg("It took longer than five minutes, or the page is an old one. Try again.")
	case auth.PasskeyElsewhere:
		return words.Msg("This passkey belongs to another address. Look at the address of this page. If it is the right one, make a new passkey here.")
	case auth.PasskeyUnknown:
		return words.Msg("This passkey is not known here. It was removed, or it belongs to another Florin. Use another passkey or your password.")
	case auth.PasskeyUnverified:
		return words.Msg("Your device did not check your fingerprint, your face or its PIN. Set up a screen lock or a PIN there, and try again.")
	case auth.PasskeyCopied:
		return words.Msg("There is a copy of this passkey, so it is not accepted any more. Sign in with your password, remove the passkey in the settings, and add a new one.")
	case auth.PasskeyExists:
		return words.Msg("This passkey is already in your list.")
	case auth.PasskeyTooMany:
		return words.Msg("You have %d passkeys, which is the most. Remove one first.", finance.MaxPasskeys)
	case auth.PasskeyName:
		return words.Msg("Give the passkey a name of up to %d characters.", finance.MaxPasskeyName)
	}
	return words.Msg("The passkey was not accepted. Try again, or use another one.")
}

// NoPasskeys returns why this Florin cannot use passkeys, and what to do; the zero Message when it can.
func NoPasskeys(address auth.Address) words.Message {
	switch address.Fault {
	case auth.AddressGood:
		return words.Message{}
	case auth.AddressNumber:
		return words.Msg("Passkeys are not possible here: browsers do not allow them at an address made of numbers, such as %s. Give this Florin a name, with https, in the setting %s. On this machine alone, http://localhost will do.",
			address.Host, "--public-url")
	}
	return words.Msg("Passkeys are not possible here: browsers allow them only at addresses with https. Change the setting %s. On this machine alone, http://localhost will do.", "--public-url")
}
