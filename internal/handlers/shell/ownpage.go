package shell

import (
	"net/url"
	"strings"
	"unicode"
)

// OwnPage checks where a form or an address wants to go afterwards (security T13): only to a page of this app for people who are signed in, written as a plain
// path. Anything else is "". isPage reports whether a path is such a page.
func OwnPage(isPage func(path string) bool, text string) string {
	strange := func(r rune) bool { return r == '\\' || unicode.IsControl(r) || unicode.IsSpace(r) }
	if len(text) > 1000 || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsFunc(text, strange) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsFunc(u.Path, strange) || !isPage(u.Path) {
		return ""
	}
	return u.RequestURI()
}
