package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/store"
)

// ledgerSizes are the numbers of rows of the ledgers that are compared. The first one is the yardstick of the others.
var ledgerSizes = []int{10_000, 100_000, 1_000_000}

// shared holds data that several parts of the table measure. Each is made when the first part needs it, and exists until the table is complete.
type shared struct {
	b       *testing.B // the benchmark of the whole table
	many    string     // the folder that manyTransactions made
	ledgers map[int]*ledger
}

// ledger is a data folder with many rows, and the Florin that runs there, if one does.
type ledger struct {
	folder string
	florin *florin
}

// manyTransactions returns a data folder with an account of 100,000 transactions and one of 1,000. No Florin runs there.
func (s *shared) manyTransactions(b *testing.B) (folder string) {
	b.Helper()
	if s.many != "" {
		return s.many
	}
	folder = s.b.TempDir()
	f := launch(b, folder, anywhere...)
	a := addApplication(b, f)
	p := newPerson(b)
	p.setUp(f)
	for _, rows := range []string{"100000", "1000"} {
		p.link(f, mammoth.Name, mammoth.Country, a.sample(mammoth, rows))
		f.synced()
	}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	s.many = folder
	return folder
}

// ledger returns the ledger with this number of rows. The first call makes it.
func (s *shared) ledger(b *testing.B, rows int) *ledger {
	b.Helper()
	if s.ledgers[rows] == nil {
		began := time.Now()
		folder := s.b.TempDir()
		makeLedger(b, folder, rows)
		if s.ledgers == nil {
			s.ledgers = map[int]*ledger{}
		}
		s.ledgers[rows] = &ledger{folder: folder}
		b.Logf("a ledger of %d rows took %.0f s", rows, time.Since(began).Seconds())
	}
	return s.ledgers[rows]
}

// readers returns readers of the ledgers, in the order of ledgerSizes, each with a Florin of its own that does nothing else.
func (s *shared) readers(b *testing.B) (readers []*reader) {
	b.Helper()
	for _, rows := range ledgerSizes {
		l := s.ledger(b, rows)
		if l.florin == nil {
			l.florin = launchWith(s.b, oneCore, l.folder, anywhere...)
		}
		readers = append(readers, newReader(b, l.florin))
	}
	for _, r := range readers {
		r.rested()
	}
	return readers
}

// idleFolder returns the data folder of the ledger with this number of rows. No Florin runs there.
func (s *shared) idleFolder(b *testing.B, rows int) string {
	b.Helper()
	l := s.ledger(b, rows)
	if l.florin != nil {
		if err := l.florin.end(); err != nil {
			b.Fatal(err)
		}
		l.florin = nil
	}
	return l.folder
}

// end ends the Florins that run.
func (s *shared) end(b *testing.B) {
	b.Helper()
	for rows := range s.ledgers {
		s.idleFolder(b, rows)
	}
}

// growth compares a measurement, in microseconds of CPU time, in the largest ledger with the same in the smallest one.
func growth(readers []*reader, name, remark string, measure func(*reader) float64) quantity {
	q := quantity{name: fmt.Sprintf("%s, among %s", name, figure(float64(ledgerSizes[2]))), unit: "µs CPU",
		against: "the same among " + figure(float64(ledgerSizes[0])) + remark, goal: 2}
	for range rounds {
		q.yardstick = append(q.yardstick, measure(readers[0]))
		q.florin = append(q.florin, measure(readers[2]))
	}
	q.between = fmt.Sprintf("%s %s", name, figure(measure(readers[1])))
	return q
}

// page returns how much CPU time, in microseconds, Florin spends on a page that was requested before.
func (r *reader) page(address string) float64 {
	r.b.Helper()
	return r.cpu(r.f.process.Process.Pid, address, 100)
}

// rested waits until Florin has been idle for some seconds, longer than the time between a start and the check of its databases.
func (r *reader) rested() {
	r.b.Helper()
	before := exactTime(r.b, r.f.process.Process.Pid)
	for still := 0; still < int(sqlite.CheckAfter.Seconds())+2; still++ {
		time.Sleep(time.Second)
		now := exactTime(r.b, r.f.process.Process.Pid)
		if now-before > 5 { // milliseconds
			still = -1
		}
		before = now
	}
}

