package paymentrules

import (
	"strconv"
	"strings"
)

// FieldName is a field of a payment as the API names it, with [] for the elements of a list:
// "payment_request.credit_transfer_transaction[].instructed_amount.amount".
type FieldName string

const (
	request     FieldName = "payment_request"
	transaction           = FieldTransactions + "[]"
	beneficiary           = transaction + ".beneficiary"
	address               = beneficiary + ".creditor.postal_address"
)

// Fields that a form can fill in, or a file.
const (
	FieldTransactions         = request + ".credit_transfer_transaction"
	FieldAmount               = transaction + ".instructed_amount.amount"
	FieldCurrency             = transaction + ".instructed_amount.currency"
	FieldCreditorName         = beneficiary + ".creditor.name"
	FieldCreditorAddress      = address
	FieldCreditorAddressLines = address + ".address_line"
	FieldCreditorAddressLine  = FieldCreditorAddressLines + "[]"
	FieldCreditorStreet       = address + ".street_name"
	FieldCreditorPostCode     = address + ".post_code"
	FieldCreditorTown         = address + ".town_name"
	FieldCreditorCountry      = address + ".country"
	FieldCreditorScheme       = beneficiary + ".creditor_account.scheme_name"
	FieldCreditorNumber       = beneficiary + ".creditor_account.identification"
	FieldCreditorBIC          = beneficiary + ".creditor_agent.bic_fi"
	FieldCreditorMember       = beneficiary + ".creditor_agent.clearing_system_member_id"
	FieldCreditorMemberID     = FieldCreditorMember + ".member_id"
	FieldEndToEndID           = transaction + ".payment_id.end_to_end_id"
	FieldExecutionDate        = transaction + ".requested_execution_date"
	FieldEndDate              = transaction + ".end_date"
	FieldFrequency            = transaction + ".frequency"
	FieldExecutionRule        = transaction + ".execution_rule"
	FieldReference            = transaction + ".reference_number"
	FieldRemittance           = transaction + ".remittance_information"
	FieldRemittanceLine       = FieldRemittance + "[]"
	FieldReports              = transaction + ".regulatory_reporting"
	FieldReportCode           = FieldReports + "[].details.code"
	FieldReportInformation    = FieldReports + "[].details.information"
	FieldDebtorAccount        = request + ".debtor_account"
	FieldDebtorScheme         = FieldDebtorAccount + ".scheme_name"
	FieldDebtorNumber         = FieldDebtorAccount + ".identification"
	FieldDebtorEmail          = request + ".debtor.contact_details.email_address"
	FieldDebtorPhone          = request + ".debtor.contact_details.phone_number"
	FieldChargeBearer         = request + ".charge_bearer"
	FieldPriority             = request + ".payment_type_information.instruction_priority"
)

// Field is a field of one payment.
type Field struct {
	Name  FieldName
	Index [2]int // of the elements, counted from 0, one for each [] in the name
}

// String returns the field as the API writes it: "payment_request.credit_transfer_transaction[0].instructed_amount.amount".
func (f Field) String() string {
	var b strings.Builder
	for i, part := range strings.Split(string(f.Name), "[]") {
		if i > 0 {
			b.WriteString("[" + strconv.Itoa(f.Index[i-1]) + "]")
		}
		b.WriteString(part)
	}
	return b.String()
}

// Transaction returns the position of the transaction that the field belongs to, counted from 0. false: it belongs to the payment as a whole.
func (f Field) Transaction() (position int, ok bool) {
	return f.Index[0], strings.HasPrefix(string(f.Name), string(transaction))
}

func (f Field) child(name string) Field {
	f.Name += FieldName("." + name)
	return f
}

func (f Field) element(i int) Field {
	f.Index[strings.Count(string(f.Name), "[]")] = i
	f.Name += "[]"
	return f
}
