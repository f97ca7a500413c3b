package sandbox

import (
	"fmt"
	"time"

	"florin/internal/openbanking"
)

// diary is one day of one account: it decides which rows are added.
//
// Amounts grow and shrink with the balance, so that an account neither grows without limit nor runs dry, however long the sandbox runs.
type diary struct {
	ledgers *bankLedgers
	account *account
	ledger  *ledger
	today   day
	dice    dice
}

func (d *diary) live() {
	if d.today == d.account.opened {
		d.open()
		return
	}
	d.arrive()
	switch d.account.data.Type {
	case openbanking.CashAccountTypeCACC:
		d.receive()
		if d.account.business() {
			d.trade()
		} else {
			d.spend()
		}
	case openbanking.CashAccountTypeSVGS:
		d.save()
	case openbanking.CashAccountTypeCARD:
		d.charge()
	case openbanking.CashAccountTypeLOAN:
		d.repay()
	case openbanking.CashAccountTypeCASH:
		d.carry()
	case openbanking.CashAccountTypeOTHR:
		d.invest()
	}
}

func (d *diary) country() *country { return countryOf(d.account.bank.data.Country) }

// unit returns the value of euros for a person with 3,000 a month, in minor units of the account. Amounts below are in this unit.
func (d *diary) unit(euros int64) int64 { return euros * d.budget() / 3000 }

// budget returns the monthly income.
func (d *diary) budget() int64 {
	if d.account.income > 0 {
		return d.account.income
	}
	if n := int64(len(d.account.funders)); n > 0 {
		return d.account.monthly * n
	}
	return d.account.monthly
}

// ease returns how much the account holds compared with what it should, in per cent, within limits. 100 is as it should be.
func (d *diary) ease() int64 {
	b := d.budget()
	if b == 0 {
		return 100
	}
	return min(max(d.ledger.expected()*100/(b+b/5), 30), 400)
}

// affords reports whether the account covers an amount, including its credit limit.
func (d *diary) affords(amount int64) bool { return d.ledger.expected()+d.account.limit >= amount }

// month reports whether today is that day of the month, or the first business day after it.
func (d *diary) month(dom int) bool {
	y, m, _ := d.today.ymd()
	due := min(dayAt(y, m, dom), dayAt(y, m, 1).monthEnd()).booking()
	if due != d.today && dom > 25 { // the day of the previous month may have moved into this one
		end := dayAt(y, m, 1) - 1
		py, pm, _ := end.ymd()
		due = min(dayAt(py, pm, dom), end).booking()
	}
	return due == d.today
}

// payday reports whether today is that day of the month, or the last business day before it.
func (d *diary) payday(dom int) bool {
	y, m, _ := d.today.ymd()
	return dayAt(y, m, dom).before() == d.today
}

// number returns a number below n that stays the same for the account, to choose its employer or payday.
func (d *diary) number(what string, n int) int {
	s := seedOf("habit", string(d.account.seed[:]), what)
	throw := s.dice(0)
	return throw.n(n)
}

// own returns the account's permanent counterparty of a group.
func (d *diary) own(group string) *party {
	list := d.country().parties[group]
	return list[d.number(group, len(list))]
}

// quarterly reports whether the month ends a quarter.
func (d *diary) quarterly() bool { _, m, _ := d.today.ymd(); return m%3 == 0 }

// transfer adds a row that is booked today or on the next business day.
func (d *diary) transfer(kind string, p *party, amount int64, lines ...string) *entry {
	on := d.today.booking()
	d.ledger.add(entry{transacted: d.today, booked: on, valued: on, amount: amount, kind: kind, party: p, text: lines})
	return &d.ledger.entries[len(d.ledger.entries)-1]
}

// bank adds a row of the bank itself.
func (d *diary) bank(kind string, amount int64, valued day, lines ...string) {
	if amount == 0 {
		return
	}
	d.ledger.add(entry{transacted: d.today, booked: d.today.booking(), valued: valued, amount: amount, kind: kind, text: lines})
}

