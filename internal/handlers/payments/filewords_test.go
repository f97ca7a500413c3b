package payments

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/paymentfile"
	"florin/internal/textfile"
	"florin/web/templates/words"
)

// worded are findings of every type, with a part of the sentence that a person reads.
func worded() map[paymentfile.Finding]string {
	_, badIBAN := iban.Parse("DE88370400440532013000")
	_, badBIC := iban.ParseBIC("XX")
	_, badAmount := finance.ParseAmount("1.234", "EUR")
	_, badDay := finance.ParseDay("2027-02-29")
	group := paymentfile.Group{Number: 2, ID: "G1"}
	return map[paymentfile.Finding]string{
		paymentfile.OtherMessage{Kind: paymentfile.BankAnswer}:                     "Choose the pain.001 that it answers",
		textfile.TooLarge{Most: paymentfile.MaxBytes}:                              "larger than 1,024 KiB. Split it",
		paymentfile.NoPayment{Header: true}:                                        "no payment below the line",
		paymentfile.TooManyPayments{Most: 2000}:                                    "more than 2,000 payments",
		paymentfile.TooManyColumns{Count: 1001, Most: 200}:                         "1,001 columns; Florin reads at most 200",
		paymentfile.NoHeader{}:                                                     "Put a line above it, such as name;iban;amount;text",
		paymentfile.NoColumn{Column: "amount"}:                                     "“amount” is missing",
		paymentfile.SameColumn{Column: "name", First: "name", Second: "Empfänger"}: "Two columns mean “name”: “name” and “Empfänger”",
		paymentfile.NoTransfer{Method: "CHK"}:                                      "“CHK” (PmtMtd)",
		paymentfile.SeveralDebtors{}:                                               "more than one account",
		paymentfile.Instant{}:                                                      "a bulk cannot be instant",
		paymentfile.WrongCount{Group: group, Stated: "3", Count: 1}:                "Group 2 (G1) states 3 payments (NbOfTxs), but contains 1.",
		paymentfile.WrongSum{Stated: "5,00", Sum: money.FromMinor(500, "EUR")}:     "The file states a total of 5,00 (CtrlSum), but its payments add up to 5.00 EUR.",
		paymentfile.SeveralCharges{}:                                               "who pays the charges",
		paymentfile.UnknownCharges{Code: "X"}:                                      "“X” about who pays the charges",
		paymentfile.SeveralPriority{}:                                              "differ in priority",
		paymentfile.UnknownPriority{Code: "LOW"}:                                   "priority “LOW”",
		paymentfile.UnknownColumn{Name: "colour"}:                                  "column “colour”",
		paymentfile.SeveralGroups{Count: 2}:                                        "2 groups of payments",
		paymentfile.BatchBooking{}:                                                 "your bank books them as usual",
		paymentfile.NoName{}:                                                       "name is missing",
		paymentfile.LongName{Length: 71, Most: 70}:                                 "71 characters; 70 are allowed",
		paymentfile.DamagedName{}:                                                  "Type the name again",
		paymentfile.WrongIBAN{Problem: badIBAN}:                                    "check digits",
		paymentfile.WrongBIC{Problem: badBIC}:                                      "this one has 2. You can also leave it out.",
		paymentfile.NoCurrency{}:                                                   "such as EUR",
		paymentfile.NoAmount{}:                                                     "The amount is missing",
		paymentfile.WrongAmount{Problem: badAmount}:                                "1234 or 1.23",
		paymentfile.WrongDay{Problem: badDay}:                                      "leap year",
		paymentfile.LongEndToEndID{Length: 36, Most: 35}:                           "36 characters; 35 are allowed",
		paymentfile.SeveralReferences{Count: 2}:                                    "2 references; only one",
		paymentfile.DamagedText{}:                                                  "Type the text again",
		paymentfile.LongLine{Columns: 7, Header: 6, Separator: ','}:                "7 columns; the first line has 6. Put a field that contains a comma",
		paymentfile.ShortLine{Columns: 1, Header: 6}:                               "only 1 column; the first line has 6",
		paymentfile.OtherCode{Kind: paymentfile.SlovenianUPNQR}:                    "This is a Slovenian payment slip (UPN QR). Florin reads",
		paymentfile.SwissIncomplete{}:                                              "with its empty lines",
		paymentfile.SwissVersion{}:                                                 "this version of the Swiss QR-bill",
		paymentfile.SwissAccount{}:                                                 "in Switzerland or Liechtenstein",
		paymentfile.SwissNoName{}:                                                  "name of the payee is missing",
		paymentfile.SwissLong{Name: true, Length: 71, Most: 70}:                    "name in this Swiss QR-bill has 71 characters; 70",
		paymentfile.SwissCurrency{}:                                                "francs (CHF) or euros (EUR)",
		paymentfile.SwissSum{}:                                                     "amount in this Swiss QR-bill is wrong",
		paymentfile.SwissWrongReference{}:                                          "reference in this Swiss QR-bill is wrong",
		paymentfile.CzechVersion{}:                                                 "this version of the Czech payment code",
		paymentfile.CzechForm{}:                                                    "Copy all of it, in one line",
		paymentfile.SlovakVersion{}:                                                "this version of the Slovak payment code",
		paymentfile.SlovakDamaged{}:                                                "This Slovak payment code is damaged",
		paymentfile.CodeSeveral{}:                                                  "several payments",
		paymentfile.CodeRepeats{}:                                                  "standing order",
		paymentfile.CodeField{Key: "DT"}:                                           "The field DT of this payment code",
		paymentfile.NoCode{}:                                                       "does not begin with BCD",
		paymentfile.DamagedCode{}:                                                  "damaged characters",
		paymentfile.LinesMissing{}:                                                 "line breaks of the code are missing",
		paymentfile.TooManyLines{Count: 13, Most: 12}:                              "13 lines; a payment code has at most 12",
		paymentfile.LongCode{Most: 331}:                                            "331 characters",
		paymentfile.WrongVersion{}:                                                 "001 or 002",
		paymentfile.WrongAlphabet{}:                                                "digit from 1 to 8",
		paymentfile.OtherPurpose{}:                                                 "SCT",
		paymentfile.NoCodeBIC{}:                                                    "put 002 into line 2",
		paymentfile.WrongCodeBIC{Problem: badBIC}:                                  "The BIC in line 5 is wrong. A BIC has 8 or 11 characters",
		paymentfile.NoCodeName{}:                                                   "line 6 is missing",
		paymentfile.WrongCodeIBAN{Problem: badIBAN}:                                "check digits",
		paymentfile.OtherCurrency{}:                                                "not in euro",
		paymentfile.AmountComma{}:                                                  "Write it like EUR12.30",
		paymentfile.AmountForm{}:                                                   "not written like EUR12.30",
		paymentfile.AmountZero{}:                                                   "more than zero",
		paymentfile.WrongPurpose{}:                                                 "four capital letters",
		paymentfile.ReferenceAndText{}:                                             "Empty one of the two lines",
		paymentfile.WrongReference{}:                                               "move it to line 11",
		paymentfile.LongElement{Line: 11, Length: 141, Most: 140}:                  "line 11 has 141 characters; 140 are allowed",
	}
}

