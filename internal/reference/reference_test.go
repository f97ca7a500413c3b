package reference_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/openbanking"
	"florin/internal/reference"
)

const (
	rf  = openbanking.ReferenceNumberSchemeINTL
	fi  = openbanking.ReferenceNumberSchemeFIRF
	be  = openbanking.ReferenceNumberSchemeBERF
	no  = openbanking.ReferenceNumberSchemeNORF
	se  = openbanking.ReferenceNumberSchemeSEBG
	sdd = openbanking.ReferenceNumberSchemeSDDM
)

// TestKnownReferences: numbers that the standards, and the banks that explain them, print as examples.
func TestKnownReferences(t *testing.T) {
	for _, tt := range []struct {
		scheme openbanking.ReferenceNumberScheme
		number string
	}{
		{rf, "RF18539007547034"}, // ISO 11649
		{rf, "RF18 5390 0754 7034"},
		{rf, "rf18 5390 0754 7034"},
		{rf, "RF471234567890"},
		{rf, "RF45G72UUR"},
		{rf, "RF7312345678901234567890A"}, // the longest
		{fi, "1232"},                      // Finance Finland: 123 gets the check digit 2
		{fi, "1234561"},
		{fi, "12 34561"},
		{fi, "00000000000001234561"},
		{be, "+++090/9337/55493+++"}, // Febelfin
		{be, "***010/8068/17183***"},
		{be, "010806817183"},
		{be, "010 8068 17183"},
		{no, "12345678903"}, // mod 10 and mod 11 of Nets, from 1234567890
		{no, "12345678911"}, // mod 11 of 1234567891
		{no, "00"},
		{se, "1234567897"}, // Bankgirot's OCR manual
		{se, "00"},
		{se, "75"},
		{sdd, "MD-2026/0001 (A)"},
		{sdd, strings.Repeat("x", 35)},
	} {
		if err := reference.Check(tt.scheme, tt.number); err != nil {
			t.Errorf("%s %q: %v", tt.scheme, tt.number, err)
		}
	}
}

// TestKnownCheckDigits: what the standards compute by hand.
func TestKnownCheckDigits(t *testing.T) {
	for _, tt := range []struct {
		scheme         openbanking.ReferenceNumberScheme
		number, want   string
		problemOfShort string // with nothing to complete
	}{
		{rf, "539007547034", "RF18539007547034", "5 to 25 characters"},
		{fi, "123456", "1234561", "at least 4 digits"},
		{be, "0909337554", "090933755493", "12 digits"},
		{be, "0000000097", "000000009797", "12 digits"}, // no remainder is 97
		{no, "1234567890", "12345678903", "2 to 25 digits"},
		{se, "123456789", "1234567897", "2 to 25 digits"},
		{sdd, "A-1", "A-1", "is empty"},
	} {
		if got, err := reference.Make(tt.scheme, tt.number); got != tt.want || err != nil {
			t.Errorf("Make(%s, %s) = %q, %v, want %s", tt.scheme, tt.number, got, err, tt.want)
		}
		if _, err := reference.Make(tt.scheme, ""); err == nil || !strings.Contains(err.Error(), tt.problemOfShort) {
			t.Errorf("Make(%s, nothing): %v, want %s", tt.scheme, err, tt.problemOfShort)
		}
	}
}

