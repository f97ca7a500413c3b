package paymentrules

import (
	"errors"
	"strings"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// maxDigits is how many digits an amount can have in the messages between banks (ISO 20022).
const maxDigits = 18

// amount reads an amount that is more than zero. ok is false when it has a fault.
func (c *checker) amount(path Field, a openbanking.AmountType) (amount money.Amount, ok bool) {
	ok = c.code(path.child("currency"), a.Currency)
	wrong := syntax(a.Amount)
	if wrong == nil && ok {
		amount, wrong = exact(a)
	}
	if wrong != nil {
		c.fault(path.child("amount"), wrong)
		return money.Amount{}, false
	}
	return amount, ok
}

// syntax says why a text is no amount in any currency; nil: it is one.
func syntax(text string) Rule {
	mistake := func(m AmountMistake) Rule { return AmountSyntax{Mistake: m} }
	digits := strings.Trim(text, "0123456789.")
	switch {
	case text == "":
		return mistake(AmountEmpty)
	case strings.ContainsAny(text, " \t\r\n\u00a0\u202f"):
		return mistake(AmountSpace)
	case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "\u2212"):
		return mistake(AmountNegative)
	case strings.HasPrefix(text, "+"):
		return mistake(AmountSign)
	case strings.Contains(text, ","):
		return mistake(AmountComma)
	case strings.ContainsAny(text, "eE") && strings.Trim(text, "0123456789.eE+-") == "":
		return mistake(AmountExponent)
	case digits != "":
		return AmountSyntax{Mistake: AmountCharacter, Character: first(digits)}
	}
	whole, decimals, dotted := strings.Cut(text, ".")
	switch {
	case whole == "" || dotted && (decimals == "" || strings.Contains(decimals, ".")):
		return mistake(AmountDot)
	case strings.HasPrefix(whole, "0") && whole != "0":
		return mistake(AmountLeadingZero)
	case strings.Trim(text, "0.") == "":
		return mistake(AmountZero)
	}
	return nil
}

// exact parses an amount with the right syntax in a known currency. Unlike money.Parse it refuses superfluous zeros after the decimals of the currency,
// because such a text was probably meant for another currency.
func exact(a openbanking.AmountType) (money.Amount, Rule) {
	exponent, _ := money.Exponent(a.Currency)
	whole, decimals, _ := strings.Cut(a.Amount, ".")
	switch digits := len(whole) + len(decimals); {
	case len(decimals) > exponent:
		return money.Amount{}, AmountDecimals{Currency: a.Currency, Decimals: len(decimals), Most: exponent}
	case digits > maxDigits:
		return money.Amount{}, AmountDigits{Digits: digits, Most: maxDigits}
	}
	amount, err := money.Parse(a.Amount, a.Currency)
	if err != nil {
		return money.Amount{}, AmountTooLarge{}
	}
	return amount, nil
}

// code checks the code of a currency that exists.
func (c *checker) code(path Field, currency string) bool {
	_, known := money.Exponent(currency)
	switch {
	case known:
	case len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		c.fault(path, CurrencySyntax{})
	default:
		c.fault(path, UnknownCurrency{})
	}
	return known
}

// currency checks a currency that exists against those of the bank, and of SEPA.
func (c *checker) currency(path Field, currency string) {
	switch {
	case c.sepa() && currency != "EUR":
		c.fault(path, NotEuro{Type: c.kind.PaymentType})
	case c.kind.Currencies != nil:
		choice(c, path, currency, c.kind.Currencies)
	}
}

// total compares the payment with the limit of the service, which holds for its sum in each currency.
func (c *checker) total(path Field, amounts []money.Amount) {
	totals, err := money.Sum(amounts...)
	if err != nil {
		c.fault(path, TotalTooLarge{})
		return
	}
	for _, total := range totals {
		limit, limited := c.limitIn(total.Currency())
		if !limited {
			continue
		}
		if over, err := total.Cmp(limit); err == nil && over > 0 {
			field := path
			if len(amounts) == 1 {
				field = field.element(0).child("instructed_amount").child("amount")
			}
			c.fault(field, OverLimit{Limit: limit})
		}
	}
}

// limitIn returns the limit of the service in a currency, with the decimals of that currency. When the limit cannot be read, nothing is allowed.
func (c *checker) limitIn(currency string) (limit money.Amount, limited bool) {
	if c.limit == "" {
		return money.Amount{}, false
	}
	limit, err := money.Parse(c.limit, currency)
	if errors.Is(err, money.ErrPrecision) {
		exponent, _ := money.Exponent(currency)
		whole, decimals, _ := strings.Cut(c.limit, ".")
		if exponent > 0 {
			whole += "." + decimals[:exponent]
		}
		limit, err = money.Parse(whole, currency)
	}
	if errors.Is(err, money.ErrOverflow) {
		return money.Amount{}, false // beyond every amount
	}
	if err != nil || limit.Sign() < 0 {
		limit = money.FromMinor(0, currency)
	}
	return limit, true
}
