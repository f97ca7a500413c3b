package site

import (
	"bytes"
	"fmt"
	"html"
	"reflect"
	"slices"
	"strings"
	"testing"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
)

// filled sets every field below v, and returns the texts that it has put in.
func filled(t *testing.T, v reflect.Value) (texts []string) {
	t.Helper()
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch {
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		case v.Type() == reflect.TypeFor[openbanking.Date]():
			v.SetString(fmt.Sprintf("2027-03-%02d", n%28+1))
			texts = append(texts, dateText(english, openbanking.Date(v.String())))
		case v.Type() == reflect.TypeFor[string]():
			v.SetString(fmt.Sprintf("text-%d.", n))
			texts = append(texts, v.String())
		case v.MethodByName("Values").IsValid(): // an enumeration
			v.Set(v.MethodByName("Values").Call(nil)[0].Index(0))
		default:
			t.Fatalf("a field of the type %s", v.Type())
		}
	}
	fill(v)
	return texts
}

// spec: Payment initiation flow, step 4: the PSU reviews the payment details. Whatever field is given, the page shows it.
func TestThePageShowsEveryFieldOfAPayment(t *testing.T) {
	var payment openbanking.PaymentRequestResource
	texts := filled(t, reflect.ValueOf(&payment).Elem())
	if len(texts) < 60 {
		t.Fatalf("only %d texts", len(texts))
	}
	several := payment
	several.CreditTransferTransaction = append(slices.Clone(payment.CreditTransferTransaction), openbanking.CreditTransferTransaction{})
	for name, p := range map[string]openbanking.PaymentRequestResource{"one": payment, "several": several} {
		shown := page(t, hosted.PaymentPage{Order: *OrderOf(english, openbanking.PaymentTypeCrossborder, p, nil, true)})
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				t.Errorf("%s: the page does not show %s", name, text)
			}
		}
	}
	for text, value := range map[string]string{
		"The payee bears all charges.": string(*payment.ChargeBearer), "Express": string(*payment.PaymentTypeInformation.InstructionPriority),
		"Every day":                   string(*payment.CreditTransferTransaction[0].Frequency),
		"on the next day of business": string(*payment.CreditTransferTransaction[0].ExecutionRule), "ACCT": string(*payment.Purpose),
		"BKTR": string(*payment.PaymentTypeInformation.ServiceLevel), "BONU": string(*payment.PaymentTypeInformation.CategoryPurpose),
	} {
		if !strings.Contains(page(t, hosted.PaymentPage{Order: *OrderOf(english, openbanking.PaymentTypeCrossborder, payment, nil, true)}), text) {
			t.Errorf("the page does not show %q for %s", text, value)
		}
	}
}

// A payment and its only transfer often have one reference: the page shows it once. References that differ are all shown.
func TestAReferenceIsShownOnce(t *testing.T) {
	transfer := func(endToEnd, instruction string) openbanking.CreditTransferTransaction {
		return openbanking.CreditTransferTransaction{PaymentID: &openbanking.PaymentIdentification{EndToEndID: &endToEnd, InstructionID: &instruction}}
	}
	reference := "REF-1"
	tests := map[string]struct {
		transfers []openbanking.CreditTransferTransaction
		want      map[string]int
	}{
		"one for all":             {[]openbanking.CreditTransferTransaction{transfer("REF-1", "REF-1")}, map[string]int{"REF-1": 1}},
		"others for the transfer": {[]openbanking.CreditTransferTransaction{transfer("E-1", "I-1")}, map[string]int{"REF-1": 1, "E-1": 1, "I-1": 1}},
		"shared by all transfers": {[]openbanking.CreditTransferTransaction{transfer("REF-1", "I-1"), transfer("REF-1", "I-2")},
			map[string]int{"REF-1": 1, "I-1": 1, "I-2": 1}},
		"of one transfer of two": {[]openbanking.CreditTransferTransaction{transfer("REF-1", "I-1"), transfer("E-2", "I-2")}, map[string]int{"REF-1": 2, "E-2": 1}},
	}
	for name, test := range tests {
		payment := openbanking.PaymentRequestResource{CreditTransferTransaction: test.transfers}
		payment.PaymentInformationID = &reference
		shown := page(t, hosted.PaymentPage{Order: *OrderOf(english, openbanking.PaymentTypeSEPA, payment, nil, true)})
		for text, want := range test.want {
			if got := strings.Count(shown, text); got != want {
				t.Errorf("%s: the page shows %s %d times, want %d", name, text, got, want)
			}
		}
	}
}

