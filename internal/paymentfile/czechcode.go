package paymentfile

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// The Czech payment code (SPD, "QR Platba", Short Payment Descriptor) by the standard of the Czech Banking Association, version 1: fields "KEY:value" in any
// order, each ended by a star. https://qr-platba.cz/pro-vyvojare/specifikace-formatu/

// czechHead is how such a code begins; its version follows.
const czechHead = "SPD*"

var (
	czechVersion = regexp.MustCompile(`^SPD\*1\.[0-9]+\*`)
	czechKey     = regexp.MustCompile(`^[A-Z0-9-]+$`)
	// czechFields are the forms of fields, percent-encoding undone, for which Florin has a use. Other keys are for banks, or of somebody's own.
	czechFields = map[string]*regexp.Regexp{
		"ACC": regexp.MustCompile(`^[A-Z0-9 ]{1,34}(\+[A-Z0-9]{8,11})?$`), "AM": regexp.MustCompile(`^[0-9]{1,10}(\.[0-9]{0,2})?$`), "CC": regexp.MustCompile(`^[A-Z]{3}$`),
		"RF": regexp.MustCompile(`^[0-9]{1,16}$`), "RN": regexp.MustCompile(`^.{1,70}$`), "DT": regexp.MustCompile(`^[0-9]{8}$`), "PT": regexp.MustCompile(`^.{1,3}$`),
		"MSG": regexp.MustCompile(`^.{1,60}$`), "X-VS": regexp.MustCompile(`^[0-9]{1,10}$`), "X-SS": regexp.MustCompile(`^[0-9]{1,10}$`), "X-KS": regexp.MustCompile(`^[0-9]{1,10}$`),
	}
)

// parseCzechCode reads such a code. The error is a *textfile.Error. Its check sum (CRC32) is left alone: codes rarely have one, and QR codes mend themselves.
func parseCzechCode(text string) (v Invoice, err error) {
	text = mended(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")))
	switch {
	case !utf8.ValidString(text), strings.ContainsRune(text, utf8.RuneError):
		return v, refuse(DamagedCode{})
	case !czechVersion.MatchString(text):
		return v, refuse(CzechVersion{})
	}
	fields, err := czechFieldsOf(strings.TrimPrefix(text, czechVersion.FindString(text)))
	if err != nil {
		return v, err
	}
	if fields["FRQ"] != "" {
		return v, refuse(CodeRepeats{})
	}
	if fields["ACC"] == "" || fields["CC"] == "" {
		return v, refuse(CodeField{Key: map[bool]string{true: "ACC", false: "CC"}[fields["ACC"] == ""]})
	}
	account, bank, _ := strings.Cut(fields["ACC"], "+")
	if v.IBAN, err = iban.Parse(account); err != nil {
		return v, refuse(WrongCodeIBAN{Problem: err})
	}
	if bank != "" {
		bic, err := iban.ParseBIC(bank)
		if err != nil {
			return v, refuse(CodeField{Key: "ACC"})
		}
		v.BIC = bic.String()
	}
	v.Currency = fields["CC"]
	if _, known := money.Exponent(v.Currency); !known {
		return v, refuse(CodeField{Key: "CC"})
	}
	if sum := fields["AM"]; sum != "" {
		if v.Amount, err = money.Parse(strings.TrimSuffix(sum, "."), v.Currency); err != nil || v.Amount.Sign() <= 0 {
			return v, refuse(CodeField{Key: "AM"})
		}
	}
	if day := fields["DT"]; day != "" {
		v.Due = openbanking.Date(day[:4] + "-" + day[4:6] + "-" + day[6:])
		if _, err := v.Due.Time(); err != nil {
			return v, refuse(CodeField{Key: "DT"})
		}
	}
	v.Name, v.Instant, v.Text = finance.Typed(fields["RN"]), fields["PT"] == "IP", finance.Typed(czechText(fields))
	return v, nil
}

// czechFieldsOf are the fields behind the version, by their keys. A field without a value counts as missing: programs write all fields of their template.
func czechFieldsOf(text string) (map[string]string, error) {
	fields := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "*"), "*") {
		key, value, found := strings.Cut(part, ":")
		if !found || !czechKey.MatchString(key) {
			return nil, refuse(CzechForm{})
		}
		value, err := url.PathUnescape(value) // a plus stays one
		_, twice := fields[key]
		form := czechFields[key]
		if value = strings.TrimSpace(value); err != nil || twice || !utf8.ValidString(value) || form != nil && value != "" && !form.MatchString(value) {
			return nil, refuse(CodeField{Key: key})
		}
		fields[key] = value
	}
	return fields, nil
}

// czechText is the text for the payee: the payment symbols as banks write them in payments in euros (SEPA rules of the Slovak banks, "/VS/SS/KS"), the
// reference, and the message.
func czechText(fields map[string]string) string {
	var symbols string
	for _, key := range []string{"VS", "SS", "KS"} {
		if number := fields["X-"+key]; number != "" {
			symbols += "/" + key + number
		}
	}
	return strings.TrimSpace(strings.Join([]string{symbols, fields["RF"], fields["MSG"]}, " "))
}
