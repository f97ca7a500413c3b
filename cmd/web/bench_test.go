package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/ledgerfile"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/layout"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// rounds is how often Florin and the yardstick are measured, in turn. The median of their ratios is the result.
const rounds = 5

// quantity is a line of the table.
type quantity struct {
	name, unit        string
	florin, yardstick []float64 // one value of each in a round
	against           string    // what the yardstick is
	goal              float64   // of the ratio
	atLeast           bool      // the ratio must be at least goal, else at most
	withoutYardstick  bool      // the value of florin itself is compared with goal
	reason            string    // why Florin misses the goal, where it does
	note              string    // a remark below the table
	between           string    // the value for the ledger of the middle size, given below the table
}

func (q quantity) ratio() float64 {
	if q.withoutYardstick {
		return median(q.florin)
	}
	var ratios []float64
	for i := range q.florin {
		ratios = append(ratios, q.florin[i]/q.yardstick[i])
	}
	return median(ratios)
}

func (q quantity) met() bool {
	if q.atLeast {
		return q.ratio() >= q.goal
	}
	return q.ratio() <= q.goal
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// measurements are the parts of the table, in its order. Each starts what it needs and ends it, except what is shared.
func (s *shared) measurements() []measurement {
	return []measurement{
		{"pages", s.measurePages},
		{"export", s.measureExport},
		{"start", s.measureStart},
		{"sync", measureSync},
		{"history", measureHistory},
		{"reads", measureReads},
		{"api", measureBalances},
		{"pruning", measurePruning},
		{"receiving", measureReceiving},
		{"webhooks", measureWebhooks},
		{"payments", measurePayments},
		{"handed", measureHanded},
		{"categories", measureCategories},
		{"debits", measureDebits},
		{"calendar", measureCalendar},
		{"binary", measureBinary},
		{"transfers", measureTransfers},
		{"live", measureLive},
		{"sharing", s.measureSharing},
		// The parts with ledgers are last, because their Florins run until the end. "recurring" is the first of them: it needs ledgers for which no Florin runs
		// yet.
		{"recurring", s.measureRecurring},
		{"search", s.measureSearch},
		{"reports", s.measureReports},
		{"forecast", s.measureForecast},
		{"budgets", s.measureBudgets},
	}
}

type measurement struct {
	name    string
	measure func(b *testing.B) []quantity
}

// BenchmarkTable measures Florin against the yardsticks below, which do the same work with as little code as possible, and prints one table. FLORIN_BENCHMARKS
// names a file that gets the table too. It is one measurement: run it with -benchtime 1x. To run one part alone: make bench part=sync.
//
// Pages are compared by the CPU time of the process that answers, because elapsed time on a busy machine means little.
func BenchmarkTable(b *testing.B) {
	begun := time.Now()
	var table []quantity
	s := &shared{b: b}
	for _, m := range s.measurements() {
		b.Run(m.name, func(b *testing.B) {
			began := time.Now()
			for range b.N {
				table = append(table, m.measure(b)...)
			}
			b.Logf("took %.0f s", time.Since(began).Seconds())
		})
	}
	s.end(b)
	text := render(table, time.Since(begun))
	fmt.Print("\n" + text)
	if file := os.Getenv("FLORIN_BENCHMARKS"); file != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// measureSync links an account at a simulated bank and waits until its transactions are there. The yardstick imports the same pages.
func measureSync(b *testing.B) []quantity {
	syncing := quantity{name: "first sync of 100,000 transactions, over HTTP", unit: "rows/s",
		against: "bare import: decode, remove doubles, insert in batches of 500", goal: 0.4, atLeast: true,
		reason: "one writer stores the rows, at 95 µs of CPU each: a third goes into the row with its five indexes, a fifth into the index of words, a seventh into commits; the second core reads and fetches ahead in a third of that time"}
	for round := range 3 {
		f := launch(b, b.TempDir(), anywhere...)
		a := addApplication(b, f)
		p := newPerson(b)
		p.setUp(f)
		sample := a.sample(mammoth, "100000")
		session := a.link(mammoth, sample)
		listed := a.pages(*session.Accounts[0].UID)
		begun := time.Now()
		p.link(f, mammoth.Name, mammoth.Country, sample)
		f.synced()
		syncing.florin = append(syncing.florin, 100_000/time.Since(begun).Seconds())
		proven(f)
		syncing.yardstick = append(syncing.yardstick, importBare(b, listed))
		b.Logf("round %d: sync %.0f rows/s, bare import %.0f rows/s", round+1, syncing.florin[round], syncing.yardstick[round])
		if err := f.end(); err != nil {
			b.Fatal(err)
		}
	}
	with := syncing
	with.name, with.goal = "first sync of 100,000 transactions, over HTTP, with what proves the account complete", 0.3
	return []quantity{syncing, with}
}

// proven fails unless the sync stored a balance that proves the account complete.
func proven(f *florin) {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	var readings int
	if err := db.QueryRow(`SELECT COUNT(*) FROM balance_reading`).Scan(&readings); err != nil || readings == 0 {
		f.t.Fatalf("%d readings are kept: %v", readings, err)
	}
}

// queueing explains why the slowest of many answers at the same time are slow.
const queueing = "with 16 waiting for one core the scheduler of Go and that of the system decide who is last"

// measurePages requests the page of an account as a signed-in person.
func (s *shared) measurePages(b *testing.B) []quantity {
	folder := s.manyTransactions(b)
	// The process that answers has one core; this process sends the requests.
	firstPage := quantity{name: "first account page after a start", unit: "ms", against: "the same page, warm", goal: 5,
		reason: "it opens the first connections to the database and prepares its statements, on one core beside the work that follows a start"}
	var f *florin
	var reader *reader
	var large, small string
	for range rounds {
		if f != nil {
			if err := f.end(); err != nil {
				b.Fatal(err)
			}
		}
		f = launchWith(b, oneCore, folder, anywhere...)
		reader = newReader(b, f)
		large, small = reader.accounts()
		begun := time.Now()
		reader.get(large)
		firstPage.florin = append(firstPage.florin, milliseconds(time.Since(begun)))
		for range 50 {
			reader.get(large)
		}
		begun = time.Now()
		for range 20 {
			reader.get(large)
		}
		firstPage.yardstick = append(firstPage.yardstick, milliseconds(time.Since(begun))/20)
	}

	reader.rested()
	bare := startBare(b, folder)
	size := quantity{name: "account page with 100,000 transactions", unit: "µs CPU", against: "the page of an account with 1,000", goal: 1.5}
	page := quantity{name: "account page with 100,000 transactions", unit: "µs CPU", against: "bare handler: sign-in row, page query, the same template",
		goal: 1.4, reason: "a fifth of its time reads what else the person has: banks, accounts, syncs and balances"}
	deep := quantity{name: "last page of 100,000 transactions", unit: "µs CPU", against: "the first page", goal: 1.5}
	slow := quantity{name: "account page with 100,000 transactions, 16 at a time: 99 of 100 within", unit: "ms", against: "the bare handler, 16 at a time",
		goal: 1.5, reason: queueing}
	last := reader.last(large)
	if last == large {
		b.Fatal("no link leads to older transactions")
	}
	const requests = 1500
	for range rounds {
		first := reader.cpu(f.process.Process.Pid, large, requests)
		thousand := reader.cpu(f.process.Process.Pid, small, requests)
		yardstick := reader.cpu(bare.process.Pid, bare.address, requests)
		size.florin, size.yardstick = append(size.florin, first), append(size.yardstick, thousand)
		page.florin, page.yardstick = append(page.florin, first), append(page.yardstick, yardstick)
		deep.florin, deep.yardstick = append(deep.florin, reader.cpu(f.process.Process.Pid, last, requests)), append(deep.yardstick, first)
		slow.florin, slow.yardstick = append(slow.florin, reader.slowest(large, requests)), append(slow.yardstick, reader.slowest(bare.address, requests))
	}
	memory := quantity{name: "memory after this load", unit: "MB", withoutYardstick: true, goal: 128, florin: []float64{resident(b, f.process.Process.Pid)}}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	return []quantity{size, deep, page, slow, firstPage, memory}
}

// measureExport downloads all transactions in each format, and measures the highest memory use of Florin during that time.
func (s *shared) measureExport(b *testing.B) []quantity {
	f := launchWith(b, oneCore, s.manyTransactions(b), anywhere...)
	reader := newReader(b, f)
	large, _ := reader.accounts()
	reader.get(large)
	pid := f.process.Process.Pid
	idle := resident(b, pid)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o200); err != nil { // reset the peak
		b.Fatal(err)
	}
	most, name := 0.0, "memory over idle while 101,000 transactions are exported, in each format"
	for _, format := range ledgerfile.Formats() {
		response, err := reader.client.Get(f.web + "/transactions/export?format=" + string(format))
		if err != nil {
			b.Fatal(err)
		}
		size, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || size < 5_000_000 {
			b.Fatalf("%s: %d with %d bytes: %v", format, response.StatusCode, size, err)
		}
		most = max(most, memory(b, pid, "VmHWM")-idle)
	}
	if err := f.end(); err != nil {
		b.Fatal(err)
	}
	return []quantity{{name: name, unit: "MB", withoutYardstick: true, goal: 64, florin: []float64{most}}}
}

// measureBinary builds the binary as it is released.
func measureBinary(b *testing.B) []quantity {
	return []quantity{{name: "binary with everything in it, stripped", unit: "MB", withoutYardstick: true, goal: 32, florin: []float64{stripped(b)}}}
}

var oneCore = []string{"GOMAXPROCS=1"}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reader requests pages as a signed-in person.
type reader struct {
	b      *testing.B
	f      *florin
	client *http.Client
}

func newReader(b *testing.B, f *florin) *reader {
	b.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	r := &reader{b: b, f: f, client: &http.Client{Jar: jar, Timeout: time.Minute,
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: crowd}}}
	response, err := r.client.PostForm(f.web+"/sign-in", url.Values{"email": {ownerEmail}, "password": {ownerPassword}})
	if err != nil {
		b.Fatal(err)
	}
	response.Body.Close()
	return r
}

