package iban_test

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"florin/internal/iban"

	"pgregory.net/rapid"
)

// One example for each country of the registry.
var examples = []string{
	"AD1200012030200359100100", "AE070331234567890123456", "AL47212110090000000235698741", "AT611904300234573201",
	"AZ21NABZ00000000137010001944", "BA391290079401028494", "BE68539007547034", "BG80BNBG96611020345678",
	"BH67BMAG00001299123456", "BI4210000100010000332045181", "BR9700360305000010009795493P1", "BY13NBRB3600900000002Z00AB00",
	"CH9300762011623852957", "CR05015202001026284066", "CY17002001280000001200527600", "CZ6508000000192000145399",
	"DE89370400440532013000", "DJ2100010000000154000100186", "DK5000400440116243", "DO28BAGR00000001212453611324",
	"EE382200221020145685", "EG380019000500000000263180002", "ES9121000418450200051332", "FI2112345600000785",
	"FK88SC123456789012", "FO2000400440116243", "FR1420041010050500013M02606", "GB29NWBK60161331926819",
	"GE29NB0000000101904917", "GI75NWBK000000007099453", "GL2000400440116243", "GR1601101250000000012300695",
	"GT82TRAJ01020000001210029690", "HN88CABF00000000000250005469", "HR1210010051863000160", "HU42117730161111101800000000",
	"IE29AIBK93115212345678", "IL620108000000099999999", "IQ98NBIQ850123456789012", "IS140159260076545510730339",
	"IT60X0542811101000000123456", "JO94CBJO0010000000000131000302", "KW81CBKU0000000000001234560101", "KZ86125KZT5004100100",
	"LB62099900000001001901229114", "LC55HEMM000100010012001200023015", "LI21088100002324013AA", "LT121000011101001000",
	"LU280019400644750000", "LV80BANK0000435195001", "LY83002048000020100120361", "MC5811222000010123456789030",
	"MD24AG000225100013104168", "ME25505000012345678951", "MK07250120000058984", "MN121234123456789123",
	"MR1300020001010000123456753", "MT84MALT011000012345MTLCAST001S", "MU17BOMM0101101030300200000MUR", "NI45BAPR00000013000003558124",
	"NL91ABNA0417164300", "NO9386011117947", "OM810180000001299123456", "PK36SCBL0000001123456702",
	"PL61109010140000071219812874", "PS92PALS000000000400123456702", "PT50000201231234567890154", "QA58DOHB00001234567890ABCDEFG",
	"RO49AAAA1B31007593840000", "RS35260005601001611379", "RU0304452522540817810538091310419", "SA0380000000608010167519",
	"SC18SSCB11010000000000001497USD", "SD2129010501234001", "SE4550000000058398257466", "SI56191000000123438",
	"SK3112000000198742637541", "SM86U0322509800000000270100", "SO211000001001000100141", "ST68000100010051845310112",
	"SV62CENR00000000000000700025", "TL380080012345678910157", "TN5910006035183598478831", "TR330006100519786457841326",
	"UA213996220000026007233566001", "VA59001123000012345678", "VG96VPVG0000012345678901", "XK051212012345678906",
	"YE15CBYE0001018861234567891234",
}

// The area of the SEPA schemes.
const sepa = " AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA "

func TestEveryCountry(t *testing.T) {
	seen := make(map[string]bool)
	for _, text := range examples {
		i, err := iban.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		country := text[:2]
		seen[country] = true
		if i.String() != text || i.Country() != country || i.Last4() != text[len(text)-4:] {
			t.Errorf("%s became %s of %s, last four %s", text, i, i.Country(), i.Last4())
		}
		if i.SEPA() != strings.Contains(sepa, " "+country+" ") {
			t.Errorf("%s: SEPA() = %v", text, i.SEPA())
		}
		if made, err := iban.Compute(country, text[4:]); err != nil || made != i {
			t.Errorf("Compute of %s: %s, %v", text, made, err)
		}
	}
	for _, country := range append(strings.Fields(sepa), iban.Countries()...) {
		if !seen[country] {
			t.Errorf("no example of %s", country)
		}
	}
}

