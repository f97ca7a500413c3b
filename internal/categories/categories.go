// Package categories decides the category of a booking. It is pure: facts of a row and what is known about the person go in, a decision with its evidence
// comes out. docs/categories.md describes the chain and the lists.
package categories

import (
	"slices"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Group is a group of categories.
type Group string

// Groups, in the order in which pages show them.
const (
	GroupIncome    Group = "income"
	GroupHousing   Group = "housing"
	GroupLiving    Group = "living"
	GroupTransport Group = "transport"
	GroupLeisure   Group = "leisure"
	GroupMoney     Group = "money"
)

// Groups lists the groups in the order in which pages show them.
var Groups = []Group{GroupIncome, GroupHousing, GroupLiving, GroupTransport, GroupLeisure, GroupMoney}

// Transfer is the category of transfers between a person's own accounts: neither income nor spending.
const Transfer = "transfer"

// Category is a category of the starting set. The pages name it in the reader's language.
type Category struct {
	ID    string
	Group Group
}

// Set is the starting set, group by group.
var Set = []Category{
	{"salary", GroupIncome}, {"benefits", GroupIncome}, {"interest", GroupIncome}, {"income", GroupIncome},
	{"rent", GroupHousing}, {"energy", GroupHousing}, {"phone", GroupHousing}, {"home", GroupHousing},
	{"groceries", GroupLiving}, {"drugstore", GroupLiving}, {"clothing", GroupLiving}, {"electronics", GroupLiving}, {"shopping", GroupLiving},
	{"health", GroupLiving}, {"care", GroupLiving}, {"children", GroupLiving}, {"pets", GroupLiving}, {"education", GroupLiving},
	{"fuel", GroupTransport}, {"car", GroupTransport}, {"transit", GroupTransport},
	{"dining", GroupLeisure}, {"entertainment", GroupLeisure}, {"sport", GroupLeisure}, {"books", GroupLeisure}, {"travel", GroupLeisure},
	{"gifts", GroupLeisure},
	{"insurance", GroupMoney}, {"tax", GroupMoney}, {"fees", GroupMoney}, {"loan", GroupMoney}, {"savings", GroupMoney}, {"cash", GroupMoney},
	{Transfer, GroupMoney},
}

// Known reports whether id belongs to the starting set.
func Known(id string) bool {
	return slices.ContainsFunc(Set, func(c Category) bool { return c.ID == id })
}

// Step is the step of the chain that decided.
type Step string

// Steps of the chain, in order.
const (
	Unknown    Step = ""
	ByHand     Step = "hand"     // the person chose it for this row; only another choice by hand changes it
	ByRule     Step = "rule"     // a rule of the person
	ByTransfer Step = "transfer" // the counterparty is an account of the same person
	ByCreditor Step = "creditor" // the person chose it for a direct debit of the same creditor
	ByAccount  Step = "account"  // ... for a row with the same account of the counterparty
	ByName     Step = "name"     // ... for a row with the same name
	ByLikeness Step = "words"    // ... for similar rows, which have the same words (naive Bayes)
	ByMerchant Step = "merchant" // the list of merchants
	ByMCC      Step = "mcc"      // the merchant category code
	ByCode     Step = "code"     // the bank's code for the kind of transaction, or the code for its purpose
	ByWord     Step = "word"     // a key word
)

// Facts are the details of a row on which the chain decides.
type Facts struct {
	Out     bool   // money out
	Name    string // the counterparty as the bank writes it; "" when it names nobody
	Account string // account number of the counterparty, compact; "" when not given
	Text    string // the remittance text on one line
	Kind    string // the bank's word for the kind of transaction
	Country string // of the account, ISO 3166 in capitals; "" when unknown
	Amount  money.Amount
	In      string           // id of the account of the row
	Date    openbanking.Date // "" when it has none
	// Transfer says whether the row is part of a transfer between two accounts of the person; "" when no counterpart is known.
	Transfer finance.TransferState
	finance.Signs
}

// FactsOf returns the facts of a row. accountIBAN is the IBAN of its account, "" when it has none.
func FactsOf(t finance.Transaction, signs finance.Signs, accountIBAN string) Facts {
	f := Facts{Out: t.Amount.Sign() < 0, Name: t.Counterparty, Account: t.CounterpartyAccount, Text: t.Remittance, Kind: t.Kind, Amount: t.Amount,
		In:   t.AccountID,
		Date: t.Date, Signs: signs}
	if len(accountIBAN) > 2 {
		f.Country = accountIBAN[:2]
	}
	return f
}

// Decision is the category of a row, and the reason.
type Decision struct {
	Category   string // "" when unknown
	By         Step
	Why        string // the evidence, depending on By: the id of a rule, a number, a name, a merchant, a code, a word
	Suggestion string // without a Category: one that is likely, but not certain enough to be set; Why is then the evidence for it
}

// Lesson is a key under which a choice of the person is remembered: a creditor, an account or a name, with the direction of the money.
type Lesson struct {
	By  Step // ByCreditor, ByAccount or ByName
	Out bool
	Key string
}

// Memory holds what the chain knows about one person.
type Memory struct {
	Own     map[string]bool   // numbers of the person's own accounts
	Lessons map[Lesson]string // categories that the person chose
	Counts  Counts            // of the rows that the person has categorised; only the features of the row in question are needed
	Rules   Rules
	Names   Names
}

// Judgement is the result of Judge for a row.
type Judgement struct {
	Decision
	Name  string // the counterparty as shown; "" when nobody is named
	Key   string // equal for all rows of one payee
	Deeds []Deed // what rules do to the row once
}

// Judge decides the category of a row and the name of its counterparty. Rules of the person take precedence over the rest of the chain, and a name given by
// the person over one from a rule. payee is PayeeOf the facts.
func (m Memory) Judge(f Facts, payee Payee) Judgement {
	var j Judgement
	var given bool
	j.Name, j.Key, given = m.Names.Of(payee.Name, payee.Key)
	ruled := m.Rules.Of(f, f.Name, payee.Name, j.Name)
	if !given && ruled.Name != "" {
		j.Name = ruled.Name
	}
	j.Deeds = ruled.Deeds
	if ruled.Category != "" {
		j.Decision = Decision{Category: ruled.Category, By: ByRule, Why: ruled.By}
	} else {
		j.Decision = m.Decide(f, payee)
	}
	return j
}

// Learn adds the person's choice of a category for a row to the memory. payee is PayeeOf the facts.
func (m Memory) Learn(f Facts, payee Payee, category string) {
	for _, l := range m.lessons(f, payee) {
		m.Lessons[l] = category
	}
	m.Counts.Add(Features(f, payee), category, 1)
}

// Decide runs a row through the chain after the rules: own transfer; the person's choice for the same creditor, account or name; choices for similar rows;
// the list of merchants; the merchant category code; codes and words. A choice by hand precedes the chain and is not considered here. For money in, codes and
// words come before merchants: a salary from a supermarket is a salary. payee is PayeeOf the facts.
func (m Memory) Decide(f Facts, payee Payee) Decision {
	paired := f.Transfer == finance.TransferFound || f.Transfer == finance.TransferByHand
	if paired || f.Transfer != finance.TransferRefused && f.Account != "" && m.Own[f.Account] {
		return Decision{Category: Transfer, By: ByTransfer, Why: f.Account}
	}
	for _, l := range m.lessons(f, payee) {
		if category, ok := m.Lessons[l]; ok {
			why := l.Key
			if l.By == ByName {
				why = payee.Name
			}
			return Decision{Category: category, By: l.By, Why: why}
		}
	}
	like := m.Counts.likest(f, payee)
	if like.sure >= sureToSet {
		return Decision{Category: like.category, By: ByLikeness, Why: like.why()}
	}
	steps := []func(Facts, Payee) (Decision, bool){byMerchant, byMCC, byCode, byWord}
	if !f.Out {
		steps = []func(Facts, Payee) (Decision, bool){byCode, byWord, byMerchant, byMCC}
	}
	for _, step := range steps {
		if d, ok := step(f, payee); ok {
			return d
		}
	}
	if like.sure >= sureToSuggest {
		return Decision{Suggestion: like.category, Why: like.why()}
	}
	return Decision{}
}

// LessonsOf returns the keys under which the choice for a row is remembered, the most certain first.
func (m Memory) LessonsOf(f Facts) []Lesson { return m.lessons(f, PayeeOf(f)) }

// lessons returns the keys for a row. It omits creditor and account of a payment service, because many merchants share them. All payees with one name share
// the key of that name.
func (m Memory) lessons(f Facts, p Payee) []Lesson {
	var all []Lesson
	if !p.Processor {
		if f.Creditor != "" {
			all = append(all, Lesson{ByCreditor, f.Out, f.Creditor})
		}
		if f.Account != "" {
			all = append(all, Lesson{ByAccount, f.Out, f.Account})
		}
	}
	if p.Key != "" {
		_, shown, _ := m.Names.Of(p.Name, p.Key)
		for _, key := range m.Names.Shared(shown) {
			all = append(all, Lesson{ByName, f.Out, key})
		}
	}
	return all
}

// byMerchant looks the payee up in the list of merchants. Money received by transfer is not a purchase.
func byMerchant(f Facts, p Payee) (Decision, bool) {
	transfer := (f.Account != "" || f.Name == "" && transferred.MatchString(f.Text)) && f.Creditor == "" && f.MerchantCode == "" && !p.Processor
	if transfer && !f.Out {
		return Decision{}, false
	}
	category, name := merchant(p.Key, f.Country, transfer)
	return Decision{Category: category, By: ByMerchant, Why: name}, category != ""
}

func byMCC(f Facts, _ Payee) (Decision, bool) {
	if len(f.MerchantCode) != 4 {
		return Decision{}, false
	}
	category := lookup(merchantCodes, f.MerchantCode)
	return Decision{Category: category, By: ByMCC, Why: f.MerchantCode}, category != ""
}

// codeCategories maps codes to categories: sub-families of the external bank transaction codes of ISO 20022, and its external purpose codes. A sign before a
// code restricts it to money in or money out.
var codeCategories = map[string]string{
	"CWDL": "cash", "XBCW": "cash", "CDPT": "cash", "-CHRG": "fees", "-COMM": "fees", "-FEES": "fees", "-INTR": "fees", "+INTR": "interest",
	"+SALA": "salary", "+PENS": "benefits", "+BECH": "benefits", "+BENE": "benefits", "+SSBE": "benefits", "+DVCA": "interest", "+DIVI": "interest",
	"BUYI": "savings", "SELL": "savings", "-RENT": "rent", "-ELEC": "energy", "-GASB": "energy", "-WTER": "energy", "-UBIL": "energy", "-PHON": "phone",
	"-INSU": "insurance", "-HLTI": "insurance", "-LIFI": "insurance", "-PPTI": "insurance", "TAXS": "tax", "NITX": "tax", "ESTX": "tax", "VATX": "tax", "TTLS": "tax", "-CHAR": "gifts",
	"-LOAN": "loan", "-LOAR": "loan", "-STDY": "education", "-MDCS": "health", "-HSPC": "health", "-DNTS": "health", "-ALMY": "children", "-CHLD": "children", "INTE": "interest",
	"SAVG": "savings", "INTC": Transfer,
}

func byCode(f Facts, _ Payee) (Decision, bool) {
	sign := "+"
	if f.Out {
		sign = "-"
	}
	for _, code := range f.Codes {
		for _, c := range []string{code, sign + code} {
			if category, ok := codeCategories[c]; ok {
				return Decision{Category: category, By: ByCode, Why: code}, true
			}
		}
	}
	return Decision{}, false
}

// byWord looks for key words: first in the name, then in the text, then in the bank's word for the kind of transaction.
func byWord(f Facts, p Payee) (Decision, bool) {
	for _, text := range []string{Key(f.Name), Key(f.Text), Key(f.Kind)} {
		if category, word := keyWord(text, f.Out); category != "" {
			return Decision{Category: category, By: ByWord, Why: word}, true
		}
	}
	return Decision{}, false
}
