package ledgerfile_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"florin/internal/ledgerfile"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

func TestUnknownFormat(t *testing.T) {
	if err := ledgerfile.Write(io.Discard, "xlsx", sample(false), ledgerfile.Options{}); !errors.Is(err, ledgerfile.ErrUnknownFormat) {
		t.Errorf("%v", err)
	}
	if ledgerfile.Format("xlsx").Known() || len(ledgerfile.Formats()) != 7 {
		t.Errorf("formats %v", ledgerfile.Formats())
	}
}

func TestNamesAndTypesOfFiles(t *testing.T) {
	for f, want := range map[ledgerfile.Format]string{
		ledgerfile.CSV: "florin-2026-11-22.csv text/csv; charset=utf-8", ledgerfile.JSON: "florin-2026-11-22.json application/json; charset=utf-8",
		ledgerfile.OFX: "florin-2026-11-22.ofx application/x-ofx; charset=utf-8", ledgerfile.QIF: "florin-2026-11-22.qif application/x-qif; charset=utf-8",
		ledgerfile.CAMT053: "florin-2026-11-22.xml application/xml; charset=utf-8", ledgerfile.Beancount: "florin-2026-11-22.beancount text/plain; charset=utf-8",
		ledgerfile.Hledger: "florin-2026-11-22.journal text/plain; charset=utf-8",
	} {
		if got := f.FileName(made) + " " + f.ContentType(ledgerfile.Options{}); got != want {
			t.Errorf("%s: %q, want %q", f, got, want)
		}
	}
}

// An error of the rows, or of the writer, is the error of the export, whenever it comes.
func TestErrorsAreReturned(t *testing.T) {
	broken := errors.New("broken")
	for _, f := range ledgerfile.Formats() {
		l := sample(false)
		rows := rowsOf(t, l)
		fail := func(yield func(ledgerfile.Row, error) bool) {
			for _, r := range rows[:3] {
				if !yield(r, nil) {
					return
				}
			}
			yield(ledgerfile.Row{}, broken)
		}
		l.Rows, l.RowsOf = fail, func(int) ledgerfile.Rows { return fail }
		if err := ledgerfile.Write(io.Discard, f, l, ledgerfile.Options{}); !errors.Is(err, broken) {
			t.Errorf("%s: the error of the rows: %v", f, err)
		}
		if err := ledgerfile.Write(full{}, f, sample(false), ledgerfile.Options{}); !errors.Is(err, errFull) {
			t.Errorf("%s: the error of the writer: %v", f, err)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// The balances of a statement stand before its rows: when rows come or go meanwhile, the file must not look whole.
func TestRowsThatChangeMeanwhile(t *testing.T) {
	for _, f := range []ledgerfile.Format{ledgerfile.OFX, ledgerfile.QIF, ledgerfile.CAMT053} {
		l := sample(false)
		reads := 0
		l.RowsOf = func(int) ledgerfile.Rows {
			return func(yield func(ledgerfile.Row, error) bool) {
				reads++
				yield(ledgerfile.Row{ID: "a", Date: "2026-01-01", Amount: money.FromMinor(int64(reads), "EUR")}, nil)
			}
		}
		if err := ledgerfile.Write(io.Discard, f, l, ledgerfile.Options{}); !errors.Is(err, ledgerfile.ErrChanged) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// No format keeps rows: after 60,000 it holds no more memory than after 1,000.
func TestNoRowIsKept(t *testing.T) {
	testkit.Unwatched(t)
	const rows = 60_000
	for _, f := range ledgerfile.Formats() {
		l := sample(false)
		held := map[int]uint64{}
		l.Rows = func(yield func(ledgerfile.Row, error) bool) {
			for i := range rows {
				if i == 1000 || i == rows-1 {
					held[i] = max(held[i], live())
				}
				r := ledgerfile.Row{ID: fmt.Sprint(i), Account: 0, Date: openbanking.Date(fmt.Sprintf("2026-01-%02d", i%28+1)), Amount: money.FromMinor(int64(i), "EUR"),
					Counterparty: fmt.Sprintf("Payee %d %s", i, strings.Repeat("x", 20)), Text: fmt.Sprintf("Text %d", i)}
				if !yield(r, nil) {
					return
				}
			}
		}
		l.Accounts = l.Accounts[:1]
		l.RowsOf = func(int) ledgerfile.Rows { return l.Rows }
		if err := ledgerfile.Write(io.Discard, f, l, ledgerfile.Options{}); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if more := int64(held[rows-1]) - int64(held[1000]); more > 1<<20 {
			t.Errorf("%s holds %d bytes more at the end than at the beginning", f, more)
		}
	}
}

// live is how many bytes are in use.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestQIF(t *testing.T) {
	l := sample(false)
	text := written(t, ledgerfile.QIF, l, ledgerfile.Options{})
	found := map[string]int{}
	for i, record := range strings.Split(strings.TrimSuffix(text, "^\n"), "^\n") {
		for line := range strings.Lines(record) {
			if !strings.ContainsAny(line[:1], "!NTDPMLSE$") {
				t.Errorf("record %d has the line %q", i, line)
			}
			if strings.HasPrefix(line, "T") {
				found[strings.TrimSpace(line[1:])]++
			}
		}
	}
	for _, r := range rowsOf(t, l) {
		if found[r.Amount.String()] == 0 {
			t.Errorf("%s is not in it", r.Amount)
		}
	}
	want := "!Account\nNGirokonto \"gemeinsam\"\nTBank\nDSpärbank & Söhne DE89370400440532013000 EUR\n^\n!Type:Bank\n" +
		"D11/17/2026\nT-70.00\nNInvoice 4711\nP=HYPERLINK(\"http://x.example\")\nMInvoice 4711\nLEssen & Trinken  süß\n^\n"
	if !strings.HasPrefix(text, want) {
		t.Errorf("it begins\n%.300s\nwant\n%s", text, want)
	}
}
