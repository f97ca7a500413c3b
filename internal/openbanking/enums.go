package openbanking

import "slices"

// The enumerations of the specification (spec: Enumerations). Values a client does not know
// are decoded as they are: test them with Known before relying on them.

// Environment is the environment an application is registered into; it cannot be moved to another one.
type Environment string

// Values of Environment.
const (
	EnvironmentProduction Environment = "PRODUCTION"
	EnvironmentSandbox    Environment = "SANDBOX"
)

// Values returns every value of the enumeration, in the order of the specification.
func (Environment) Values() []Environment {
	return []Environment{EnvironmentProduction, EnvironmentSandbox}
}

// Service is one of the two services an application may use.
type Service string

// Values of Service.
const (
	ServiceAIS Service = "AIS"
	ServicePIS Service = "PIS"
)

// Values returns every value of the enumeration, in the order of the specification.
func (Service) Values() []Service {
	return []Service{ServiceAIS, ServicePIS}
}

// PSUType tells whether the PSU signs in as a consumer or for a business.
type PSUType string

// Values of PSUType.
const (
	PSUTypeBusiness PSUType = "business"
	PSUTypePersonal PSUType = "personal"
)

// Values returns every value of the enumeration, in the order of the specification.
func (PSUType) Values() []PSUType {
	return []PSUType{PSUTypeBusiness, PSUTypePersonal}
}

// AuthenticationApproach is the way a bank authenticates the PSU.
type AuthenticationApproach string

// Values of AuthenticationApproach.
const (
	AuthenticationApproachDecoupled AuthenticationApproach = "DECOUPLED" // PSU identified by the client, bank authenticates on a separate device
	AuthenticationApproachEmbedded  AuthenticationApproach = "EMBEDDED"  // client forwards one authentication factor
	AuthenticationApproachRedirect  AuthenticationApproach = "REDIRECT"  // PSU is redirected to the bank
)

// Values returns every value of the enumeration, in the order of the specification.
func (AuthenticationApproach) Values() []AuthenticationApproach {
	return []AuthenticationApproach{AuthenticationApproachDecoupled, AuthenticationApproachEmbedded, AuthenticationApproachRedirect}
}

// Usage tells whether an account is private or professional.
type Usage string

// Values of Usage.
const (
	UsageORGA Usage = "ORGA" // professional account
	UsagePRIV Usage = "PRIV" // private account
)

// Values returns every value of the enumeration, in the order of the specification.
func (Usage) Values() []Usage {
	return []Usage{UsageORGA, UsagePRIV}
}

// CashAccountType is the kind of an account (ISO 20022 ExternalCashAccountType1Code).
type CashAccountType string

// Values of CashAccountType.
const (
	CashAccountTypeCACC CashAccountType = "CACC" // current account
	CashAccountTypeCARD CashAccountType = "CARD" // card account
	CashAccountTypeCASH CashAccountType = "CASH" // cash account
	CashAccountTypeLOAN CashAccountType = "LOAN" // loan
	CashAccountTypeOTHR CashAccountType = "OTHR" // other
	CashAccountTypeSVGS CashAccountType = "SVGS" // savings account
)

// Values returns every value of the enumeration, in the order of the specification.
func (CashAccountType) Values() []CashAccountType {
	return []CashAccountType{CashAccountTypeCACC, CashAccountTypeCARD, CashAccountTypeCASH, CashAccountTypeLOAN, CashAccountTypeOTHR, CashAccountTypeSVGS}
}

// CreditDebitIndicator is the direction of a transaction, seen from the account.
type CreditDebitIndicator string

// Values of CreditDebitIndicator.
const (
	CreditDebitIndicatorCRDT CreditDebitIndicator = "CRDT" // credit: money in
	CreditDebitIndicatorDBIT CreditDebitIndicator = "DBIT" // debit: money out
)

// Values returns every value of the enumeration, in the order of the specification.
func (CreditDebitIndicator) Values() []CreditDebitIndicator {
	return []CreditDebitIndicator{CreditDebitIndicatorCRDT, CreditDebitIndicatorDBIT}
}

