package paymentfile

import (
	"bytes"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/ulikunitz/xz/lzma"
	"pgregory.net/rapid"
)

// slovak packs fields as a code.
func slovak(t testing.TB, fields ...string) string {
	t.Helper()
	text := []byte(strings.Join(fields, "\t"))
	content := append(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(text)), text...)
	var packed bytes.Buffer
	w, err := lzma.WriterConfig{DictCap: 1 << 17, Size: int64(len(content)), SizeInHeader: true}.NewWriter(&packed)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	raw := append(binary.LittleEndian.AppendUint16([]byte{2, 0}, uint16(len(content))), packed.Bytes()[13:]...)
	return base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)
}

// Slovak payment codes: those of other programs (npm bysquare 4.0.1, and the one in the documentation of rikudou/pay-by-square-decoder), and broken ones.
func TestSlovakCodes(t *testing.T) {
	const account = "SK9611000000002918599669"
	one := func(changes ...string) string { // of a payment of 123.45 euros
		fields := []string{"", "1", "1", "123.45", "EUR", "", "", "", "", "", "", "1", account, "", "0", "0", "A", "", ""}
		for i := 0; i < len(changes); i += 2 {
			var at int
			if _, err := fmt.Sscan(changes[i], &at); err != nil {
				t.Fatal(err)
			}
			fields[at] = changes[i+1]
		}
		return slovak(t, fields...)
	}
	for code, want := range map[string]string{ // name|IBAN|BIC|amount|text|due, or the finding
		"0804Q000A62NUB9BT3IASLQSC9Q1F41A15VIR79R91MO5CJDVMV1V5ENJPBK8HG4PPF6OLPT043BSIE9TS02EKEBFHN4NEPQ3VQOCUGB7VQ92GT940NVVVOLFG000": "ACME s.r.o.|" + account + "||123.45 EUR|/VS987654|",
		"0809K0000G5LNPCG09EQ0DNQEF0O2MF8G3HERJAQJAECA9IJ9S97JGDG80MH693C3B28814D9N41VGF5JCMND8VNNK2TVTIVTUIV7I1F8JEUKQ7QT1J55NJISSCD2LUQ9KHR2QRR1LEMMVF53UMNK2IKARATBJAOD01M9TCENC1FVMLHUVEPD6S6V614P147SAOMM31EU74DD1R8SU42KHEA3OJKR7LSVUVSKO00": "Škoda|" +
			account + "|TATRSKBX|123.45 EUR|/VS1/SS7/KS308 Objednávka č. 7|2026-12-24",
		"0804E0004OGD1HTG9C98Q7OFUG5019KRS92U85DR59E8RIHNBFOQ9UQ32AKIMDOUH38QLGVROHRE70H3NPCE4NNKHU704LPIJJME7UM6AVVVJ5SG00":                                                                 "A|" + account + "||123.45 EUR|/VS5/SS/KS|",
		"0803E0007G64D3RG9C97P8IB3OCVVGB2JVD8D98ENDMODTNB0E89H061RKVSU1HJ8KPKBSOJRIPD7R1VVV871G00":                                                                                           "A|" + account + "||0.00 EUR||",
		"0803Q00020HT8RI09CG34A08NLJMN16TMSJ8J8GRAHG1TMTLVGJ16OOUVOVCKN2F419TELJN99EFA8LKPQN7S86VVV6HQ000":                                                                                   "A|" + account + "||123.45 CZK||",
		"0006Q0000UAT63HVES6GL5A5A0O9NSPEEHUHIEP70EG9LM6LU6EBNQ8KG6RB2N2LUIHMVTV51KQ77DGFC25KM2S9V46EQSN5GSD9J1N4BKT1L9ASVOOT1LPOMAO66IS2BHJDCNA4D9LFKG9MTFLISBD36O5CQQNJIBB2TJILQVVN684000": "Dominik Chrástecký|CZ5530300000001325090010|AIRACZPP|100.00 EUR|/VS789/SS456/KS123 comment|2020-03-16",
		"0806U0004UJSQRRGDS013D9A5NFC780MJTFFBC9MOJCEIOURITM29SB7ORF5LTV7F9JHHUCK0QLT4TUR6D4L0E0MN3GFKKB6BPU4F64LVVVM210000":                                                                 "CodeSeveral",
		"0804O0002INRO8EUBIO55IIOGT732S0GTPSHO538A7ULSQ8D6BMPN4GNQ8NBRSNU8HLEMA2Q9GUG10LABKGJV3PBDNVUEV5RLID6FLMSJN4FVB20K000":                                                               "CodeRepeats",
		"  " + one() + "\n": "A|" + account + "||123.45 EUR||",
		one("16", ""):       "|" + account + "||123.45 EUR||",
		one("14", "1"):      "|" + account + "||123.45 EUR||",  // the fields of a standing order are missing
		one("2", "3"):       "A|" + account + "||123.45 EUR||", // either is possible
		slovak(t, "", "1", "1", "1", "EUR", "", "", "", "", "", "", "1", account): "|" + account + "||1.00 EUR||",
		one("2", "4"):                         "CodeRepeats",
		one("1", "0"):                         "SlovakDamaged",
		one("1", "x"):                         "SlovakDamaged",
		one("3", "1,50"):                      `CodeField{Key:"Amount"}`,
		one("3", "0"):                         `CodeField{Key:"Amount"}`,
		one("3", "-1"):                        `CodeField{Key:"Amount"}`,
		one("4", ""):                          `CodeField{Key:"CurrencyCode"}`,
		one("4", "XQX"):                       `CodeField{Key:"CurrencyCode"}`,
		one("5", "20261301"):                  `CodeField{Key:"PaymentDueDate"}`,
		one("5", "2026-12-24"):                `CodeField{Key:"PaymentDueDate"}`,
		one("11", "0"):                        `CodeField{Key:"IBAN"}`,
		one("12", "SK9611000000002918599660"): "WrongCodeIBAN",
		one("13", "TATR"):                     `CodeField{Key:"BIC"}`,
		one("16", strings.Repeat("x", 71)):    `CodeField{Key:"BeneficiaryName"}`,
		one()[:60]:                            "SlovakDamaged",
		"0C" + one()[2:]:                      "SlovakVersion", // 1.3.0, which does not exist
		"0S" + one()[2:]:                      "SlovakVersion", // 1.7.0
		"08" + strings.Repeat("0", 60):        "SlovakDamaged",
		"0" + strings.Repeat("V", 999):        "SlovakDamaged",
	} {
		if !LooksLikeInvoice(code) {
			t.Errorf("%q is not taken for a code", code)
		}
		v, err := ParseInvoice(code)
		if err != nil {
			if !says(err, want) {
				t.Errorf("%s: %v, want %s", code, err, want)
			}
			continue
		}
		if got := fmt.Sprintf("%s|%s|%s|%s %s|%s|%s", v.Name, v.IBAN, v.BIC, v.Amount, v.Currency, v.Text, v.Due); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
	for _, text := range []string{"0800 123 456", "0123456789", strings.Repeat("0", 39), "0" + strings.Repeat("W", 60)} {
		if LooksLikeInvoice(text) {
			t.Errorf("%q is taken for a payment code", text)
		}
	}
}

// A changed letter, or whatever is packed, is read or refused. A code that claims to hold much takes no more memory than its 64 KB.
func TestSlovakCodesNeverFail(t *testing.T) {
	whole := slovak(t, "", "1", "1", "123.45", "EUR", "", "1", "2", "3", "", "Note", "1", "SK9611000000002918599669", "", "0", "0", "A", "", "")
	rapid.Check(t, func(t *rapid.T) {
		letters := []byte(whole)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			letters[rapid.IntRange(0, len(letters)-1).Draw(t, "at")] = "0123456789ABCDEFGHIJKLMNOPQRSTUV"[rapid.IntRange(0, 31).Draw(t, "letter")]
		}
		v, err := ParseInvoice(string(letters))
		if err == nil && (v.IBAN.String() != "SK9611000000002918599669" || v.Amount.String() != "123.45" || v.Text != "/VS1/SS3/KS2 Note") {
			t.Fatalf("%s: %+v", letters, v)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		if text, err := unpackSlovak(rapid.StringMatching("0[0-9A-V]{39,400}").Draw(t, "code")); err == nil && len(text) > 65531 {
			t.Fatal(len(text))
		}
	})
}
