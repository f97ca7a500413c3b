// Package categories decides what a booking is for. It is pure: facts of a row and what is known of the person go in, a decision with its evidence comes
// out. docs/categories.md describes the chain and the lists.
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

// Transfer is the category of what moves between a person's own accounts: neither income nor spending.
const Transfer = "transfer"

// Category is one of the starting set. The pages name it in the reader's language.
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

// Known reports whether id is one of the starting set.
func Known(id string) bool {
	return slices.ContainsFunc(Set, func(c Category) bool { return c.ID == id })
}

// Step is the step of the chain that decided.
type Step string

// Steps of the chain, in its order.
const (
	Unknown    Step = ""
	ByHand     Step = "hand"     // the person chose it for this row; only a hand changes it again
	ByRule     Step = "rule"     // a rule of the person's
	ByTransfer Step = "transfer" // the other side is an account of the person's own
	ByCreditor Step = "creditor" // the person chose it for a direct debit of the same creditor
	ByAccount  Step = "account"  // ... for a row of the same account on the other side
	ByName     Step = "name"     // ... for a row of the same name
	ByLikeness Step = "words"    // ... for rows like it, which have the same words (naive Bayes)
	ByMerchant Step = "merchant" // the list of merchants
	ByMCC      Step = "mcc"      // the merchant category code
	ByCode     Step = "code"     // the bank's code for the kind of transaction, or the code for its purpose
	ByWord     Step = "word"     // a key word
)

// Facts are what is known of a row.
type Facts struct {
	Out     bool   // money out
	Name    string // of the counterparty as the bank wrote it; "" when it names nobody
	Account string // number of the account on the other side, compact; "" when not given
	Text    string // the remittance text on one line
	Kind    string // the bank's word for the kind of transaction
	Country string // of the account, ISO 3166 in capitals; "" when not known
	Amount  money.Amount
	In      string           // id of the account that the row is in
	Date    openbanking.Date // "" when it has none
	// Transfer says whether it is one side of a transfer between two accounts of the person; "" when no other side is known.
	Transfer finance.TransferState
	finance.Signs
}

// FactsOf are the facts of a row of an account with this IBAN, "" when it has none.
func FactsOf(t finance.Transaction, signs finance.Signs, accountIBAN string) Facts {
	f := Facts{Out: t.Amount.Sign() < 0, Name: t.Counterparty, Account: t.CounterpartyAccount, Text: t.Remittance, Kind: t.Kind, Amount: t.Amount,
		In:   t.AccountID,
		Date: t.Date, Signs: signs}
	if len(accountIBAN) > 2 {
		f.Country = accountIBAN[:2]
	}
	return f
}

// Decision is what a row is for, and why.
type Decision struct {
	Category   string // "" when not known
	By         Step
	Why        string // the evidence: the id of a rule, a number, a name, a merchant, a code, a word; as Step says
	Suggestion string // when the category is not known: one that is likely, but not enough to be set; Why is the evidence for it
}

// Lesson is a place where the choice of a person is remembered: a creditor, an account or a name, with the direction of the money.
type Lesson struct {
	By  Step // ByCreditor, ByAccount or ByName
	Out bool
	Key string
}

// Memory is what the chain knows of one person.
type Memory struct {
	Own     map[string]bool   // numbers of the person's own accounts
	Lessons map[Lesson]string // categories that the person chose
	Counts  Counts            // of the rows that the person chose them for; those of other features than a row's do not matter to it
	Rules   Rules
	Names   Names
}

// Judgement is what Florin makes of a row.
type Judgement struct {
	Decision
	Name  string // with which the row is shown; "" when nobody is named
	Key   string // of the payee: equal for two rows of one
	Deeds []Deed // what rules do to the row once
}

// Judge decides what a row is for and with whom it is. The rules of the person stand before the rest of the chain, and a name that the person gave
// stands before that of a rule. payee is PayeeOf the facts.
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

// Learn adds to the memory that the person chose a category for a row. payee is PayeeOf the facts.
func (m Memory) Learn(f Facts, payee Payee, category string) {
	for _, l := range m.lessons(f, payee) {
		m.Lessons[l] = category
	}
	m.Counts.Add(Features(f, payee), category, 1)
}

// Decide runs a row through the chain behind the rules: own transfer, what the person chose for the same creditor, account or name, what the person chose for
// rows like it, the list of merchants, the merchant category code, codes and words. A hand edit stands before the chain and is not asked here. For money in,
// codes and words come before merchants: a salary of a supermarket is a salary. payee is PayeeOf the facts.
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

// LessonsOf are the places where the choice of a category for a row is remembered, the most certain first.
func (m Memory) LessonsOf(f Facts) []Lesson { return m.lessons(f, PayeeOf(f)) }

// lessons leaves out the creditor and the account of a payment service: many merchants share them. What has one name has one memory.
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

// byMerchant looks the payee up in the list of merchants. Money that came by a transfer is no purchase.
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

// codeCategories are what codes say: sub-families of the external bank transaction codes of ISO 20022, and its external purpose codes. What a code says
// only of money in or out stands under the sign.
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

// byWord looks for key words: first in the name, then in the text, then in what the bank calls the kind of transaction.
func byWord(f Facts, p Payee) (Decision, bool) {
	for _, text := range []string{Key(f.Name), Key(f.Text), Key(f.Kind)} {
		if category, word := keyWord(text, f.Out); category != "" {
			return Decision{Category: category, By: ByWord, Why: word}, true
		}
	}
	return Decision{}, false
}
