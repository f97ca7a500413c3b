package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// owned matches a statement that reads or writes one of the owned tables.
var owned = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|INTO|UPDATE)\s+(` + strings.Join(ownedTables, "|") + `)\b`)

// ownedTables hold data of a user, directly or through an account or a payment. The inbox of webhooks belongs to the installation; only its owner sees it.
var ownedTables = []string{
	"user_session",
	"openid_identity",
	"openid_visit",
	"passkey",
	"connection",
	"session_end",
	"link_attempt",
	"link_account",
	"account",
	"account_hash",
	"shared_access",
	"balance",
	"booked_transaction",
	"transaction_record",
	"pending_transaction",
	"sync_task",
	"sync_page",
	"payee",
	"payment",
	"payment_transfer",
	"payment_booking",
	"payment_event",
	"transaction_note",
	"transaction_tag",
	"dashboard_card",
	"calendar_address",
	"calendar_event",
	"transaction_attachment",
	"transaction_part",
	"transaction_search",
	"transaction_word",
	"transaction_unindexed",
	"category",
	"category_lesson",
	"category_edit",
	"category_feature",
	"category_count",
	"decision_backlog",
	"transaction_rule",
	"rule_deed",
	"counterparty_name",
	"saved_search",
	"transaction_change",
	"transaction_merge",
	"own_transfer",
	"transfer_backlog",
	"transfer_waiting",
	"account_value",
	"category_backlog",
	"statement_import",
	"transaction_import",
	"import_draft",
	"import_mapping",
	"bulk_edit",
	"bulk_edit_row",
	"bulk_edit_lesson",
	"bulk_edit_payee",
	"budget",
	"budget_amount",
	"budget_carry",
	"budget_move",
	"budget_first_day",
	"reference_rate",
	"own_rate",
	"told_balance",
	"day_sum",
	"month_sum",
	"payee_sum",
	"recurring_series",
	"recurring_row",
	"recurring_backlog",
	"recurring_waiting",
	"direct_debit",
	"debit_watch",
	"debit_finding",
	"debit_backlog",
	"debit_waiting",
	// payment_request belongs to two people: TestWhoSeesAPaymentRequest
	"receiving_account", // shared expenses belong to several people: TestExpensesOfAHousehold
	"account_share",
	"shared_account",
	"alert",
	"alert_channel",
	"alert_switch",
	"alert_setting",
	"alert_seen",
	"alert_line",
	"alert_search",
	"message",
}

// withoutUser lists statements that do not name the user, each with the reason why they need not. The key is a part of the statement.
var withoutUser = map[string]string{
	// Messages.
	`SELECT (SELECT due FROM message`:                                       "the sender asks when anything is due",
	`SELECT id, due FROM message`:                                           "the sender claims whatever is due; startMessage reads it with its user",
	`SET due = $1 WHERE channel = $2 AND state`:                             "the clock went back: what was put off is due, whosever it is",
	`SET state = 'failed', reason = $1 WHERE state = 'sending' AND channel`: "when Florin starts: nobody knows whether it has left, whosever it is",
	`SET state = 'waiting', due = $1 WHERE state = 'sending'`:               "when Florin starts: it is sent again, whosever it is",
	`UPDATE message SET due = $1 WHERE state = 'waiting' AND due > $2`:      "what a wrong clock put too far ahead is due, whosever it is",
	`DELETE FROM message WHERE until`:                                       "cleaning by age",
	`DELETE FROM alert WHERE created`:                                       "cleaning by age",
	// Statements for a browser or the scheduler, before the user is known.
	`UPDATE link_attempt SET status = 'used'`:                      "the callback may come without a sign-in: the state and the browser's secret stand for the user, whom it returns",
	`FROM sync_task k WHERE k.id = $1`:                             "the scheduler works for all users; the id is of a task it has just claimed",
	`SELECT MIN(due) FROM`:                                         "the scheduler asks when anything is due",
	`UPDATE sync_task SET state = 'running'`:                       "the scheduler claims whatever is due",
	`DELETE FROM openid_visit WHERE expires`:                       "cleaning by age, and the visits of strangers beyond a number",
	`DELETE FROM user_session WHERE last_seen`:                     "cleaning by age",
	`DELETE FROM link_attempt WHERE expires`:                       "cleaning by age",
	`DELETE FROM payment WHERE phase = 'discarded'`:                "cleaning by age",
	`(SELECT count(*) FROM connection WHERE provider_id = $1`:      "the owner may know how many there are, of all users together, before a provider is removed",
	`DELETE FROM link_attempt WHERE provider_id = $1`:              "a provider is removed that nobody uses",
	`WHERE state = 'running'`:                                      "when Florin starts: the leases of a process that is gone end",
	`lease = '', lease_until = NULL WHERE lease_until IS NOT NULL`: "when Florin starts: the leases of a process that is gone end",
	`WHERE phase = 'sending' AND sending_until > $1`:               "when Florin starts: what was being sent has no answer any more",
	`failure_code = $1 WHERE status = 'used'`:                      "when Florin starts: nobody completes those links any more",
	`next_attempt_at > $2`:                                         "what a wrong clock put too far ahead is due, whosever it is",
	`lease_until > $2`:                                             "what a wrong clock put too far ahead is due, whosever it is",
	`next_check_at > $2`:                                           "what a wrong clock put too far ahead is due, whosever it is",
	`sending_until > $2`:                                           "what a wrong clock put too far ahead is due, whosever it is",
	`UPDATE sync_task SET next_attempt_at = $1 WHERE state = 'waiting' AND next_attempt_at < $1`: "a bank that does not answer has a pause, whoever linked it",
	`FROM session_end e`:                                                 "sessions that their users ended are ended at their services, whosever they were",
	`DELETE FROM session_end WHERE id = $1`:                              "the service has ended a session, whosever it was",
	`DELETE FROM session_end WHERE provider_id`:                          "a provider is removed that nobody can ask any more to end sessions, whosever they were",
	`UPDATE session_end SET due`:                                         "when a service is asked again, whosever the session was",
	`DELETE FROM connection WHERE id = $1 AND status = 'disconnected'`:   "nothing of it is left, whosever it was",
	`SELECT COALESCE(MIN(t.display_date), $1) FROM booked_transaction t`: "keepAccount: the account was written for its user before",
	// Inside a transaction that has checked the user, or the lease of a claimed task (hold, saveAccount, finishAttempt).
	`status = 'active' AND NOT COALESCE(c.looked`:                         "the scheduler looks at the sessions of all users",
	`UPDATE link_account SET read_from`:                                   "after hold: the account and the connection are those of the claim",
	`UPDATE sync_task SET lease_until`:                                    "checks the lease, a random secret of the claim",
	`UPDATE sync_task SET state = 'waiting', lease = ''`:                  "after hold",
	`UPDATE sync_task SET rows_new = $1`:                                  "after hold",
	`UPDATE sync_task SET reads = $1`:                                     "after hold",
	`UPDATE sync_task SET run = $1`:                                       "after hold",
	`UPDATE sync_task SET continuation_key = $1`:                          "after hold",
	`DELETE FROM sync_page WHERE task_id = $1`:                            "after hold",
	`INSERT INTO sync_page`:                                               "after hold",
	`SELECT t.display_date FROM booked_transaction t`:                     "after the claim",
	`INSERT INTO account_hash`:                                            "after the account was written for its user",
	`INSERT INTO link_account`:                                            "after the attempt was updated for its user",
	`DELETE FROM balance WHERE account_id = $1`:                           "after hold",
	`INSERT INTO balance`:                                                 "after hold",
	`SELECT CASE WHEN newest.id > sequence.last`:                          "the next id of the table",
	`WHERE account_id = ? AND identity IN`:                                "merge, after hold: the account is that of the claim",
	`ELSE display_date END), '') FROM booked_transaction`:                 "covered: merge, after hold, for rows above a place in the account",
	`account_id = $1 AND run = $2 AND identity = $3`:                      "merge, after hold",
	`WHERE t.sort_key BETWEEN $1 AND $2`:                                  "the next free place in the list of all rows",
	`INSERT OR REPLACE INTO transaction_search`:                           "of rows that were written or read under their account",
	`DELETE FROM transaction_search WHERE rowid = $1`:                     "of a row that was read under its account",
	`SELECT t.id, t.sort_key, t.account_id, t.minor`:                      "reindex: the ids are of rows that were changed for their user",
	`FROM transaction_word w`:                                             "the words are only looked for in rows of the user's accounts",
	`FROM transaction_unindexed waiting`:                                  "indexes all rows in the background",
	`DELETE FROM transaction_unindexed`:                                   "indexes all rows in the background",
	`INSERT INTO transaction_search (transaction_search, rank)`:           "puts pieces of the index together",
	`_note WHERE transaction_id = $1`:                                     "edit: the row was found to be the user's",
	`INSERT INTO transaction_note (transaction_id, text) VALUES`:          "edit: the row was found to be the user's",
	`DELETE FROM transaction_tag WHERE transaction_id = $1`:               "edit: the row was found to be the user's",
	`INSERT INTO transaction_tag (transaction_id, tag) VALUES`:            "edit: the row was found to be the user's",
	`INSERT INTO transaction_note (transaction_id, text) SELECT`:          "merge, after hold: both rows are of the account",
	`INSERT INTO transaction_tag (transaction_id, tag) SELECT`:            "merge, after hold: both rows are of the account",
	`INSERT INTO rule_deed (transaction_id, rule_id, kind, value) SELECT`: "merge, after hold: both rows are of the account",
	`INSERT INTO rule_deed (transaction_id, rule_id, kind, value) VALUES`: "do: the row and the rule were read under their user",
	`SET category_id = $1, category_by = $2`:                              "decideAnew: the rows were read under their user",
	`SET category_id = $1, category_by = 'hand'`:                          "teach: the row was read under its user",
	`UPDATE category_edit SET transaction_id`:                             "merge, after hold: both rows are of the account",
	`DELETE FROM decision_backlog`:                                        "decides all rows in the background",
	`UPDATE decision_backlog`:                                             "decides all rows in the background",
	`INSERT INTO booked_transaction`:                                      "merge, after hold",
	`INSERT INTO transaction_record`:                                      "merge, after hold",
	`INSERT INTO pending_transaction`:                                     "merge, after hold",
	`UPDATE booked_transaction SET`:                                       "merge, after hold; each names the account",
	`UPDATE transaction_record SET original`:                              "merge, after hold; the id was read under the account",
	`DELETE FROM booked_transaction WHERE id = $1 AND account_id = $2`:    "merge, after hold",
	`DELETE FROM pending_transaction WHERE account_id = $1`:               "merge, after hold",
	`UPDATE account SET transactions = transactions - 1`:                  "merge, after hold",
	// Parts of a transaction.
	`DELETE FROM transaction_part WHERE transaction_id = $1`:                                   "edit: the row was found to be the user's",
	`INSERT INTO transaction_part (transaction_id, position, minor, category_id, note) VALUES`: "edit: the row was found to be the user's",
	`INSERT INTO transaction_part (transaction_id, position, minor, category_id, note) SELECT`: "merge, after hold: both rows are of the account",
	// Earlier versions of rows.
	`JOIN booked_transaction n ON n.minor = t.minor`: "merge, after hold; it names the account",
	`INSERT INTO transaction_change`:                 "merge, after hold: the row is of the account",
	`DELETE FROM transaction_change`:                 "merge, after hold: the row is of the account",
	// Former states of rows.
	`SELECT id FROM booked_transaction`:                         "merge, after hold; it names the account",
	`FROM history_start`:                                        "since when former states are kept, whosever they are",
	`INSERT INTO transaction_version`:                           "keepRows: the rows were read under their user",
	`SELECT EXISTS (SELECT 1 FROM pending_transaction p WHERE`:  "merge, after hold, or keepAccount",
	`UPDATE pending_transaction AS p SET since`:                 "merge, after hold",
	`INSERT INTO pending_version (account_id, until, identity,`: "merge, after hold, or keepAccount",
	// Transfers.
	`, (SELECT COALESCE(MAX(t.id), 0)`:                      "looks for the transfers of all users in the background",
	`DELETE FROM transfer_waiting`:                          "looks for the transfers of all users in the background",
	`UPDATE transfer_backlog`:                               "looks for the transfers of all users in the background",
	`SELECT record.original FROM transaction_record record`: "pairAnew: the row was read under its user",
	`DELETE FROM own_transfer WHERE out_id = $1`:            "of a pair that was read under its user",
	`INSERT INTO own_transfer`:                              "both rows were found to be the user's",
	`VALUES (COALESCE((SELECT twin.into_id`:                 "lookAgain: the rows were read under their user",
	`AND t.missing_since = $3 ON CONFLICT`:                  "merge, after hold",
	`SELECT held.in_id FROM own_transfer held WHERE`:        "the rows were read under their user",
	`SELECT held.out_id FROM own_transfer held WHERE`:       "the rows were read under their user",
	`DELETE FROM own_transfer WHERE (out_id = $1`:           "merge, after hold: both rows are of the account",
	// Sums.
	`FROM day_sum WHERE account_id = $1 AND day = $2`: "sums: the rows were read or written under their account",
	`SELECT t.minor, t.currency, CASE WHEN`:           "sums: the rows were read or written under their account",
	`SELECT DISTINCT shown.account_id`:                "merge, after hold",
	`SELECT t.account_id, t.display_date`:             "sums: the ids are of rows that were read under their account",
	`UPDATE own_transfer SET`:                         "merge, after hold: both rows are of the account",
	// Series of transactions.
	`SELECT COALESCE(MAX(t.id), 0) FROM booked_transaction t) FROM recurring_backlog`: "looks for the series of all users in the background",
	`UPDATE recurring_backlog`:                                               "looks for the series of all users in the background",
	`DELETE FROM recurring_row WHERE series_id`:                              "store: the series was read under its user",
	`INSERT INTO recurring_row`:                                              "store: the series and the rows were read under their user",
	`SELECT t.id, t.display_date, t.minor, t.currency FROM recurring_series`: "seriesRows: the conditions of both callers name the user",
	// Direct debits.
	`SELECT COALESCE(MAX(t.id), 0) FROM booked_transaction t) FROM debit_backlog`: "looks at the direct debits of all users in the background",
	`UPDATE debit_backlog`:                                    "looks at the direct debits of all users in the background",
	`DELETE FROM debit_waiting`:                               "looks at the direct debits of all users in the background",
	`INSERT INTO direct_debit`:                                "what a row says of itself, whosever it is",
	`DELETE FROM direct_debit WHERE transaction_id`:           "what a row says of itself, whosever it is",
	`UPDATE direct_debit SET looked = 1 WHERE transaction_id`: "judgeDebits: the debit was read under its user",
	`UPDATE direct_debit SET back_id`:                         "takeBack: the debit was read under its user",
	`INSERT INTO debit_finding`:                               "raiseDebit: the debit was read under its user",
	// Accounts that the user keeps: keptAccount checks the user first.
	`DELETE FROM account_value WHERE account_id = $1`:                      "after keptAccount",
	`INSERT INTO account_value`:                                            "after keptAccount",
	`FROM account_value v WHERE v.account_id = $1`:                         "rebalance, after keptAccount",
	`COALESCE(SUM(t.minor / 1000000), 0)`:                                  "rebalance, after keptAccount",
	`SELECT COALESCE(MAX(ordinal) + 1, 0)`:                                 "merge, after keptAccount",
	`FROM booked_transaction WHERE id = $1 AND account_id`:                 "merge, after keptAccount",
	`SELECT 1 FROM booked_transaction t WHERE t.id = $1 AND t.minor <> $2`: "merge, after keptAccount",
	// Imports.
	`DELETE FROM import_draft WHERE created`:                       "cleaning by age",
	`INSERT INTO transaction_import`:                               "the import was stored under its user",
	`(transaction_id, tag) VALUES ($1, $2) ON CONFLICT DO NOTHING`: "the row was stored by an import of its user",
	`t.account_id = $1 AND t.identity = $2 AND t.ordinal = $3`:     "the account was read or made under its user",
	`WHERE  AND t.seen_run = 0 ORDER BY ABS(t.sort_key)`:           "merge, after hold",
	`WHERE  AND t.first_run = $3 ORDER BY ABS(t.sort_key)`:         "merge, after hold",
	// Merged rows. mergeSide reads both rows under their user, and so do the methods that merge or separate them.
	`SELECT id, sort_key, reference, content, booking_date`:                              "merge, after hold, for rows above a place in the account",
	`SELECT t.sort_key, n.sort_key, COALESCE((SELECT twin.into_id`:                       "merge, after hold: it names the account",
	`SELECT COALESCE((SELECT twin.into_id`:                                               "mergeAll: the row was read under its user",
	`SELECT twin.into_id FROM transaction_merge twin WHERE`:                              "parted: merge, after hold",
	`SELECT twin.hidden_id FROM transaction_merge twin WHERE twin.into_id = $1 ORDER BY`: "mergesInto: the row is read under its user next",
	`UPDATE transaction_merge SET into_id`:                                               "the rows were read under their user",
	`INSERT INTO transaction_merge`:                                                      "the rows were read under their user",
	`DELETE FROM transaction_merge`:                                                      "the rows were read under their user",
	`UPDATE payment_booking SET booked_id`:                                               "the rows were read under their user",
	`FROM transaction_part part WHERE part.transaction_id = `:                            "the rows were read under their user",
	`WHERE transaction_id = $1 AND $2 <> $1`:                                             "promote: the account was read under its user",
	`id IN (SELECT twin.hidden_id FROM transaction_merge twin WHERE twin.into_id = $1)`:  "edit, or merge after keptAccount: the row was found to be the user's",
	`INSERT INTO own_transfer (out_id, in_id, state)`:                                    "both rows were found to be the user's",
	// Bulk edits. Rows are added to one only under their user, and each piece of work first reads the bulk edit under its user.
	`UPDATE bulk_edit_row SET`:                     "the bulk edit was read for its user; or merge, after hold: both rows are of the account",
	`DELETE FROM bulk_edit_row`:                    "the bulk edit was read for its user",
	`INSERT INTO bulk_edit_payee`:                  "the bulk edit was read for its user",
	`FROM bulk_edit_payee waiting`:                 "the bulk edit was read for its user",
	`UPDATE bulk_edit_payee`:                       "the bulk edit was read for its user",
	`DELETE FROM bulk_edit_payee`:                  "the bulk edit was read for its user",
	`DELETE FROM bulk_edit_lesson`:                 "the bulk edit was read for its user",
	`SELECT EXISTS (SELECT 1 FROM bulk_edit WHERE`: "what is too old, whosever it is",
	`UPDATE bulk_edit SET state = 'dropped' WHERE`: "what is too old, whosever it is",
	// Files of a transaction.
	`WHERE attachment.file = $1)`: "when Florin starts: does anybody have a file that was being attached",
	`DELETE FROM transaction_attachment WHERE transaction_id = $1 AND file = $2`:                "edit: the row was found to be the user's",
	`INSERT INTO transaction_attachment (transaction_id, file, name, type, size, added) VALUES`: "edit: the row was found to be the user's",
	`INSERT INTO transaction_attachment (transaction_id, file, name, type, size, added) SELECT`: "merge, after hold: both rows are of the account",
	`FROM expense e LEFT JOIN booked_transaction t`:                                             "visibleExpense names the person, who alone sees the booking",
	// What a person sees: the inserted condition for accounts (seenBy) names the user, and so does the view of the household.
	`FROM account a CROSS JOIN  WHERE  AND kept.category_id`:                   "seenBy names the user",
	`SELECT t.payee_key, t.payee FROM account a CROSS JOIN booked_transaction`: "seenBy names the user",
	`FROM (SELECT kept.payee_key FROM account a CROSS JOIN  WHERE`:             "seenBy names the user",
	// Payments.
	`SELECT MIN(sending_until) FROM payment`:                        "the scheduler asks when anything is due",
	`SELECT MIN(CASE WHEN lease_until > next_check_at`:              "the scheduler asks when anything is due",
	`SELECT MIN(payment.sent) FROM payment WHERE`:                   "the scheduler asks when anything is due",
	`FROM payment WHERE provider_id = $1 AND (phase IN ('sending',`: "a webhook names no user: is there anybody whose payment it may be",
	`DELETE FROM payment_transfer WHERE payment_id = $1`:            "after the draft was updated for its user",
	`INSERT INTO payment_transfer`:                                  "after the draft was updated for its user",
	`WHERE transfer.reference_key IS NULL`:                          "fills in a column when Florin starts",
	`WHERE b.content = '' AND b.id > $1`:                            "fills in a column when Florin starts",
	`WHERE payment.last_day = '' AND`:                               "fills in a column when Florin starts",
	`UPDATE payment SET last_day = $1`:                              "fills in a column when Florin starts",
	`UPDATE payment_transfer SET reference_key`:                     "fills in a column when Florin starts",
	`UPDATE user_session SET remembered = (last_seen > $1)`:         "fills in a column when Florin starts",
	`INSERT INTO payment_event`:                                     "after the payment was written for its user",
}

// Security T14: every statement about data of a user names the user.
func TestEveryStatementNamesTheUser(t *testing.T) {
	used := map[string]bool{}
	checked := 0
	for _, text := range statements(t) {
		if !owned.MatchString(text) {
			continue
		}
		checked++
		if strings.Contains(text, "user_id") {
			continue
		}
		excused := false
		for part := range withoutUser {
			if strings.Contains(text, part) {
				used[part], excused = true, true
			}
		}
		if !excused {
			t.Errorf("names no user and is no exception:\n%s", text)
		}
	}
	for part := range withoutUser {
		if !used[part] {
			t.Errorf("this exception is not needed any more: %s", part)
		}
	}
	if checked < 40 {
		t.Errorf("only %d statements found: the scan is broken", checked)
	}
}

// statements returns the SQL texts of the package, without the parts that are inserted into them.
func statements(t *testing.T) []string {
	t.Helper()
	files, err := os.ReadDir(".")
	check(t, err)
	var all []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		check(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if text, ok := literal(e); ok {
				if regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s`).MatchString(text) {
					all = append(all, text)
				}
				return false
			}
			return true
		})
	}
	return all
}

// literal joins the literals of a sum of strings.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			a, okA := literal(e.X)
			b, okB := literal(e.Y)
			return a + b, okA || okB
		}
	}
	return "", false
}

// Architecture 5, rule 9: plain SQL, the common subset.
func TestStatementsAreCommonSQL(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)\browid\b|AUTOINCREMENT|datetime\(|->|json_|SELECT \*|\bOFFSET\b|INSERT OR |REPLACE INTO|\?\d`)
	for _, text := range statements(t) {
		if strings.Contains(text, "transaction_search") {
			continue // FTS5 exists only in SQLite (ADR 0043)
		}
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s in\n%s", found, text)
		}
	}
}
