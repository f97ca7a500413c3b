package ui

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// coinHues is the number of .hue-N classes in the style sheet.
const coinHues = 12

// coinHue picks the colour of a name; the same name always gets the same one.
func coinHue(name string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // a hash never fails to write
	return "hue-" + strconv.Itoa(int(sum.Sum32()%coinHues))
}

// coinWords are left out of initials where something more telling is there.
var coinWords = map[string]bool{
	"and": true, "d": true, "da": true, "de": true, "dell": true, "della": true, "des": true, "do": true, "du": true, "l": true,
	"la": true, "le": true, "of": true, "the": true, "und": true,
}

// Initials returns one to three letters or digits for a name: "Mock ASPSP" gives "MA", "Bank of the Moors" "BM",
// "Fjordbanken" "Fj", "N26" "N26". A name without a letter or digit gives "·".
func Initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	telling := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return coinWords[strings.ToLower(word)] })
	if len(telling) == 0 {
		telling = words
	}
	switch len(telling) {
	case 0:
		return "·"
	case 1:
		letters := []rune(telling[0])
		if len(letters) > 3 || len(letters) == 3 && strings.ToUpper(telling[0]) != telling[0] {
			letters = letters[:2]
		}
		letters[0] = unicode.ToUpper(letters[0])
		return string(letters)
	default:
		first, _ := utf8.DecodeRuneInString(telling[0])
		second, _ := utf8.DecodeRuneInString(telling[1])
		return string([]rune{unicode.ToUpper(first), unicode.ToUpper(second)})
	}
}

func coinClass(size string, initials string) string {
	class := "coin"
	if size != "" {
		class += " coin-" + size
	}
	if len([]rune(initials)) == 3 {
		class += " coin-3"
	}
	return class
}
