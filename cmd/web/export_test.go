package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// downloads makes the browser save its downloads in a new folder, which it returns.
func (w *window) downloads() (folder string) {
	w.t.Helper()
	folder = w.t.TempDir()
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		found, err := cdp.Call(ctx, t, target.GetTargetInfo, target.GetTargetInfoParams{})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow,
			BrowserContextID: found.TargetInfo.BrowserContextID, DownloadPath: folder, EventsEnabled: new(true)})
		return err
	}))
	return folder
}

// downloaded waits for a file with an ending, moves it out of the folder and returns its new path. The file exists, empty, before the browser has completed it.
func (w *window) downloaded(folder, ending string) (path string) {
	w.t.Helper()
	w.patiently("give a file ."+ending, func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.complete == 0 {
			return errors.New("no download is complete")
		}
		found, err := filepath.Glob(filepath.Join(folder, "florin-*."+ending))
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return fmt.Errorf("the files are %q", found)
		}
		w.complete--
		path = filepath.Join(w.t.TempDir(), filepath.Base(found[0]))
		return os.Rename(found[0], path)
	})
	return path
}

// judge runs a program that reads a downloaded file. scripts/ledgers installs it.
func judge(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A person downloads the transactions of an account in each format, and other programs read the files.
func TestJourneyExport(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	first := browse(t, desktop)
	first.setUp(f)
	first.link(f, exampleBank, exampleCountry)
	for name, look := range scripts {
		t.Run(name, func(t *testing.T) {
			w := browse(t, look)
			w.signIn(f, ownerEmail, ownerPassword)
			folder := w.downloads()
			db := f.database()
			defer db.Close()
			var account string
			var rows int
			if err := db.QueryRow(`SELECT id, transactions FROM account ORDER BY transactions DESC LIMIT 1`).Scan(&account, &rows); err != nil {
				t.Fatal(err)
			}
			w.visit(f.web + "/accounts/" + account)
			w.click("Export these transactions")
			w.see("Export transactions", "The file contains the booked transactions.")
			download := func(format, ending string) string {
				t.Helper()
				w.press(format)
				w.press("Download the file")
				return w.downloaded(folder, ending)
			}
			if got := csvRows(t, download("CSV", "csv"), ','); got != rows {
				t.Errorf("the CSV file has %d rows, want %d", got, rows)
			}
			var object struct {
				Transactions []json.RawMessage `json:"transactions"`
			}
			if err := json.Unmarshal([]byte(read(t, download("JSON", "json"))), &object); err != nil || len(object.Transactions) != rows {
				t.Errorf("the JSON file has %d rows, want %d: %v", len(object.Transactions), rows, err)
			}
			if got := strings.Count(judge(t, "ofxdump", "-f", "OFX", download("OFX", "ofx")), "ofx_proc_transaction():"); got != rows {
				t.Errorf("the OFX file has %d rows, want %d", got, rows)
			}
			if got := strings.Count(read(t, download("QIF", "qif")), "\nT"); got != rows+1 { // and the type of the account
				t.Errorf("the QIF file has %d amounts, want %d", got-1, rows)
			}
			if got := elements(t, download("CAMT.053", "xml"), "Ntry"); got != rows {
				t.Errorf("the CAMT file has %d entries, want %d", got, rows)
			}
			judge(t, "bean-check", download("Beancount", "beancount"))
			judge(t, "hledger", "-f", download("hledger", "journal"), "check", "--strict")
			w.choose("Column separator", "Semicolon")
			w.choose("Decimal sign", "Comma: 12,50")
			if got := csvRows(t, download("CSV", "csv"), ';'); got != rows {
				t.Errorf("the CSV file with semicolons has %d rows, want %d", got, rows)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// csvRows counts the rows of a CSV file after the header.
func csvRows(t *testing.T, path string, comma rune) int {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(read(t, path), "\uFEFF")))
	r.Comma = comma
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return len(all) - 1
}

// elements counts the elements with a name in an XML file.
func elements(t *testing.T, path, name string) (n int) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(read(t, path)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == name {
			n++
		}
	}
}