func (r *reader) get(address string) string {
	r.b.Helper()
	response, err := r.client.Get(address)
	if err != nil {
		r.b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || len(body) < 5000 {
		r.b.Fatalf("%s answered %d with %d bytes: %v\n%s", address, response.StatusCode, len(body), err, r.f.err.String())
	}
	return string(body)
}

// accounts are the pages of the account with 100,000 and of the one with 1,000 transactions.
func (r *reader) accounts() (large, small string) {
	r.b.Helper()
	db := r.f.database()
	defer db.Close()
	for rows, page := range map[int]*string{100_000: &large, 1000: &small} {
		var id string
		if err := db.QueryRow(`SELECT id FROM account ORDER BY abs(transactions - $1) LIMIT 1`, rows).Scan(&id); err != nil {
			r.b.Fatal(err)
		}
		*page = r.f.web + "/accounts/" + id
	}
	return large, small
}

var older = regexp.MustCompile(`rel="next" href="([^"]+)"`)

// last is the page with the oldest transactions of an account.
func (r *reader) last(address string) string {
	r.b.Helper()
	for {
		found := older.FindStringSubmatch(r.get(address))
		if found == nil {
			return address
		}
		address = r.f.web + html.UnescapeString(found[1])
	}
}

// cpu returns how much CPU time a process spends on one answer, in microseconds.
func (r *reader) cpu(pid int, address string, requests int) float64 {
	r.b.Helper()
	r.get(address)
	before := exactTime(r.b, pid)
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for range requests / 4 {
				r.get(address)
			}
		})
	}
	asking.Wait()
	return 1000 * (exactTime(r.b, pid) - before) / float64(requests/4*4)
}

