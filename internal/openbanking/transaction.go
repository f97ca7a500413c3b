package openbanking

// Transaction is one entry of an account (spec: Transaction).
type Transaction struct {
	// ASPSP-provided identifier, unique and immutable across sessions for accounts with the same identification hashes; not globally unique
	EntryReference       *string                             `json:"entry_reference"`
	MerchantCategoryCode *string                             `json:"merchant_category_code"` // ISO 18245
	TransactionAmount    AmountType                          `json:"transaction_amount"`
	Creditor             *PartyIdentification                `json:"creditor"`
	CreditorAccount      *AccountIdentification              `json:"creditor_account"`
	CreditorAgent        *FinancialInstitutionIdentification `json:"creditor_agent"`
	Debtor               *PartyIdentification                `json:"debtor"`
	DebtorAccount        *AccountIdentification              `json:"debtor_account"`
	DebtorAgent          *FinancialInstitutionIdentification `json:"debtor_agent"`
	BankTransactionCode  *BankTransactionCode                `json:"bank_transaction_code"`
	CreditDebitIndicator CreditDebitIndicator                `json:"credit_debit_indicator"` // CRDT or DBIT
	Status               TransactionStatus                   `json:"status"`
	BookingDate          *Date                               `json:"booking_date"` // date recorded on books
	ValueDate            *Date                               `json:"value_date"`   // date funds become (or cease to be) available
	// card: date of transaction; credit transfer: acquiring date; direct debit: receiving date
	TransactionDate                         *Date                   `json:"transaction_date"`
	BalanceAfterTransaction                 *AmountType             `json:"balance_after_transaction"`
	ReferenceNumber                         *string                 `json:"reference_number"`                           // credit transfer (creditor) reference, when known
	ReferenceNumberSchema                   *ReferenceNumberScheme  `json:"reference_number_schema"`                    // kind of the reference number
	RemittanceInformation                   []string                `json:"remittance_information"`                     // free text, reference number, or both
	DebtorAccountAdditionalIdentification   []GenericIdentification `json:"debtor_account_additional_identification"`   // other debtor account identifiers
	CreditorAccountAdditionalIdentification []GenericIdentification `json:"creditor_account_additional_identification"` // other creditor account identifiers
	ExchangeRate                            *ExchangeRate           `json:"exchange_rate"`
	Note                                    *string                 `json:"note"` // internal note made by the PSU
	// used for fetching transaction details; not a unique identity and may change when the list is fetched again; null when details fetching is unsupported
	TransactionID *string `json:"transaction_id"`
}

// HalTransactions answers GET /accounts/{account_id}/transactions: one page.
type HalTransactions struct {
	Transactions    List[Transaction] `json:"transactions"`
	ContinuationKey *string           `json:"continuation_key"` // null when there are no more pages; valid only in the current session
}