// makeLedger makes the data folder of a person with an account of this number of rows, over ten years. The rows are stored like those of a bank, without the
// bank.
func makeLedger(b *testing.B, folder string, rows int) {
	b.Helper()
	f := launch(b, folder, anywhere...)
	p := newPerson(b)
	p.setUp(f)
	p.link(f, mammoth.Name, mammoth.Country, walk.Person{Username: "1000", Password: "mammoth"})
	f.synced()
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	key, err := store.LoadKey(filepath.Join(folder, "secrets"))
	if err != nil {
		b.Fatal(err)
	}
	s, err := store.Open(b.Context(), filepath.Join(folder, "app.db"), key)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	user, _, err := s.UserByEmail(b.Context(), ownerEmail)
	if err != nil {
		b.Fatal(err)
	}
	connections, err := s.Connections(b.Context(), user.ID)
	if err != nil {
		b.Fatal(err)
	}
	tasks, err := s.Tasks(b.Context(), user.ID, connections[0].ID)
	if err != nil {
		b.Fatal(err)
	}
	var ids []string
	for _, k := range tasks {
		ids = append(ids, k.ID)
	}
	if _, err := s.SyncNow(b.Context(), user.ID, connections[0].ID, ids); err != nil {
		b.Fatal(err)
	}
	never := time.Now().AddDate(1, 0, 0) // no sync runs while something is measured
	for stored := false; ; {
		claim, ok, _, err := s.ClaimTask(b.Context(), time.Hour)
		switch {
		case err != nil:
			b.Fatal(err)
		case !ok && !stored:
			b.Fatal("no task is due")
		case !ok:
			return
		case claim.Task.Scope != finance.ScopeTransactions:
			if err := s.FailTask(b.Context(), claim, finance.Failure{}, never, false); err != nil {
				b.Fatal(err)
			}
			continue
		}
		stored = true
		day := openbanking.DateOf(time.Now())
		if err := s.BeginRun(b.Context(), &claim, "longest", day, time.Hour); err != nil { // the run asks from today on, so it marks no row as missing
			b.Fatal(err)
		}
		const batch = 2000
		for from := 0; from < rows; from += batch {
			page := store.Page{Next: finance.Secret(fmt.Sprint("from ", from+batch))}
			if from+batch >= rows {
				page.Next = ""
			}
			for i := from; i < min(from+batch, rows); i++ {
				page.Entries = append(page.Entries, ledgerEntry(b, i, rows))
			}
			if err := s.ApplyPage(b.Context(), &claim, page, time.Hour, never); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// ledgerEntry returns row number at of a ledger with of rows, counted from the newest.
func ledgerEntry(b *testing.B, at, of int) finance.Entry {
	b.Helper()
	const days = 3650
	dayOf := func(at int) openbanking.Date { return openbanking.DateOf(time.Now().AddDate(0, 0, -1-at*days/of)) }
	day := dayOf(at)
	kind, payee := "Card payment", []string{"Mercato Nord", "Mercateria Sol", "Bakery Korn", "Tram and Bus", "Café Lumen", "Bookshop Page"}[at%6]
	if at%2 == 1 {
		kind = "Transfer"
	}
	text, amount := []string{kind, strings.ToUpper(payee), "terminal", fmt.Sprint(at % 997)}, fmt.Sprintf("%d.%02d", at*7%211, at*31%100)
	direction := openbanking.CreditDebitIndicatorDBIT
	switch month := day[:len("2006-01")]; { // the first two rows of a month are the salary and the rent
	case at%(of/20) == of/40:
		text, amount = append(text, "wintergarten"), "4711.08"
	case dayOf(at + 1)[:len(month)] != month:
		direction, payee, text, amount = openbanking.CreditDebitIndicatorCRDT, "Werkhof GmbH", []string{"Salary"}, "2900.00"
	case dayOf(at + 2)[:len(month)] != month:
		payee, text, amount = "Hausverwaltung Linde", []string{"Rent"}, "950.00"
	}
	reference := fmt.Sprintf("2026%08d", at)
	wire := openbanking.Transaction{EntryReference: &reference, BookingDate: &day, Status: openbanking.TransactionStatusBOOK,
		TransactionAmount:     openbanking.AmountType{Currency: "EUR", Amount: amount},
		CreditDebitIndicator:  direction,
		RemittanceInformation: []string{strings.Join(text, " ")}}
	if party := (&openbanking.PartyIdentification{Name: &payee}); direction == openbanking.CreditDebitIndicatorCRDT {
		wire.Debtor = party
	} else {
		wire.Creditor = party
	}
	original, err := json.Marshal(wire)
	if err != nil {
		b.Fatal(err)
	}
	entry, err := finance.Reader{Currency: "EUR", Today: openbanking.DateOf(time.Now())}.Read(wire, original)
	if err != nil {
		b.Fatal(err)
	}
	return entry
}