func TestParseAcceptsAnyPaste(t *testing.T) {
	const want = "GB29NWBK60161331926819"
	for _, text := range []string{
		"GB29NWBK60161331926819",
		"GB29 NWBK 6016 1331 9268 19",
		" gb29 nwbk 6016 1331 9268 19\r\n",
		"GB29-NWBK-6016-1331-9268-19",
		"GB29.NWBK.6016.1331.9268.19",
		"GB29–NWBK–6016–1331–9268–19",
		"GB29\tNWBK\n6016 1331  9268 19",
		"GB29\u00a0NWBK\u202f6016\u20091331\u30009268 19",
		"IBAN GB29 NWBK 6016 1331 9268 19",
		"iban: GB29 NWBK 6016 1331 9268 19",
		"I B A N GB29NWBK60161331926819",
	} {
		i, err := iban.Parse(text)
		if err != nil || i.String() != want {
			t.Errorf("%q: %v, %v", text, i, err)
		}
		if i.Groups() != "GB29 NWBK 6016 1331 9268 19" {
			t.Errorf("%q: groups %q", text, i.Groups())
		}
	}
}

func TestParseExplains(t *testing.T) {
	illegal := func(n, what string) string {
		todo := "type that one again on the keyboard."
		if strings.Contains(what, "invisible") {
			todo = "empty the field and type it on the keyboard."
		}
		return "Character " + n + " is " + what + ". The letters A to Z and digits are all that can be in an IBAN; " + todo
	}
	const mistyped = "The check digits do not fit the rest of the IBAN. Probably a character is mistyped or two are swapped; compare it with the original."
	tests := []struct {
		name, text string
		kind       iban.Kind
		want       string
	}{
		{"nothing", "", iban.Empty, "Enter the IBAN of the account, such as the one on a bank statement."},
		{"separators only", " - . ", iban.Empty, "Enter the IBAN of the account, such as the one on a bank statement."},
		{"the word only", "IBAN:", iban.Empty, "Enter the IBAN of the account, such as the one on a bank statement."},
		{"too short", "DE8937040044053201300", iban.WrongLength, "A German IBAN has 22 characters; this one has 21."},
		{"too long", "AT6119043002345732010", iban.WrongLength, "An Austrian IBAN has 20 characters; this one has 21."},
		{"country only", "UA", iban.WrongLength, "A Ukrainian IBAN has 29 characters; this one has 2."},
		{"one letter", "D", iban.UnknownCountry,
			"An IBAN starts with two letters for the country, such as DE for Germany. This may be an account number of another kind."},
		{"account number", "370400440532013000", iban.UnknownCountry,
			"An IBAN starts with two letters for the country, such as DE for Germany. This may be an account number of another kind."},
		{"no IBAN country", "US64SVBKUS6S3300958879", iban.UnknownCountry, "No country with the code US uses IBANs. Check the first two letters."},
		{"digits swapped", "DE89370400440532010300", iban.WrongCheckDigits, mistyped},
		{"check digits 00 for 97", "DE00370400440532013000", iban.WrongCheckDigits, mistyped},
		{"letter for check digit", "DEO9370400440532013000", iban.WrongStructure,
			"Character 3 of a German IBAN is a digit; this one has the letter O there. Perhaps 0 is meant."},
		{"letter for digit", "DE8937O400440532013000", iban.WrongStructure,
			"Character 7 of a German IBAN is a digit; this one has the letter O there. Perhaps 0 is meant."},
		{"digit for letter", "IE2901BK93115212345678", iban.WrongStructure,
			"Character 5 of an Irish IBAN is a letter; this one has the digit 0 there. Perhaps O is meant."},
		{"another letter", "DE89X70400440532013000", iban.WrongStructure, "Character 5 of a German IBAN is a digit; this one has the letter X there."},
		{"slash", "DE89/3704", iban.IllegalCharacter, illegal("5", `"/"`)},
		{"colon elsewhere", "DE89:3704", iban.IllegalCharacter, illegal("5", `":"`)},
		{"umlaut", "DÖ89", iban.IllegalCharacter, illegal("2", `"Ö" (U+00D6)`)},
		{"Cyrillic", "GB29 NW\u0412K 6016", iban.IllegalCharacter, illegal("7", "the Cyrillic letter \"\u0412\" (U+0412), which only looks like one of A to Z")},
		{"Greek", "\u0391T61", iban.IllegalCharacter, illegal("1", "the Greek letter \"\u0391\" (U+0391), which only looks like one of A to Z")},
		{"full width", "ＤE89", iban.IllegalCharacter, illegal("1", `the full-width character "Ｄ" (U+FF24)`)},
		{"full-width digit", "DE８9", iban.IllegalCharacter, illegal("3", `the full-width character "８" (U+FF18)`)},
		{"Arabic digit", "DE8٩", iban.IllegalCharacter, illegal("4", `the digit "٩" of another script (U+0669)`)},
		{"dotless i", "\u0131T60", iban.IllegalCharacter, illegal("1", "\"\u0131\" (U+0131)")}, // ToUpper would make it I
		{"long s", "\u017fE45", iban.IllegalCharacter, illegal("1", "\"\u017f\" (U+017F)")},    // ToUpper would make it S
		{"zero-width space", "DE89\u200b3704", iban.IllegalCharacter, illegal("5", "an invisible character (zero-width space, U+200B)")},
		{"zero-width joiner", "DE89\u200d3704", iban.IllegalCharacter, illegal("5", "an invisible character (zero-width joiner, U+200D)")},
		{"byte order mark", "\ufeffDE89", iban.IllegalCharacter, illegal("1", "an invisible character (byte order mark, U+FEFF)")},
		{"right to left", "DE89\u202e3704", iban.IllegalCharacter, illegal("5", "an invisible character (direction mark, U+202E)")},
		{"combining", "DE\u0301", iban.IllegalCharacter, illegal("3", "an invisible or combining character (U+0301)")},
		{"NUL", "DE\x0089", iban.IllegalCharacter, illegal("3", "an invisible or combining character (U+0000)")},
		{"not UTF-8", "DE\xff89", iban.IllegalCharacter, illegal("3", "damaged and cannot be read")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i, err := iban.Parse(tt.text)
			var p *iban.Problem
			if !errors.As(err, &p) || p.Kind != tt.kind || err.Error() != tt.want {
				t.Errorf("got %v\nwant %s: %s", err, tt.kind, tt.want)
			}
			if i != (iban.IBAN{}) {
				t.Errorf("got %v beside the error", i)
			}
		})
	}
}

