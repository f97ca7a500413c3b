package shell

import (
	"net/url"
	"strings"
	"unicode"
)

// OwnPage returns text when a form or an address may lead there afterwards (security T13): the plain path of a page of this app for signed-in users. It
// returns "" for anything else. isPage reports whether a path is such a page.
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