// TransactionStatus is the status of a transaction.
type TransactionStatus string

// Values of TransactionStatus.
const (
	TransactionStatusBOOK TransactionStatus = "BOOK" // booked
	TransactionStatusCNCL TransactionStatus = "CNCL" // cancelled
	TransactionStatusHOLD TransactionStatus = "HOLD" // on hold
	TransactionStatusOTHR TransactionStatus = "OTHR" // other
	TransactionStatusPDNG TransactionStatus = "PDNG" // pending
	TransactionStatusRJCT TransactionStatus = "RJCT" // rejected
	TransactionStatusSCHD TransactionStatus = "SCHD" // scheduled
)

// Values returns every value of the enumeration, in the order of the specification.
func (TransactionStatus) Values() []TransactionStatus {
	return []TransactionStatus{TransactionStatusBOOK, TransactionStatusCNCL, TransactionStatusHOLD, TransactionStatusOTHR, TransactionStatusPDNG,
		TransactionStatusRJCT, TransactionStatusSCHD}
}

// TransactionsFetchStrategy says how the period of a transaction list is chosen.
type TransactionsFetchStrategy string

// Values of TransactionsFetchStrategy.
const (
	TransactionsFetchStrategyDefault TransactionsFetchStrategy = "default" // passes date_from and date_to to the ASPSP
	TransactionsFetchStrategyLongest TransactionsFetchStrategy = "longest" // finds the longest obtainable period and fetches it
)

// Values returns every value of the enumeration, in the order of the specification.
func (TransactionsFetchStrategy) Values() []TransactionsFetchStrategy {
	return []TransactionsFetchStrategy{TransactionsFetchStrategyDefault, TransactionsFetchStrategyLongest}
}

// BalanceStatus is the type of a balance (ISO 20022 BalanceType).
type BalanceStatus string

// Values of BalanceStatus.
const (
	BalanceStatusCLAV BalanceStatus = "CLAV" // closing available
	BalanceStatusCLBD BalanceStatus = "CLBD" // closing booked
	BalanceStatusFWAV BalanceStatus = "FWAV" // forward available
	BalanceStatusINFO BalanceStatus = "INFO" // information
	BalanceStatusITAV BalanceStatus = "ITAV" // interim available
	BalanceStatusITBD BalanceStatus = "ITBD" // interim booked
	BalanceStatusOPAV BalanceStatus = "OPAV" // opening available
	BalanceStatusOPBD BalanceStatus = "OPBD" // opening booked
	BalanceStatusOTHR BalanceStatus = "OTHR" // other
	BalanceStatusPRCD BalanceStatus = "PRCD" // previously closed booked
	BalanceStatusVALU BalanceStatus = "VALU" // value-date balance
	BalanceStatusXPCD BalanceStatus = "XPCD" // expected
)

// Values returns every value of the enumeration, in the order of the specification.
func (BalanceStatus) Values() []BalanceStatus {
	return []BalanceStatus{BalanceStatusCLAV, BalanceStatusCLBD, BalanceStatusFWAV, BalanceStatusINFO, BalanceStatusITAV, BalanceStatusITBD,
		BalanceStatusOPAV, BalanceStatusOPBD, BalanceStatusOTHR, BalanceStatusPRCD, BalanceStatusVALU, BalanceStatusXPCD}
}

// AddressType is the kind of a postal address.
type AddressType string

// Values of AddressType.
const (
	AddressTypeBusiness       AddressType = "Business"
	AddressTypeCorrespondence AddressType = "Correspondence"
	AddressTypeDeliveryTo     AddressType = "DeliveryTo"
	AddressTypeMailTo         AddressType = "MailTo"
	AddressTypePOBox          AddressType = "POBox"
	AddressTypePostal         AddressType = "Postal"
	AddressTypeResidential    AddressType = "Residential"
	AddressTypeStatement      AddressType = "Statement"
)

