package store

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/settling"
	"florin/internal/sqlite"
)

// outlives are the tables whose rows stay when a person is removed, each with the reason. A new table of persons must reference user, or a table that does,
// with ON DELETE CASCADE.
var outlives = map[string]string{
	"attachment_unused":    "names files that are to be removed from the folder",
	"debit_backlog":        "where a loop in the background stands",
	"history_start":        "of this Florin",
	"master_key":           "of this Florin",
	"provider":             "banking services belong to all",
	"provider_setup":       "banking services belong to all",
	"recurring_backlog":    "where a loop in the background stands",
	"reset_request":        "by its address: RemoveUser deletes it",
	"second_factor_rule":   "of this Florin",
	"session_data":         "by what is in it: RemoveUser deletes it",
	"session_end":          "goes when the service has ended the session",
	"setup_token":          "of this Florin",
	"sharer":               "shared with others: TestLeavingKeepsWhatOthersShare",
	"expense":              "shared with others, likewise",
	"expense_share":        "shared with others, likewise",
	"settlement":           "shared with others, likewise",
	"settlement_path":      "shared with others, likewise",
	"sign_in_failure":      "names its subject by a hash; ends by itself",
	"transaction_search":   "the index of rows, which goes with them: TestRowsLeaveTheIndex",
	"transaction_word":     "a view of the index",
	"transaction_sequence": "the next number of a row",
	"transfer_backlog":     "where a loop in the background stands",
	"webhook_delivery":     "the inbox of the banking services: it names payments by their ids there",
	"webhook_pin":          "of a banking service",
	"webhook_result":       "of the inbox",
	"goose_db_version":     "of this Florin",
}

// table is the description of a table in the database.
type table struct {
	columns []column0
	refers  map[string][2]string // by column: the table and column that it references
	cascade []string             // tables with whose rows its rows are deleted
}

type column0 struct{ name, kind string }

