// Package household makes up bank statements of households in which the category of each row is known. The chain of package categories is measured with them,
// so nothing here comes from the lists of that package: the chains are well-known ones, everything else is made up.
package household

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"florin/internal/openbanking"
)

// Row is a row from a bank with its true category.
type Row struct {
	openbanking.Transaction
	Category string // an id of the starting set
	Party    string // the counterparty: equal for one party, however its name is written
	Chain    bool   // the party is a well-known chain
	Every    int    // months between the rows of a bill; 0 for rows without a rhythm
}

// Ledger is the statement of a household's account.
type Ledger struct {
	Country string
	Account string   // IBAN
	Own     []string // IBANs of the household's other accounts
	Rows    []Row    // oldest first
}

// Countries returns the countries for which ledgers can be made up.
func Countries() []string {
	codes := make([]string, 0, len(countries))
	for _, c := range countries {
		codes = append(codes, c.code)
	}
	return codes
}

// Styles is the number of ways in which the banks of a country write.
const Styles = 2

// Years is the length of a ledger in years.
const Years = 3

// All makes up the ledgers of all countries and styles.
func All() []Ledger {
	var all []Ledger
	for _, country := range Countries() {
		for style := range Styles {
			all = append(all, Of(country, style))
		}
	}
	return all
}

// Of makes up the ledger of a household in one of Countries, at a bank that writes in one of its styles. The same arguments give the same ledger.
func Of(code string, style int) Ledger { return Lived(code, style, 0, 0) }

// Lived makes up the ledger of one of many similar households, in one of its lives. In all lives the household buys in the same places and pays the same
// bills on the same days; when it buys and for how much is drawn again in each life. What all lives share is all that a forecast could know. Household 0 in
// life 0 is the one of Of.
func Lived(code string, style, household, life int) Ledger {
	i := slices.IndexFunc(countries, func(c country) bool { return c.code == code })
	c := countries[i]
	seed := fnv.New64a()
	fmt.Fprintf(seed, "%s %d", code, style)
	dice := func(throw int) *rand.Rand {
		return rand.New(rand.NewPCG(seed.Sum64(), 13+uint64(throw))) //nolint:gosec // made-up statements must be reproducible
	}
	h := &house{country: c, writing: c.styles[style], rand: dice(1000 * household), numbers: map[string]string{}, renamed: map[string]string{}, card: "4711"}
	h.ledger = Ledger{Country: code, Account: h.iban("own"), Own: []string{h.iban("savings")}}
	h.city = h.pick(c.cities)
	h.settle()
	if life > 0 {
		h.rand = dice(1000*household + life)
	}
	first := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
	for month := range 12 * Years {
		h.month(first.AddDate(0, month, 0))
	}
	slices.SortStableFunc(h.ledger.Rows, func(a, b Row) int { return cmp.Compare(*a.BookingDate, *b.BookingDate) })
	return h.ledger
}

// seller is a shop where people pay by card.
type seller struct {
	name     string
	category string
	code     string // ISO 18245
	from, to int    // what a purchase costs, in whole units
	chain    bool
}

// bill is a recurring payment or income, by direct debit or by transfer.
type bill struct {
	party    string // %s is a family name
	text     string // {month} and {no} are filled in
	category string
	means    means
	from, to int
	every    int // months
	share    int // out of 100 households have it
	chain    bool
}

// means is how a bill is paid.
type means int

const (
	byDebit means = iota
	byTransfer
	received
	bySalary // with the bank's code for a salary where it has codes
)

// wording is how a bank writes a kind of row: the name of the counterparty, the lines of the text separated by |, its word for the kind, and the ISO 20022
// families if it gives them.
type wording struct{ name, text, kind, code string }

// style is how a bank writes.
type style struct {
	card, debit, transfer, received, salary, cash, fee wording
	merchantCodes                                      bool
}

// country is where a household lives.
type country struct {
	code           string
	cities         []string
	first, last    []string
	chains, locals []seller // in the names of locals %s is a family name
	bills          []bill
	styles         [Styles]style
}

// house is a household whose ledger is being written.
type house struct {
	country
	writing style
	rand    *rand.Rand
	city    string
	card    string
	numbers map[string]string // of parties, made up when they are first needed
	renamed map[string]string // new names that parties take later
	ledger  Ledger

	usual map[string][]seller // where the household buys, by category
	bills []bill
	due   []int // day of the month of each bill
	sums  []int // of each bill
}

// purchases is how often a household buys something in a category, per 100 months.
var purchases = map[string]int{"groceries": 900, "dining": 550, "drugstore": 150, "clothing": 100, "electronics": 25, "shopping": 180, "health": 110, "care": 70,
	"fuel": 250, "car": 50, "transit": 200, "entertainment": 90, "sport": 30, "books": 50, "travel": 40, "home": 80, "pets": 60, "children": 50}

