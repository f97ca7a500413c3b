package paymentrules

import (
	"errors"
	"strings"
	"unicode/utf8"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// maxDigits is how many digits an amount can have in the messages between banks (ISO 20022).
const maxDigits = 18

// amount reads an amount that is more than zero. ok is false when it has a fault.
func (c *checker) amount(path string, a openbanking.AmountType) (amount money.Amount, ok bool) {
	ok = c.code(path+".currency", a.Currency)
	problem := syntax(a.Amount)
	if problem == "" && ok {
		amount, problem = exact(a)
	}
	if problem != "" {
		c.fault(path+".amount", "%s", problem)
		return money.Amount{}, false
	}
	return amount, ok
}

// syntax says why a text is no amount in any currency.
func syntax(text string) string {
	const how = "it is written with digits, and a dot before its decimals, such as 12.30"
	digits := strings.Trim(text, "0123456789.")
	switch {
	case text == "":
		return "is empty; " + how
	case strings.ContainsAny(text, " \t\r\n\u00a0\u202f"):
		return "has a space in it; " + how
	case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "\u2212"):
		return "is negative; it must be more than zero"
	case strings.HasPrefix(text, "+"):
		return "has a sign; " + how
	case strings.Contains(text, ","):
		return "has a comma in it; " + how
	case strings.ContainsAny(text, "eE") && strings.Trim(text, "0123456789.eE+-") == "":
		return "has an exponent; " + how
	case digits != "":
		r, _ := utf8.DecodeRuneInString(digits)
		return "is not a number: it has " + iban.Describe(r) + " in it; " + how
	}
	whole, decimals, dotted := strings.Cut(text, ".")
	switch {
	case whole == "" || dotted && (decimals == "" || strings.Contains(decimals, ".")):
		return "has a dot in the wrong place; " + how
	case strings.HasPrefix(whole, "0") && whole != "0":
		return "begins with a zero; " + how
	case strings.Trim(text, "0.") == "":
		return "is zero; it must be more"
	}
	return ""
}

// exact reads an amount whose syntax is right, in a currency that exists. Unlike money.Parse it takes no zeros beyond the
// decimals of the currency: such a text is hardly meant for it.
func exact(a openbanking.AmountType) (money.Amount, string) {
	exponent, _ := money.Exponent(a.Currency)
	whole, decimals, _ := strings.Cut(a.Amount, ".")
	switch {
	case exponent == 0 && decimals != "":
		return money.Amount{}, "has decimals; " + a.Currency + " has none"
	case len(decimals) > exponent:
		return money.Amount{}, "has " + count(len(decimals), "decimal") + "; " + a.Currency + " has " + count(exponent, "decimal")
	case len(whole)+len(decimals) > maxDigits:
		return money.Amount{}, "has " + count(len(whole)+len(decimals), "digit") + "; at most " + count(maxDigits, "digit") + " are possible"
	}
	amount, err := money.Parse(a.Amount, a.Currency)
	if err != nil {
		return money.Amount{}, "is too large"
	}
	return amount, ""
}

// code checks the code of a currency that exists.
func (c *checker) code(path, currency string) bool {
	_, known := money.Exponent(currency)
	switch {
	case known:
	case len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		c.fault(path, "must be a code of three capital letters, such as EUR")
	default:
		c.fault(path, "is not the code of a currency (ISO 4217)")
	}
	return known
}

// currency checks a currency that exists against those of the bank, and of SEPA.
func (c *checker) currency(path, currency string) {
	switch {
	case c.sepa() && currency != "EUR":
		c.fault(path, "must be EUR for a %s payment", c.kind.PaymentType)
	case c.kind.Currencies != nil:
		choice(c, path, currency, c.kind.Currencies)
	}
}

// total compares the payment with the limit of the service, which holds for its sum in each currency.
func (c *checker) total(path string, amounts []money.Amount) {
	totals, err := money.Sum(amounts...)
	if err != nil {
		c.add(openbanking.PaymentLimitExceeded, path, "amounts to more than a payment can be")
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
				field += "[0].instructed_amount.amount"
			}
			c.add(openbanking.PaymentLimitExceeded, field, "is more than the limit of a payment, which is %s %s", limit, total.Currency())
		}
	}
}

// limitIn returns the limit in a currency, without the decimals that the currency does not have. A limit that cannot be
// read lets nothing through.
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
