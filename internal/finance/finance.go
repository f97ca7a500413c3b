// Package finance is the domain of the web app, without any I/O: users, providers, connections, accounts, balances,
// transactions, and the rules by which what a bank sends today is recognised as what it sent before; payments and payees, and how a
// payment stands, in facts: package show words them.
package finance

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
)

// ErrNotFound says that there is no such thing among the things of this user. Another user's is not found either.
var ErrNotFound = errors.New("not found")

// NewID makes the id of a new row: 26 letters and digits, 130 random bits.
func NewID() string { return rand.Text() }

// Secret is a text that must not reach a log, a page or an error by accident: printed in any way it is "[secret]".
type Secret string

const redacted = "[secret]"

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the text.
func (s Secret) String() string { return redacted }

// Format hides the text from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue hides the text from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the text from encoders, JSON among them.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
