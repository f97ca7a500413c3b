package categories

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
)

// The lists are searched in the embedded text, so that they need no further memory. Each consists of sorted lines of a key, a tab and a value.
var (
	//go:embed merchants.txt
	merchants string
	//go:embed mcc.txt
	merchantCodes string
	//go:embed words.txt
	words string
)

// lookup returns the value of a key in sorted lines; "" when it is missing.
func lookup(lines, key string) string {
	n := sort.Search(len(lines), func(i int) bool { // reports whether the first line that begins at or after i is not before the key
		at := lineAfter(lines, i)
		name, _, _ := strings.Cut(lines[at:], "\t")
		return at == len(lines) || name >= key
	})
	at := lineAfter(lines, n)
	if rest, ok := strings.CutPrefix(lines[at:], key+"\t"); ok {
		value, _, _ := strings.Cut(rest, "\n")
		return value
	}
	return ""
}

// lineAfter returns the start of the first line that begins at or after i.
func lineAfter(lines string, i int) int {
	if i == 0 {
		return 0
	}
	if end := strings.IndexByte(lines[i-1:], '\n'); end >= 0 {
		return i + end
	}
	return len(lines)
}

// fillers are words after the name of a chain that do not change which chain it is.
var fillers = map[string]bool{"deutschland": true, "germany": true, "osterreich": true, "austria": true, "france": true, "espana": true, "spain": true, "italia": true,
	"italy": true, "nederland": true, "netherlands": true, "sverige": true, "sweden": true, "suomi": true, "finland": true, "polska": true, "poland": true,
	"uk": true, "europe": true, "international": true, "filiale": true, "markt": true, "market": true, "supermarkt": true, "online": true, "shop": true, //nolint:misspell // German
	"store": true, "stores": true, "retail": true, "vertrieb": true, "service": true, "services": true, "kundenservice": true, "energie": true,
	"energy": true, "versicherung": true, "telekom": true, "mobile": true, "com": true, "de": true, "fr": true, "es": true, "it": true, "nl": true, "fi": true,
	"se": true, "pl": true, "at": true, "be": true, "ch": true, "dienstleistungs": true, "handels": true, "group": true}

// longest is the largest number of words of a name that are looked up.
const longest = 5

// merchant returns the category of a name in the list of merchants, and the listed name: the longest beginning of the name that is listed. In a transfer
// (whole) the full name must be listed, apart from fillers, because a person may have the name of a shop. The same holds for a single very short word.
func merchant(key, country string, whole bool) (category, name string) {
	parts := strings.Fields(key)
	for n := min(len(parts), longest); n > 0; n-- {
		name := strings.Join(parts[:n], " ")
		rest := parts[n:]
		if (whole || len(name) < 4 && n == 1) && !allFillers(rest) {
			continue
		}
		if category := inCountry(lookup(merchants, name), country); category != "" {
			return category, name
		}
	}
	return "", ""
}

func allFillers(words []string) bool {
	for _, w := range words {
		if !fillers[w] && !legalForms[w] {
			return false
		}
	}
	return true
}

// inCountry returns the part of a value such as "cz:fuel,*:groceries" that applies in a country.
func inCountry(value, country string) string {
	if !strings.Contains(value, ":") {
		return value
	}
	country, everywhere := strings.ToLower(country), ""
	for part := range strings.SplitSeq(value, ",") {
		where, category, _ := strings.Cut(part, ":")
		switch where {
		case country:
			return category
		case "*":
			everywhere = category
		}
	}
	return everywhere
}

// word is the meaning of a key word.
type word struct {
	category string
	in, out  bool
}

// vocabulary returns words.txt, parsed when it is first needed: whole words, and beginnings of words (stems).
var vocabulary = sync.OnceValue(func() (v struct{ whole, stems map[string]word }) {
	v.whole, v.stems = map[string]word{}, map[string]word{}
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, list, _ := strings.Cut(line, ":")
		parts := strings.Fields(head) // category, direction, language
		w := word{parts[0], parts[1] != "out", parts[1] != "in"}
		for phrase := range strings.SplitSeq(list, ",") {
			into := v.whole
			if stem, ok := strings.CutSuffix(strings.TrimSpace(phrase), "*"); ok {
				into, phrase = v.stems, stem
			}
			if k := Key(phrase); k != "" {
				into[k] = w
			}
		}
	}
	return v
})

// shortestStem is the smallest number of letters in a stem.
const shortestStem = 4

// keyWord returns the category of the first key word in a text, and the word.
func keyWord(text string, out bool) (category, found string) {
	v := vocabulary()
	parts := strings.Fields(text)
	fits := func(w word, ok bool) bool { return ok && (out && w.out || !out && w.in) }
	for i := range parts {
		for n := min(3, len(parts)-i); n > 0; n-- {
			phrase := strings.Join(parts[i:i+n], " ")
			if w, ok := v.whole[phrase]; fits(w, ok) {
				return w.category, phrase
			}
		}
		for n := len(parts[i]); n >= shortestStem; n-- {
			if w, ok := v.stems[parts[i][:n]]; fits(w, ok) {
				return w.category, parts[i]
			}
		}
	}
	return "", ""
}