// crowd is how many requests run at the same time when the slowest answers are measured.
const crowd = 16

// slowest returns the time within which 99 of 100 answers arrive, in milliseconds, while a crowd sends requests.
func (r *reader) slowest(address string, requests int) float64 {
	r.b.Helper()
	_, slowest := r.crowded(address, requests)
	return slowest
}

// crowded returns the times within which half of the answers and 99 of 100 arrive, in milliseconds, while a crowd sends requests.
func (r *reader) crowded(address string, requests int) (half, slowest float64) {
	r.b.Helper()
	took := make([]float64, requests/crowd*crowd)
	var asking sync.WaitGroup
	for n := range crowd {
		asking.Go(func() {
			for i := n; i < len(took); i += crowd {
				begun := time.Now()
				r.get(address)
				took[i] = milliseconds(time.Since(begun))
			}
		})
	}
	asking.Wait()
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}

// cpuTime returns the CPU time that a process has used: utime and stime of proc(5), in ticks of 10 ms.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("CPU time of a process is read from /proc, which this system does not have:", err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// resident returns the memory of a process in MB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	return memory(b, pid, "VmRSS")
}

// memory returns a value of the system for the memory of a process, in MB: VmRSS is the present use, VmHWM the highest so far.
func memory(b *testing.B, pid int, line string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	found := regexp.MustCompile(line + `:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		b.Fatal("no " + line)
	}
	kilobytes, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return kilobytes / 1024
}

// stripped is the size in MB of the binary as the Dockerfile builds it.
func stripped(b *testing.B) float64 {
	b.Helper()
	path := filepath.Join(b.TempDir(), "florin")
	build := exec.Command("go", "build", "-trimpath", "-gcflags=florin/web/templates/...=-l", "-ldflags", "-s -w", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, said)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size()) / (1 << 20)
}

// pages reads all pages of an account's transactions, undecoded.
func (a *application) pages(account string) [][]byte {
	a.t.Helper()
	var all [][]byte
	query := url.Values{"strategy": {"longest"}}
	for {
		var raw json.RawMessage
		a.ask("GET", "/accounts/"+account+"/transactions?"+query.Encode(), nil, &raw)
		all = append(all, raw)
		var page struct {
			ContinuationKey *string `json:"continuation_key"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			a.t.Fatal(err)
		}
		if page.ContinuationKey == nil {
			return all
		}
		query.Set("continuation_key", *page.ContinuationKey)
	}
}

