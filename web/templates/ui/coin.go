package ui

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
)

// coinHues is the number of .hue-N classes in the style sheet.
const coinHues = 12

// coinHue picks the colour of a name; the same name always gets the same one.
func coinHue(name string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // a hash never fails to write
	return "hue-" + strconv.Itoa(int(sum.Sum32()%coinHues))
}

// coinWords are left out of initials, they tell banks apart badly.
var coinWords = map[string]bool{"bank": true, "banka": true, "banco": true, "banque": true, "the": true, "of": true, "de": true, "la": true, "of.": true, "und": true, "and": true, "&": true}

// Initials returns one to three upper-case letters or digits for a name: "Mock ASPSP" gives "MA", "N26" gives "N26".
// A name without a letter or digit gives "·".
func Initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' })
	var telling []string
	for _, word := range words {
		if !coinWords[strings.ToLower(word)] {
			telling = append(telling, word)
		}
	}
	if len(telling) == 0 {
		telling = words
	}
	if len(telling) == 0 {
		return "·"
	}
	if len(telling) == 1 {
		letters := []rune(telling[0])
		if short := string(letters); len(letters) <= 3 && strings.ToUpper(short) == short {
			return short
		}
		return string(unicode.ToUpper(letters[0]))
	}
	first, second := []rune(telling[0])[0], []rune(telling[1])[0]
	return string([]rune{unicode.ToUpper(first), unicode.ToUpper(second)})
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
