package finance

import (
	"encoding/json"
	"testing"

	"florin/internal/openbanking"
)

// Records as banks write them: with codes of ISO 20022, of SWIFT, in words of their own, or with nothing but a text.
func TestMeansOf(t *testing.T) {
	for _, c := range []struct {
		record string
		want   Means
	}{
		{`{}`, MeansTransfer},
		{`{"remittance_information": ["Rechnung 4711"]}`, MeansTransfer},
		{`{"bank_transaction_code": {"code": "ICDT", "sub_code": "ESCT"}, "reference_number": "RF18539007547034", "reference_number_schema": "INTL"}`, MeansTransfer},
		{`{"bank_transaction_code": {"code": "ICDT", "sub_code": "STDO", "description": "Dauerauftrag Miete"}}`, MeansTransfer},
		{`{"bank_transaction_code": {"code": "NTRF", "description": "SEPA-Überweisung"}}`, MeansTransfer},
		{`{"bank_transaction_code": {"description": "Postübertrag"}, "remittance_information": ["Wage nicht zu fragen"], "credit_debit_indicator": "DBIT"}`,
			MeansTransfer},

		{`{"reference_number": "MD-1", "reference_number_schema": "SDDM"}`, MeansDirectDebit},
		{`{"bank_transaction_code": {"code": "RDDT", "sub_code": "ESDD"}}`, MeansDirectDebit},
		{`{"bank_transaction_code": {"code": "PMNT-RDDT-BBDD"}}`, MeansDirectDebit},
		{`{"bank_transaction_code": {"code": "NDDT+105+00931"}}`, MeansDirectDebit},
		{`{"bank_transaction_code": {"description": "SEPA-LASTSCHRIFT"}}`, MeansDirectDebit},
		{`{"bank_transaction_code": {"description": "Prélèvement SEPA"}}`, MeansDirectDebit},
		{`{"remittance_information": ["SVWZ+Strom", "MREF+1234", "CRED+DE98ZZZ09999999999"]}`, MeansDirectDebit},
		{`{"remittance_information": ["Mandat 4711, Kunde 5"]}`, MeansDirectDebit},
		{`{"remittance_information": ["Incassant ID: NL12ZZZ123456780000"]}`, MeansDirectDebit},
		{`{"remittance_information": ["Beitrag FR12ZZZ123456 Oktober"]}`, MeansDirectDebit},

		{`{"merchant_category_code": "5411"}`, MeansCard},
		{`{"bank_transaction_code": {"code": "CCRD", "sub_code": "POSD"}}`, MeansCard},
		{`{"bank_transaction_code": {"code": "CCRD", "sub_code": "CWDL"}}`, MeansCard},
		{`{"bank_transaction_code": {"code": "CARD", "description": "Kartenzahlung"}}`, MeansCard},
		{`{"bank_transaction_code": {"code": "CASH", "description": "Geldopname"}}`, MeansCard},
		{`{"debtor_account_additional_identification": [{"identification": "516435******5419", "scheme_name": "CPAN"}]}`, MeansCard},

		{`{"bank_transaction_code": {"code": "MDOP", "sub_code": "CHRG"}}`, MeansBank},
		{`{"bank_transaction_code": {"code": "FEE", "description": "Kontoführung"}}`, MeansBank},
		{`{"bank_transaction_code": {"code": "MCOP", "sub_code": "INTR"}}`, MeansBank},
		{`{"bank_transaction_code": {"description": "Dividend"}}`, MeansBank},

		{`{"bank_transaction_code": {"code": "RCDT", "sub_code": "SALA"}, "credit_debit_indicator": "CRDT"}`, MeansIncome},
		{`{"bank_transaction_code": {"code": "SALARY", "description": "Gehalt"}, "credit_debit_indicator": "CRDT"}`, MeansIncome},
		{`{"remittance_information": ["Gehalt 11/2026"], "credit_debit_indicator": "CRDT"}`, MeansIncome},
		{`{"remittance_information": ["Lohnt sich nicht"], "credit_debit_indicator": "CRDT"}`, MeansTransfer},
	} {
		var record openbanking.Transaction
		if err := json.Unmarshal([]byte(c.record), &record); err != nil {
			t.Fatal(err)
		}
		if got := MeansOf(record); got != c.want {
			t.Errorf("%s: %q, want %q", c.record, got, c.want)
		}
	}
}