// page renders the page of a payment, with its texts as they are.
func page(t *testing.T, p hosted.PaymentPage) string {
	t.Helper()
	var b bytes.Buffer
	if err := hosted.Payment(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return html.UnescapeString(b.String())
}

// Every value of the enumerations of a payment has words.
func TestEveryCodeHasWords(t *testing.T) {
	for _, v := range openbanking.PaymentType("").Values() {
		if paymentKinds[v] == "" {
			t.Errorf("no words for the payment type %s", v)
		}
	}
	for _, v := range openbanking.ChargeBearerCode("").Values() {
		if chargeBearers[v] == "" {
			t.Errorf("no words for the charge bearer %s", v)
		}
	}
	for _, v := range openbanking.PriorityCode("").Values() {
		if priorities[v] == "" {
			t.Errorf("no words for the priority %s", v)
		}
	}
	for _, v := range openbanking.FrequencyCode("").Values() {
		if frequencies[v] == "" {
			t.Errorf("no words for the frequency %s", v)
		}
	}
	for _, v := range openbanking.ExecutionRule("").Values() {
		if executionRules[v] == "" {
			t.Errorf("no words for the execution rule %s", v)
		}
	}
	for _, v := range []aggregator.PayeeOutcome{aggregator.PayeeMatch, aggregator.PayeeCloseMatch, aggregator.PayeeNoMatch, aggregator.PayeeNotPossible} {
		if payeeTones[v] == "" || payeeTitles[v] == "" || payeeTexts[v] == "" {
			t.Errorf("no words for the outcome %s", v)
		}
	}
}

func TestStandingOrderInASentence(t *testing.T) {
	first, last := openbanking.Date("2026-12-01"), openbanking.Date("2027-11-30")
	monthly, before := openbanking.FrequencyCodeMNTH, openbanking.ExecutionRulePREC
	tests := []struct {
		name        string
		first, last *openbanking.Date
		rule        *openbanking.ExecutionRule
		want        []string
	}{
		{"endless", &first, nil, nil, []string{"Every month, for the first time on 1 December 2026, until you stop it."}},
		{"with an end and a rule", &first, &last, &before, []string{
			"Every month, for the first time on 1 December 2026 and for the last time on 30 November 2027 at the latest.",
			"If banks are closed on that day, on the day of business before.",
		}},
		{"from now on", nil, nil, nil, []string{"Every month from now on, until you stop it."}},
		{"from now on, with an end", nil, &last, nil, []string{"Every month from now on, for the last time on 30 November 2027 at the latest."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := standingOrder(english, openbanking.CreditTransferTransaction{Frequency: &monthly, RequestedExecutionDate: test.first, EndDate: test.last,
				ExecutionRule: test.rule})
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestTotals(t *testing.T) {
	eur := func(amount string) openbanking.AmountType {
		return openbanking.AmountType{Currency: "EUR", Amount: amount}
	}
	tests := []struct {
		name    string
		amounts []openbanking.AmountType
		want    []hosted.Sum
	}{
		{"one", []openbanking.AmountType{eur("1234.5")}, []hosted.Sum{{Amount: "1,234.50", Currency: "EUR"}}},
		{"one currency", []openbanking.AmountType{eur("0.10"), eur("0.20")}, []hosted.Sum{{Amount: "0.30", Currency: "EUR"}}},
		{"two currencies", []openbanking.AmountType{eur("1"), {Currency: "JPY", Amount: "500"}, eur("2")},
			[]hosted.Sum{{Amount: "3.00", Currency: "EUR"}, {Amount: "500", Currency: "JPY"}}},
		{"too much to add up", []openbanking.AmountType{eur("90000000000000000"), eur("90000000000000000")},
			[]hosted.Sum{{Amount: "90,000,000,000,000,000.00", Currency: "EUR"}, {Amount: "90,000,000,000,000,000.00", Currency: "EUR"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := totals(english, test.amounts); !slices.Equal(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// Several transfers show once what they have alike, and each what is its own.
func TestDetailsThatTransfersShare(t *testing.T) {
	transfer := func(reference string) openbanking.CreditTransferTransaction {
		return openbanking.CreditTransferTransaction{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "1"}, ReferenceNumber: &reference, RemittanceInformation: []string{"rent"},
		}
	}
	order := OrderOf(english, openbanking.PaymentTypeBulkSEPA, openbanking.PaymentRequestResource{
		CreditTransferTransaction: []openbanking.CreditTransferTransaction{transfer("a"), transfer("b")},
	}, nil, true)
	if order.Count != "2 payments" || len(order.Transfers) != 2 {
		t.Fatalf("%q, %d transfers", order.Count, len(order.Transfers))
	}
	for i, reference := range []string{"a", "b"} {
		if want := []hosted.Detail{{Label: "Reference number", Lines: []string{reference}}}; !reflect.DeepEqual(order.Transfers[i].Details, want) {
			t.Errorf("transfer %d: %+v", i, order.Transfers[i].Details)
		}
	}
	want := []hosted.Detail{
		{Label: "From", Lines: []string{"You choose the account at your bank."}},
		{Label: "When", Lines: []string{"As soon as possible"}},
		{Label: "Message to the payee", Lines: []string{"rent"}},
	}
	if !reflect.DeepEqual(order.Details, want) {
		t.Errorf("shared: %+v", order.Details)
	}
}

// A text of the application cannot make another amount or payee seem shown: what rearranges or hides stands there as a sign,
// markup as text, and each text is kept apart.
func TestTextsOfAPaymentStandAsTheyAre(t *testing.T) {
	name, line := "Eve\u202E\u2066 00.1\u200B<b>", "</dd><script>alert(1)</script>\u0000"
	payment := openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
		InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "1000"},
		Beneficiary: openbanking.Beneficiary{
			Creditor:        &openbanking.PartyIdentification{Name: &name},
			CreditorAccount: openbanking.GenericIdentification{Identification: "12\u202E34", SchemeName: openbanking.SchemeNameBBAN},
		},
		RemittanceInformation: []string{line},
	}}}
	var b bytes.Buffer
	if err := hosted.Payment(hosted.PaymentPage{Order: *OrderOf(english, openbanking.PaymentTypeDomestic, payment, nil, true)}).Render(t.Context(),
		&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<bdi>Eve\uFFFD\uFFFD 00.1\uFFFD&lt;b&gt;</bdi>", "<bdi>12\uFFFD34</bdi>", "<bdi>&lt;/dd&gt;&lt;script&gt;alert(1)&lt;/script&gt;\uFFFD</bdi>",
		"<b>1,000.00</b> EUR",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if strings.ContainsAny(b.String(), "\u202E\u2066\u200B\x00") {
		t.Error("a hidden character is left")
	}
}

// The account of a payment is chosen from the start only where the bank says so or there is no other.
func TestDebtorAccounts(t *testing.T) {
	tests := []struct {
		name    string
		choices []aggregator.AccountChoice
		failed  Attempt
		want    []bool
	}{
		{"several", []aggregator.AccountChoice{{Reference: "a"}, {Reference: "b"}}, Attempt{}, []bool{false, false}},
		{"one", []aggregator.AccountChoice{{Reference: "a"}}, Attempt{}, []bool{true}},
		{"one that is open", []aggregator.AccountChoice{{Reference: "a", Blocked: true}, {Reference: "b"}}, Attempt{}, []bool{false, true}},
		{"selected by the bank", []aggregator.AccountChoice{{Reference: "a"}, {Reference: "b", PreSelected: true}}, Attempt{}, []bool{false, true}},
		{"chosen before", []aggregator.AccountChoice{{Reference: "a"}, {Reference: "b", PreSelected: true}}, Attempt{Problem: NoTick, Accounts: []string{"a"}},
			[]bool{true, false}},
		{"blocked", []aggregator.AccountChoice{{Reference: "a", Blocked: true, PreSelected: true}}, Attempt{}, []bool{false}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []bool
			for _, account := range DebtorAccounts(english, test.choices, test.failed) {
				got = append(got, account.Checked)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("checked %v, want %v", got, test.want)
			}
		})
	}
}