func TestProblems(t *testing.T) {
	const mistyped = " Probably a digit is mistyped."
	for _, tt := range []struct {
		scheme       openbanking.ReferenceNumberScheme
		number, want string
	}{
		{rf, "", "An international reference is RF, two check digits and up to 21 letters and digits; this one is empty."},
		{rf, "FR18539007547034", "An international reference begins with RF."},
		{rf, "RF18", "An international reference has 5 to 25 characters; this one has 4."},
		{rf, "RF" + strings.Repeat("1", 24), "An international reference has 5 to 25 characters; this one has 26."},
		{rf, "RFA8539007547034", "Characters 3 and 4 of an international reference are its check digits; here they are A8."},
		{rf, "RF19539007547034", "The check digits of this international reference, after RF, should be 18; here they are 19. Probably a character is mistyped."},
		{rf, "RF18-5390", "An international reference has the letters A to Z and digits only; character 5 is \"-\"."},
		{rf, "R\u0416", "An international reference has the letters A to Z and digits only; character 2 is the Cyrillic letter \"\u0416\" (U+0416), which only looks like one of A to Z."},
		{fi, "1235", "The last digit of a Finnish reference is its check digit; for this one it should be 2, not 5." + mistyped},
		{fi, "123", "A Finnish reference has at least 4 digits, without zeros at the beginning; this one has 3."},
		{fi, "0000", "A Finnish reference has at least 4 digits, without zeros at the beginning; this one has 0."},
		{fi, strings.Repeat("1", 21), "A Finnish reference has at most 20 digits; this one has 21."},
		{fi, "123A", "A Finnish reference has digits only; character 4 is \"A\"."},
		{fi, "123-2", "A Finnish reference has digits only; character 4 is \"-\"."},
		{be, "09093375549", "A Belgian reference has 12 digits, such as +++123/4567/89002+++; this one has 11."},
		{be, "+++090/9337/55494+++", "The last two digits of a Belgian reference are its check digits; for this one they should be 93, not 94." + mistyped},
		{no, "1", "A Norwegian KID number has 2 to 25 digits; this one has 1."},
		{no, strings.Repeat("0", 26), "A Norwegian KID number has 2 to 25 digits; this one has 26."},
		{no, "12345678902", "The last digit of a Norwegian KID number is its check digit; for this one it should be 3, not 2." + mistyped},
		{no, "12-34", "A Norwegian KID number has digits only; character 3 is \"-\"."},
		{se, "1", "A Swedish OCR number has 2 to 25 digits; this one has 1."},
		{se, "1234567898", "The last digit of a Swedish OCR number is its check digit; for this one it should be 7, not 8." + mistyped},
		{se, "\uff11\uff12", "A Swedish OCR number has digits only; character 1 is the full-width character \"\uff11\" (U+FF11)."},
		{sdd, "", "A mandate reference has 1 to 35 characters; this one is empty."},
		{sdd, strings.Repeat("x", 36), "A mandate reference has at most 35 characters; this one has 36."},
		{sdd, "MD_1", "A mandate reference has the letters A to Z, digits, spaces and / - ? : ( ) . , ' + only; character 3 is \"_\"."},
		{sdd, "/MD", "A mandate reference neither begins nor ends with a slash."},
		{sdd, "MD//1", "A mandate reference has no two slashes together."},
		{sdd, " MD", "A mandate reference neither begins nor ends with a space."},
		{"XXXX", "1", "There is no kind of reference with the code \"XXXX\"."},
	} {
		err := reference.Check(tt.scheme, tt.number)
		var problem reference.Problem
		if !errors.As(err, &problem) || string(problem) != tt.want {
			t.Errorf("%s %q\ngot  %v\nwant %s", tt.scheme, tt.number, err, tt.want)
		}
	}
}

// TestBothMethodsOfKID: the payee's choice is not to be seen in a number, so both check digits are right, and a hyphen where
// mod 11 has no digit.
func TestBothMethodsOfKID(t *testing.T) {
	hyphens := 0
	for n := 100; n < 200; n++ {
		digits := []byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)}
		eleven := (11 - (int(digits[2]-'0')*2+int(digits[1]-'0')*3+int(digits[0]-'0')*4)%11) % 11
		last := "0123456789-"[eleven]
		if last == '-' {
			hyphens++
		}
		if err := reference.Check(no, string(digits)+string(last)); err != nil {
			t.Errorf("%s%c: %v", digits, last, err)
		}
		if made, err := reference.Make(no, string(digits)); err != nil || reference.Check(se, made) != nil {
			t.Errorf("%s, mod 10 of %s: %v", made, digits, err)
		}
	}
	if hyphens == 0 {
		t.Error("no number of those ends in a hyphen")
	}
}

