package show

import (
	"strings"
)

func UpperFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Dot ends a sentence that has no end yet.
func Dot(s string) string {
	if strings.HasSuffix(s, ".") {
		return ""
	}
	return "."
}

func LowerFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Sentence makes a sentence of an error's text.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
