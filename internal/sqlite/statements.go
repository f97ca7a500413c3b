package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
)

// maxStatements is the largest number of prepared statements that one connection keeps.
const maxStatements = 256

// connector makes connections that prepare each SQL text once and keep the statement: preparing costs more than running most of Florin's queries. Statements
// are kept by their text, so values must be parameters and never part of the text.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := inner.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: the driver lacks a method that the statement cache needs"), inner.Close())
	}
	return &conn{driverConn: full, idle: map[string]*statement{}}, nil
}

// driverConn lists the methods of the driver's connections that database/sql uses.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// conn is one connection with its prepared statements. database/sql never uses a connection in two goroutines at once.
type conn struct {
	driverConn
	idle  map[string]*statement // statements not in use, by SQL text
	clock uint64                // counts uses, to find the statement that was unused longest
}

type statement struct {
	driver.Stmt
	used uint64
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !repeatable(query) {
		return c.driverConn.ExecContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	return result, c.give(query, s, err)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !repeatable(query) {
		return c.driverConn.QueryContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, c.give(query, s, err)
	}
	return &rows{Rows: r, conn: c, query: query, statement: s}, nil
}

// Close closes the statements, then the connection.
func (c *conn) Close() error {
	var errs []error
	for query, s := range c.idle {
		delete(c.idle, query)
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.driverConn.Close())...)
}

// take returns a statement for query. While it is in use, the same text gets another one.
func (c *conn) take(ctx context.Context, query string) (*statement, error) {
	if s, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return s, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &statement{Stmt: s}, nil
}

// give puts the statement back after use. After an error it closes the statement instead, so that nothing of the failure remains. It returns err.
func (c *conn) give(query string, s *statement, err error) error {
	if _, taken := c.idle[query]; taken || err != nil {
		return errors.Join(err, s.Close())
	}
	if len(c.idle) >= maxStatements {
		if err := c.evict(); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	c.clock++
	s.used = c.clock
	c.idle[query] = s
	return nil
}

// evict closes the statement that was unused longest.
func (c *conn) evict() error {
	var oldest string
	first := uint64(0)
	for query, s := range c.idle {
		if first == 0 || s.used < first {
			oldest, first = query, s.used
		}
	}
	s := c.idle[oldest]
	delete(c.idle, oldest)
	return s.Close()
}

// rows puts its statement back when it is closed.
type rows struct {
	driver.Rows
	conn      *conn
	query     string
	statement *statement
	closed    bool
}

func (r *rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	return r.conn.give(r.query, r.statement, r.Rows.Close())
}

// repeatable reports whether a statement is worth keeping: reads and changes of rows are; others (schema, settings) run once.
func repeatable(query string) bool {
	query = strings.TrimLeft(query, " \t\r\n")
	for _, verb := range [...]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"} {
		if len(query) > len(verb) && strings.EqualFold(query[:len(verb)], verb) {
			return true
		}
	}
	return false
}
