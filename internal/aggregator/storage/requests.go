package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

const (
	requestColumns = `application_id, at, request_id, endpoint, resource, status, error, aspsp_name, aspsp_country, latency,
		authorization_id, session_id, session_status, psu_type, auth_approach, auth_method, bank_calls, bank_failures, bank_log`
	requestColumnCount = 19
)

// requestsAtOnce are the numbers of rows that one statement inserts, the most first: that costs a third of as many statements. There are few of them,
// since a connection prepares each text once.
var requestsAtOnce = []int{64, 8, 1}

// AddRequests stores a batch of calls, all or none.
func (s *Store) AddRequests(ctx context.Context, batch []aggregator.Request) error {
	if len(batch) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for rest := batch; len(rest) > 0; {
			n := requestsAtOnce[slices.IndexFunc(requestsAtOnce, func(n int) bool { return n <= len(rest) })]
			chunk := rest[:n]
			rest = rest[n:]
			args := make([]any, 0, len(chunk)*requestColumnCount)
			for _, r := range chunk {
				failed, log := 0, ""
				if len(r.BankCalls) > 0 {
					text, err := json.Marshal(r.BankCalls)
					if err != nil {
						return fmt.Errorf("store requests: %w", err)
					}
					log = string(text)
				}
				for _, c := range r.BankCalls {
					if c.Failed() {
						failed++
					}
				}
				args = append(args, r.ApplicationID, sqlite.At(r.At), r.ID, r.Endpoint, r.Resource, r.Status, r.Error, r.ASPSP.Name, r.ASPSP.Country,
					r.Latency.Microseconds(),
					r.AuthorizationID, r.SessionID, r.SessionStatus, r.PSUType, r.AuthApproach, r.AuthMethod, len(r.BankCalls), failed, log)
			}
			if _, err := tx.ExecContext(ctx, insertRequests(len(chunk)), args...); err != nil {
				return fmt.Errorf("store requests: %w", err)
			}
		}
		return nil
	})
}

// insertRequests is the statement for so many rows. Its parameters have no numbers: SQLite takes those for names, and looks each
// of them up in a list of all.
func insertRequests(rows int) string {
	row := "(?" + strings.Repeat(", ?", requestColumnCount-1) + ")"
	return "INSERT INTO request_log (" + requestColumns + ") VALUES " + row + strings.Repeat(", "+row, rows-1)
}

// Requests returns the calls that pass the filter, the newest first. Nothing passes without an application.
func (s *Store) Requests(ctx context.Context, f aggregator.RequestFilter) ([]aggregator.Request, error) {
	if len(f.ApplicationIDs) == 0 {
		return nil, nil
	}
	var args []any
	parameter := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	ids := make([]string, len(f.ApplicationIDs))
	for i, id := range f.ApplicationIDs {
		ids[i] = parameter(id)
	}
	where := []string{"application_id IN (" + strings.Join(ids, ", ") + ")"}
	for _, equal := range []struct{ column, value string }{
		{"request_id", f.ID}, {"endpoint", f.Endpoint}, {"error", f.Error}, {"aspsp_country", f.Country}, {"aspsp_name", f.Bank},
		{"authorization_id", f.AuthorizationID}, {"session_status", string(f.SessionStatus)}, {"psu_type", string(f.PSUType)},
		{"auth_approach", string(f.AuthApproach)}, {"auth_method", f.AuthMethod},
	} {
		if equal.value != "" {
			where = append(where, equal.column+" = "+parameter(equal.value))
		}
	}
	for _, path := range []struct{ id, under string }{{f.AccountID, "/accounts/"}, {f.PaymentID, "/payments"}} {
		if path.id != "" {
			where = append(where, "resource = "+parameter(path.id)+" AND endpoint LIKE "+parameter("% "+path.under+"%"))
		}
	}
	if f.SessionID != "" { // rows from before have it only in the path
		id := parameter(f.SessionID)
		where = append(where, "(session_id = "+id+" OR resource = "+id+")")
	}
	if f.Resource != "" {
		id := parameter(f.Resource)
		where = append(where, "(resource = "+id+" OR session_id = "+id+" OR authorization_id = "+id+")")
	}
	if f.StatusFrom > 0 {
		where = append(where, "status >= "+parameter(f.StatusFrom))
	}
	if f.StatusTo > 0 {
		where = append(where, "status <= "+parameter(f.StatusTo))
	}
	if !f.From.IsZero() {
		where = append(where, "at >= "+parameter(sqlite.At(f.From)))
	}
	if !f.Before.At.IsZero() {
		at, id := parameter(sqlite.At(f.Before.At)), parameter(f.Before.ID)
		where = append(where, "(at, request_id) < ("+at+", "+id+")")
	}
	rows, err := s.db.Read().QueryContext(ctx, `SELECT `+requestColumns+` FROM request_log WHERE `+strings.Join(where, " AND ")+`
		ORDER BY at DESC, request_id DESC LIMIT `+parameter(f.Limit), args...)
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	defer rows.Close()
	var list []aggregator.Request
	for rows.Next() {
		var r aggregator.Request
		var at sqlite.Time
		var latency int64
		var made, failed int
		var log string
		if err := rows.Scan(&r.ApplicationID, &at, &r.ID, &r.Endpoint, &r.Resource, &r.Status, &r.Error, &r.ASPSP.Name, &r.ASPSP.Country, &latency,
			&r.AuthorizationID, &r.SessionID, &r.SessionStatus, &r.PSUType, &r.AuthApproach, &r.AuthMethod, &made, &failed, &log); err != nil {
			return nil, fmt.Errorf("read request: %w", err)
		}
		if log != "" {
			if err := json.Unmarshal([]byte(log), &r.BankCalls); err != nil {
				return nil, fmt.Errorf("read calls to the bank: %w", err)
			}
		}
		r.At, r.Latency = at.Time, time.Duration(latency)*time.Microsecond
		list = append(list, r)
	}
	return list, rows.Err()
}

