package sandbox

import (
	"fmt"
	"strconv"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// account is an account of a simulated bank, with its amounts in minor units.
type account struct {
	bank      *Bank
	index     int // in the bank's catalogue
	data      accountData
	reference string // the bank's own account id
	iban      string // empty when it has none
	bban      string // the national number behind the IBAN
	pan       string // masked, of cards
	shared    bool   // another account has the same IBAN
	seed      seed
	holders   []*user
	funders   []*account
	opened    day
	opening   int64
	limit     int64
	income    int64
	rent      int64
	monthly   int64

	moved []movement // rows that payments have added, for one call; nil on the account itself
}

// with returns the account with the rows that payments have added.
func (a *account) with(moved []movement) *account {
	if len(moved) == 0 {
		return a
	}
	copied := *a
	copied.moved = moved
	return &copied
}

func newAccount(b *Bank, index int, data accountData, byID map[string]*account) *account {
	a := &account{bank: b, index: index, data: data, seed: seedOf(b.data.Name, b.data.Country, data.ID)}
	a.reference = a.seed.letters(14)
	a.opened, _ = parseDay(data.Opened)
	for _, amount := range []struct {
		to   *int64
		text string
	}{{&a.opening, data.OpeningBalance}, {&a.limit, data.CreditLimit}, {&a.income, data.Income}, {&a.rent, data.Rent}, {&a.monthly, data.Monthly}} {
		if amount.text != "" {
			m, _ := money.Parse(amount.text, data.Currency) // checked with the catalogue
			*amount.to = m.Minor()
		}
	}
	for _, id := range data.FundedBy {
		a.funders = append(a.funders, byID[id])
	}
	switch data.Type {
	case openbanking.CashAccountTypeCACC, openbanking.CashAccountTypeSVGS, openbanking.CashAccountTypeLOAN:
		if other := byID[data.IBANOf]; other != nil {
			a.iban, a.bban = other.iban, other.bban
			a.shared, other.shared = true, true
		} else {
			a.bban = accountNumber(b.data.Country, b.data.BankCode, a.seed)
			if number, err := iban.Compute(b.data.Country, a.bban); err == nil { // a country without IBANs has none
				a.iban = number.String()
			}
		}
	case openbanking.CashAccountTypeCARD:
		digits := a.seed.digits(8)
		a.pan = "5" + digits[:5] + "******" + digits[4:]
	}
	return a
}

// product returns the bank's name of the account.
func (a *account) product() string {
	if a.data.Product != "" {
		return a.data.Product
	}
	return productNames[a.data.Type]
}

var productNames = map[openbanking.CashAccountType]string{
	openbanking.CashAccountTypeCACC: "Current account", openbanking.CashAccountTypeSVGS: "Savings account", openbanking.CashAccountTypeCARD: "Credit card",
	openbanking.CashAccountTypeLOAN: "Loan", openbanking.CashAccountTypeCASH: "Wallet", openbanking.CashAccountTypeOTHR: "Deposit account",
}

// number returns the number under which its holder knows the account.
func (a *account) number() string {
	switch {
	case a.iban != "":
		return a.iban
	case a.pan != "":
		return a.pan
	}
	return a.reference
}

// own returns the bank's own identifier of the account.
func (a *account) own() openbanking.GenericIdentification {
	return openbanking.GenericIdentification{Identification: a.reference, SchemeName: openbanking.SchemeNameBANK, Issuer: textOrNil(a.bank.data.Name)}
}

// primary returns the account_id.
func (a *account) primary() openbanking.AccountIdentification {
	switch {
	case a.iban != "":
		return openbanking.AccountIdentification{IBAN: &a.iban}
	case a.pan != "":
		return openbanking.AccountIdentification{Other: &openbanking.GenericIdentification{Identification: a.pan, SchemeName: openbanking.SchemeNameCPAN}}
	}
	return openbanking.AccountIdentification{Other: ptr(a.own())}
}

// identifiers returns all identifiers; the first identifies only this account (api-notes 5).
func (a *account) identifiers() []openbanking.GenericIdentification {
	var list []openbanking.GenericIdentification
	if a.iban != "" {
		list = append(list, openbanking.GenericIdentification{Identification: a.iban, SchemeName: openbanking.SchemeNameIBAN})
		if countryOf(a.bank.data.Country).National {
			list = append(list, openbanking.GenericIdentification{Identification: a.bban, SchemeName: openbanking.SchemeNameBBAN})
		}
	}
	switch {
	case a.iban == "" || a.shared:
		list = append([]openbanking.GenericIdentification{a.own()}, list...)
	}
	if a.pan != "" {
		list = append(list, openbanking.GenericIdentification{Identification: a.pan, SchemeName: openbanking.SchemeNameCPAN})
	}
	return list
}

// is reports whether an identification that a client sent names this account.
func (a *account) is(id openbanking.AccountIdentification) bool {
	if id.IBAN != nil {
		number, err := iban.Parse(*id.IBAN)
		return err == nil && number.String() == a.iban
	}
	if id.Other == nil {
		return false
	}
	for _, own := range a.identifiers() {
		if own.SchemeName == id.Other.SchemeName && own.Identification == id.Other.Identification {
			return true
		}
	}
	return false
}

// describe returns the account as the bank shows it to one of its holders.
func (a *account) describe(viewer *user) aggregator.BankAccount {
	names := make([]string, len(a.holders))
	for i, h := range a.holders {
		names[i] = h.Name
	}
	resource := openbanking.AccountResource{
		AccountID:       ptr(a.primary()),
		AllAccountIDs:   a.identifiers(),
		Name:            ptr(strings.Join(names, " & ")),
		Details:         textOrNil(a.data.Details),
		Usage:           ptr(openbanking.UsagePRIV),
		CashAccountType: a.data.Type,
		Product:         ptr(a.product()),
		Currency:        a.data.Currency,
	}
	if a.business() {
		resource.Usage = ptr(openbanking.UsageORGA)
	}
	if a.limit > 0 {
		resource.CreditLimit = ptr(a.amount(a.limit))
	}
	if !a.bank.data.Habits.NoHolderDetails {
		resource.PSUStatus = ptr("Account Holder")
		if len(a.holders) > 1 {
			resource.PSUStatus = ptr("Account Co-Holder")
		} else if !a.business() {
			resource.LegalAge = ptr(!viewer.Minor)
		}
		resource.AccountServicer = &openbanking.FinancialInstitutionIdentification{BICFI: textOrNil(a.bank.data.BIC), Name: ptr(a.bank.data.Name)}
		if len(a.holders) > 0 && a.holders[0].Street != "" {
			resource.PostalAddress = a.holders[0].address(a.bank.data.Country)
		}
	}
	return aggregator.BankAccount{Reference: a.reference, Account: resource, Identifiers: a.identifiers(), Blocked: a.data.Blocked}
}

// business reports whether a company holds the account.
func (a *account) business() bool {
	return len(a.holders) > 0 && a.holders[0].PSUType == openbanking.PSUTypeBusiness
}

func (u *user) address(country string) *openbanking.PostalAddress {
	kind := openbanking.AddressTypeResidential
	if u.PSUType == openbanking.PSUTypeBusiness {
		kind = openbanking.AddressTypeBusiness
	}
	address := postalAddress(u.Street, u.PostCode, u.Town, country)
	address.AddressType = &kind
	return address
}

// postalAddress splits the number off a street.
func postalAddress(street, postCode, town, country string) *openbanking.PostalAddress {
	number := ""
	if i := strings.LastIndexByte(street, ' '); i > 0 && strings.ContainsAny(street[i:], "0123456789") {
		street, number = street[:i], street[i+1:]
	}
	return &openbanking.PostalAddress{
		StreetName: textOrNil(street), BuildingNumber: textOrNil(number), PostCode: textOrNil(postCode), TownName: textOrNil(town), Country: ptr(country),
	}
}

func (a *account) amount(minor int64) openbanking.AmountType {
	return openbanking.AmountType{Currency: a.data.Currency, Amount: money.FromMinor(minor, a.data.Currency).String()}
}

// page returns one page of a listing (spec: GET /accounts/{account_id}/transactions).
func (a *account) page(query aggregator.TransactionQuery, now moment) (aggregator.TransactionPage, error) {
	position := cursor{asOf: now}
	if query.Cursor != "" {
		var ok bool
		if position, ok = parseCursor(query.Cursor); !ok || position.asOf > now {
			return aggregator.TransactionPage{}, &openbanking.Error{Code: openbanking.WrongContinuationKey}
		}
	}
	from, to, err := period(query, position.asOf.day())
	if err != nil {
		return aggregator.TransactionPage{}, err
	}
	rows := a.rows(position.asOf)
	var pending []openbanking.Transaction
	if query.Status == "" || query.Status == openbanking.TransactionStatusPDNG {
		pending = rows.pending(from, to)
	}
	first, end := 0, 0
	if query.Status == "" || query.Status == openbanking.TransactionStatusBOOK {
		first, end = rows.booked(from, to)
	}
	total := len(pending) + end - first
	if position.offset > total {
		return aggregator.TransactionPage{}, &openbanking.Error{Code: openbanking.WrongContinuationKey}
	}
	page := aggregator.TransactionPage{Transactions: []openbanking.Transaction{}}
	stop := min(position.offset+a.bank.data.PageSize, total)
	for i := position.offset; i < stop; i++ {
		if i < len(pending) {
			page.Transactions = append(page.Transactions, pending[i])
		} else {
			page.Transactions = append(page.Transactions, rows.at(end-1-(i-len(pending))))
		}
	}
	if stop < total {
		page.Next = cursor{position.asOf, stop}.String()
	}
	return page, nil
}

// period returns the first and the last day of a listing (api-notes 7).
func period(query aggregator.TransactionQuery, today day) (from, to day, err error) {
	from, to = today-90, today
	if query.Strategy == openbanking.TransactionsFetchStrategyLongest {
		from = 0
	}
	if query.DateFrom != "" {
		var ok bool
		if from, ok = parseDay(query.DateFrom); !ok {
			return 0, 0, &openbanking.Error{Code: openbanking.WrongRequestParameters, Message: "date_from is not a date"}
		}
	}
	if query.DateTo != "" && query.Strategy != openbanking.TransactionsFetchStrategyLongest {
		var ok bool
		if to, ok = parseDay(query.DateTo); !ok {
			return 0, 0, &openbanking.Error{Code: openbanking.WrongRequestParameters, Message: "date_to is not a date"}
		}
	}
	return from, min(to, today), nil
}

// entryReference returns the bank's identifier of a row. It is unique in the account and never changes.
func (a *account) entryReference(i int, e *entry) string {
	switch a.bank.data.Habits.References {
	case "none":
		return ""
	case "uuid":
		s := a.rowSeed(i)
		s[6], s[8] = s[6]&0x0f|0x40, s[8]&0x3f|0x80
		return fmt.Sprintf("%x-%x-%x-%x-%x", s[0:4], s[4:6], s[6:8], s[8:10], s[10:16])
	case "letters":
		s := a.rowSeed(i)
		return s.letters(16)
	}
	y, m, dom := e.transacted.ymd()
	return fmt.Sprintf("%04d%02d%02d%08d", y, m, dom, i)
}

func (a *account) rowSeed(i int) seed { return seedOf(string(a.seed[:]), strconv.Itoa(i)) }

// transactionID returns the id with which the details of a row are fetched; entryOf finds the row again.
func (a *account) transactionID(i int) string {
	return a.reference[:6] + "-" + strconv.FormatInt(int64(i), 36)
}

func (a *account) entryOf(transactionID string) (int, bool) {
	_, number, _ := strings.Cut(transactionID, "-")
	i, err := strconv.ParseInt(number, 36, 64)
	return int(i), err == nil && i >= 0 && a.transactionID(int(i)) == transactionID
}

// rows is an account's ledger as of a moment.
type rows interface {
	booked(from, to day) (first, end int)                      // indices of the rows booked in those days, oldest first
	at(i int) openbanking.Transaction                          // a booked row
	pending(from, to day) []openbanking.Transaction            // by transaction date, newest first
	find(transactionID string) (openbanking.Transaction, bool) // with all details
	sums() sums
}

// sums are the figures from which balances are calculated, in minor units.
type sums struct {
	booked    int64  // all booked rows
	yesterday int64  // booked before the day
	value     int64  // all whose value date has come
	pending   int64  // pending rows
	reserved  int64  // pending debits, negative
	last      day    // booking date of the last row
	lastRow   string // its entry reference
}

func (a *account) rows(asOf moment) rows {
	if a.data.Transactions > 0 {
		return archive{account: a, asOf: asOf.day()}
	}
	return a.bank.sandbox.ledgers.view(a, asOf)
}
