package show

import (
	"strings"

	"florin/internal/auth"
	"florin/web/templates/words"
)

// Password returns what is wrong with a new password, and what to do.
func Password(fault auth.PasswordFault) words.Message {
	switch fault {
	case auth.PasswordShort:
		return words.Msg("The password needs at least %d characters. Several words in a row are easy to remember.", auth.MinPassword)
	case auth.PasswordLong:
		return words.Msg("The password is too long. Choose one of at most %d characters.", auth.FitsPassword)
	case auth.PasswordEmail:
		return words.Msg("The password is too similar to the e-mail address. Choose another one.")
	}
	return words.Msg("Attackers try this password first. Choose another one, for example several words in a row.")
}

// Proof returns what is wrong with a proof of identity, or that it is missing.
func Proof(wrong *auth.ProofError) words.Message {
	if wrong.Method == auth.ByOpenID {
		return words.Msg("First confirm in the other tab that it is you, then continue here.")
	}
	if reason, ok := proofReason(wrong); ok {
		return reason
	}
	switch {
	case wrong.Missing && wrong.Method == auth.ByCode:
		return words.Msg("Enter the six digits that your app shows, or one of your recovery codes.")
	case wrong.Missing && wrong.Method == auth.ByPasskey:
		return words.Msg("Confirm with your passkey.")
	case wrong.Missing:
		return words.Msg("Enter your Florin password.")
	}
	return words.Msg("This is not your password.")
}

// Device returns the name of a device (auth.Device): "Firefox on Linux".
func Device(c Clock, device string) string {
	browser, system, known := strings.Cut(device, auth.DeviceOn)
	if browser == auth.UnknownBrowser {
		browser = c.Say("Unknown browser")
	}
	if !known {
		return browser
	}
	return c.Say("%s on %s", browser, system)
}
