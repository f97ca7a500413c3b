package show

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/web/templates/words"
)

// Character describes a wrong character, so that people can find and replace it even when it looks right or is invisible.
func Character(r rune) words.Message {
	sign, code := string(r), fmt.Sprintf("U+%04X", r)
	switch iban.Script(r) {
	case "Cyrillic":
		return words.Msg("the Cyrillic character “%s” (%s), which only looks like one of the letters A to Z", sign, code)
	case "Greek":
		return words.Msg("the Greek character “%s” (%s), which only looks like one of the letters A to Z", sign, code)
	case "Armenian":
		return words.Msg("the Armenian character “%s” (%s), which only looks like one of the letters A to Z", sign, code)
	case "Cherokee":
		return words.Msg("the Cherokee character “%s” (%s), which only looks like one of the letters A to Z", sign, code)
	}
	switch {
	case r == utf8.RuneError:
		return words.Msg("a damaged character")
	case iban.Hidden(r):
		return words.Msg("an invisible character (%s)", code)
	case r >= '\uff01' && r <= '\uff5e':
		return words.Msg("the full-width character “%s” (%s)", sign, code)
	case r >= utf8.RuneSelf && unicode.IsDigit(r):
		return words.Msg("the digit “%s” of another script (%s)", sign, code)
	case r < utf8.RuneSelf:
		return words.Msg("the character “%s”", sign)
	}
	return words.Msg("the character “%s” (%s)", sign, code)
}

// NumberProblem returns what is wrong with an IBAN or BIC, and what to do. The error is one of package iban.
func NumberProblem(err error) words.Message {
	var p *iban.Problem
	if !errors.As(err, &p) {
		return words.Msg("This number is wrong. Compare it with the original.")
	}
	switch {
	case p.Kind == iban.Empty && p.Of == iban.OfBIC:
		return words.Msg("Enter the BIC of the bank.")
	case p.Kind == iban.Empty:
		return words.Msg("Enter the IBAN of the account. You find it on an invoice or a bank statement.")
	case p.Kind == iban.IllegalCharacter && iban.Hidden(p.Character):
		return words.Msg("Character %d is %s. Only the letters A to Z and digits are allowed. Empty the field and type the number on the keyboard.", p.Position,
			Character(p.Character))
	case p.Kind == iban.IllegalCharacter:
		return words.Msg("Character %d is %s. Only the letters A to Z and digits are allowed. Type it again on the keyboard.", p.Position, Character(p.Character))
	case p.Kind == iban.WrongCheckDigits:
		return words.Msg("The check digits of the IBAN are wrong. A character may be mistyped, or two may be swapped. Compare it with the original.")
	case p.Of == iban.OfBIC && p.Kind == iban.WrongLength:
		return words.Msg("A BIC has 8 or 11 characters; this one has %d.", p.Length)
	case p.Of == iban.OfBIC && p.Kind == iban.UnknownCountry:
		return words.Msg("Characters 5 and 6 of a BIC name the country, and no country has the code %s.", p.Country)
	case p.Of == iban.OfBIC:
		return words.Msg("Characters 5 and 6 of a BIC are the letters of a country, such as DE for Germany.")
	case p.Kind == iban.UnknownCountry && p.Country == "":
		return words.Msg("An IBAN begins with the two letters of a country, such as DE for Germany. This may be another kind of account number.")
	case p.Kind == iban.UnknownCountry:
		return words.Msg("No country with the code %s has IBANs. Check the first two letters.", p.Country)
	case p.Kind == iban.WrongLength:
		return words.Msg("An IBAN that begins with %s (%s) has %d characters; this one has %d.", p.Country, words.Text(countries.Name(p.Country)), p.Want, p.Length)
	}
	wrong, meant := string(p.Character), string(p.Meant)
	switch letter := unicode.IsLetter(p.Character); {
	case letter && p.Meant != 0:
		return words.Msg("Character %d of this IBAN must be a digit, not the letter %s. Perhaps it is %s.", p.Position, wrong, meant)
	case letter:
		return words.Msg("Character %d of this IBAN must be a digit, not the letter %s.", p.Position, wrong)
	case p.Meant != 0:
		return words.Msg("Character %d of this IBAN must be a letter, not the digit %s. Perhaps it is %s.", p.Position, wrong, meant)
	}
	return words.Msg("Character %d of this IBAN must be a letter, not the digit %s.", p.Position, wrong)
}

// AmountProblem returns what is wrong with a typed amount, and what to do. The error is one of finance.ParseAmount or money.Parse.
func AmountProblem(err error) words.Message {
	facts := &finance.AmountError{Err: err}
	_ = errors.As(err, &facts)
	exponent, known := money.Exponent(facts.Currency)
	switch {
	case errors.Is(err, finance.ErrAmbiguous) && len(facts.Readings) == 1:
		return words.Msg("It is not clear whether the separator marks thousands or decimals. Write %s: %s has no decimals.", facts.Readings[0], facts.Currency)
	case errors.Is(err, finance.ErrAmbiguous) && len(facts.Readings) == 2:
		return words.Msg("It is not clear whether the separator marks thousands or decimals. Write %s or %s.", facts.Readings[0], facts.Readings[1])
	case errors.Is(err, finance.ErrZero) && facts.Minus:
		return words.Msg("The amount must be more than zero. Leave out the minus sign: money always goes to the payee.")
	case errors.Is(err, finance.ErrZero):
		return words.Msg("The amount must be more than zero.")
	case errors.Is(err, finance.ErrCharacter):
		return words.Msg("The amount contains %s. Empty the field and type the amount on the keyboard, with the digits 0 to 9.", Character(facts.Character))
	case errors.Is(err, money.ErrCurrency):
		return words.Msg("The currency must be a code of three capital letters, such as EUR.")
	case errors.Is(err, money.ErrPrecision) && known && exponent == 0:
		return words.Msg("The amount has decimals, but %s has none.", facts.Currency)
	case errors.Is(err, money.ErrPrecision) && known:
		return words.Msg("The amount has too many decimals: %s has only %d.", facts.Currency, exponent)
	case errors.Is(err, money.ErrPrecision):
		return words.Msg("The amount has too many decimals.")
	case errors.Is(err, money.ErrOverflow):
		return words.Msg("The amount is too large.")
	}
	return words.Msg("Enter the amount with digits and decimals, such as 12.30.")
}

// DayProblem returns what is wrong with a typed day, and what to do. The error is one of finance.ParseDay.
func DayProblem(err error) words.Message {
	var facts *finance.DayError
	switch {
	case !errors.As(err, &facts) || facts.Day == "":
		return words.Msg("Enter the date like 2026-12-31 or 31.12.2026.")
	case facts.Leap != "":
		return words.Msg("%s is not a leap year: February has 28 days.", facts.Leap)
	}
	return words.Msg("The date %s does not exist.", facts.Day)
}