// settle chooses where the household buys and which bills it pays.
func (h *house) settle() {
	h.usual = map[string][]seller{}
	for _, category := range h.categories() {
		chains, locals := h.sellers(h.chains, category), h.sellers(h.locals, category)
		for range min(len(chains), 1+h.rand.IntN(3)) {
			h.usual[category] = append(h.usual[category], chains[h.rand.IntN(len(chains))])
		}
		for range min(len(locals), 1+h.rand.IntN(2)) {
			h.usual[category] = append(h.usual[category], h.named(locals[h.rand.IntN(len(locals))]))
		}
	}
	for _, b := range h.country.bills {
		if h.rand.IntN(100) >= b.share {
			continue
		}
		if strings.Contains(b.party, "%s") {
			b.party = fmt.Sprintf(b.party, h.pick(h.last))
		}
		h.bills = append(h.bills, b)
		h.due = append(h.due, 1+h.rand.IntN(27))
		h.sums = append(h.sums, h.cents(b.from, b.to))
	}
}

// categories returns the categories in which the household buys, always in the same order.
func (h *house) categories() []string {
	all := make([]string, 0, len(purchases))
	for category := range purchases {
		all = append(all, category)
	}
	slices.Sort(all)
	return all
}

func (h *house) sellers(all []seller, category string) []seller {
	return slices.DeleteFunc(slices.Clone(all), func(s seller) bool { return s.category != category })
}

// named fills in the name of a local seller.
func (h *house) named(s seller) seller {
	if strings.Contains(s.name, "%s") {
		s.name = fmt.Sprintf(s.name, h.pick(h.last))
	}
	return s
}

// month writes the rows of a month.
func (h *house) month(first time.Time) {
	number := int(first.Month()) + 12*first.Year()
	for i, b := range h.bills {
		if number%b.every != i%b.every {
			continue
		}
		sum := h.sums[i]
		if b.category == "phone" || b.category == "benefits" || b.means == bySalary || h.rand.IntN(4) > 0 { // most amounts stay the same for a year
			sum += sum * (first.Year() - 2023) / 50
		} else {
			sum += h.rand.IntN(1 + sum/20)
		}
		h.bill(b, first.AddDate(0, 0, h.due[i]-1), sum)
	}
	for _, category := range h.categories() {
		times := purchases[category] / 100
		if h.rand.IntN(100) < purchases[category]%100 {
			times++
		}
		for range times {
			h.purchase(category, h.day(first))
		}
	}
	for range h.rand.IntN(3) {
		w := h.writing.cash
		h.add(row{w: w, name: h.city, day: h.day(first), cents: 100 * 10 * (2 + h.rand.IntN(20)), category: "cash", party: "cash"})
	}
	if first.Month()%3 == 0 {
		h.add(row{w: h.writing.fee, day: first.AddDate(0, 1, -1), cents: 390 + 10*h.rand.IntN(60), category: "fees", party: "fee", every: 3})
	}
	h.add(row{w: h.writing.transfer, name: h.ownName(), account: h.ledger.Own[0], text: h.pick([]string{"", "Reserve", "2023"}), day: h.day(first),
		cents: 100 * 50 * (1 + h.rand.IntN(6)), category: "transfer", party: "own"})
	if h.rand.IntN(3) == 0 {
		h.friend(first)
	}
}

// friend adds money to or from a friend, for a purpose that only the household knows.
func (h *house) friend(first time.Time) {
	name := h.pick(h.first[:4]) + " " + h.last[0]
	r := row{w: h.writing.transfer, name: name, account: h.iban(name), text: h.pick([]string{"", "<3", "2x"}), day: h.day(first), cents: h.cents(5, 80),
		category: "gifts", party: name}
	if h.rand.IntN(2) == 0 {
		r.w, r.in, r.category = h.writing.received, true, "income"
	}
	h.add(r)
}

// purchase adds a purchase, mostly in one of the usual places.
func (h *house) purchase(category string, day time.Time) {
	usual := h.usual[category]
	s := usual[h.rand.IntN(len(usual))]
	if h.rand.IntN(100) < 12 {
		others := append(h.sellers(h.chains, category), h.sellers(h.locals, category)...)
		s = h.named(others[h.rand.IntN(len(others))])
	}
	r := row{w: h.writing.card, name: s.name, day: day, cents: h.cents(s.from, s.to), category: category, party: s.name, chain: s.chain, merchant: s.code}
	switch dice := h.rand.IntN(100); {
	case dice < 30:
		r.name += fmt.Sprintf(" %04d", h.rand.IntN(10_000))
	case dice < 36 && !s.chain:
		r.name = h.pick([]string{"SumUp  *", "ZETTLE_*", "PAYPAL *"}) + r.name
	case dice < 38:
		r.name = h.city + " " + r.name
	}
	if name := []rune(r.name); len(name) > onTerminal {
		r.name = string(name[:onTerminal])
	}
	h.add(r)
}

