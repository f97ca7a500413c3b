package auth

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commonPasswords are 49,193 passwords that are tried first, in lower case, each in a line of its own, compressed. They are those of the npm package
// @zxcvbn-ts/language-common, whose licence (MIT) stands at the top. tools/commonpasswords makes the file.
//
//go:embed common.gz
var commonPasswords []byte

// ours are words that are tried first here, and some that everybody knows and the list lacks.
var ours = []string{"florin", "mybankaccount", "bankaccount", "correcthorsebatterystaple", "contraseña", "lösenord"}

// rows are characters that stand in a row, in the alphabet or on a keyboard.
var rows = []string{"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop[]", "qwertzuiopü", "azertyuiop", "asdfghjkl;'", "asdfghjklöä", "qsdfghjklm",
	"zxcvbnm,./", "yxcvbnm,.-", "!@#$%^&*()"}

// mostDecoration is how many digits and signs round a common password make no other one of it, unless they are one themselves.
const mostDecoration = 6

// leet are readings of digits and signs that stand for letters.
var leet = []*strings.Replacer{
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t"),
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "l", "!", "l", "0", "o", "$", "s", "5", "s", "7", "t"),
}

// common reports whether a password, in lower case, is among those that are tried first: a listed one, also with digits and signs before or after it
// or in place of letters; two listed ones side by side; a piece that is repeated; characters that stand in a row.
func common(lower string) bool {
	if repeats(lower) || inARow(lower) {
		return true
	}
	type guess struct{ word, decoration string } // decoration need not be listed when it is empty
	guesses := []guess{{word: lower}}
	for _, cutset := range []func(rune) bool{notLetter, unicode.IsDigit} {
		front := strings.TrimLeftFunc(lower, cutset)
		for _, part := range []struct{ word, decoration string }{
			{strings.TrimRightFunc(lower, cutset), lower[len(strings.TrimRightFunc(lower, cutset)):]},
			{front, lower[:len(lower)-len(front)]},
			{strings.TrimRightFunc(front, cutset), lower[:len(lower)-len(front)] + front[len(strings.TrimRightFunc(front, cutset)):]},
		} {
			if utf8.RuneCountInString(part.decoration) <= mostDecoration {
				part.decoration = ""
			}
			if len(part.word) >= 4 || repeats(part.word) || inARow(part.word) {
				guesses = append(guesses, guess(part))
			}
		}
	}
	for _, g := range slices.Clone(guesses) {
		for _, l := range leet {
			guesses = append(guesses, guess{l.Replace(g.word), g.decoration})
		}
	}
	for i := 4; i <= len(lower)-4; i++ {
		guesses = append(guesses, guess{lower[:i], lower[i:]}) // two words
	}
	listed := map[string]bool{}
	for _, g := range guesses {
		listed[g.word], listed[g.decoration] = false, false
	}
	findCommon(listed)
	listed[""] = true
	return slices.ContainsFunc(guesses, func(g guess) bool {
		return (listed[g.word] || repeats(g.word) || inARow(g.word)) && (listed[g.decoration] || inARow(g.decoration) || repeats(g.decoration))
	})
}

// findCommon sets the words that are listed to true. It reads the whole list each time, which takes some milliseconds: passwords are chosen rarely, and
// nothing of the list stays in memory.
func findCommon(words map[string]bool) {
	for _, word := range ours {
		if _, asked := words[word]; asked {
			words[word] = true
		}
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(commonPasswords))
	if err != nil {
		panic("auth: common.gz is damaged: " + err.Error()) // a part of the program
	}
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() {
		if _, asked := words[string(lines.Bytes())]; asked {
			words[lines.Text()] = true
		}
	}
	if err := lines.Err(); err != nil {
		panic("auth: common.gz is damaged: " + err.Error())
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// repeats reports whether the text is one short piece again and again, such as "abcabcabcabc", or a longer one two or three times.
func repeats(text string) bool {
	for n := 1; n <= min(32, len(text)/2); n++ {
		if (n <= 4 || len(text) <= 3*n) && strings.Repeat(text[:n], len(text)/n+1)[:len(text)] == text {
			return true
		}
	}
	return false
}

// inARow reports whether the text is characters that stand in a row, forwards or backwards, such as "23456789" and "poiuytrewq".
func inARow(text string) bool {
	if len(text) < 3 {
		return false
	}
	backwards := []rune(text)
	slices.Reverse(backwards)
	return slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, text) || strings.Contains(row, string(backwards)) })
}