// Values returns every value of the enumeration, in the order of the specification.
func (AddressType) Values() []AddressType {
	return []AddressType{AddressTypeBusiness, AddressTypeCorrespondence, AddressTypeDeliveryTo, AddressTypeMailTo, AddressTypePOBox, AddressTypePostal,
		AddressTypeResidential, AddressTypeStatement}
}

// PaymentType is the kind of a payment.
type PaymentType string

// Values of PaymentType.
const (
	PaymentTypeBulkDomestic       PaymentType = "BULK_DOMESTIC"
	PaymentTypeBulkDomesticSEGiro PaymentType = "BULK_DOMESTIC_SE_GIRO"
	PaymentTypeBulkSEPA           PaymentType = "BULK_SEPA"
	PaymentTypeCrossborder        PaymentType = "CROSSBORDER"
	PaymentTypeDomestic           PaymentType = "DOMESTIC"
	PaymentTypeDomesticSEGiro     PaymentType = "DOMESTIC_SE_GIRO"
	PaymentTypeInstSEPA           PaymentType = "INST_SEPA" // instant SEPA without fallback
	PaymentTypeInternal           PaymentType = "INTERNAL"  // within one ASPSP
	PaymentTypeSEPA               PaymentType = "SEPA"
)

// Values returns every value of the enumeration, in the order of the specification.
func (PaymentType) Values() []PaymentType {
	return []PaymentType{PaymentTypeBulkDomestic, PaymentTypeBulkDomesticSEGiro, PaymentTypeBulkSEPA, PaymentTypeCrossborder, PaymentTypeDomestic,
		PaymentTypeDomesticSEGiro, PaymentTypeInstSEPA, PaymentTypeInternal, PaymentTypeSEPA}
}

// ChargeBearerCode says who bears the charges of a payment.
type ChargeBearerCode string

// Values of ChargeBearerCode.
const (
	ChargeBearerCodeCRED ChargeBearerCode = "CRED" // payee bears all
	ChargeBearerCodeDEBT ChargeBearerCode = "DEBT" // payer bears all
	ChargeBearerCodeSHAR ChargeBearerCode = "SHAR" // shared
	ChargeBearerCodeSLEV ChargeBearerCode = "SLEV" // per service level rules
)

// Values returns every value of the enumeration, in the order of the specification.
func (ChargeBearerCode) Values() []ChargeBearerCode {
	return []ChargeBearerCode{ChargeBearerCodeCRED, ChargeBearerCodeDEBT, ChargeBearerCodeSHAR, ChargeBearerCodeSLEV}
}

// PriorityCode is the priority of a payment instruction.
type PriorityCode string

// Values of PriorityCode.
const (
	PriorityCodeEXPR PriorityCode = "EXPR" // express, Polish-specific
	PriorityCodeHIGH PriorityCode = "HIGH"
	PriorityCodeNORM PriorityCode = "NORM"
)

// Values returns every value of the enumeration, in the order of the specification.
func (PriorityCode) Values() []PriorityCode {
	return []PriorityCode{PriorityCodeEXPR, PriorityCodeHIGH, PriorityCodeNORM}
}

// ExecutionRule is the date shifting rule of a standing order.
type ExecutionRule string

// Values of ExecutionRule.
const (
	ExecutionRuleFWNG ExecutionRule = "FWNG" // following
	ExecutionRulePREC ExecutionRule = "PREC" // preceding
)

// Values returns every value of the enumeration, in the order of the specification.
func (ExecutionRule) Values() []ExecutionRule {
	return []ExecutionRule{ExecutionRuleFWNG, ExecutionRulePREC}
}

// FrequencyCode is the frequency of a standing order.
type FrequencyCode string

// Values of FrequencyCode.
const (
	FrequencyCodeDAIL FrequencyCode = "DAIL" // daily
	FrequencyCodeMNTH FrequencyCode = "MNTH" // monthly
	FrequencyCodeQUTR FrequencyCode = "QUTR" // quarterly
	FrequencyCodeSEMI FrequencyCode = "SEMI" // every six months
	FrequencyCodeTOMN FrequencyCode = "TOMN" // every two months
	FrequencyCodeTOWK FrequencyCode = "TOWK" // every two weeks
	FrequencyCodeWEEK FrequencyCode = "WEEK" // weekly
	FrequencyCodeYEAR FrequencyCode = "YEAR" // yearly
)