// importBare is the yardstick of a sync: it decodes the pages, removes doubles and inserts rows and records in batches of 500, and nothing else. It returns
// rows per second.
func importBare(b *testing.B, listed [][]byte) float64 {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE row (id INTEGER PRIMARY KEY, account TEXT NOT NULL, sort_key INTEGER NOT NULL, identity TEXT NOT NULL, minor INTEGER NOT NULL,
			currency TEXT NOT NULL, amount TEXT NOT NULL, booking_date TEXT NOT NULL, value_date TEXT NOT NULL, counterparty TEXT NOT NULL, remittance TEXT NOT NULL) STRICT;
		CREATE UNIQUE INDEX row_page ON row (account, sort_key);
		CREATE UNIQUE INDEX row_identity ON row (account, identity);
		CREATE TABLE record (id INTEGER PRIMARY KEY, original TEXT NOT NULL) STRICT;`); err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	rows := 0
	seen := map[[32]byte]bool{}
	for _, raw := range listed {
		var page struct {
			Transactions []json.RawMessage `json:"transactions"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			b.Fatal(err)
		}
		for batch := range slices.Chunk(page.Transactions, 500) {
			tx, err := db.Begin()
			if err != nil {
				b.Fatal(err)
			}
			insert, err := tx.Prepare(`INSERT INTO row (id, account, sort_key, identity, minor, currency, amount, booking_date, value_date, counterparty, remittance) VALUES ($1,'a',$1,$2,$3,$4,$5,$6,$7,$8,$9)`) //nolint:sqlclosecheck // Commit closes it
			if err != nil {
				b.Fatal(err)
			}
			record, err := tx.Prepare(`INSERT INTO record (id, original) VALUES ($1, $2)`) //nolint:sqlclosecheck // Commit closes it
			if err != nil {
				b.Fatal(err)
			}
			for _, original := range batch {
				var t openbanking.Transaction
				if err := json.Unmarshal(original, &t); err != nil {
					b.Fatal(err)
				}
				identity := fmt.Sprint(t.EntryReference, t.TransactionAmount, t.RemittanceInformation)
				if t.EntryReference != nil {
					identity = *t.EntryReference
				}
				sum := sha256.Sum256([]byte(identity))
				if seen[sum] {
					continue
				}
				seen[sum] = true
				amount, err := money.Parse(t.TransactionAmount.Amount, t.TransactionAmount.Currency)
				if err != nil {
					b.Fatal(err)
				}
				rows++
				if _, err := insert.Exec(rows, identity, amount.Minor(), amount.Currency(), t.TransactionAmount.Amount, date(t.BookingDate), date(t.ValueDate),
					party(t), strings.Join(t.RemittanceInformation, "\n")); err != nil {
					b.Fatal(err)
				}
				if _, err := record.Exec(rows, string(original)); err != nil {
					b.Fatal(err)
				}
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	}
	return float64(rows) / time.Since(begun).Seconds()
}

func date(d *openbanking.Date) string {
	if d == nil {
		return ""
	}
	return string(*d)
}

func party(t openbanking.Transaction) string {
	for _, p := range []*openbanking.PartyIdentification{t.Creditor, t.Debtor} {
		if p != nil && p.Name != nil {
			return *p.Name
		}
	}
	return ""
}

// bareVariable makes the test binary run as the yardstick of a page, on the database that the variable names.
const bareVariable = "FLORIN_BARE_PAGE"

type bareServer struct {
	process *os.Process
	address string
}

// startBare runs the yardstick of a page.
func startBare(b *testing.B, folder string) bareServer {
	b.Helper()
	return startYardstick(b, append(oneCore, bareVariable+"="+filepath.Join(folder, "app.db"))...)
}

// startYardstick runs the test binary as a yardstick. It is a process of its own, like Florin, with these variables in its environment.
func startYardstick(b *testing.B, environment ...string) bareServer {
	b.Helper()
	itself, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	c := exec.Command(itself)
	c.Env = environment
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal("a yardstick does not start:", err)
	}
	return bareServer{c.Process, strings.TrimSpace(address)}
}

