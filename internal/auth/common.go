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

// commonPasswords is a compressed list of 49,193 passwords that attackers try first, in lower case, one per line. They are from the npm package
// @zxcvbn-ts/language-common, whose licence (MIT) is at the top. tools/commonpasswords makes the file.
//
//go:embed common.gz
var commonPasswords []byte

// ours are words that attackers of a Florin would try first, and well-known ones that the list lacks.
var ours = []string{"florin", "mybankaccount", "bankaccount", "correcthorsebatterystaple", "contraseña", "lösenord"}

// rows are sequences of characters in the alphabet or on a keyboard.
var rows = []string{"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop[]", "qwertzuiopü", "azertyuiop", "asdfghjkl;'", "asdfghjklöä", "qsdfghjklm",
	"zxcvbnm,./", "yxcvbnm,.-", "!@#$%^&*()"}

// mostDecoration is the largest number of digits and signs around a common password that do not make it a different one, unless they are a common password
// themselves.
const mostDecoration = 6

// leet replaces digits and signs by the letters that they can stand for.
var leet = []*strings.Replacer{
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t"),
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "l", "!", "l", "0", "o", "$", "s", "5", "s", "7", "t"),
}

// common reports whether a password, in lower case, is among those that attackers try first: a listed one, also with digits and signs before or after it or
// in place of letters; two listed ones side by side; a repeated piece; a sequence of neighbouring characters.
func common(lower string) bool {
	if repeats(lower) || inARow(lower) {
		return true
	}
	type guess struct{ word, decoration string } // an empty decoration need not be listed
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

// findCommon sets the listed words to true. It reads the whole list each time, which takes some milliseconds: passwords are rarely chosen, and so the list
// uses no memory.
func findCommon(words map[string]bool) {
	for _, word := range ours {
		if _, asked := words[word]; asked {
			words[word] = true
		}
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(commonPasswords))
	if err != nil {
		panic("auth: common.gz is damaged: " + err.Error()) // the file is part of the program
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

// repeats reports whether the text is a repeated short piece, such as "abcabcabcabc", or a longer piece two or three times.
func repeats(text string) bool {
	for n := 1; n <= min(32, len(text)/2); n++ {
		if (n <= 4 || len(text) <= 3*n) && strings.Repeat(text[:n], len(text)/n+1)[:len(text)] == text {
			return true
		}
	}
	return false
}

// inARow reports whether the text is part of a sequence of characters, forwards or backwards, such as "23456789" and "poiuytrewq".
func inARow(text string) bool {
	if len(text) < 3 {
		return false
	}
	backwards := []rune(text)
	slices.Reverse(backwards)
	return slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, text) || strings.Contains(row, string(backwards)) })
}
