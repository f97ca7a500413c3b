package openbanking

// AccountResource is an account (spec: Account).
type AccountResource struct {
	AccountID       *AccountIdentification              `json:"account_id"`       // primary identifier
	AllAccountIDs   []GenericIdentification             `json:"all_account_ids"`  // all identifiers given by the ASPSP, including the primary one
	AccountServicer *FinancialInstitutionIdentification `json:"account_servicer"` // institution servicing the account
	Name            *string                             `json:"name"`             // account holder name(s)
	Details         *string                             `json:"details"`          // description set by the PSU or ASPSP
	Usage           *Usage                              `json:"usage"`            // ORGA or PRIV
	CashAccountType CashAccountType                     `json:"cash_account_type"`
	Product         *string                             `json:"product"`      // bank's product name
	Currency        string                              `json:"currency"`     // account currency
	PSUStatus       *string                             `json:"psu_status"`   // relation of the PSU to the account (holder, co-holder, attorney)
	CreditLimit     *AmountType                         `json:"credit_limit"` // maximum credit or overdraft
	// true: holder of legal age; false: minor; null or absent: cannot be determined or not applicable (legal entity, several co-holders)
	LegalAge      *bool          `json:"legal_age"`
	PostalAddress *PostalAddress `json:"postal_address"` // holder address
	// used for fetching balances and transactions; valid only while the owning session is AUTHORIZED; absent when balances and transactions cannot be fetched
	// (for example a blocked or closed account)
	UID                *string `json:"uid"`
	IdentificationHash string  `json:"identification_hash"` // primary identification hash; matches accounts across sessions, also across PSUs
	// all possible hashes, primary included; derived from account numbers; for fuzzy matching, not all uniquely identify an account
	IdentificationHashes List[string] `json:"identification_hashes"`
}

// BalanceResource is one balance of an account (spec: Balance).
type BalanceResource struct {
	Name                     string        `json:"name"` // label
	BalanceAmount            AmountType    `json:"balance_amount"`
	BalanceType              BalanceStatus `json:"balance_type"`
	LastChangeDateTime       *DateTime     `json:"last_change_date_time"`
	ReferenceDate            *Date         `json:"reference_date"`
	LastCommittedTransaction *string       `json:"last_committed_transaction"` // entry reference of the last transaction contributing to the balance
}

// HalBalances answers GET /accounts/{account_id}/balances.
type HalBalances struct {
	Balances List[BalanceResource] `json:"balances"`
}
