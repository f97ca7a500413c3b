package handlers_test

import (
	"encoding/csv"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"florin/internal/ledgerfile"
)

// exported is a file of the CSV kind, by the names of its columns.
func exported(t *testing.T, a *answer) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

const exportAddress = "/transactions/export"

// Every row is in the file once, newest first, over several pages of the store.
func TestExportHoldsEveryRow(t *testing.T) {
	t.Parallel()
	const rows = 1203
	_, b, own := linkedSite(t, transactions(rows))
	for _, address := range []string{"?format=csv", "?format=csv&account=" + own.account} {
		a := b.get(exportAddress + address).status(http.StatusOK)
		got := exported(t, a)
		if len(got) != rows {
			t.Fatalf("%s: %d rows, want %d", address, len(got), rows)
		}
		ids := map[string]bool{}
		for _, row := range got {
			ids[row["id"]] = true
		}
		if len(ids) != rows {
			t.Errorf("%s: %d different ids", address, len(ids))
		}
		if !slices.IsSortedFunc(got, func(x, y map[string]string) int { return strings.Compare(y["date"], x["date"]) }) {
			t.Errorf("%s: the rows are not newest first", address)
		}
		if a.Header.Get("Content-Type") != "text/csv; charset=utf-8" || a.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(a.Header.Get("Content-Disposition"), `attachment; filename=florin-20`) {
			t.Errorf("%s: header %v", address, a.Header)
		}
	}
}

// The file has what a person added to a transaction: category, tags, note, parts. The name of the category is in the language of the person.
func TestExportHoldsWhatIsKept(t *testing.T) {
	t.Parallel()
	_, b, own := linkedSite(t, transactions(3)) // the newest is 10.50 EUR out
	row := "/accounts/" + own.account + "/transactions/" + own.transaction
	b.post(row+"/annotation", url.Values{"note": {"with Lena\nin Firenze"}, "tags": {"tax, Holiday"}}).to(row)
	b.post(row+"/category", url.Values{"category": {"gifts"}}).to(row)
	got := exported(t, b.get(exportAddress+"?format=csv"))
	if r := got[0]; r["category"] != "Gifts and donations" || r["tags"] != "Holiday, tax" || r["note"] != "with Lena\nin Firenze" || r["parts"] != "" || r["payee"] != r["counterparty"] {
		t.Errorf("%q", r)
	}
	if r := got[2]; r["tags"] != "" || r["note"] != "" {
		t.Errorf("%q", r)
	}
	b.post(row+"/split", url.Values{"amount-1": {"7.50"}, "category-1": {"groceries"}, "note-1": {"bread & milk"},
		"amount-2": {""}, "category-2": {"home"}, "note-2": {""}, "do": {"save"}}).to(row)
	b.languages = "de"
	if r := exported(t, b.get(exportAddress+"?format=csv&decimal=comma"))[0]; r["category"] != "" || r["parts"] != "Lebensmittel: -7,50 bread & milk\nHaus und Garten: -3,00" {
		t.Errorf("%q", r)
	}
	for format, want := range map[string]string{"json": `"parts":[{"amount":"-7.50","category":"Lebensmittel","note":"bread \u0026 milk"},{"amount":"-3.00","category":"Haus und Garten"}]`,
		"qif": "SLebensmittel\nEbread & milk\n$-7.50\n", "beancount": "Expenses:Haus-und-Garten  3.00 EUR", "hledger": "Expenses:Lebensmittel  7.50 EUR"} {
		b.get(exportAddress + "?format=" + format).status(http.StatusOK).has(want)
	}
}

func TestExportFormats(t *testing.T) {
	t.Parallel()
	_, b, own := linkedSite(t, transactions(3))
	b.get("/accounts/"+own.account).has("Export these transactions", "/transactions/export?account="+own.account)
	page := b.get(exportAddress+"?account="+own.account).status(http.StatusOK).has("Export transactions", `value="`+own.account+`" selected`)
	for _, f := range ledgerfile.Formats() {
		page.has(`value="` + string(f) + `"`)
		if a := b.get(exportAddress + "?format=" + string(f)).status(http.StatusOK); len(a.body) < 100 {
			t.Errorf("%s: %q", f, a.body)
		}
	}
	odd := b.get(exportAddress + "?" + url.Values{"format": {"csv"}, "separator": {"semicolon"}, "decimal": {"comma"}, "encoding": {"utf-8-bom"}}.Encode())
	if !strings.HasPrefix(odd.body, "\uFEFFdate;booking_date;") {
		t.Errorf("%.80q", odd.body)
	}
	b.languages = "de"
	b.get(exportAddress).status(http.StatusOK).has("Umsätze exportieren", `value="semicolon" selected`, `value="comma" selected`)
	b.languages = ""
	head := b.do(b.request(http.MethodHead, exportAddress+"?format=csv", nil)).status(http.StatusOK)
	if head.body != "" || head.Header.Get("Content-Disposition") == "" {
		t.Errorf("HEAD answers %q with %v", head.body, head.Header)
	}
	b.get(exportAddress + "?format=xlsx").status(http.StatusBadRequest).has("Florin cannot write the format xlsx")
	b.get(exportAddress + "?format=csv&account=nobodys").status(http.StatusNotFound)
}

