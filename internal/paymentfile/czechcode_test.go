package paymentfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"florin/internal/textfile"
)

const (
	czechIBAN  = "CZ5855000000001265098001"
	slovakIBAN = "SK3112000000198742637541"
)

// Czech payment codes, good and broken, by the standard of the Czech Banking Association (https://qr-platba.cz/pro-vyvojare/specifikace-formatu/).
func TestCzechCodes(t *testing.T) {
	const head, acc, cc = "SPD*1.0*", "ACC:" + czechIBAN, "*CC:CZK"
	for code, want := range map[string]string{ // name|IBAN|BIC|amount|instant|text|due, or the finding
		head + acc + "*AM:480.50*CC:CZK*MSG:PLATBA ZA ZBOZI*X-VS:1234567890": "|" + czechIBAN + "||480.50 CZK|false|/VS1234567890 PLATBA ZA ZBOZI|",
		head + acc + "+RZBCCZPP*AM:480*CC:CZK":                               "|" + czechIBAN + "|RZBCCZPP|480.00 CZK|false||",
		head + "ACC:" + slovakIBAN + "*AM:12.30*CC:EUR*RN:ACME%20s.r.o.":     "ACME s.r.o.|" + slovakIBAN + "||12.30 EUR|false||",
		head + acc + cc:                                                        "|" + czechIBAN + "||0.00 CZK|false||",
		head + acc + cc + "*":                                                  "|" + czechIBAN + "||0.00 CZK|false||",
		"  " + head + acc + cc + "\n":                                          "|" + czechIBAN + "||0.00 CZK|false||",
		"\ufeff" + head + acc + cc:                                             "|" + czechIBAN + "||0.00 CZK|false||",
		"SPD*1.2*" + acc + cc:                                                  "|" + czechIBAN + "||0.00 CZK|false||",
		head + "CC:CZK*AM:1*" + acc:                                            "|" + czechIBAN + "||1.00 CZK|false||",
		head + acc + cc + "*AM:1.":                                             "|" + czechIBAN + "||1.00 CZK|false||",
		head + acc + cc + "*AM:0.01":                                           "|" + czechIBAN + "||0.01 CZK|false||",
		head + acc + cc + "*AM:9999999.99":                                     "|" + czechIBAN + "||9999999.99 CZK|false||",
		head + acc + cc + "*PT:IP":                                             "|" + czechIBAN + "||0.00 CZK|true||",
		head + acc + cc + "*PT:P2P":                                            "|" + czechIBAN + "||0.00 CZK|false||",
		head + acc + cc + "*DT:20261224":                                       "|" + czechIBAN + "||0.00 CZK|false||2026-12-24",
		head + acc + cc + "*DT:20240229":                                       "|" + czechIBAN + "||0.00 CZK|false||2024-02-29",
		head + acc + cc + "*RF:7004139146":                                     "|" + czechIBAN + "||0.00 CZK|false|7004139146|",
		head + acc + cc + "*X-SS:1*X-KS:308*X-VS:7*RF:9*MSG:M":                 "|" + czechIBAN + "||0.00 CZK|false|/VS7/SS1/KS308 9 M|",
		head + acc + cc + "*MSG:%C5%A0koda 1%2A2 + 3":                          "|" + czechIBAN + "||0.00 CZK|false|Škoda 1*2 + 3|",
		head + acc + cc + "*RN:PŘÍJEMCE":                                       "PŘÍJEMCE|" + czechIBAN + "||0.00 CZK|false||",
		head + acc + cc + "*MSG:100%25":                                        "|" + czechIBAN + "||0.00 CZK|false|100%|",
		head + acc + cc + "*MSG:a:b":                                           "|" + czechIBAN + "||0.00 CZK|false|a:b|",
		head + acc + cc + "*MSG:" + strings.Repeat("x", 60):                    "|" + czechIBAN + "||0.00 CZK|false|" + strings.Repeat("x", 60) + "|",
		head + acc + cc + "*X-SS:*":                                            "|" + czechIBAN + "||0.00 CZK|false||",
		head + acc + cc + "*AM:*RN:*DT:*PT:*RF:*X-VS:7*X-SS:*X-KS: *MSG:*FRQ:": "|" + czechIBAN + "||0.00 CZK|false|/VS7|",
		head + acc + cc + "*ALT-ACC:" + slovakIBAN + "*NT:E*NTA:a@example.org*CRC32:1234ABCD*X-PER:7*X-ID:7*X-URL:https%3A//a.example*X-OWN:1": "|" + czechIBAN + "||0.00 CZK|false||",

		"SPD*":                                              "CzechVersion",
		"SPD*1.0":                                           "CzechVersion",
		"SPD*2.0*" + acc + cc:                               "CzechVersion",
		"SPD*10*" + acc + cc:                                "CzechVersion",
		"spd*1.0*" + acc + cc:                               "CzechVersion",
		head:                                                "CzechForm",
		head + acc + "**CC:EUR":                             "CzechForm",
		head + acc + "*CC":                                  "CzechForm",
		head + "acc:" + czechIBAN + cc:                      "CzechForm",
		head + acc + cc + "*:x":                             "CzechForm",
		head + acc + cc + "\nMSG:x":                         `CodeField{Key:"CC"}`,
		head + "CC:CZK*AM:1":                                `CodeField{Key:"ACC"}`,
		head + acc + "*AM:1":                                `CodeField{Key:"CC"}`,
		head + "ACC:" + cc:                                  `CodeField{Key:"ACC"}`,
		head + acc + "*CC:":                                 `CodeField{Key:"CC"}`,
		head + acc + cc + "*X-SS:*X-SS:1":                   `CodeField{Key:"X-SS"}`,
		head + acc + "*CC:KCS1":                             `CodeField{Key:"CC"}`,
		head + acc + "*CC:XQX":                              `CodeField{Key:"CC"}`,
		head + acc + "*CC:czk":                              `CodeField{Key:"CC"}`,
		head + "ACC:CZ5855000000001265098002" + cc:          "WrongCodeIBAN",
		head + "ACC:19-2000145399/0800" + cc:                `CodeField{Key:"ACC"}`,
		head + acc + "+RZBC" + cc:                           `CodeField{Key:"ACC"}`,
		head + acc + "+12345678" + cc:                       `CodeField{Key:"ACC"}`,
		head + acc + cc + "*AM:1,50":                        `CodeField{Key:"AM"}`,
		head + acc + cc + "*AM:1.505":                       `CodeField{Key:"AM"}`,
		head + acc + cc + "*AM:-1":                          `CodeField{Key:"AM"}`,
		head + acc + cc + "*AM:0.00":                        `CodeField{Key:"AM"}`,
		head + acc + cc + "*AM:.":                           `CodeField{Key:"AM"}`,
		head + acc + cc + "*AM:12345678901":                 `CodeField{Key:"AM"}`,
		head + acc + "*CC:JPY*AM:1.50":                      `CodeField{Key:"AM"}`,
		head + acc + cc + "*AM:1*AM:2":                      `CodeField{Key:"AM"}`,
		head + acc + cc + "*DT:20261301":                    `CodeField{Key:"DT"}`,
		head + acc + cc + "*DT:20230229":                    `CodeField{Key:"DT"}`,
		head + acc + cc + "*DT:2026-12-24":                  `CodeField{Key:"DT"}`,
		head + acc + cc + "*RF:1A":                          `CodeField{Key:"RF"}`,
		head + acc + cc + "*RF:12345678901234567":           `CodeField{Key:"RF"}`,
		head + acc + cc + "*X-VS:12345678901":               `CodeField{Key:"X-VS"}`,
		head + acc + cc + "*X-KS:abc":                       `CodeField{Key:"X-KS"}`,
		head + acc + cc + "*PT:LONG":                        `CodeField{Key:"PT"}`,
		head + acc + cc + "*RN:" + strings.Repeat("x", 71):  `CodeField{Key:"RN"}`,
		head + acc + cc + "*MSG:" + strings.Repeat("x", 61): `CodeField{Key:"MSG"}`,
		head + acc + cc + "*MSG:100%":                       `CodeField{Key:"MSG"}`,
		head + acc + cc + "*MSG:%FF%FE":                     `CodeField{Key:"MSG"}`,
		head + acc + cc + "*FRQ:1M*DL:20271224":             "CodeRepeats",
		head + acc + cc + "*MSG:\ufffd":                     "DamagedCode",
	} {
		if !LooksLikeInvoice(code) {
			t.Errorf("%q is not taken for a code", code)
		}
		v, err := ParseInvoice(code)
		if err != nil {
			if !says(err, want) {
				t.Errorf("%q: %v, want %s", code, err, want)
			}
			continue
		}
		got := fmt.Sprintf("%s|%s|%s|%s %s|%t|%s|%s", v.Name, v.IBAN, v.BIC, v.Amount, v.Currency, v.Instant, v.Text, v.Due)
		if got != want || v.Reference != "" || v.Information != "" {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
}

// Whatever is pasted, a Czech code is read or refused with a reason, and what is read has an account, a currency and a text that fits a payment.
func TestCzechCodesNeverFail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := "SPD*1.0*"
		for range rapid.IntRange(0, 8).Draw(t, "fields") {
			key := rapid.OneOf(rapid.SampledFrom([]string{"ACC", "AM", "CC", "RF", "RN", "DT", "PT", "MSG", "X-VS", "X-SS", "X-KS", "FRQ"}), rapid.String()).Draw(t, "key")
			value := rapid.OneOf(rapid.SampledFrom([]string{czechIBAN, "CZK", "EUR", "1.00", "20261224", "%C5", "%", ":", "1234567890"}), rapid.String()).Draw(t, "value")
			code += key + ":" + value + "*"
		}
		v, err := ParseInvoice(code)
		var reason *textfile.Error
		if err != nil && !errors.As(err, &reason) {
			t.Fatalf("%q: %v", code, err)
		}
		if err == nil && (v.IBAN.String() == "" || len(v.Currency) != 3 || v.Amount.Sign() < 0 || utf8.RuneCountInString(v.Text) > 140) {
			t.Fatalf("%q: %+v", code, v)
		}
	})
}