// Every finding of package paymentfile has words.
func TestFindingsHaveWords(t *testing.T) {
	tested := map[string]bool{}
	for finding, want := range worded() {
		tested[reflect.TypeOf(finding).Name()] = true
		if got := findingWords(words.English, finding); !strings.Contains(got, want) || !strings.HasSuffix(got, ".") || strings.HasSuffix(got, "..") {
			t.Errorf("%T: %q, want %q", finding, got, want)
		}
	}
	left := paymentfile.LeftOut{Elements: []string{"Odd", "Purp"}, More: true}
	if got := findingWords(words.English, left); !strings.Contains(got, "Left out are: Odd, the purpose (Purp), and more.") {
		t.Error(got)
	}
	for kind := range paymentfile.OldPain001 + 1 {
		if otherMessages[kind] == "" {
			t.Errorf("the kind of message %d has no words", kind)
		}
	}
	for kind := range paymentfile.WebPage + 1 {
		if otherCodes[kind] == "" {
			t.Errorf("the kind of code %d has no words", kind)
		}
	}
	for _, line := range []int{6, 10, 11, 12} {
		if findingWords(words.English, paymentfile.LongElement{Line: line}) == "" {
			t.Errorf("the element in line %d of a code has no words", line)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../../paymentfile/finding.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if ok && len(fields.Fields.List) > 0 && len(fields.Fields.List[0].Names) == 0 && !tested[spec.Name.Name] && spec.Name.Name != "LeftOut" {
			t.Errorf("paymentfile.%s is not tested here: give it words, and a line", spec.Name.Name)
		}
		return true
	})
	if err := errors.New("something else"); fileError(words.English, err) != "The file cannot be read. Export it again, or choose another one." {
		t.Error(fileError(words.English, err))
	}
	if _, err := paymentfile.Parse("", "EUR"); fileError(words.English, err) != "The file has no payment in it." {
		t.Error(fileError(words.English, err))
	}
}