// Values returns every value of the enumeration, in the order of the specification.
func (FrequencyCode) Values() []FrequencyCode {
	return []FrequencyCode{FrequencyCodeDAIL, FrequencyCodeMNTH, FrequencyCodeQUTR, FrequencyCodeSEMI, FrequencyCodeTOMN, FrequencyCodeTOWK,
		FrequencyCodeWEEK, FrequencyCodeYEAR}
}

// PurposeCode is the purpose of a payment.
type PurposeCode string

// Values of PurposeCode.
const (
	PurposeCodeACCT PurposeCode = "ACCT"
	PurposeCodeCASH PurposeCode = "CASH"
	PurposeCodeCOMC PurposeCode = "COMC"
	PurposeCodeCPKC PurposeCode = "CPKC"
	PurposeCodeTRPT PurposeCode = "TRPT"
)

// Values returns every value of the enumeration, in the order of the specification.
func (PurposeCode) Values() []PurposeCode {
	return []PurposeCode{PurposeCodeACCT, PurposeCodeCASH, PurposeCodeCOMC, PurposeCodeCPKC, PurposeCodeTRPT}
}

// RateType is the kind of an exchange rate.
type RateType string

// Values of RateType.
const (
	RateTypeAGRD RateType = "AGRD"
	RateTypeSALE RateType = "SALE"
	RateTypeSPOT RateType = "SPOT"
)

// Values returns every value of the enumeration, in the order of the specification.
func (RateType) Values() []RateType {
	return []RateType{RateTypeAGRD, RateTypeSALE, RateTypeSPOT}
}

// ReferenceNumberScheme is the kind of a structured reference number.
type ReferenceNumberScheme string

// Values of ReferenceNumberScheme.
const (
	ReferenceNumberSchemeBERF ReferenceNumberScheme = "BERF" // Belgian
	ReferenceNumberSchemeFIRF ReferenceNumberScheme = "FIRF" // Finnish
	ReferenceNumberSchemeINTL ReferenceNumberScheme = "INTL" // international, starting with RF
	ReferenceNumberSchemeNORF ReferenceNumberScheme = "NORF" // Norwegian KID/OCR
	ReferenceNumberSchemeSDDM ReferenceNumberScheme = "SDDM" // SEPA direct debit mandate id
	ReferenceNumberSchemeSEBG ReferenceNumberScheme = "SEBG" // Swedish Bankgiro OCR
)

// Values returns every value of the enumeration, in the order of the specification.
func (ReferenceNumberScheme) Values() []ReferenceNumberScheme {
	return []ReferenceNumberScheme{ReferenceNumberSchemeBERF, ReferenceNumberSchemeFIRF, ReferenceNumberSchemeINTL, ReferenceNumberSchemeNORF,
		ReferenceNumberSchemeSDDM, ReferenceNumberSchemeSEBG}
}

// ServiceLevelCode is the service level of a payment.
type ServiceLevelCode string

// Values of ServiceLevelCode.
const (
	ServiceLevelCodeBKTR ServiceLevelCode = "BKTR"
	ServiceLevelCodeG001 ServiceLevelCode = "G001"
	ServiceLevelCodeG002 ServiceLevelCode = "G002"
	ServiceLevelCodeG003 ServiceLevelCode = "G003"
	ServiceLevelCodeG004 ServiceLevelCode = "G004"
	ServiceLevelCodeNUGP ServiceLevelCode = "NUGP"
	ServiceLevelCodeNURG ServiceLevelCode = "NURG"
	ServiceLevelCodePRPT ServiceLevelCode = "PRPT"
	ServiceLevelCodeSDVA ServiceLevelCode = "SDVA"
	ServiceLevelCodeSEPA ServiceLevelCode = "SEPA"
	ServiceLevelCodeSVDE ServiceLevelCode = "SVDE"
	ServiceLevelCodeURGP ServiceLevelCode = "URGP"
	ServiceLevelCodeURNS ServiceLevelCode = "URNS"
)