func TestComputeRefuses(t *testing.T) {
	tests := []struct {
		country, bban string
		kind          iban.Kind
	}{
		{"", "", iban.Empty},
		{"D", "", iban.UnknownCountry},
		{"US", "123", iban.UnknownCountry},
		{"DE", "", iban.WrongLength},
		{"DE", "37040044053201300", iban.WrongLength},
		{"DE", "37040044053201300X", iban.WrongStructure},
		{"DE", "3704004405320130_0", iban.IllegalCharacter},
	}
	for _, tt := range tests {
		i, err := iban.Compute(tt.country, tt.bban)
		var p *iban.Problem
		if !errors.As(err, &p) || p.Kind != tt.kind || i != (iban.IBAN{}) {
			t.Errorf("Compute(%q, %q) = %v, %v, want %s", tt.country, tt.bban, i, err, tt.kind)
		}
	}
}

func TestZeroIBAN(t *testing.T) {
	var i iban.IBAN
	if i.String()+i.Groups()+i.Country()+i.Last4() != "" || i.SEPA() {
		t.Errorf("%q %q %q %q", i, i.Groups(), i.Country(), i.Last4())
	}
}

func TestNoIBANInLogs(t *testing.T) {
	i, err := iban.Parse(examples[0])
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("linked", "iban", i)
	if out := b.String(); strings.Contains(out, i.Last4()) || !strings.Contains(out, "iban=AD…") {
		t.Error(out)
	}
}

// One digit for another, one letter for another, or two neighbours of one kind swapped is
// always noticed, and no text of an error repeats the number.
func TestMistakesAreNoticedAndNotRepeated(t *testing.T) {
	const digits, letters = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	kind := func(ch byte) string {
		if strings.IndexByte(digits, ch) >= 0 {
			return digits
		}
		return letters
	}
	rapid.Check(t, func(t *rapid.T) {
		right := rapid.SampledFrom(examples).Draw(t, "right")
		at := rapid.IntRange(0, len(right)-2).Draw(t, "at")
		wrong := []byte(right)
		if kind(wrong[at]) == kind(wrong[at+1]) && rapid.Bool().Draw(t, "swap") {
			wrong[at], wrong[at+1] = wrong[at+1], wrong[at]
		} else {
			wrong[at] = rapid.SampledFrom([]byte(kind(wrong[at]))).Draw(t, "character")
		}
		if string(wrong) == right {
			t.Skip("the same")
		}
		i, err := iban.Parse(string(wrong))
		if err == nil {
			t.Fatalf("%s for %s", i, right)
		}
		if text := err.Error(); strings.Contains(text, right[4:]) || strings.Contains(text, string(wrong[4:])) {
			t.Fatalf("the text repeats the number: %s", text)
		}
	})
}