// onTerminal is how many characters of a name the card networks carry.
const onTerminal = 22

// bill adds the payment of a bill. Some parties have another name, account and creditor identifier from a certain day on.
func (h *house) bill(b bill, day time.Time, cents int) {
	party := b.party
	if day.Year() > 2024 && len(b.party)%7 == 0 {
		b.party = h.pick(h.last) + " " + b.party
		if known, ok := h.renamed[party]; ok {
			b.party = known
		}
		h.renamed[party] = b.party
	}
	w := map[means]wording{byDebit: h.writing.debit, byTransfer: h.writing.transfer, received: h.writing.received, bySalary: h.writing.salary}[b.means]
	h.add(row{w: w, name: b.party, account: h.iban(b.party), text: b.text, day: day, cents: cents, category: b.category, party: b.party, chain: b.chain,
		in: b.means == received || b.means == bySalary, every: b.every})
}

// row holds what the bank writes into a row.
type row struct {
	w                             wording
	name, account, text, merchant string
	day                           time.Time
	cents                         int
	in, chain                     bool
	category, party               string
	every                         int // see Row
}

// add writes a row as the bank does.
func (h *house) add(r row) {
	months := strings.Fields("01 02 03 04 05 06 07 08 09 10 11 12")
	number := func() string { return fmt.Sprintf("%06d", h.rand.IntN(1_000_000)) }
	fill := func(text string) string {
		return strings.NewReplacer("{name}", r.name, "{NAME}", strings.ToUpper(r.name), "{text}", r.text, "{city}", h.city, "{CITY}", strings.ToUpper(h.city),
			"{date}", r.day.Format("02.01.2006"), "{day}", r.day.Format("02/01/06"), "{time}", fmt.Sprintf("%02d:%02d", 8+h.rand.IntN(12), h.rand.IntN(60)),
			"{month}", months[r.day.Month()-1]+"/"+r.day.Format("2006"), "{no}", number(), "{card}", h.card, "{iban}", r.account,
			"{creditor}", h.creditor(r.party), "{mandate}", "M"+h.numberOf(r.party)).Replace(text)
	}
	date := openbanking.DateOf(r.day)
	wire := openbanking.Transaction{Status: openbanking.TransactionStatusBOOK, BookingDate: &date, CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT,
		TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: fmt.Sprintf("%d.%02d", r.cents/100, r.cents%100)}}
	for line := range strings.SplitSeq(fill(fill(r.w.text)), "|") {
		if line = strings.TrimSpace(line); line != "" {
			wire.RemittanceInformation = append(wire.RemittanceInformation, line)
		}
	}
	var party *openbanking.PartyIdentification
	var account *openbanking.AccountIdentification
	if r.w.name != "" {
		name := fill(r.w.name)
		party = &openbanking.PartyIdentification{Name: &name}
	}
	if r.w.name != "" && r.account != "" {
		account = &openbanking.AccountIdentification{IBAN: &r.account}
	}
	if r.in {
		wire.CreditDebitIndicator, wire.Debtor, wire.DebtorAccount = openbanking.CreditDebitIndicatorCRDT, party, account
	} else {
		wire.Creditor, wire.CreditorAccount = party, account
	}
	if r.w.kind != "" {
		code := openbanking.BankTransactionCode{Description: &r.w.kind}
		if r.w.code != "" {
			code.Code = &r.w.code
		}
		wire.BankTransactionCode = &code
	}
	if h.writing.merchantCodes && r.merchant != "" {
		wire.MerchantCategoryCode = &r.merchant
	}
	h.ledger.Rows = append(h.ledger.Rows, Row{Transaction: wire, Category: r.category, Party: r.party, Chain: r.chain, Every: r.every})
}

func (h *house) ownName() string { return h.first[len(h.first)-1] + " " + h.last[len(h.last)-1] }

func (h *house) pick(all []string) string { return all[h.rand.IntN(len(all))] }

func (h *house) day(first time.Time) time.Time { return first.AddDate(0, 0, h.rand.IntN(28)) }

func (h *house) cents(from, to int) int { return 100*from + h.rand.IntN(100*(to-from)+1) }

// numberOf returns the permanent number of a party.
func (h *house) numberOf(party string) string {
	if h.numbers[party] == "" {
		h.numbers[party] = fmt.Sprintf("%011d", h.rand.Uint64N(100_000_000_000))
	}
	return h.numbers[party]
}

func (h *house) iban(party string) string { return h.code + "00" + "5001" + h.numberOf(party) }

func (h *house) creditor(party string) string { return h.code + "00ZZZ" + h.numberOf(party) }