// Values returns every value of the enumeration, in the order of the specification.
func (ServiceLevelCode) Values() []ServiceLevelCode {
	return []ServiceLevelCode{ServiceLevelCodeBKTR, ServiceLevelCodeG001, ServiceLevelCodeG002, ServiceLevelCodeG003, ServiceLevelCodeG004,
		ServiceLevelCodeNUGP, ServiceLevelCodeNURG, ServiceLevelCodePRPT, ServiceLevelCodeSDVA, ServiceLevelCodeSEPA, ServiceLevelCodeSVDE,
		ServiceLevelCodeURGP, ServiceLevelCodeURNS}
}

// CategoryPurposeCode is the category purpose of a payment.
type CategoryPurposeCode string

// Values of CategoryPurposeCode.
const (
	CategoryPurposeCodeBONU CategoryPurposeCode = "BONU"
	CategoryPurposeCodeCASH CategoryPurposeCode = "CASH"
	CategoryPurposeCodeCBLK CategoryPurposeCode = "CBLK"
	CategoryPurposeCodeCCRD CategoryPurposeCode = "CCRD"
	CategoryPurposeCodeCORT CategoryPurposeCode = "CORT"
	CategoryPurposeCodeDCRD CategoryPurposeCode = "DCRD"
	CategoryPurposeCodeDIVI CategoryPurposeCode = "DIVI"
	CategoryPurposeCodeDVPM CategoryPurposeCode = "DVPM"
	CategoryPurposeCodeEPAY CategoryPurposeCode = "EPAY"
	CategoryPurposeCodeFCOL CategoryPurposeCode = "FCOL"
	CategoryPurposeCodeGOVT CategoryPurposeCode = "GOVT"
	CategoryPurposeCodeHEDG CategoryPurposeCode = "HEDG"
	CategoryPurposeCodeICCP CategoryPurposeCode = "ICCP"
	CategoryPurposeCodeIDCP CategoryPurposeCode = "IDCP"
	CategoryPurposeCodeINTC CategoryPurposeCode = "INTC"
	CategoryPurposeCodeINTE CategoryPurposeCode = "INTE"
	CategoryPurposeCodeLOAN CategoryPurposeCode = "LOAN"
	CategoryPurposeCodeMP2B CategoryPurposeCode = "MP2B"
	CategoryPurposeCodeMP2P CategoryPurposeCode = "MP2P"
	CategoryPurposeCodeOTHR CategoryPurposeCode = "OTHR"
	CategoryPurposeCodePENS CategoryPurposeCode = "PENS"
	CategoryPurposeCodeRPRE CategoryPurposeCode = "RPRE"
	CategoryPurposeCodeRRCT CategoryPurposeCode = "RRCT"
	CategoryPurposeCodeRVPM CategoryPurposeCode = "RVPM"
	CategoryPurposeCodeSALA CategoryPurposeCode = "SALA"
	CategoryPurposeCodeSECU CategoryPurposeCode = "SECU"
	CategoryPurposeCodeSSBE CategoryPurposeCode = "SSBE"
	CategoryPurposeCodeSUPP CategoryPurposeCode = "SUPP"
	CategoryPurposeCodeTAXS CategoryPurposeCode = "TAXS"
	CategoryPurposeCodeTRAD CategoryPurposeCode = "TRAD"
	CategoryPurposeCodeTREA CategoryPurposeCode = "TREA"
	CategoryPurposeCodeVATX CategoryPurposeCode = "VATX"
	CategoryPurposeCodeWHLD CategoryPurposeCode = "WHLD"
)