// card adds a card payment. It is pending, then booked after one to three business days; its value date is the next business day.
func (d *diary) card(kind string, p *party, amount int64) *entry {
	if amount <= 0 || !d.affords(amount) {
		return nil
	}
	booked := d.today.later(1 + d.dice.n(3))
	hour := 8 + d.dice.n(13)
	minute := d.dice.n(60)
	d.ledger.add(entry{
		transacted: d.today, minute: hour*60 + minute, booked: booked, valued: min(d.today.later(1), booked), amount: -amount, kind: kind, party: p,
		text: []string{p.name, d.country().word("card") + " " + string(d.today.date()) + fmt.Sprintf(" %02d:%02d", hour, minute)},
	})
	return &d.ledger.entries[len(d.ledger.entries)-1]
}

// move transfers an amount between two accounts of the bank, in the currency of this one. Both rows have the same reference.
func (d *diary) move(kind string, from, to *account, amount int64) {
	if amount <= 0 || from.opened >= d.today || to.opened > d.today {
		return
	}
	_, tm, td := d.today.ymd()
	mark := fmt.Sprintf("%s-%02d%02d-%04d", d.account.seed.letters(4), tm, td, d.dice.n(10000))
	on := d.today.booking()
	out, in := amount, amount
	var sold, bought *exchange
	if f, t := from.data.Currency, to.data.Currency; f != t {
		if d.account == from {
			in = convert(amount, f, t, d.today)
		} else {
			out = convert(amount, t, f, d.today)
		}
		x := exchange{unit: f, factor: factor(f, t, d.today), contract: "FX" + mark, kind: openbanking.RateTypeAGRD}
		s, b := x, x
		s.currency, s.original = t, in
		b.currency, b.original = f, out
		sold, bought = &s, &b
	}
	words := d.country().word(kind)
	d.ledgers.byAccount[from.index].add(entry{transacted: d.today, booked: on, valued: on, amount: -out, kind: kind, other: to, text: []string{words, mark},
		exchange: sold})
	d.ledgers.byAccount[to.index].add(entry{transacted: d.today, booked: on, valued: on, amount: in, kind: kind, other: from, text: []string{words, mark},
		exchange: bought})
}

// open adds the opening balance.
func (d *diary) open() { d.bank("opening", d.account.opening, d.today, d.country().word("opening")) }

// arrive adds rows that were decided earlier for today.
func (d *diary) arrive() {
	still := d.ledger.future[:0]
	for _, e := range d.ledger.future {
		if e.transacted <= d.today {
			d.ledger.add(e)
		} else {
			still = append(still, e)
		}
	}
	d.ledger.future = still
}

// receive adds the monthly payments from the funding accounts.
func (d *diary) receive() {
	if len(d.account.funders) == 0 || d.account.monthly == 0 || !d.month(2) {
		return
	}
	for _, f := range d.account.funders {
		d.move(fundKind(f, d.account), f, d.account, d.account.monthly)
	}
}

func fundKind(from, to *account) string {
	if from.data.Currency != to.data.Currency {
		return "exchange"
	}
	return "household"
}

// spend adds the rows of a person's day.
func (d *diary) spend() {
	c, a := d.country(), d.account
	if a.income > 0 && d.payday(24+d.number("payday", 5)) {
		pay, p := a.income, d.own("employer")
		y, m, _ := d.today.ymd()
		if m == time.December {
			pay += a.income / 2
		}
		d.transfer("salary", p, pay, fmt.Sprintf("%s %02d/%d", c.word("salary"), m, y), p.name)
	}
	if a.rent > 0 && d.month(1+d.number("rent", 3)) {
		y, m, _ := d.today.ymd()
		e := d.transfer("rent", d.own("landlord"), -a.rent, fmt.Sprintf("%s %02d/%d", c.word("rent"), m, y))
		e.reference = referenceOf(a.bank.data.Country, ptr(a.seed.dice(-1)))
	}
	if a.income > 0 || a.rent > 0 {
		d.bills()
	}
	d.fees()
	if a.data.Currency != c.Currency { // a pocket of foreign money is spent abroad
		if d.dice.chance(110) {
			if places := travel()[a.data.Currency]; len(places) > 0 {
				d.card("abroad", pick(&d.dice, places), d.some(60, 500))
			}
		}
		return
	}
	for _, habit := range []struct {
		group     string
		chance    int // of 1000 days
		low, high int64
	}{
		{"grocery", 380, 12, 78}, {"food", 200, 6, 44}, {"transport", 150, 2, 24}, {"fuel", 60, 38, 72}, {"shop", 55, 15, 110}, {"online", 45, 14, 120},
		{"pharmacy", 40, 5, 38},
	} {
		if d.dice.chance(habit.chance) {
			d.shop(habit.group, habit.low, habit.high)
		}
	}
	if d.dice.chance(40) {
		cash := roundTo(d.unit(int64(20*(1+d.dice.n(5)))), 1000)
		if d.affords(cash) && cash > 0 {
			booked := d.today.later(1)
			d.ledger.add(entry{transacted: d.today, booked: booked, valued: booked, amount: -cash, kind: "cash", text: []string{c.word("cash") + " " + c.Town}})
		}
	}
	if d.dice.chance(25) {
		d.abroad(d.some(18, 140))
	}
}