// The file contains nothing of another user.
func TestExportOfAnotherUser(t *testing.T) {
	t.Parallel()
	s, _, own := linkedSite(t, transactions(3))
	s.user("ben@example.org")
	ben := s.signedIn("ben@example.org")
	ben.get(exportAddress + "?format=csv&account=" + own.account).status(http.StatusNotFound)
	ben.get(exportAddress + "?format=csv").status(http.StatusOK).has("There are no accounts yet").lacks("Shop")
	s.browser().get(exportAddress + "?format=csv").to("/sign-in?next=" + url.QueryEscape(exportAddress+"?format=csv"))
}

// An error before the first byte is answered with a page. A later error breaks the download, so that a part is not taken for the whole file.
func TestExportBreaksInTheMiddle(t *testing.T) {
	t.Parallel()
	s, b, _ := linkedSite(t, transactions(1200))
	download := func() (*http.Response, error) {
		answer, err := b.client.Do(b.request(http.MethodGet, exportAddress+"?format=csv", nil))
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		return answer, err
	}
	if answer, err := download(); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("a whole file: %v", err)
	}
	// The oldest row cannot be read: its record is no JSON.
	s.exec(`UPDATE transaction_record SET original = 'broken' WHERE transaction_id = (SELECT id FROM booked_transaction ORDER BY sort_key LIMIT 1)`)
	if _, err := download(); err == nil {
		t.Error("a part of a file looks whole")
	}
	s.exec(`UPDATE transaction_record SET original = 'broken'`)
	answer, err := download()
	if err != nil || answer.StatusCode != http.StatusInternalServerError || answer.Header.Get("Content-Disposition") != "" {
		t.Errorf("a fault at once: %v, %v", answer, err)
	}
}

// The file holds exactly what the search finds. A search with a mistake is reported on the form.
func TestExportOfASearch(t *testing.T) {
	t.Parallel()
	_, b, own := linkedSite(t, transactions(30))
	for _, query := range []url.Values{{"q": {"payee:\"shop 7\""}}, {"q": {"payee:\"shop 7\""}, "account": {own.account}}} {
		query.Set("format", "csv")
		rows := exported(t, b.get(exportAddress+"?"+query.Encode()).status(http.StatusOK))
		if len(rows) != 1 || rows[0]["counterparty"] != "Shop 7" {
			t.Errorf("%v: %v", query, rows)
		}
		query.Set("format", "camt053")
		b.get(exportAddress+"?"+query.Encode()).status(http.StatusOK).has("<NbOfNtries>1</NbOfNtries>", "SUM OF ENTRIES").lacks("OPBD")
	}
	// As the list does, the file knows the person's categories.
	chosen := regexp.MustCompile(`/accounts/[^"]*/transactions/\d+`).FindString(b.get("/transactions?q=payee:%22shop+7%22").body)
	b.post(chosen+"/category", url.Values{"category": {"groceries"}})
	for q, want := range map[string]int{"category:groceries": 1, "shop -category:groceries": 29} {
		if got := exported(t, b.get(exportAddress+"?"+url.Values{"q": {q}, "format": {"csv"}}.Encode()).status(http.StatusOK)); len(got) != want {
			t.Errorf("%s: %d rows in the file, want %d", q, len(got), want)
		}
	}
	b.get(exportAddress + "?" + url.Values{"q": {"shop"}}.Encode()).status(http.StatusOK).has(`value="shop"`)
	for _, format := range []string{"", "csv"} {
		b.get(exportAddress+"?"+url.Values{"q": {"amount:much"}, "format": {format}}.Encode()).status(http.StatusUnprocessableEntity).
			has(`value="amount:much"`, `aria-invalid="true"`, "“much” is not an amount.")
	}
}
