package openbanking

// ASPSP refers to a bank by its name and country; together they are its identity.
type ASPSP struct {
	Name    string `json:"name"`    // name of the bank or institution
	Country string `json:"country"` // two-letter ISO 3166 country code
}

// ASPSPData is an element of GET /aspsps.
type ASPSPData struct {
	Name     string        `json:"name"`
	Country  string        `json:"country"`   // two-letter ISO 3166
	Logo     string        `json:"logo"`      // logo URL; suffixes such as -/resize/500x/ at the end of the URL transform the image
	PSUTypes List[PSUType] `json:"psu_types"` // supported PSU types
	// available authentication methods; given when several exist or credentials can be supplied at authorisation start
	AuthMethods            List[AuthMethod]      `json:"auth_methods"`
	MaximumConsentValidity int                   `json:"maximum_consent_validity"` // maximum consent validity in seconds
	Sandbox                *SandboxInfo          `json:"sandbox"`                  // only in the sandbox environment
	Beta                   bool                  `json:"beta"`                     // whether the integration is in beta mode
	BIC                    *string               `json:"bic"`                      // BIC of the ASPSP
	RequiredPSUHeaders     []string              `json:"required_psu_headers"`     // headers that tell data endpoints that the PSU is online
	Payments               []ResponsePaymentType `json:"payments"`                 // supported payment types and their properties
	Group                  *ASPSPGroup           `json:"group"`                    // group the ASPSP belongs to
}

// ASPSPGroup is a group that ASPSPs belong to.
type ASPSPGroup struct {
	Name string `json:"name"`
	Logo string `json:"logo"` // URL; the same transformation suffixes as ASPSPData.Logo
}

// SandboxInfo lists sample users; only in the sandbox environment.
type SandboxInfo struct {
	Users []SandboxUser `json:"users"`
}

// SandboxUser is a sample user of a simulated bank.
type SandboxUser struct {
	Username *string `json:"username"`
	Password *string `json:"password"`
	OTP      *string `json:"otp"` // one-time code
}

// AuthMethod is a way to authenticate at an ASPSP.
type AuthMethod struct {
	Name         *string                `json:"name"`          // internal name; used as auth_method
	Title        *string                `json:"title"`         // human-readable title
	PSUType      PSUType                `json:"psu_type"`      // applicable PSU type
	Credentials  []Credential           `json:"credentials"`   // credentials that can be supplied at authorisation start
	Approach     AuthenticationApproach `json:"approach"`      // DECOUPLED, EMBEDDED or REDIRECT
	HiddenMethod bool                   `json:"hidden_method"` // when true the PSU cannot select the method; it can be selected only via API
}

// Credential is a value that can be supplied when an authorisation starts.
type Credential struct {
	Name        string  `json:"name"` // the key to use in the credentials object
	Title       string  `json:"title"`
	Required    bool    `json:"required"`
	Description *string `json:"description"`
	Template    *string `json:"template"` // Perl-compatible regular expression for a format check
}

// ResponsePaymentType describes a payment type that an ASPSP supports (element of ASPSPData.Payments).
type ResponsePaymentType struct {
	PaymentType     PaymentType `json:"payment_type"`
	PSUType         PSUType     `json:"psu_type"`
	MaxTransactions *int        `json:"max_transactions"` // maximum transactions per payment
	Currencies      []string    `json:"currencies"`       // supported currencies
	// when false the PSU chooses the debtor account during authorisation; body field payment_request.debtor_account
	DebtorAccountRequired         *bool              `json:"debtor_account_required"`
	DebtorAccountSchemas          []SchemeName       `json:"debtor_account_schemas"`
	CreditorAccountSchemas        []SchemeName       `json:"creditor_account_schemas"`
	PriorityCodes                 []PriorityCode     `json:"priority_codes"`
	ChargeBearerValues            []ChargeBearerCode `json:"charge_bearer_values"`
	CreditorCountryRequired       *bool              `json:"creditor_country_required"`
	CreditorNameRequired          *bool              `json:"creditor_name_required"`
	CreditorPostalAddressRequired *bool              `json:"creditor_postal_address_required"` // field beneficiary.creditor.postal_address
	RemittanceInformationRequired *bool              `json:"remittance_information_required"`  // field remittance_information of each transaction
	// item i describes line i; when given, the number of lines sent equals the length of this array
	RemittanceInformationLines []RemittanceInformationLineInfo `json:"remittance_information_lines"`
	DebtorCurrencyRequired     *bool                           `json:"debtor_currency_required"` // field payment_request.debtor_currency
	// field payment_request.debtor.contact_details.email_address
	DebtorContactEmailRequired                  *bool                     `json:"debtor_contact_email_required"`
	DebtorContactPhoneRequired                  *bool                     `json:"debtor_contact_phone_required"`                     // field payment_request.debtor.contact_details.phone_number
	CreditorAgentBICFIRequired                  *bool                     `json:"creditor_agent_bic_fi_required"`                    // field beneficiary.creditor_agent.bic_fi
	CreditorAgentClearingSystemMemberIDRequired *bool                     `json:"creditor_agent_clearing_system_member_id_required"` // field beneficiary.creditor_agent.clearing_system_member_id
	AllowedAuthMethods                          []string                  `json:"allowed_auth_methods"`                              // auth methods usable for this payment type
	RegulatoryReportingCodes                    []RegulatoryReportingCode `json:"regulatory_reporting_codes"`                        // supported codes
	RegulatoryReportingCodeRequired             *bool                     `json:"regulatory_reporting_code_required"`                // field regulatory_reporting.details.code
	ReferenceNumberSupported                    *bool                     `json:"reference_number_supported"`
	ReferenceNumberSchemas                      []ReferenceNumberScheme   `json:"reference_number_schemas"`
	RequestedExecutionDateSupported             *bool                     `json:"requested_execution_date_supported"`
	RequestedExecutionDateMaxPeriod             *int                      `json:"requested_execution_date_max_period"` // maximum interval into the future for the requested execution date
	RemittanceReferenceSupported                *bool                     `json:"remittance_reference_supported"`      // whether reference number and remittance information can be given together
	// final successful statuses; reaching one does not guarantee that funds reach the creditor
	FinalSuccessfulStatuses []PaymentStatus `json:"final_successful_statuses"`
}

// RemittanceInformationLineInfo limits one line of remittance information.
type RemittanceInformationLineInfo struct {
	MinLength *int    `json:"min_length"`
	MaxLength *int    `json:"max_length"`
	Pattern   *string `json:"pattern"` // regular expression
}

// RegulatoryReportingCode is a code that an ASPSP accepts in regulatory reporting.
type RegulatoryReportingCode struct {
	Value       string `json:"value"`
	Description string `json:"description"`
}

// ASPSPsResponse answers GET /aspsps (spec: GetAspspsResponse).
type ASPSPsResponse struct {
	ASPSPs List[ASPSPData] `json:"aspsps"`
}
