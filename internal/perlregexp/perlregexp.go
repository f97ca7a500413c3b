// Package perlregexp reads Perl-compatible regular expressions, which the templates of credentials are (spec: Credential). Package
// regexp of the standard library does not know all of them: lookaheads and lookbehinds, references to groups, atomic groups.
package perlregexp

import (
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Timeout is how long one Match takes at most: an expression can be written so that it takes more than anybody has.
const Timeout = 100 * time.Millisecond

// Expression is a regular expression that was read. It is safe for concurrent use.
type Expression struct{ compiled *regexp2.Regexp }

// Compile reads an expression. What Perl has and this does not (recursion, possessive quantifiers, \K, \Q, \h, verbs such as (*SKIP))
// is an error that says where it stands, as is what Perl refuses too.
func Compile(text string) (Expression, error) {
	compiled, err := regexp2.Compile(text, regexp2.None)
	if err != nil {
		return Expression{}, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	compiled.MatchTimeout = Timeout
	return Expression{compiled}, nil
}

// Match reports whether the expression matches somewhere in the value. A value that takes longer than Timeout does not.
func (e Expression) Match(value string) bool {
	ok, err := e.compiled.MatchString(value)
	return ok && err == nil
}
