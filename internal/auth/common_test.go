package auth

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/testkit"
)

// Passwords that everybody knows are refused, in any case (ASVS 6.2.4), and so are listed ones with digits and signs round them or in place of letters.
func TestWellKnownPasswordsAreRefused(t *testing.T) {
	testkit.Unwatched(t)
	text, err := os.ReadFile("testdata/wellknown.txt")
	check(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		word := strings.TrimSpace(line)
		for _, password := range []string{word, strings.ToUpper(word), strings.ToUpper(word[:1]) + word[1:]} {
			n++
			var problem *PasswordError
			if err := CheckPassword(finance.Secret(password), "mira@example.org"); !errors.As(err, &problem) {
				t.Errorf("%q is taken", password)
			}
		}
	}
	if n < 400 {
		t.Errorf("only %d were tried", n)
	}
}

// What is long and of one's own is taken, although a part of it is listed.
func TestUncommonPasswordsAreTaken(t *testing.T) {
	testkit.Unwatched(t)
	for _, password := range []string{
		"correct pony battery", "my password is long", "sunshine over helsinki", "Kaffee um halb neun", "dragon 83-11-29-57", "umbrella4chestnut",
		"þetta er lykilorð", "password of the hedgehog",
		"x9$Lq2!vTzRw", "monkey71930486", "trompe l'œil 12",
	} {
		if err := CheckPassword(finance.Secret(password), "mira@example.org"); err != nil {
			t.Errorf("%q: %v", password, err)
		}
	}
}

// The list holds at least ten thousand passwords, in the form in which they are compared, behind the notice that its licence asks for.
func TestListOfCommonPasswords(t *testing.T) {
	unpacked, err := gzip.NewReader(bytes.NewReader(commonPasswords))
	check(t, err)
	text, err := io.ReadAll(unpacked)
	check(t, err)
	notice := strings.Count(string(text), "\n# ")
	if !strings.HasPrefix(string(text), "# @zxcvbn-ts/language-common ") ||
		!strings.Contains(string(text), "# Permission is hereby granted, free of charge") || notice < 15 {
		t.Error("the notice is missing")
	}
	words, last := 0, ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		word := lines.Text()
		if strings.HasPrefix(word, "#") && words == 0 {
			continue
		}
		words++
		if word != strings.ToLower(word) || word <= last {
			t.Fatalf("%q after %q", word, last)
		}
		last = word
	}
	if words < 10_000 {
		t.Errorf("%d passwords", words)
	}
}

// Nothing of the list stays in memory: a check reads it in some milliseconds.
func BenchmarkCheckPassword(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = CheckPassword("correct pony battery", "mira@example.org")
	}
}
