package store

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/sqlite"
)

// takeoutRows is how many rows are read at a time of what a person takes along.
const takeoutRows = 500

// TakeoutPart is one kind of what a person takes along: a list in a file of its own. docs/export.md says what is in each.
type TakeoutPart struct {
	Name string

	// query reads rows of the user, $1, behind a place, $2 and so on, in the order of the place; the last parameter is how many. Its first columns, called
	// "key", are the place of a row. The others are called as in the file; a word before the name says what a value is: a flag, JSON, or an amount in the
	// smallest unit of the column "currency". What is empty is left out.
	query string
	from  []any // before the first place
}

// Places before the first one.
var (
	byText  = []any{""}
	byTexts = []any{"", ""}
	byID    = []any{int64(-1)}
)

// takeout is all that a person takes along beside the transactions themselves, the shared expenses, and the attached files.
var takeout = []TakeoutPart{
	{"you", `SELECT u.id AS key, u.email AS email, u.role AS role, u.language AS language, u.currency AS currency, u.created AS created
		FROM user u WHERE u.id = $1 AND u.id > $2 ORDER BY u.id LIMIT $3`, byText},
	{"bank-connections", `SELECT c.id AS key, c.id AS id, c.aspsp_name AS bank, c.country AS country, c.nickname AS nickname, c.psu_type AS kind, c.status AS status,
			c.created AS created, c.authorized AS authorized, c.valid_until AS valid_until, c.ended AS ended, c.stopped AS stopped
		FROM connection c WHERE c.user_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`, byText},
	{"links", `SELECT attempt.id AS key, attempt.aspsp_name AS bank, attempt.country AS country, attempt.psu_type AS kind, attempt.status AS status,
			attempt.created AS created, attempt.valid_until AS valid_until
		FROM link_attempt attempt WHERE attempt.user_id = $1 AND attempt.id > $2 ORDER BY attempt.id LIMIT $3`, byText},
	{"accounts", `SELECT a.id AS key, a.id AS id, a.nickname AS name, COALESCE(a.connection_id, a.former_connection) AS connection, a.institution AS institution,
			a.holder AS holder, a.details AS details, a.product AS product, a.type AS type, a.usage AS usage, a.iban AS iban, a.number AS number, a.scheme AS scheme,
			a.currency AS currency, a.credit_limit AS credit_limit, a.counts AS balance_that_counts, a.source AS source, a.history_from AS history_from,
			a.created AS created, a.closed AS closed, a.simulated AS "flag simulated", a.original AS "json as_the_bank_sent_it"
		FROM account a WHERE a.user_id = $1 AND a.id > $2 ORDER BY a.id LIMIT $3`, byText},
	{"balances", `SELECT b.account_id AS key, b.position AS key, b.account_id AS account, b.type AS type, b.name AS name, b.minor AS "minor amount", b.currency AS currency,
			b.reference_date AS day, b.last_change AS last_change, b.fetched AS fetched
		FROM account a CROSS JOIN balance b ON b.account_id = a.id WHERE a.user_id = $1 AND (b.account_id, b.position) > ($2, $3)
		ORDER BY b.account_id, b.position LIMIT $4`, []any{"", int64(-1)}},
	{"balances-before", `SELECT b.account_id AS key, b.until AS key, b.position AS key, b.account_id AS account, b.type AS type, b.name AS name,
			b.minor AS "minor amount", b.currency AS currency, b.reference_date AS day, b.fetched AS fetched, b.until AS until
		FROM account a CROSS JOIN balance_version b ON b.account_id = a.id WHERE a.user_id = $1 AND (b.account_id, b.until, b.position) > ($2, $3, $4)
		ORDER BY b.account_id, b.until, b.position LIMIT $5`, []any{"", "", int64(-1)}},
	{"balances-of-days", `SELECT b.account_id AS key, b.day AS key, b.taken AS key, b.account_id AS account, b.day AS day, b.type AS type, b.minor AS "minor amount",
			b.currency AS currency, b.pending AS "minor pending", b.taken AS read
		FROM account a CROSS JOIN balance_reading b ON b.account_id = a.id WHERE a.user_id = $1 AND (b.account_id, b.day, b.taken) > ($2, $3, $4)
		ORDER BY b.account_id, b.day, b.taken LIMIT $5`, []any{"", "", ""}},
	{"values", `SELECT worth.account_id AS key, worth.day AS key, worth.account_id AS account, worth.day AS day, worth.minor AS "minor amount", a.currency AS currency
		FROM account a CROSS JOIN account_value worth ON worth.account_id = a.id WHERE a.user_id = $1 AND (worth.account_id, worth.day) > ($2, $3)
		ORDER BY worth.account_id, worth.day LIMIT $4`, byTexts},
	{"transactions-as-the-bank-sent-them", `SELECT t.id AS key, t.account_id AS account, t.identity || '-' || t.ordinal AS id, t.first_seen AS first_seen,
			t.missing_since AS missing_since, record.original AS "json original"
		FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id JOIN transaction_record record ON record.transaction_id = t.id
		WHERE a.user_id = $1 AND t.id > $2 ORDER BY t.id LIMIT $3`, byID},
	{"transactions-before-changes", `SELECT former.transaction_id AS key, former.number AS key, t.account_id AS account, t.identity || '-' || t.ordinal AS id,
			former.changed AS until, former.minor AS "minor amount", former.currency AS currency, former.display_date AS date, former.counterparty AS counterparty,
			former.counterparty_account AS counterparty_account, former.remittance AS text
		FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id JOIN transaction_change former ON former.transaction_id = t.id
		WHERE a.user_id = $1 AND (former.transaction_id, former.number) > ($2, $3) ORDER BY former.transaction_id, former.number LIMIT $4`,
		[]any{int64(-1), int64(-1)}},
	{"pending-transactions", `SELECT p.account_id AS key, p.identity AS key, p.ordinal AS key, p.account_id AS account, p.status AS status, p.minor AS "minor amount",
			p.currency AS currency, p.display_date AS date, p.counterparty AS counterparty, p.counterparty_account AS counterparty_account, p.remittance AS text,
			p.kind AS kind, p.since AS since, p.original AS "json original"
		FROM account a CROSS JOIN pending_transaction p ON p.account_id = a.id AND p.run = a.pending_run
		WHERE a.user_id = $1 AND (p.account_id, p.identity, p.ordinal) > ($2, $3, $4) ORDER BY p.account_id, p.identity, p.ordinal LIMIT $5`, []any{"", "", int64(-1)}},
	{"transfers", `SELECT pair.out_id AS key, o.account_id AS from_account, o.identity || '-' || o.ordinal AS from_id, i.account_id AS to_account,
			i.identity || '-' || i.ordinal AS to_id, pair.state AS state
		FROM account a CROSS JOIN booked_transaction o ON o.account_id = a.id JOIN own_transfer pair ON pair.out_id = o.id JOIN booked_transaction i ON i.id = pair.in_id
		WHERE a.user_id = $1 AND pair.out_id > $2 ORDER BY pair.out_id LIMIT $3`, byID},
	{"merged-transactions", `SELECT twin.hidden_id AS key, hidden.account_id AS account, hidden.identity || '-' || hidden.ordinal AS id,
			kept.identity || '-' || kept.ordinal AS merged_into, twin.merged AS merged
		FROM account a CROSS JOIN booked_transaction hidden ON hidden.account_id = a.id JOIN transaction_merge twin ON twin.hidden_id = hidden.id
			JOIN booked_transaction kept ON kept.id = twin.into_id
		WHERE a.user_id = $1 AND twin.hidden_id > $2 ORDER BY twin.hidden_id LIMIT $3`, byID},
	{"attachments", `SELECT t.id AS key, attachment.file AS key, t.account_id AS account, t.identity || '-' || t.ordinal AS id, attachment.file AS file,
			attachment.name AS name, attachment.type AS type, attachment.size AS size, attachment.added AS added
		FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id JOIN transaction_attachment attachment ON attachment.transaction_id = t.id
		WHERE a.user_id = $1 AND (t.id, attachment.file) > ($2, $3) ORDER BY t.id, attachment.file LIMIT $4`, []any{int64(-1), ""}},
	{"imported-files", `SELECT i.id AS key, i.account_id AS account, i.file_name AS file, i.format AS format, i.brought AS transactions, i.created AS imported, i.undone AS undone
		FROM account a CROSS JOIN statement_import i ON i.account_id = a.id WHERE a.user_id = $1 AND i.id > $2 ORDER BY i.id LIMIT $3`, byText},
	{"import-settings", `SELECT m.shape AS key, m.shape AS shape, m.settings AS "json settings"
		FROM import_mapping m WHERE m.user_id = $1 AND m.shape > $2 ORDER BY m.shape LIMIT $3`, byText},
	{"shares", `SELECT share.account_id AS key, COALESCE(share.reader_id, '') AS key, share.account_id AS account, reader.email AS "with", share.level AS level
		FROM account a CROSS JOIN account_share share ON share.account_id = a.id LEFT JOIN user reader ON reader.id = share.reader_id
		WHERE a.user_id = $1 AND (share.account_id, COALESCE(share.reader_id, '')) > ($2, $3) ORDER BY share.account_id, COALESCE(share.reader_id, '') LIMIT $4`,
		[]any{"", ""}},
	{"categories", `SELECT c.id AS key, c.id AS id, c.section AS "group", c.name AS name, c.archived AS "flag archived", c.merged_into AS merged_into
		FROM category c WHERE c.user_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`, byText},
	{"learned-categories", `SELECT l.kind AS key, l.outgoing AS key, l.lesson_key AS key, l.kind AS kind, l.outgoing AS "flag money_out", l.lesson_key AS of,
			l.category_id AS category
		FROM category_lesson l WHERE l.user_id = $1 AND (l.kind, l.outgoing, l.lesson_key) > ($2, $3, $4) ORDER BY l.kind, l.outgoing, l.lesson_key LIMIT $5`,
		[]any{"", int64(-1), ""}},
	{"rules", `SELECT rule.id AS key, rule.position AS position, rule.switched_off AS "flag off", rule.conditions AS "json conditions", rule.actions AS "json actions"
		FROM transaction_rule rule WHERE rule.user_id = $1 AND rule.id > $2 ORDER BY rule.id LIMIT $3`, byText},
	{"payee-names", `SELECT n.name_key AS key, n.was AS was, n.name AS name FROM counterparty_name n WHERE n.user_id = $1 AND n.name_key > $2 ORDER BY n.name_key LIMIT $3`,
		byText},
	{"recurring", `SELECT s.id AS key, s.name AS name, s.payee_key AS payee, s.choice AS choice, s.rhythm AS rhythm, s.first_day AS first_day, s.last_day AS last_day,
			s.row_count AS transactions, s.currency AS currency, s.usual AS "minor usual"
		FROM recurring_series s WHERE s.user_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`, byText},
	{"direct-debits", `SELECT d.transaction_id AS key, d.account_id AS account, t.identity || '-' || t.ordinal AS id, d.day AS day, d.creditor_id AS creditor_id,
			d.mandate AS mandate, d.party AS party, d.scheme AS scheme
		FROM account a CROSS JOIN direct_debit d ON d.account_id = a.id JOIN booked_transaction t ON t.id = d.transaction_id
		WHERE a.user_id = $1 AND d.transaction_id > $2 ORDER BY d.transaction_id LIMIT $3`, byID},
	{"direct-debit-findings", `SELECT f.id AS key, f.account_id AS account, t.identity || '-' || t.ordinal AS id, f.kind AS kind, f.found AS found, f.closed AS closed
		FROM account a CROSS JOIN debit_finding f ON f.account_id = a.id JOIN booked_transaction t ON t.id = f.transaction_id
		WHERE a.user_id = $1 AND f.id > $2 ORDER BY f.id LIMIT $3`, byText},
	{"budgets", `SELECT b.id AS key, b.id AS id, b.category_id AS category, b.section AS "group", b.currency AS currency, b.from_month AS from_month,
			b.until_month AS until_month, b.goal_minor AS "minor goal", b.goal_month AS goal_month
		FROM budget b WHERE b.user_id = $1 AND b.id > $2 ORDER BY b.id LIMIT $3`, byText},
	{"budget-amounts", `SELECT m.budget_id AS key, m.month AS key, m.budget_id AS budget, m.month AS month, m.minor AS "minor amount", b.currency AS currency
		FROM budget b CROSS JOIN budget_amount m ON m.budget_id = b.id WHERE b.user_id = $1 AND (m.budget_id, m.month) > ($2, $3) ORDER BY m.budget_id, m.month LIMIT $4`,
		byTexts},
	{"budget-carry-overs", `SELECT c.budget_id AS key, c.month AS key, c.budget_id AS budget, c.month AS month, c.remaining AS "flag what_is_left",
			c.overspent AS "flag what_was_overspent"
		FROM budget b CROSS JOIN budget_carry c ON c.budget_id = b.id WHERE b.user_id = $1 AND (c.budget_id, c.month) > ($2, $3) ORDER BY c.budget_id, c.month LIMIT $4`,
		byTexts},
	{"budget-moves", `SELECT m.id AS key, m.month AS month, m.from_id AS from_budget, m.to_id AS to_budget, m.minor AS "minor amount", b.currency AS currency
		FROM budget_move m JOIN budget b ON b.id = m.from_id WHERE m.user_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $3`, byText},
	{"budget-first-days", `SELECT d.from_month AS key, d.from_month AS from_month, d.first_day AS first_day
		FROM budget_first_day d WHERE d.user_id = $1 AND d.from_month > $2 ORDER BY d.from_month LIMIT $3`, byText},
	{"payees", `SELECT p.id AS key, p.name AS name, p.scheme AS scheme, p.number AS number, p.beneficiary AS "json beneficiary", p.favourite AS "flag favourite",
			p.created AS created, p.updated AS updated
		FROM payee p WHERE p.user_id = $1 AND p.id > $2 ORDER BY p.id LIMIT $3`, byText},
	{"payments", `SELECT p.id AS key, p.id AS id, p.account_id AS account, p.aspsp_name AS bank, p.country AS country, p.type AS type, p.title AS title,
			p.minor AS "minor amount", p.currency AS currency, p.phase AS phase, p.status AS status, p.final AS "flag final", p.reason_code AS reason_code,
			p.reason_text AS reason_text, p.reference AS reference, p.created AS created, p.sent AS sent, p.at_approved AS approved, p.at_arrived AS arrived,
			p.ended AS ended, p.request AS "json request"
		FROM payment p WHERE p.user_id = $1 AND p.id > $2 ORDER BY p.id LIMIT $3`, byText},
	{"payment-transfers", `SELECT part.payment_id AS key, part.position AS key, part.payment_id AS payment, part.payee AS payee, part.scheme AS scheme, part.number AS number,
			part.minor AS "minor amount", part.currency AS currency, part.end_to_end_id AS end_to_end_id, part.status AS status
		FROM payment p CROSS JOIN payment_transfer part ON part.payment_id = p.id WHERE p.user_id = $1 AND (part.payment_id, part.position) > ($2, $3)
		ORDER BY part.payment_id, part.position LIMIT $4`, []any{"", int64(-1)}},
	{"payment-events", `SELECT e.payment_id AS key, e.sequence AS key, e.payment_id AS payment, e.at AS at, e.kind AS kind, e.source AS source, e.status AS status,
			e.reason_code AS reason_code, e.detail AS detail
		FROM payment p CROSS JOIN payment_event e ON e.payment_id = p.id WHERE p.user_id = $1 AND (e.payment_id, e.sequence) > ($2, $3)
		ORDER BY e.payment_id, e.sequence LIMIT $4`, []any{"", int64(-1)}},
	{"payment-bookings", `SELECT held.booked_id AS key, held.payment_id AS key, held.payment_id AS payment, held.position AS position, t.account_id AS account, t.identity || '-' || t.ordinal AS id
		FROM account a CROSS JOIN booked_transaction t ON t.account_id = a.id JOIN payment_booking held ON held.booked_id = t.id
		WHERE a.user_id = $1 AND (held.booked_id, held.payment_id) > ($2, $3) ORDER BY held.booked_id, held.payment_id LIMIT $4`, []any{int64(-1), ""}},
	{"payment-files", `SELECT f.id AS key, f.payment_id AS key, f.id AS file, f.payment_id AS payment, f.filed AS filed
		FROM payment p CROSS JOIN payment_total f ON f.payment_id = p.id WHERE p.user_id = $1 AND (f.id, f.payment_id) > ($2, $3)
		ORDER BY f.id, f.payment_id LIMIT $4`, byTexts},
	{"payment-requests", `SELECT r.id AS key, payer.email AS asked, r.payee AS payee, r.iban AS iban, r.minor AS "minor amount", r.currency AS currency, r.text AS text,
			r.day AS day, r.note AS note, r.state AS state, r.answer AS answer, r.created AS created
		FROM payment_request r JOIN user payer ON payer.id = r.payer_id WHERE r.asker_id = $1 AND r.id > $2 ORDER BY r.id LIMIT $3`, byText},
	{"payment-requests-of-others", `SELECT r.id AS key, asker.email AS asked_by, r.payee AS payee, r.iban AS iban, r.minor AS "minor amount", r.currency AS currency,
			r.text AS text, r.day AS day, r.note AS note, r.state AS state, r.answer AS answer, r.created AS created
		FROM payment_request r JOIN user asker ON asker.id = r.asker_id WHERE r.payer_id = $1 AND r.id > $2 ORDER BY r.id LIMIT $3`, byText},
	{"saved-searches", `SELECT s.id AS key, s.kind AS kind, s.name AS name, s.text AS text, s.household AS "flag household", s.created AS created
		FROM saved_search s WHERE s.user_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`, byText},
	{"bulk-edits", `SELECT e.id AS key, e.state AS state, e.change AS "json change", e.search AS search, e.changed AS changed, e.begun AS begun, e.ended AS ended
		FROM bulk_edit e WHERE e.user_id = $1 AND e.id > $2 ORDER BY e.id LIMIT $3`, byText},
	{"exchange-rates", `SELECT r.id AS key, r.base AS base, r.quote AS quote, r.day AS day, r.value AS value
		FROM own_rate r WHERE r.user_id = $1 AND r.id > $2 ORDER BY r.id LIMIT $3`, byText},
	{"exchange-rates-from-files", `SELECT r.day AS key, r.day AS day, r.rates AS of_one_euro FROM reference_rate r WHERE r.user_id = $1 AND r.day > $2 ORDER BY r.day LIMIT $3`,
		byText},
	{"where-others-pay-you", `SELECT r.user_id AS key, r.name AS name, r.iban AS iban FROM receiving_account r WHERE r.user_id = $1 AND r.user_id > $2 ORDER BY r.user_id LIMIT $3`,
		byText},
	{"first-page", `SELECT d.card AS key, d.card AS card, d.place AS place, d.hidden AS "flag hidden" FROM dashboard_card d WHERE d.user_id = $1 AND d.card > $2
		ORDER BY d.card LIMIT $3`, byText},
	{"household", `SELECT h.user_id AS key, 1 AS "flag looks_at_the_household" FROM household_choice h WHERE h.user_id = $1 AND h.user_id > $2 ORDER BY h.user_id LIMIT $3`,
		byText},
	{"calendar", `SELECT c.user_id AS key, c.amounts AS "flag amounts", c.names AS "flag names", c.created AS created, c.asked AS last_read
		FROM calendar_address c WHERE c.user_id = $1 AND c.user_id > $2 ORDER BY c.user_id LIMIT $3`, byText},
	{"notification-settings", `SELECT s.user_id AS key, s.details AS "flag details", s.zone AS zone, s.quiet_from AS quiet_from, s.quiet_until AS quiet_until, s.cap AS cap,
			s.digest AS digest, s.above_minor AS "minor above", s.above_currency AS currency
		FROM alert_setting s WHERE s.user_id = $1 AND s.user_id > $2 ORDER BY s.user_id LIMIT $3`, byText},
	{"notification-channels", `SELECT c.kind AS key, c.kind AS kind, c.created AS created FROM alert_channel c WHERE c.user_id = $1 AND c.kind > $2 ORDER BY c.kind LIMIT $3`,
		byText},
	{"notification-choices", `SELECT s.kind AS key, s.channel AS key, s.kind AS kind, s.channel AS channel, s.chosen AS "flag chosen"
		FROM alert_switch s WHERE s.user_id = $1 AND (s.kind, s.channel) > ($2, $3) ORDER BY s.kind, s.channel LIMIT $4`, byTexts},
	{"notification-balances", `SELECT l.account_id AS key, l.account_id AS account, l.minor AS "minor below", l.currency AS currency
		FROM alert_line l WHERE l.user_id = $1 AND l.account_id > $2 ORDER BY l.account_id LIMIT $3`, byText},
	{"notification-searches", `SELECT s.search_id AS key, s.search_id AS search FROM alert_search s WHERE s.user_id = $1 AND s.search_id > $2 ORDER BY s.search_id LIMIT $3`,
		byText},
	{"notifications", `SELECT n.id AS key, n.kind AS kind, n.created AS created, n.facts AS "json facts" FROM alert n WHERE n.user_id = $1 AND n.id > $2 ORDER BY n.id LIMIT $3`,
		byText},
	{"notices", `SELECT n.id AS key, n.kind AS kind, n.name AS name, n.created AS created, n.closed AS closed
		FROM notice n WHERE n.user_id = $1 AND n.id > $2 ORDER BY n.id LIMIT $3`, byText},
	{"sign-ins", `SELECT s.id AS key, s.device AS device, s.network AS network, s.method AS method, s.created AS created, s.last_seen AS last_seen, s.revoked AS ended
		FROM user_session s WHERE s.user_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`, byText},
	{"passkeys", `SELECT p.id AS key, p.name AS name, p.site AS site, p.created AS created, p.last_used AS last_used
		FROM passkey p WHERE p.user_id = $1 AND p.id > $2 ORDER BY p.id LIMIT $3`, byText},
	{"authenticator-apps", `SELECT app.id AS key, app.name AS name, app.created AS created, app.last_used AS last_used
		FROM authenticator app WHERE app.user_id = $1 AND app.id > $2 ORDER BY app.id LIMIT $3`, byText},
	{"sign-in-provider", `SELECT i.issuer AS key, i.issuer AS provider, i.subject AS subject, i.created AS created, i.used AS last_used
		FROM openid_identity i WHERE i.user_id = $1 AND i.issuer > $2 ORDER BY i.issuer LIMIT $3`, byText},
	{"invitations", `SELECT i.id AS key, i.name AS for_whom, i.role AS role, i.created AS created, i.expires AS expires, i.used AS used, i.withdrawn AS withdrawn
		FROM invitation i WHERE i.user_id = $1 AND i.id > $2 ORDER BY i.id LIMIT $3`, byText},
}