// BankCalls counts the calls to banks since a moment, of all applications.
func (s *Store) BankCalls(ctx context.Context, since time.Time) ([]aggregator.BankCalls, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT aspsp_country, aspsp_name, psu_type, sum(bank_calls), sum(bank_failures)
		FROM request_log WHERE at >= $1 AND bank_calls > 0 GROUP BY aspsp_country, aspsp_name, psu_type`, sqlite.At(since))
	if err != nil {
		return nil, fmt.Errorf("count calls to banks: %w", err)
	}
	defer rows.Close()
	var list []aggregator.BankCalls
	for rows.Next() {
		var c aggregator.BankCalls
		if err := rows.Scan(&c.ASPSP.Country, &c.ASPSP.Name, &c.PSUType, &c.Made, &c.Failed); err != nil {
			return nil, fmt.Errorf("count calls to a bank: %w", err)
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// PruneRequests removes calls of an application from before the time, and all but the newest keep of them, at most limit
// at a time. It reports whether there is more to remove.
func (s *Store) PruneRequests(ctx context.Context, applicationID string, before time.Time, keep, limit int) (more bool, err error) {
	var edge sqlite.NullTime // of the newest call that is too many
	err = s.db.Read().QueryRowContext(ctx, `SELECT max(at) FROM (SELECT at FROM request_log WHERE application_id = $1
		ORDER BY at DESC, request_id DESC LIMIT 1 OFFSET $2) AS surplus`, applicationID, keep).Scan(&edge)
	if err := found(err, "look for requests to remove"); err != nil {
		return false, err
	}
	if edge.After(before) {
		before = edge.Time
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM request_log WHERE application_id = $1 AND (at, request_id) IN
			(SELECT at, request_id FROM request_log WHERE application_id = $1 AND at <= $2 ORDER BY at, request_id LIMIT $3)`,
			applicationID, sqlite.At(before), limit)
		if err != nil {
			return fmt.Errorf("remove requests: %w", err)
		}
		n, err := result.RowsAffected()
		more = n == int64(limit)
		return err
	})
	return more, err
}

// LoggedApplications returns the ids of the applications that have calls in the log.
func (s *Store) LoggedApplications(ctx context.Context) ([]string, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT id FROM application
		WHERE EXISTS (SELECT 1 FROM request_log WHERE application_id = application.id) ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("read applications with requests: %w", err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("read application with requests: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