func TestEverySchemeIsChecked(t *testing.T) {
	for _, scheme := range openbanking.ReferenceNumberScheme("").Values() {
		if err := reference.Check(scheme, "\x00"); err == nil || strings.Contains(err.Error(), "no kind of") {
			t.Errorf("%s: %v", scheme, err)
		}
		if name := reference.Name(scheme); strings.Contains(name, "kind") || !strings.HasPrefix(name, "a") {
			t.Errorf("%s is called %s", scheme, name)
		}
	}
	if got := reference.Name("XXXX"); got != `a reference of the kind "XXXX"` {
		t.Error(got)
	}
}

// digits is how many digits can be completed to a number of the scheme.
var digits = map[openbanking.ReferenceNumberScheme]string{rf: `[0-9A-Z]{1,21}`, fi: `[1-9][0-9]{2,18}`, be: `[0-9]{10}`, no: `[0-9]{1,24}`, se: `[0-9]{1,24}`}

var schemes = []openbanking.ReferenceNumberScheme{rf, fi, be, no, se}

// What Make makes passes Check, also in groups.
func TestMakeThenCheck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scheme := rapid.SampledFrom(schemes).Draw(t, "scheme")
		made, err := reference.Make(scheme, rapid.StringMatching(digits[scheme]).Draw(t, "number"))
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(made)).Draw(t, "cut")
		if err := reference.Check(scheme, made[:cut]+" "+made[cut:]); err != nil {
			t.Fatalf("%s %q: %v", scheme, made, err)
		}
	})
}

// One digit for another is always noticed where there is one method; the text of the problem does not repeat the number. Of
// a KID number only that is promised which both methods notice: a changed check digit that is neither of the two.
func TestMistakesAreNoticedAndNotRepeated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scheme := rapid.SampledFrom([]openbanking.ReferenceNumberScheme{rf, fi, be, se}).Draw(t, "scheme")
		made, err := reference.Make(scheme, rapid.StringMatching(digits[scheme]).Draw(t, "number"))
		if err != nil {
			t.Fatal(err)
		}
		first := 0
		if scheme == rf {
			first = 2
		}
		wrong := []byte(made)
		i := rapid.IntRange(first, len(made)-1).Draw(t, "at")
		if wrong[i] < '0' || wrong[i] > '9' {
			t.Skip("a letter")
		}
		wrong[i] = '0' + (wrong[i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
		err = reference.Check(scheme, string(wrong))
		if err == nil {
			t.Fatalf("%s passes in place of %s", wrong, made)
		}
		if len(wrong) > 3 && strings.Contains(err.Error(), string(wrong)) {
			t.Fatalf("the text repeats the number: %v", err)
		}
	})
}

// Two neighbours swapped are always noticed by the methods that divide by 97.
func TestSwapsAreNoticed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scheme := rapid.SampledFrom([]openbanking.ReferenceNumberScheme{rf, be}).Draw(t, "scheme")
		made, err := reference.Make(scheme, rapid.StringMatching(`[0-9]{10}`).Draw(t, "number"))
		if err != nil {
			t.Fatal(err)
		}
		i := rapid.IntRange(2, len(made)-2).Draw(t, "at")
		wrong := []byte(made)
		wrong[i], wrong[i+1] = wrong[i+1], wrong[i]
		if scheme == be && i+1 >= 10 {
			t.Skip("the check digits themselves are no part of what is divided")
		}
		if string(wrong) != made && reference.Check(scheme, string(wrong)) == nil {
			t.Fatalf("%s passes in place of %s", wrong, made)
		}
	})
}

