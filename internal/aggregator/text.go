package aggregator

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// maxURL is the largest length of an address that a client gives, in bytes (our decision; webhook_url: api-notes 3).
const maxURL = 2083

// WebURL reads an absolute address of the web without a user. problem completes the sentence that the name of its field begins,
// empty when there is none.
func WebURL(text string) (u *url.URL, problem string) {
	if len(text) > maxURL {
		return nil, "is longer than " + strconv.Itoa(maxURL) + " characters"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }):
		return nil, "is not a URL"
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "":
		return nil, "must be an absolute URL that begins with https://"
	case u.User != nil:
		return nil, "must hold no user name or password"
	}
	return u, ""
}

// Trimmed is an optional text without white space round it, empty when there is none.
func Trimmed(s *string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(*s)
}

// Printable is a text of a stranger, fit to be shown: printable, and no longer than limit characters.
func Printable(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit])
	}
	return text
}
