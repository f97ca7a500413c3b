package show

import (
	"errors"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/web/templates/words"
)

// Code returns why a code of an authenticator app or a recovery code is refused, and what to do.
func Code(wrong *auth.CodeError) words.Message {
	switch wrong.Fault {
	case auth.CodeUsed:
		return words.Msg("This code was used before. Each code works once: wait until the app shows the next one, or take another recovery code.")
	case auth.CodeClock:
		return clocks(wrong.Off)
	case auth.CodeFormat:
		return words.Msg("Enter the six digits that your app shows, or one of your recovery codes.")
	case auth.CodeSetup:
		return words.Msg("This set-up has expired, or another one was started.")
	case auth.CodeName:
		return words.Msg("Give the app a name of up to %d characters.", finance.MaxAuthenticatorName)
	case auth.CodeMany:
		return words.Msg("You have %d apps, which is the most there can be. Remove one first.", finance.MaxAuthenticators)
	case auth.CodeBusy:
		return words.Msg("Too many apps are being set up for you at the same time. Wait ten minutes and begin again.")
	}
	return words.Msg("This code is not right. Enter the one that the app shows now for this Florin.")
}

// clocks returns that a clock is wrong. off is how far the app is ahead of this server.
func clocks(off time.Duration) words.Message {
	minutes := max(1, int(off.Abs().Round(time.Minute).Minutes()))
	if off < 0 {
		return words.Msg("This code is %d minutes old. Either the clock of your phone is behind, or that of this server is ahead. Set the one that is wrong, and try again.", minutes)
	}
	return words.Msg("This code is %d minutes ahead of its time. Either the clock of this server is behind, or that of your phone is ahead. Set the one that is wrong, and try again.", minutes)
}

// proofReason returns what is wrong with a code or a passkey as proof of identity; ok is false for others.
func proofReason(wrong *auth.ProofError) (_ words.Message, ok bool) {
	if code, is := errors.AsType[*auth.CodeError](wrong.Why); is {
		return Code(code), true
	}
	if passkey, is := errors.AsType[*auth.PasskeyError](wrong.Why); is {
		return Passkey(passkey.Fault), true
	}
	return words.Message{}, false
}