// TakeoutParts lists what a person takes along beside the transactions themselves, the shared expenses, and the attached files.
func TakeoutParts() []TakeoutPart { return takeout }

// Takeout yields the rows of a part that are the user's, as JSON objects on one line each, or an error as the last. It holds a page of them at a time.
func (s *Store) Takeout(ctx context.Context, userID string, part TakeoutPart) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for from := part.from; ; {
			page, next, err := s.takeoutPage(ctx, userID, part, from)
			if err != nil {
				doing("read what a person takes along", &err)
				yield(nil, err)
				return
			}
			for _, row := range page {
				if !yield(row, nil) {
					return
				}
			}
			if len(page) < takeoutRows {
				return
			}
			from = next
		}
	}
}

func (s *Store) takeoutPage(ctx context.Context, userID string, part TakeoutPart, from []any) (page [][]byte, last []any, err error) {
	rows, err := s.db.Read().QueryContext(ctx, part.query, append(append([]any{userID}, from...), takeoutRows)...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, nil, err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		last = append([]any(nil), values[:len(from)]...)
		row, err := takeoutRow(names[len(from):], values[len(from):])
		if err != nil {
			return nil, nil, err
		}
		page = append(page, row)
	}
	return page, last, rows.Err()
}

// takeoutRow is a row as a JSON object, with its columns in their order.
func takeoutRow(names []string, values []any) ([]byte, error) {
	currency := ""
	for i, name := range names {
		if text, is := values[i].(string); is && name == "currency" {
			currency = text
		}
	}
	line := []byte{'{'}
	for i, name := range names {
		value := values[i]
		kind, called, typed := strings.Cut(name, " ")
		number, isNumber := value.(int64)
		text, isText := value.(string)
		switch {
		case value == nil, isText && text == "":
			continue
		case !typed:
			called = name
		case kind == "flag":
			value = number != 0
		case kind == "minor" && isNumber:
			value = money.FromMinor(number, currency).String()
		case kind == "json" && json.Valid([]byte(text)):
			value = json.RawMessage(text)
		}
		key, err := json.Marshal(called)
		if err != nil {
			return nil, err
		}
		content, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(append(append(line, key...), ':'), content...)
	}
	return append(line, '}'), nil
}

// TakeoutFiles returns the files that the user keeps with transactions, each once, behind an id, in order; at most a page of them.
func (s *Store) TakeoutFiles(ctx context.Context, userID, after string) (_ []finance.Attachment, err error) {
	defer doing("read attached files", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (a finance.Attachment, err error) {
		var added sqlite.Time
		err = row.Scan(&a.ID, &a.Name, &a.Type, &a.Size, &added)
		a.Added = added.Time
		return a, err
	}, `SELECT attachment.file, MIN(attachment.name), MIN(attachment.type), MIN(attachment.size), MIN(attachment.added) FROM account a
		CROSS JOIN booked_transaction t ON t.account_id = a.id JOIN transaction_attachment attachment ON attachment.transaction_id = t.id
		WHERE a.user_id = $1 AND attachment.file > $2 GROUP BY attachment.file ORDER BY attachment.file LIMIT $3`, userID, after, takeoutRows)
}