func TestLuhn(t *testing.T) {
	for digits, want := range map[string]string{"7992739871": "3", "411111111111111": "1", "": "0", "5050105": "5", "286543": "4"} {
		if got := reference.Luhn(digits); got != want {
			t.Errorf("Luhn(%s) = %s, want %s", digits, got, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, scheme := range openbanking.ReferenceNumberScheme("").Values() {
		for _, number := range []string{"", "RF18 5390 0754 7034", "1232", "+++090/9337/55493+++", "12-", "-", "\xff", "\u202e"} {
			f.Add(string(scheme), number)
		}
	}
	f.Fuzz(func(t *testing.T, scheme, number string) {
		kind := openbanking.ReferenceNumberScheme(scheme)
		err := reference.Check(kind, number)
		var problem reference.Problem
		if err != nil && (!errors.As(err, &problem) || problem == "") {
			t.Fatalf("%#v", err)
		}
		if made, err := reference.Make(kind, number); err == nil && reference.Check(kind, made) != nil {
			t.Fatalf("%q was made of %q", made, number)
		}
	})
}

// A number names its scheme where its form is that of no other text.
func TestNamed(t *testing.T) {
	for number, want := range map[string]openbanking.ReferenceNumberScheme{
		"RF18539007547034": openbanking.ReferenceNumberSchemeINTL, "rf18 5390 0754 7034": openbanking.ReferenceNumberSchemeINTL,
		"RF00":                 openbanking.ReferenceNumberSchemeINTL,
		"+++090/9337/55493+++": openbanking.ReferenceNumberSchemeBERF, "***090/9337/55493***": openbanking.ReferenceNumberSchemeBERF,
		"": "", "123": "", "RF": "", "RFID 7": "", "++++++": "", "+++1": "", "1232": "", "Order RF18": "",
	} {
		if scheme, ok := reference.Named(number); scheme != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", number, scheme, ok)
		}
	}
}

// A Swiss QR reference: 27 digits, the last one by the recursive method mod 10, which finds each digit that is mistyped. The
// first two are the example of the guidelines.
func TestQRReference(t *testing.T) {
	for _, right := range []string{"210000000003139471430009017", "21 00000 00003 13947 14300 09017", "000000000000000000000000011"} {
		if err := reference.CheckQR(right); err != nil {
			t.Errorf("%s: %v", right, err)
		}
	}
	for number, want := range map[string]string{
		"":                             "A Swiss QR reference has 27 digits; this one has 0.",
		"21000000000313947143000901":   "A Swiss QR reference has 27 digits; this one has 26.",
		"2100000000031394714300090170": "A Swiss QR reference has 27 digits; this one has 28.",
		"000000000000000000000000012":  "The last digit of a Swiss QR reference is its check digit; for this one it should be 1, not 2. Probably a digit is mistyped.",
		"210000000003139471430009018":  "The last digit of a Swiss QR reference is its check digit; for this one it should be 7, not 8. Probably a digit is mistyped.",
		"21000000000313947143000901A":  "A Swiss QR reference has digits only; character 27 is \"A\".",
		strings.Repeat("0", 27):        "A Swiss QR reference has another digit than zero.",
	} {
		if err := reference.CheckQR(number); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", number, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		made, err := reference.MakeQR(rapid.StringMatching(`[1-9][0-9]{0,25}`).Draw(t, "number"))
		if err != nil || reference.CheckQR(made) != nil {
			t.Fatalf("%s: %v", made, err)
		}
		i, digit := rapid.IntRange(0, 26).Draw(t, "at"), byte('0'+rapid.IntRange(0, 9).Draw(t, "digit"))
		if typed := made[:i] + string(digit) + made[i+1:]; typed != made && reference.CheckQR(typed) == nil {
			t.Fatalf("%s became %s, and both are right", made, typed)
		}
	})
	if _, err := reference.MakeQR("12a"); err == nil {
		t.Error("a letter makes a reference")
	}
}