// some returns an amount between low and high units, adjusted to the balance.
func (d *diary) some(low, high int64) int64 {
	return d.dice.between(d.unit(low), d.unit(high)) * d.ease() / 100
}

// shop adds a purchase at a merchant of a group. About one in six online purchases is refunded.
func (d *diary) shop(group string, low, high int64) {
	p := pick(&d.dice, d.country().parties[group])
	e := d.card("card", p, d.some(low, high))
	if e == nil || group != "online" || !d.dice.chance(170) {
		return
	}
	back := (e.booked + day(3+d.dice.n(8))).booking()
	amount := -e.amount
	if d.dice.chance(400) {
		amount = amount * 3 / 5
	}
	if amount > 0 {
		d.ledger.future = append(d.ledger.future, entry{transacted: back, booked: back, valued: back, amount: amount, kind: "refund", party: p,
			text: []string{d.country().word("refund"), p.name}})
	}
}

// abroad adds a card payment in another currency. The bank charges a fee when it is booked.
func (d *diary) abroad(amount int64) {
	a := d.account
	currency := abroad(&d.dice, a.data.Currency)
	p := pick(&d.dice, travel()[currency])
	original := convert(amount, a.data.Currency, currency, d.today)
	amount = convert(original, currency, a.data.Currency, d.today) // the amount of the merchant counts
	e := d.card("abroad", p, amount)
	if e == nil || original <= 0 {
		return
	}
	e.exchange = &exchange{currency: currency, original: original, unit: currency, factor: factor(currency, a.data.Currency, d.today),
		kind: openbanking.RateTypeSALE}
	booked := e.booked
	if fee := amount * 175 / 10000; fee > 0 {
		d.ledger.future = append(d.ledger.future, entry{transacted: booked, booked: booked, valued: booked, amount: -fee, kind: "fee",
			text: []string{d.country().word("exchange"), "1.75 % " + currency}})
	}
}

// bills adds direct debits.
func (d *diary) bills() {
	c := d.country()
	_, m, _ := d.today.ymd()
	winter := int64(0)
	if m <= time.March || m >= time.November {
		winter = 30
	}
	for _, bill := range []struct {
		kind  string
		dom   int
		euros int64 // in tenths
		due   bool
	}{
		{"energy", 5, 850 + winter*10, true}, {"telecom", 9, 249, true}, {"media", 12, 139, true}, {"insurance", 15, 1180, m%3 == 1},
		{"gym", 20, 349, d.number("gym member", 3) > 0},
	} {
		if !bill.due || !d.month(bill.dom) {
			continue
		}
		p := d.own(bill.kind)
		amount := d.unit(bill.euros) / 10
		if bill.kind == "telecom" {
			amount += d.dice.between(0, d.unit(6))
		}
		if amount <= 0 {
			continue
		}
		e := d.transfer(bill.kind, p, -amount, c.word(bill.kind)+" "+p.name,
			fmt.Sprintf("%d/%02d-%s", d.number("customer", 90000)+10000, m, d.account.seed.letters(6)))
		e.reference = reference{p.mandate, openbanking.ReferenceNumberSchemeSDDM}
	}
}