// Values returns every value of the enumeration, in the order of the specification.
func (CategoryPurposeCode) Values() []CategoryPurposeCode {
	return []CategoryPurposeCode{CategoryPurposeCodeBONU, CategoryPurposeCodeCASH, CategoryPurposeCodeCBLK, CategoryPurposeCodeCCRD, CategoryPurposeCodeCORT,
		CategoryPurposeCodeDCRD, CategoryPurposeCodeDIVI, CategoryPurposeCodeDVPM, CategoryPurposeCodeEPAY, CategoryPurposeCodeFCOL, CategoryPurposeCodeGOVT,
		CategoryPurposeCodeHEDG, CategoryPurposeCodeICCP, CategoryPurposeCodeIDCP, CategoryPurposeCodeINTC, CategoryPurposeCodeINTE, CategoryPurposeCodeLOAN,
		CategoryPurposeCodeMP2B, CategoryPurposeCodeMP2P, CategoryPurposeCodeOTHR, CategoryPurposeCodePENS, CategoryPurposeCodeRPRE, CategoryPurposeCodeRRCT,
		CategoryPurposeCodeRVPM, CategoryPurposeCodeSALA, CategoryPurposeCodeSECU, CategoryPurposeCodeSSBE, CategoryPurposeCodeSUPP, CategoryPurposeCodeTAXS,
		CategoryPurposeCodeTRAD, CategoryPurposeCodeTREA, CategoryPurposeCodeVATX, CategoryPurposeCodeWHLD}
}

// SchemeName is the scheme of an account or party identification.
type SchemeName string

// Values of SchemeName.
const (
	SchemeNameARNU SchemeName = "ARNU"
	SchemeNameBANK SchemeName = "BANK"
	SchemeNameBBAN SchemeName = "BBAN"
	SchemeNameBGNR SchemeName = "BGNR" // Swedish BankGiro
	SchemeNameCCPT SchemeName = "CCPT"
	SchemeNameCHID SchemeName = "CHID"
	SchemeNameCOID SchemeName = "COID"
	SchemeNameCPAN SchemeName = "CPAN" // card PAN
	SchemeNameCUSI SchemeName = "CUSI"
	SchemeNameCUST SchemeName = "CUST"
	SchemeNameDRLC SchemeName = "DRLC"
	SchemeNameDUNS SchemeName = "DUNS"
	SchemeNameEMPL SchemeName = "EMPL"
	SchemeNameGS1G SchemeName = "GS1G"
	SchemeNameIBAN SchemeName = "IBAN"
	SchemeNameMIBN SchemeName = "MIBN" // masked IBAN
	SchemeNameNIDN SchemeName = "NIDN"
	SchemeNameOAUT SchemeName = "OAUT"
	SchemeNameOTHC SchemeName = "OTHC"
	SchemeNameOTHI SchemeName = "OTHI"
	SchemeNamePGNR SchemeName = "PGNR" // Swedish PlusGiro
	SchemeNameSOSE SchemeName = "SOSE"
	SchemeNameSREN SchemeName = "SREN"
	SchemeNameSRET SchemeName = "SRET"
	SchemeNameTXID SchemeName = "TXID"
)

// Values returns every value of the enumeration, in the order of the specification.
func (SchemeName) Values() []SchemeName {
	return []SchemeName{SchemeNameARNU, SchemeNameBANK, SchemeNameBBAN, SchemeNameBGNR, SchemeNameCCPT, SchemeNameCHID, SchemeNameCOID, SchemeNameCPAN,
		SchemeNameCUSI, SchemeNameCUST, SchemeNameDRLC, SchemeNameDUNS, SchemeNameEMPL, SchemeNameGS1G, SchemeNameIBAN, SchemeNameMIBN, SchemeNameNIDN,
		SchemeNameOAUT, SchemeNameOTHC, SchemeNameOTHI, SchemeNamePGNR, SchemeNameSOSE, SchemeNameSREN, SchemeNameSRET, SchemeNameTXID}
}

// SessionStatus is the state of a session (spec: Session status).
type SessionStatus string