// tables reads the schema.
func (b *bed) tables(t testing.TB) map[string]table {
	t.Helper()
	ctx, q := t.Context(), b.db.Read()
	names := must(collect(ctx, q, scanText, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'transaction_search_%'`))(t)
	all := map[string]table{}
	for _, name := range names {
		tab := table{refers: map[string][2]string{}}
		tab.columns = must(collect(ctx, q, func(row scanner) (c column0, err error) { return c, row.Scan(&c.name, &c.kind) },
			`SELECT name, type FROM pragma_table_info($1)`, name))(t)
		for _, f := range must(collect(ctx, q, func(row scanner) (f [4]string, err error) { return f, row.Scan(&f[0], &f[1], &f[2], &f[3]) },
			`SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list($1)`, name))(t) {
			tab.refers[f[0]] = [2]string{f[1], f[2]}
			if f[3] == "CASCADE" {
				tab.cascade = append(tab.cascade, f[1])
			}
		}
		all[name] = tab
	}
	return all
}

func scanText(row scanner) (text string, err error) { return text, row.Scan(&text) }

// ofPersons lists the tables whose rows are deleted with a person, each after the tables that it references.
func ofPersons(t testing.TB, all map[string]table) []string {
	t.Helper()
	goes := map[string]bool{"user": true}
	for more := true; more; {
		more = false
		for name, tab := range all {
			if !goes[name] && slices.ContainsFunc(tab.cascade, func(with string) bool { return goes[with] }) {
				goes[name], more = true, true
			}
		}
	}
	delete(goes, "user")
	var order []string
	for len(order) < len(goes) {
		before := len(order)
		for _, name := range slices.Sorted(maps.Keys(goes)) {
			ready := !slices.Contains(order, name)
			for _, to := range all[name].refers {
				if to[0] != name && goes[to[0]] && !slices.Contains(order, to[0]) {
					ready = false
				}
			}
			if ready {
				order = append(order, name)
			}
		}
		if len(order) == before {
			t.Fatalf("these tables refer to each other: %v", slices.DeleteFunc(slices.Collect(maps.Keys(goes)), func(n string) bool { return slices.Contains(order, n) }))
		}
	}
	return order
}

// fills adds a row of a person to each table of persons. Each text in it begins with the mark, and names its table and column.
func (b *bed) fills(t testing.TB, user finance.User, mark string, number int64) (tables []string) {
	t.Helper()
	all := b.tables(t)
	tables = ofPersons(t, all)
	given := map[string]any{"connection.session_id": "", "payment.phase": "created", "transaction_record.original": `{"text": "` + mark + `-transaction_record-original"}`}
	check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(t.Context(), `PRAGMA ignore_check_constraints = ON`); err != nil {
			return err
		}
		made := map[string]any{"user.id": user.ID, "provider.id": "embedded"}
		for _, name := range tables {
			var columns, places []string
			var values []any
			for i, c := range all[name].columns {
				var value any
				to, refers := all[name].refers[c.name]
				own, is := given[name+"."+c.name]
				switch {
				case is:
					value = own
				case refers && to[0] != name:
					value = made[to[0]+"."+to[1]]
				case refers:
					value = nil // it would reference another row of the same table
				case c.kind == "INTEGER":
					value = number + int64(i)
				case c.kind == "BLOB":
					value = []byte(mark + "-" + name + "-" + c.name)
				default:
					value = mark + "-" + name + "-" + c.name
				}
				if name == "pending_transaction" && c.name == "run" {
					value = made["account.pending_run"]
				}
				made[name+"."+c.name] = value
				columns, places, values = append(columns, `"`+c.name+`"`), append(places, fmt.Sprintf("$%d", i+1)), append(values, value)
			}
			if _, err := tx.ExecContext(t.Context(), `INSERT INTO `+name+` (`+strings.Join(columns, ", ")+`) VALUES (`+strings.Join(places, ", ")+`)`, values...); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		_, err := tx.ExecContext(t.Context(), `PRAGMA ignore_check_constraints = OFF`)
		return err
	}))
	return tables
}

// holding lists the tables and columns that contain a text.
func (b *bed) holding(t testing.TB, text string) (found []string) {
	t.Helper()
	for name, tab := range b.tables(t) {
		if strings.HasPrefix(name, "transaction_search") || name == "transaction_word" {
			continue
		}
		for _, c := range tab.columns {
			var n int
			check(t, b.db.Read().QueryRowContext(t.Context(), `SELECT COUNT(*) FROM "`+name+`" WHERE instr(CAST("`+c.name+`" AS TEXT), $1) > 0`, text).Scan(&n))
			if n > 0 {
				found = append(found, name+"."+c.name)
			}
		}
	}
	slices.Sort(found)
	return found
}

// TestNothingOfAPersonStays: the schema of each table deletes its rows with their person, or the table is listed above with a reason. The test adds rows of two
// people to every table and removes one person: that person's rows are gone, and the other's stay.
func TestNothingOfAPersonStays(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	owner, err := b.CreateUser(ctx, "owner@example.org", finance.RoleOwner, "hash")
	check(t, err)
	ann, bo := b.user(t, "ann@example.org"), b.user(t, "bo@example.org")
	b.provider(t)
	tables := b.fills(t, ann, "ANN", 1_000_000)
	b.fills(t, bo, "BO", 2_000_000)
	for name := range b.tables(t) {
		if outlives[name] == "" && name != "user" && !slices.Contains(tables, name) {
			t.Errorf("rows of %s do not go with their person: refer to user with ON DELETE CASCADE, or say here why they stay", name)
		}
	}
	for name := range outlives {
		if slices.Contains(tables, name) {
			t.Errorf("%s goes with its person, and is listed as one that stays", name)
		}
	}
	b.exec(t, `INSERT INTO reset_request (id, email, created) VALUES ('ANN-r', 'ann@example.org', '2026-11-01T00:00:00.000Z')`)
	sessions := b.Sessions()
	check(t, sessions.CommitCtx(ctx, "one", []byte(`{"user":"`+ann.ID+`"}`), time.Now().Add(time.Hour)))
	check(t, sessions.CommitCtx(ctx, "two", []byte(`{"user":"`+bo.ID+`"}`), time.Now().Add(time.Hour)))
	others := b.holding(t, "BO-")
	if len(others) < len(tables) || !slices.Equal(others, named(b.holding(t, "ANN-"), "reset_request.id")) {
		t.Fatalf("the two people hold other things:\n%v\n%v", others, b.holding(t, "ANN-"))
	}

	check(t, b.RemoveUser(ctx, ann.ID))
	for _, text := range []string{"ANN-", ann.ID, ann.Email} {
		if found := named(b.holding(t, text), "attachment_unused.file"); len(found) != 0 { // Folder.Clean reads this table
			t.Errorf("%q is in %v", text, found)
		}
	}
	if left := b.holding(t, "BO-"); !slices.Equal(left, others) {
		t.Errorf("of the other person stay\n%v, want\n%v", left, others)
	}
	if found, ok, err := sessions.FindCtx(ctx, "two"); !ok || err != nil {
		t.Errorf("the session of the other person: %s, %t, %v", found, ok, err)
	}
	if err := b.RemoveUser(ctx, ann.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if err := b.RemoveUser(ctx, owner.ID); !errors.Is(err, ErrOwnerStays) {
		t.Errorf("the last owner leaves a member behind: %v", err)
	}
	check(t, b.RemoveUser(ctx, bo.ID))
	check(t, b.RemoveUser(ctx, owner.ID))
	if exists, err := b.HasOwner(ctx); exists || err != nil {
		t.Errorf("there is an owner still: %t, %v", exists, err)
	}
}

// named returns the texts without one of them.
func named(all []string, but string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == but })
}

// notTaken are the tables of persons that are not part of the takeout, each with the reason.
var notTaken = map[string]string{
	"account_hash": "by which an account is known again", "account_look": "until when the person has looked", "alert_seen": "until where Florin has looked",
	"authenticator_setup": "an app that is not set up yet", "bulk_edit_lesson": "what undoing a bulk edit needs, as the next two", "bulk_edit_payee": "",
	"bulk_edit_row": "", "calendar_event": "what calendar programs were told", "category_count": "counts of what was learned", "category_edit": "learned, as the next",
	"category_feature": "", "day_sum": "sums of rows that are taken along, as the next two", "month_sum": "", "payee_sum": "",
	"debit_waiting": "work of Florin, as the next five", "debit_watch": "", "decision_backlog": "", "recurring_waiting": "", "transaction_unindexed": "", "transfer_waiting": "",
	"import_draft": "a file that was not imported", "link_account": "which accounts a link brought", "mail": "what was sent when, as the next", "message": "",
	"openid_visit": "a sign-in under way", "pending_version": "former states of rows that were never booked", "recovery_code": "a secret, as the next",
	"reset_link": "", "recurring_row": "which rows belong to a series", "rule_deed": "what a rule did once", "shared_access": "which connection also reads an account",
	"sync_page": "work of Florin, as the next", "sync_task": "", "told_balance": "what a forecast said", "transaction_arrival": "when rows came",
	"transaction_import": "which file brought a row", "transaction_version": "former states of rows, for the account as it was known on a day",
	"transaction_note": "in the rows themselves, as the next two", "transaction_tag": "", "transaction_part": "",
}

// secretColumns must not be in the takeout.
var secretColumns = []string{"session_id", "secret", "password_hash", "token_hash", "code_hash", "state_hash", "browser_hash", "psu_id_hash", "url", "public_key", "credential_id",
	"nonce", "verifier", "continuation_key", "lease", "key_hash", "uid", "address", "topic"}

// TestTakeoutHasAllOfAPerson: each table of persons is in the takeout, or is listed above with a reason. The takeout has no data of another person, and no
// secret.
func TestTakeoutHasAllOfAPerson(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ann, bo := b.user(t, "ann@example.org"), b.user(t, "bo@example.org")
	b.provider(t)
	tables := b.fills(t, ann, "ANN", 1_000_000)
	b.fills(t, bo, "BO", 2_000_000)
	var taken strings.Builder
	names := map[string]bool{}
	for _, part := range TakeoutParts() {
		if names[part.Name] {
			t.Errorf("two parts are called %s", part.Name)
		}
		names[part.Name] = true
		rows := 0
		for row, err := range b.Takeout(t.Context(), ann.ID, part) {
			if err != nil {
				t.Fatalf("%s: %v", part.Name, err)
			}
			rows++
			taken.Write(append(row, '\n'))
		}
		if rows != 1 {
			t.Errorf("%s has %d rows, want the one of the person", part.Name, rows)
		}
	}
	text := taken.String()
	if strings.Contains(text, "BO-") || strings.Contains(text, bo.ID) || strings.Contains(text, bo.Email) {
		t.Errorf("it has something of somebody else:\n%s", text)
	}
	for _, name := range tables {
		_, left := notTaken[name]
		read := regexp.MustCompile(`(FROM|JOIN) ` + name + ` `)
		if is := slices.ContainsFunc(TakeoutParts(), func(p TakeoutPart) bool { return read.MatchString(p.query) }); is == left {
			t.Errorf("%s: taken along %t, listed as left %t", name, is, left)
		}
		for _, secret := range secretColumns {
			if strings.Contains(text, "ANN-"+name+"-"+secret+`"`) {
				t.Errorf("it has %s of %s", secret, name)
			}
		}
	}
}