// fees adds the bank's charges and interest at the end of a quarter.
func (d *diary) fees() {
	if d.today != d.today.monthEnd().before() || !d.quarterly() {
		return
	}
	if d.account.income > 0 || d.account.rent > 0 {
		d.bank("fee", -d.unit(9), d.today.monthEnd(), d.country().word("fee"))
	}
	d.interest(3)
}

// interest adds the interest for a number of months, earned or charged.
func (d *diary) interest(months int64) {
	amount := d.ledger.balance() * int64(d.account.data.Interest) / 10000 * months / 12
	d.bank("interest", amount, d.today.monthEnd(), d.country().word("interest"),
		fmt.Sprintf("%d.%02d %%", d.account.data.Interest/100, d.account.data.Interest%100))
}

// save adds the rows of a savings account's day: it receives a fixed amount and surplus, and pays back when needed.
func (d *diary) save() {
	if d.today == d.today.monthEnd().before() && d.quarterly() {
		d.interest(3)
	}
	for _, f := range d.account.funders {
		if f.data.Currency != d.account.data.Currency {
			continue
		}
		rich, monthly := d.ledgers.byAccount[f.index].expected(), f.income
		switch {
		case d.month(3):
			d.move("savings", f, d.account, d.account.monthly)
		case d.month(28) && monthly > 0 && rich > 2*monthly:
			d.move("savings", f, d.account, roundTo(rich-2*monthly, 5000))
		case d.month(16) && monthly > 0 && rich < monthly/4:
			d.move("savings", d.account, f, min(roundTo(monthly/2, 1000), d.ledger.expected()))
		}
	}
	if _, m, _ := d.today.ymd(); m == time.July && d.month(8) && len(d.account.funders) > 0 && d.account.monthly > 0 &&
		d.ledger.expected() > 24*d.account.monthly {
		if f := d.account.funders[0]; f.data.Currency == d.account.data.Currency {
			d.move("savings", d.account, f, roundTo(d.ledger.expected()/4, 1000)) // holidays
		}
	}
}

// charge adds the rows of a credit card's day: purchases, and the monthly settlement of all that is booked.
func (d *diary) charge() {
	if len(d.account.funders) > 0 && d.month(6) {
		if owed := -d.ledger.balance(); owed > 0 {
			d.move("settlement", d.account.funders[0], d.account, owed)
		}
	}
	if -d.ledger.expected() > d.account.limit*8/10 && d.account.limit > 0 {
		return
	}
	spend := func(per int64) int64 { return d.dice.between(d.account.monthly*per/4000, d.account.monthly*per/1000) }
	if d.dice.chance(140) {
		d.swipe("online", spend(190))
	}
	if d.dice.chance(120) {
		d.swipe("food", spend(130))
	}
	if d.dice.chance(60) {
		d.swipe("shop", spend(220))
	}
	if d.dice.chance(45) {
		d.abroad(spend(330))
	}
}

// swipe adds a purchase with a credit card. One in twenty is refunded.
func (d *diary) swipe(group string, amount int64) {
	p := pick(&d.dice, d.country().parties[group])
	if e := d.card("card", p, amount); e != nil && d.dice.chance(50) {
		back := (e.booked + day(4+d.dice.n(7))).booking()
		d.ledger.future = append(d.ledger.future, entry{transacted: back, booked: back, valued: back, amount: amount, kind: "refund", party: p,
			text: []string{d.country().word("refund"), p.name}})
	}
}

// repay adds the rows of a loan's day: monthly interest, and instalments until it is repaid.
func (d *diary) repay() {
	if d.today == d.today.monthEnd().before() {
		d.interest(1)
	}
	if owed := -d.ledger.expected(); owed > 0 && d.month(4) && len(d.account.funders) > 0 {
		d.move("loan", d.account.funders[0], d.account, min(owed, d.account.monthly))
	}
}