// Values of SessionStatus.
const (
	SessionStatusAuthorized           SessionStatus = "AUTHORIZED"            // session authorised for account information; account uids are usable only in this state
	SessionStatusCancelled            SessionStatus = "CANCELLED"             // authorisation cancelled by the PSU
	SessionStatusClosed               SessionStatus = "CLOSED"                // closed by the application
	SessionStatusExpired              SessionStatus = "EXPIRED"               // session expired
	SessionStatusInvalid              SessionStatus = "INVALID"               // authorisation failed
	SessionStatusPendingAuthorization SessionStatus = "PENDING_AUTHORIZATION" // authorisation by the PSU is pending
	SessionStatusReturnedFromBank     SessionStatus = "RETURNED_FROM_BANK"    // authorisation completed successfully by the PSU
	SessionStatusRevoked              SessionStatus = "REVOKED"               // revoked by the PSU
)

// Values returns every value of the enumeration, in the order of the specification.
func (SessionStatus) Values() []SessionStatus {
	return []SessionStatus{SessionStatusAuthorized, SessionStatusCancelled, SessionStatusClosed, SessionStatusExpired, SessionStatusInvalid,
		SessionStatusPendingAuthorization, SessionStatusReturnedFromBank, SessionStatusRevoked}
}

// PaymentStatus is the status of a payment (spec: Payment status; ISO 20022).
type PaymentStatus string

// Values of PaymentStatus.
const (
	PaymentStatusACCC PaymentStatus = "ACCC" // settlement on the creditor account completed
	PaymentStatusACCP PaymentStatus = "ACCP" // technical validation and customer profile check successful
	PaymentStatusACCR PaymentStatus = "ACCR" // cancellation accepted
	PaymentStatusACPT PaymentStatus = "ACPT" // request accepted
	PaymentStatusACSC PaymentStatus = "ACSC" // settlement on the debtor account completed
	PaymentStatusACSP PaymentStatus = "ACSP" // all checks successful, accepted for execution, settlement in process
	PaymentStatusACTC PaymentStatus = "ACTC" // authentication and syntactic/semantic validation successful
	PaymentStatusACWC PaymentStatus = "ACWC" // accepted with a change (such as date or remittance)
	PaymentStatusACWP PaymentStatus = "ACWP" // accepted without posting to the creditor account
	PaymentStatusCNCL PaymentStatus = "CNCL" // payment cancelled
	PaymentStatusNULL PaymentStatus = "NULL" // no cancellation process ongoing
	PaymentStatusPACR PaymentStatus = "PACR" // cancellation partially accepted
	PaymentStatusPART PaymentStatus = "PART" // part of the transactions accepted, others not yet
	PaymentStatusPDCR PaymentStatus = "PDCR" // cancellation pending
	PaymentStatusPDNG PaymentStatus = "PDNG" // pending; further checks and updates follow (status returned by a newly created payment)
	PaymentStatusRCVD PaymentStatus = "RCVD" // received by the receiving agent
	PaymentStatusRJCR PaymentStatus = "RJCR" // cancellation rejected
	PaymentStatusRJCT PaymentStatus = "RJCT" // rejected
)

// Values returns every value of the enumeration, in the order of the specification.
func (PaymentStatus) Values() []PaymentStatus {
	return []PaymentStatus{PaymentStatusACCC, PaymentStatusACCP, PaymentStatusACCR, PaymentStatusACPT, PaymentStatusACSC, PaymentStatusACSP,
		PaymentStatusACTC, PaymentStatusACWC, PaymentStatusACWP, PaymentStatusCNCL, PaymentStatusNULL, PaymentStatusPACR, PaymentStatusPART, PaymentStatusPDCR,
		PaymentStatusPDNG, PaymentStatusRCVD, PaymentStatusRJCR, PaymentStatusRJCT}
}

// An Enum is one of the enumerations above.
type Enum[E ~string] interface {
	~string
	Values() []E
}

// Known reports whether v is a value that the specification names.
func Known[E Enum[E]](v E) bool {
	return slices.Contains(v.Values(), v)
}