// TestLeavingKeepsWhatOthersShare: whatever people shared and gave, when one of them leaves, the debts among the others and with the one who left stay the
// same. The debts in each currency still add up to zero.
func TestLeavingKeepsWhatOthersShare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		b, ctx := newBed(t), t.Context()
		ann, bo, cy, names := b.threePeople(t)
		people := []string{ann, bo, cy}
		for range rapid.IntRange(1, 8).Draw(r, "expenses") {
			payer := rapid.SampledFrom(people).Draw(r, "payer")
			others := rapid.SampledFrom([][]string{{ann, bo}, {bo, cy}, {ann, cy}, people}).Draw(r, "people")
			if !slices.Contains(others, payer) {
				payer = others[0]
			}
			minor := rapid.Int64Range(1, 100_000).Draw(r, "minor")
			must(b.SaveExpense(ctx, payer, shared(t, payer, minor, rapid.SampledFrom([]string{"EUR", "CHF"}).Draw(r, "currency"), others...)))(t)
		}
		check(t, b.AddSettlement(ctx, bo, settling.Settlement{ID: finance.NewID(), From: cy, To: bo,
			Amount: money.FromMinor(rapid.Int64Range(1, 5000).Draw(r, "cash"), "EUR")}))
		before, ofBo := b.owed(t, names, ann), b.owed(t, names, cy)
		check(t, b.RemoveUser(ctx, bo))
		if after, ofCy := b.owed(t, names, ann), b.owed(t, names, cy); !slices.Equal(after, before) || !slices.Equal(ofCy, ofBo) {
			t.Fatalf("ann had %v, has %v; cy had %v, has %v", before, after, ofBo, ofCy)
		}
		sums := map[string]int64{}
		for _, of := range people {
			for _, d := range must(b.OpenDebts(ctx, of))(t) {
				if d.From == of {
					sums[d.Amount.Currency()] -= d.Amount.Minor()
				} else {
					sums[d.Amount.Currency()] += d.Amount.Minor()
				}
			}
		}
		for currency, sum := range sums {
			if sum != 0 {
				t.Fatalf("the debts in %s add up to %d", currency, sum)
			}
		}
	})
}