// serveBare answers every request with the page of the account that has most transactions: it reads the row of a sign-in and a page of 50 rows, fills in the
// template of the real page, and does nothing else.
func serveBare(file string) error {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=query_only(1)&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	var account, token string
	if err := db.QueryRow(`SELECT (SELECT id FROM account ORDER BY transactions DESC LIMIT 1), (SELECT token_hash FROM session_data WHERE ended = 0 LIMIT 1)`).Scan(&account, &token); err != nil {
		return err
	}
	session, err := db.Prepare(`SELECT data FROM session_data WHERE token_hash = $1 AND ended = 0`)
	if err != nil {
		return err
	}
	query, err := db.Prepare(`SELECT id, sort_key, minor, currency, display_date, counterparty, remittance FROM booked_transaction
		WHERE account_id = $1 AND sort_key < $2 ORDER BY sort_key DESC LIMIT 51`)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String() + "/")
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var data []byte
		if err := session.QueryRowContext(r.Context(), token).Scan(&data); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		view, err := barePage(r.Context(), query, account)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		var page bytes.Buffer
		if err := pages.Account(view).Render(r.Context(), &page); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	}))
}

func barePage(ctx context.Context, query *sql.Stmt, account string) (pages.AccountView, error) {
	view := pages.AccountView{Frame: layout.Frame{User: &layout.User{Name: ownerName, Email: ownerEmail}}, ID: account, Name: "Account",
		Bank: pages.Bank{Name: "Bank"}}
	rows, err := query.QueryContext(ctx, account, int64(1)<<62)
	if err != nil {
		return view, err
	}
	defer rows.Close()
	for n := 0; rows.Next() && n < 50; n++ {
		var id, key, minor int64
		var currency, day, counterparty, remittance string
		if err := rows.Scan(&id, &key, &minor, &currency, &day, &counterparty, &remittance); err != nil {
			return view, err
		}
		if len(view.List.Days) == 0 || view.List.Days[len(view.List.Days)-1].Date.ISO != day {
			view.List.Days = append(view.List.Days, pages.Day{Date: ui.Time{ISO: day, Text: day}})
		}
		last := &view.List.Days[len(view.List.Days)-1]
		last.Rows = append(last.Rows, pages.TransactionRow{
			Href: "/accounts/" + account + "/transactions/" + strconv.FormatInt(id, 10), Name: counterparty, Text: remittance,
			Amount: pages.Flow(money.FromMinor(minor, currency)),
		})
	}
	return view, rows.Err()
}

// render writes the table. took is how long measuring it took.
func render(table []quantity, took time.Duration) string {
	var text, notes strings.Builder
	var between []string
	fmt.Fprintf(&text, "# Benchmarks\n\n`make bench` wrote this on %s, in %.0f minutes: %s, %d cores, %s, %s/%s.\n\n", time.Now().UTC().Format("2 January 2006"),
		took.Minutes(), processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	text.WriteString("An absolute figure means nothing on another machine; each claim is a ratio to a yardstick of the same run. Subject and yardstick take\n" +
		"turns, and the median of the ratios counts. Pages are measured by the CPU time of the process that answers, on one core, uncompressed;\n" +
		"the clock measures the rest. The yardsticks do the same work with nothing around it; they are in `cmd/web`.\n\n")
	text.WriteString("| Quantity | Florin | Yardstick | | Ratio | Goal | |\n|---|---:|---:|---|---:|---:|---|\n")
	for _, q := range table {
		sign, met := "≤", "met"
		if q.atLeast {
			sign = "≥"
		}
		if !q.met() {
			met = "**missed**"
			if q.reason != "" {
				met += ": " + q.reason
			}
		}
		if q.between != "" {
			between = append(between, q.between)
		}
		if q.note != "" {
			notes.WriteString("\n" + q.note)
		}
		if q.withoutYardstick {
			fmt.Fprintf(&text, "| %s | %s %s | | | | %s %g %s | %s |\n", q.name, figure(median(q.florin)), q.unit, sign, q.goal, q.unit, met)
			continue
		}
		fmt.Fprintf(&text, "| %s | %s %s | %s %s | %s | %.2f | %s %g | %s |\n", q.name, figure(median(q.florin)), q.unit, figure(median(q.yardstick)), q.unit,
			q.against, q.ratio(), sign, q.goal, met)
	}
	if len(between) > 0 {
		fmt.Fprintf(&notes, "\nAmong %s transactions, in µs CPU: %s.\n", figure(float64(ledgerSizes[1])), strings.Join(between, "; "))
	}
	return text.String() + notes.String()
}

func figure(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "processor unknown"
	}
	if found := regexp.MustCompile(`model name\s*:\s*(.+)`).FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return "processor unknown"
}
