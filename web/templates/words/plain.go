package words

import (
	"strings"
	"unicode"
)

// maxMarks is how many marks may stand on one letter: more would reach into the lines above and below.
const maxMarks = 3

// Plain returns a text from elsewhere with a sign in the place of every character that is not seen, or that rearranges what
// is: controls, directions, joiners, fillers, private ones. So no text can make another one seem to stand there.
func Plain(text string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case unicode.Is(unicode.White_Space, r) && r != '\u2028' && r != '\u2029':
			return ' '
		case !unicode.IsPrint(r), marks > maxMarks, hidden(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// hidden reports whether a character that counts as printed is blank all the same.
func hidden(r rune) bool {
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || r == '\u2800' // BRAILLE PATTERN BLANK
}