func TestParseBIC(t *testing.T) {
	long := func(n string) string { return "A BIC has 8 or 11 characters; this one has " + n + "." }
	tests := []struct {
		text, want, country string
		kind                iban.Kind
		problem             string
	}{
		{"DEUTDEFF", "DEUTDEFF", "DE", "", ""},
		{"deut de ff 500", "DEUTDEFF500", "DE", "", ""},
		{"BIC: NDEASESSXXX", "", "", iban.WrongLength, long("14")},
		{"NDEASESSXXX", "NDEASESSXXX", "SE", "", ""},
		{"N26ADEB1", "N26ADEB1", "DE", "", ""}, // digits in the bank code are legal
		{"NCBVXKPR", "NCBVXKPR", "XK", "", ""},
		{"", "", "", iban.Empty, "Enter the BIC of the bank."},
		{"DEUTDEF", "", "", iban.WrongLength, long("7")},
		{"DEUTDEFF5", "", "", iban.WrongLength, long("9")},
		{"DEUTDEFF5000", "", "", iban.WrongLength, long("12")},
		{"DEUTZZFF", "", "", iban.UnknownCountry, "Characters 5 and 6 of a BIC name the country; there is none with the code ZZ."},
		{"DEUT1EFF", "", "", iban.WrongStructure, "Characters 5 and 6 of a BIC are the letters of a country, such as DE for Germany."},
		{"DEUTDE\u0410F", "", "", iban.IllegalCharacter,
			"Character 7 is the Cyrillic letter \"\u0410\" (U+0410), which only looks like one of A to Z. The letters A to Z and digits are all that can be in a BIC; type that one again on the keyboard."},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			b, err := iban.ParseBIC(tt.text)
			if b.String() != tt.want || b.Country() != tt.country {
				t.Errorf("got %q of %q, want %q of %q", b, b.Country(), tt.want, tt.country)
			}
			var p *iban.Problem
			if errors.As(err, &p) != (tt.kind != "") || p != nil && (p.Kind != tt.kind || p.Error() != tt.problem) {
				t.Errorf("got %v, want %s: %s", err, tt.kind, tt.problem)
			}
		})
	}
}

var (
	ibanPattern = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$`)
	bicPattern  = regexp.MustCompile(`^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$`)
)

func FuzzParse(f *testing.F) {
	for _, text := range examples {
		f.Add(text)
	}
	f.Add("IBAN: de89 3704-0044.0532 0130 00")
	f.Add("DE89\u200b370400440532013000")
	f.Fuzz(func(t *testing.T, text string) {
		i, err := iban.Parse(text)
		if err != nil {
			var p *iban.Problem
			if !errors.As(err, &p) || p.Error() == "" || p.Kind == "" || i != (iban.IBAN{}) {
				t.Fatalf("%q: %v, %#v", text, i, err)
			}
			return
		}
		if !ibanPattern.MatchString(i.String()) {
			t.Fatalf("accepted %q as %q", text, i)
		}
		if again, err := iban.Parse(i.Groups()); err != nil || again != i {
			t.Fatalf("%q, then %v, %v", i, again, err)
		}
		if made, err := iban.Compute(i.Country(), i.String()[4:]); err != nil || made != i {
			t.Fatalf("%q, computed %v, %v", i, made, err)
		}
	})
}

func FuzzParseBIC(f *testing.F) {
	f.Add("DEUTDEFF500")
	f.Add("deut de ff")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := iban.ParseBIC(text)
		if err == nil && !bicPattern.MatchString(b.String()) {
			t.Fatalf("accepted %q as %q", text, b)
		}
		if err != nil && b != (iban.BIC{}) {
			t.Fatalf("%v beside %v", b, err)
		}
	})
}

// TestQRIBAN: the institution of a QR-IBAN is one of 30000 to 31999, in Switzerland or Liechtenstein.
func TestQRIBAN(t *testing.T) {
	for institution, want := range map[string]bool{"29999": false, "30000": true, "31999": true, "32000": false, "00762": false} {
		for _, country := range []string{"CH", "LI"} {
			i, err := iban.Compute(country, institution+"123000889012")
			if err != nil || i.QR() != want {
				t.Errorf("%s: %v, %v", i, i.QR(), err)
			}
		}
	}
	for _, other := range []string{"DE89370400440532013000", "AT611904300234573201", "NO9386011117947"} {
		if i, err := iban.Parse(other); err != nil || i.QR() {
			t.Errorf("%s: %v", other, err)
		}
	}
	if (iban.IBAN{}).QR() {
		t.Error("no IBAN is a QR-IBAN")
	}
}