// carry adds the rows of a wallet's day: it is filled each month and emptied in small amounts.
func (d *diary) carry() {
	d.receive()
	if d.account.monthly == 0 || !d.dice.chance(450) {
		return
	}
	group := pick(&d.dice, []string{"food", "transport", "grocery", "pharmacy"})
	p := pick(&d.dice, d.country().parties[group])
	amount := d.dice.between(d.account.monthly/60, d.account.monthly/8)
	if d.affords(amount) && amount > 0 {
		d.ledger.add(entry{transacted: d.today, booked: d.today, valued: d.today, amount: -amount, kind: "card", party: p, text: []string{p.name}})
	}
}

// invest adds the rows of a deposit's day: money received is invested and pays out each quarter.
func (d *diary) invest() {
	if len(d.account.funders) > 0 && d.account.monthly > 0 && d.month(7) {
		d.move("savings", d.account.funders[0], d.account, d.account.monthly)
	}
	c := d.country()
	if held := d.ledger.expected(); d.month(10) && held >= d.account.monthly && d.account.monthly > 0 {
		price := d.dice.between(4000, 9000)
		if pieces := (held - d.account.monthly/10) / price; pieces > 0 {
			d.bank("invest", -pieces*price, d.today.later(2), c.word("invest"), fmt.Sprintf("%d x EU-EQUITY-%s", pieces, d.account.seed.letters(3)))
		}
	}
	if d.quarterly() && d.month(18) && d.account.monthly > 0 {
		y, _, _ := d.today.ymd()
		d.bank("dividend", d.dice.between(d.account.monthly/40, d.account.monthly/15), d.today.later(1), c.word("dividend"),
			fmt.Sprintf("EU-EQUITY-%s %d", d.account.seed.letters(3), y))
	}
}

// trade adds the rows of a business's day.
func (d *diary) trade() {
	a, c := d.account, d.country()
	country := a.bank.data.Country
	y, m, _ := d.today.ymd()
	if d.today.business() {
		for range 2 { // invoices are paid
			if d.dice.chance(460) && a.income > 0 {
				p := pick(&d.dice, c.parties["client"])
				ref := referenceOf(country, &d.dice)
				invoice := fmt.Sprintf("%s %d-%04d", c.word("invoice"), y, d.dice.n(10000))
				e := d.transfer("invoice", p, d.dice.between(a.income/50, a.income*8/100), ref.number, invoice)
				e.reference = ref
			}
		}
		if d.dice.chance(420) && a.income > 0 {
			p := pick(&d.dice, c.parties["supplier"])
			amount := d.dice.between(a.income/100, a.income*6/100) * d.ease() / 100
			if d.affords(amount) && amount > 0 {
				ref := referenceOf(country, &d.dice)
				e := d.transfer("supplier", p, -amount, ref.number, fmt.Sprintf("%s %d/%05d", c.word("invoice"), y, d.dice.n(100000)))
				e.reference = ref
			}
		}
	}
	if d.payday(27) && a.income > 0 {
		for i, p := range c.parties["employee"][:3] {
			d.transfer("payroll", p, -(a.income*9/100 + int64(i)*a.income/200), fmt.Sprintf("%s %02d/%d", c.word("payroll"), m, y), p.name)
		}
	}
	if d.month(10) && a.income > 0 {
		e := d.transfer("tax", d.own("taxes"), -d.dice.between(a.income*9/100, a.income*13/100), c.word("tax"), fmt.Sprintf("%d-%02d", y, m))
		e.reference = referenceOf(country, ptr(a.seed.dice(-2)))
	}
	if a.rent > 0 && d.month(1) {
		d.transfer("rent", d.own("landlord"), -a.rent, fmt.Sprintf("%s %02d/%d", c.word("rent"), m, y))
	}
	if d.month(5) && a.income > 0 {
		p := d.own("energy")
		e := d.transfer("energy", p, -d.dice.between(a.income/100, a.income/70), c.word("energy")+" "+p.name)
		e.reference = reference{p.mandate, openbanking.ReferenceNumberSchemeSDDM}
	}
	if d.dice.chance(130) {
		d.shop("fuel", 4, 14)
	}
	if d.dice.chance(60) {
		d.shop("online", 4, 40)
	}
	d.fees()
}

// roundTo rounds down to a multiple.
func roundTo(amount, multiple int64) int64 { return amount / multiple * multiple }
