package openbanking

// AccountIdentification identifies an account by its IBAN or, without one, otherwise.
type AccountIdentification struct {
	IBAN  *string                `json:"iban"`  // ISO 13616
	Other *GenericIdentification `json:"other"` // used when iban is not given
}

// GenericIdentification is an identifier within a scheme.
type GenericIdentification struct {
	Identification string     `json:"identification"`
	SchemeName     SchemeName `json:"scheme_name"`
	Issuer         *string    `json:"issuer"`
}

// AmountType is an amount of money as the wire carries it.
type AmountType struct {
	Currency string `json:"currency"` // ISO 4217
	Amount   string `json:"amount"`   // decimal with dot separator; the number of decimals depends on the currency and context
}

// FinancialInstitutionIdentification identifies a financial institution.
type FinancialInstitutionIdentification struct {
	BICFI                  *string                             `json:"bic_fi"` // ISO 9362
	ClearingSystemMemberID *ClearingSystemMemberIdentification `json:"clearing_system_member_id"`
	Name                   *string                             `json:"name"`
}

// ClearingSystemMemberIdentification identifies a member of a clearing system.
type ClearingSystemMemberIdentification struct {
	ClearingSystemID *string `json:"clearing_system_id"`
	MemberID         *string `json:"member_id"`
}

// PostalAddress is an address, structured or in lines.
type PostalAddress struct {
	AddressType        *AddressType `json:"address_type"`
	Department         *string      `json:"department"`
	SubDepartment      *string      `json:"sub_department"`
	StreetName         *string      `json:"street_name"`
	BuildingNumber     *string      `json:"building_number"`
	PostCode           *string      `json:"post_code"`
	TownName           *string      `json:"town_name"`
	CountrySubDivision *string      `json:"country_sub_division"`
	Country            *string      `json:"country"`      // two-letter ISO 3166
	AddressLine        []string     `json:"address_line"` // unstructured address
}

// PartyIdentification is a person or organisation.
type PartyIdentification struct {
	Name           *string                `json:"name"`
	PostalAddress  *PostalAddress         `json:"postal_address"`
	OrganisationID *GenericIdentification `json:"organisation_id"`
	PrivateID      *GenericIdentification `json:"private_id"`
	ContactDetails *ContactDetails        `json:"contact_details"`
}

// ContactDetails says how to reach a party.
type ContactDetails struct {
	EmailAddress *string `json:"email_address"`
	PhoneNumber  *string `json:"phone_number"`
}

// BankTransactionCode is the kind of a transaction, in the words or codes of the bank.
type BankTransactionCode struct {
	Description *string `json:"description"`
	Code        *string `json:"code"`     // family
	SubCode     *string `json:"sub_code"` // sub-family
}

// ExchangeRate is the exchange behind a transaction.
type ExchangeRate struct {
	UnitCurrency           *string     `json:"unit_currency"` // ISO 4217; in 1 GBP = x CUR the unit currency is GBP
	ExchangeRate           *string     `json:"exchange_rate"` // conversion factor
	RateType               *RateType   `json:"rate_type"`
	ContractIdentification *string     `json:"contract_identification"`
	InstructedAmount       *AmountType `json:"instructed_amount"` // original amount of a cross-currency transaction
}

// PaymentIdentification holds the references of a payment.
type PaymentIdentification struct {
	InstructionID *string `json:"instruction_id"` // shared between the payment initiator and the ASPSP
	EndToEndID    *string `json:"end_to_end_id"`  // shared between merchant and PSU
}

// StatusReasonInformation says why a payment has its status.
type StatusReasonInformation struct {
	StatusReasonCode        string `json:"status_reason_code"` // ISO 20022 code
	StatusReasonDescription string `json:"status_reason_description"`
}

// RegulatoryAuthority is the authority of a regulatory report.
type RegulatoryAuthority struct {
	Country string `json:"country"` // two-letter ISO 3166
	Name    string `json:"name"`
}

// RegulatoryReporting is a report of an international payment to an authority.
type RegulatoryReporting struct {
	Authority *RegulatoryAuthority       `json:"authority"`
	Details   RegulatoryReportingDetails `json:"details"`
}

// RegulatoryReportingDetails is the content of a regulatory report.
type RegulatoryReportingDetails struct {
	Amount      *AmountType `json:"amount"` // when absent the total instructed amount is assumed
	Code        *string     `json:"code"`   // depends on the authority
	Information string      `json:"information"`
}

// PaymentTypeInformation says how a payment is to be processed.
type PaymentTypeInformation struct {
	InstructionPriority *PriorityCode        `json:"instruction_priority"`
	ServiceLevel        *ServiceLevelCode    `json:"service_level"`
	CategoryPurpose     *CategoryPurposeCode `json:"category_purpose"`
	LocalInstrument     *string              `json:"local_instrument"`
}