// TestConsentsOfWhoLeavesEnd: the sessions of a removed person are ended at their service, also after a restart. When the service is removed first, they are
// forgotten.
func TestConsentsOfWhoLeavesEnd(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	b.provider(t)
	b.link(t, u, "one", resource("h", "EUR", "uid"))
	b.link(t, other, "two", resource("h", "EUR", "uid2"))
	if had := must(b.Belongings(ctx, u.ID))(t); had.Consents != 1 || had.Stays.Joint != 1 {
		t.Errorf("%+v", had)
	}
	check(t, b.RemoveUser(ctx, u.ID))
	b.reopen(t)
	e, ok, _, err := b.ClaimSessionEnd(ctx, "", time.Minute)
	if err != nil || !ok || e.SessionID != "one" || e.ProviderID != "embedded" {
		t.Fatalf("%+v %t %v", e, ok, err)
	}
	check(t, b.SessionEnded(ctx, e.ID))
	if _, ok, next, err := b.ClaimSessionEnd(ctx, "", time.Minute); ok || !next.IsZero() || err != nil {
		t.Errorf("another one is to be ended: %t %v %v", ok, next, err)
	}
	if left := must(b.Accounts(ctx, other.ID))(t); len(left) != 1 {
		t.Errorf("the other has %d accounts", len(left))
	}
	check(t, b.RemoveUser(ctx, other.ID))
	check(t, b.RemoveProvider(ctx, "embedded"))
	if _, ok, next, err := b.ClaimSessionEnd(ctx, "", time.Minute); ok || !next.IsZero() || err != nil {
		t.Errorf("a removed service is asked: %t %v %v", ok, next, err)
	}
}
