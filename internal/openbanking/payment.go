package openbanking

// PaymentRequestResource is the payment of POST /payments (spec: Payment request).
type PaymentRequestResource struct {
	PaymentInformation
	CreditTransferTransaction List[CreditTransferTransaction] `json:"credit_transfer_transaction"` // maximum count depends on ASPSP and payment type
}

// PaymentInformation holds what is common to all transfers of a payment.
type PaymentInformation struct {
	PaymentInformationID   *string                             `json:"payment_information_id"` // reference of the payment information block
	PaymentTypeInformation *PaymentTypeInformation             `json:"payment_type_information"`
	Debtor                 *PartyIdentification                `json:"debtor"`          // party sending funds
	DebtorAccount          *GenericIdentification              `json:"debtor_account"`  // when absent the PSU chooses it during authorisation
	DebtorAgent            *FinancialInstitutionIdentification `json:"debtor_agent"`    // only when the ASPSP cannot be identified unambiguously from its name
	DebtorCurrency         *string                             `json:"debtor_currency"` // ISO 4217 currency of the debtor account
	Purpose                *PurposeCode                        `json:"purpose"`
	ChargeBearer           *ChargeBearerCode                   `json:"charge_bearer"`
}

// CreditTransferTransaction is one transfer of a payment.
type CreditTransferTransaction struct {
	InstructedAmount AmountType             `json:"instructed_amount"`
	Beneficiary      Beneficiary            `json:"beneficiary"`
	PaymentID        *PaymentIdentification `json:"payment_id"`
	// set at payment level when one date applies to several instructions, or at each instruction; for a standing order it is the first execution date; the
	// ASPSP may shift a non-standing order to the next possible date
	RequestedExecutionDate *Date                 `json:"requested_execution_date"`
	ReferenceNumber        *string               `json:"reference_number"` // reference assigned by the sender
	EndDate                *Date                 `json:"end_date"`         // last execution day of a standing order; endless when absent
	ExecutionRule          *ExecutionRule        `json:"execution_rule"`   // date shifting rule of standing orders: FWNG or PREC
	Frequency              *FrequencyCode        `json:"frequency"`        // frequency of standing orders
	UltimateDebtor         *PartyIdentification  `json:"ultimate_debtor"`
	UltimateCreditor       *PartyIdentification  `json:"ultimate_creditor"`
	RegulatoryReporting    []RegulatoryReporting `json:"regulatory_reporting"` // for international payments
	RemittanceInformation  []string              `json:"remittance_information"`
}

// PaymentRequestResourceDetails is the read-back of a PaymentRequestResource.
type PaymentRequestResourceDetails struct {
	PaymentInformation
	CreditTransferTransaction []CreditTransferTransactionDetails `json:"credit_transfer_transaction"`
}

// CreditTransferTransactionDetails is the read-back of a CreditTransferTransaction.
type CreditTransferTransactionDetails struct {
	CreditTransferTransaction
	TransactionID     *string        `json:"transaction_id"` // used by GET /payments/{payment_id}/transactions/{transaction_id}
	TransactionStatus *PaymentStatus `json:"transaction_status"`
}

// Beneficiary is who receives a transfer.
type Beneficiary struct {
	CreditorAgent    *FinancialInstitutionIdentification `json:"creditor_agent"`
	Creditor         *PartyIdentification                `json:"creditor"`
	CreditorAccount  GenericIdentification               `json:"creditor_account"`
	CreditorCurrency *string                             `json:"creditor_currency"` // ISO 4217
}

// CreatePaymentRequest is the body of POST /payments.
type CreatePaymentRequest struct {
	PaymentType    PaymentType            `json:"payment_type"`
	PaymentRequest PaymentRequestResource `json:"payment_request"`
	ASPSP          ASPSP                  `json:"aspsp"`
	State          string                 `json:"state"` // returned in the redirect query
	RedirectURL    string                 `json:"redirect_url"`
	PSUType        PSUType                `json:"psu_type"`
	AuthMethod     *string                `json:"auth_method,omitempty"` // as for POST /auth
	Credentials    map[string]string      `json:"credentials,omitempty"` // only together with auth_method, else WRONG_REQUEST_PARAMETERS
	Language       *string                `json:"language,omitempty"`    // two-letter lowercase
	WebhookURL     *string                `json:"webhook_url,omitempty"` // receives POST notifications about payment changes
	PSUID          *string                `json:"psu_id,omitempty"`      // random when absent
}

// CreatePaymentResponse answers POST /payments.
type CreatePaymentResponse struct {
	PaymentID string        `json:"payment_id"` // UUID
	Status    PaymentStatus `json:"status"`
	URL       string        `json:"url"` // redirect the PSU here
	PSUIDHash string        `json:"psu_id_hash"`
}

// Payment answers GET /payments/{payment_id} (spec: GetPaymentResponse).
type Payment struct {
	PaymentID               string                        `json:"payment_id"` // UUID
	Status                  PaymentStatus                 `json:"status"`
	PaymentDetails          PaymentRequestResourceDetails `json:"payment_details"`
	PaymentType             PaymentType                   `json:"payment_type"`
	ASPSP                   ASPSP                         `json:"aspsp"`
	FinalStatus             bool                          `json:"final_status"` // true: the status is not expected to change any more
	PSUIDHash               string                        `json:"psu_id_hash"`
	StatusReasonInformation *StatusReasonInformation      `json:"status_reason_information"` // given when the cause is unambiguous
}

// PaymentTransaction answers GET /payments/{payment_id}/transactions/{transaction_id} (spec: GetPaymentTransactionResponse).
type PaymentTransaction struct {
	PaymentID          string                           `json:"payment_id"` // UUID
	TransactionDetails CreditTransferTransactionDetails `json:"transaction_details"`
}
