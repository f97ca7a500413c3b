// Package wordstest finds the translation of what the web app says in English: journeys and the gallery are written once, in English, and run in German too.
package wordstest

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"florin/web/templates/words"
)

// phrase is a text of the web app with places for arguments: how it reads in English with something in them, and how German says it.
type phrase struct {
	english *regexp.Regexp
	german  string
	pieces  []string // of its own, between the arguments
	letters int      // in them
}

// book is what the web app says.
type book struct {
	whole   map[string]string // texts without arguments
	phrases []phrase          // those with the most letters first
	words   map[string]bool   // the words of all texts that begin with a small letter
}

var (
	place  = regexp.MustCompile(`%(?:\[(\d+)\])?[sd]`)
	letter = regexp.MustCompile(`\pL`)
	small  = regexp.MustCompile(`\b[a-z][a-z’]*`)
	said   = sync.OnceValue(func() book {
		b := book{whole: map[string]string{}, words: map[string]bool{}}
		for english, german := range words.Languages(words.App)[1].Phrases() {
			for _, word := range small.FindAllString(place.ReplaceAllString(english, ""), -1) {
				b.words[word] = true
			}
			if other, twice := b.whole[english]; !strings.Contains(english, "%") && (!twice || german < other) { // one of two, always the same
				b.whole[english] = german
			} else if letter.MatchString(place.ReplaceAllString(english, "")) { // else an order of arguments, such as "%s, %s"
				b.phrases = append(b.phrases, like(english, german), like(german, place.ReplaceAllString(german, "%s"))) // what a template says itself is German
			}
		}
		for day := range 7 {
			t := time.Date(2024, 1, 7+day, 0, 0, 0, 0, time.UTC)
			b.whole[t.Weekday().String()] = words.Languages(words.App)[1].Weekday(t)
		}
		slices.SortFunc(b.phrases, func(a, b phrase) int { return b.letters - a.letters })
		return b
	})
)

// like is a phrase that reads like a text.
func like(text, german string) phrase {
	p := phrase{german: german, pieces: place.Split(text, -1)}
	p.letters = len(strings.Join(p.pieces, ""))
	var pattern strings.Builder
	for i, found := range append(place.FindAllString(text, -1), "") {
		pattern.WriteString(regexp.QuoteMeta(p.pieces[i]))
		switch {
		case strings.HasSuffix(found, "d"):
			pattern.WriteString(`([\d,]+)`)
		case found != "":
			pattern.WriteString(`(.+?)`)
		}
	}
	p.english = regexp.MustCompile("^" + pattern.String() + "$")
	return p
}

// sentence is how many letters a text has of its own that says enough to take anything as its arguments, what a bank says too.
const sentence = 8

// joints are where a page puts two texts one behind the other: sentences, the parts of a title, a name and what is said of it, and a list.
var joints = []string{". ", " · ", ": ", ", "}

// German returns what a text is in German that a page shows in English: the translation of the text that reads so, with its arguments in German too. What is no
// text of a page stays, but for days and figures.
func German(text string) string {
	core := strings.TrimSpace(text)
	german, _ := translate(core)
	return strings.Replace(text, core, german, 1)
}

// found is what translate returned: the pieces of a text come up again and again.
var found sync.Map

type finding struct {
	german string
	all    bool
}

// translate returns a text in German, and whether all of it is. A name is the same in German: it has no word of the texts that begins with a small letter.
func translate(text string) (german string, all bool) {
	if f, ok := found.Load(text); ok {
		f := f.(finding)
		return f.german, f.all
	}
	german, all = search(text)
	found.Store(text, finding{german, all})
	return german, all
}

func search(text string) (german string, all bool) {
	if german, found := said().whole[text]; found {
		return german, true
	}
	for _, p := range said().phrases {
		if slices.ContainsFunc(p.pieces, func(piece string) bool { return !strings.Contains(text, piece) }) {
			continue
		}
		if args := p.english.FindStringSubmatch(text); args != nil {
			if full, all := p.fill(args); all {
				return full, true
			} else if german == "" && p.letters >= sentence {
				german = full
			}
		}
	}
	for _, joint := range joints {
		for from := 0; ; {
			at := strings.Index(text[from:], joint)
			if at < 0 {
				break
			}
			end := from + at + len(joint)
			from = end
			first, some := translate(strings.TrimRight(text[:end], " ·:,"))
			rest, others := translate(text[end:])
			if some && others {
				return first + strings.TrimPrefix(joint, ".") + rest, true
			}
		}
	}
	if german != "" {
		return german, false
	}
	if title, found := strings.CutSuffix(text, "."); found {
		if title, all := translate(title); all {
			return title + ".", true
		}
	}
	german = figure.ReplaceAllStringFunc(text, func(english string) string {
		return strings.NewReplacer(",", ".", ".", ",").Replace(english)
	})
	german = day.ReplaceAllStringFunc(german, inGerman)
	return german, !slices.ContainsFunc(small.FindAllString(german, -1), func(word string) bool { return said().words[word] })
}

// fill puts arguments into the German of a phrase, and says whether all of them are in German.
func (p phrase) fill(args []string) (german string, all bool) {
	n, all := 0, true
	german = place.ReplaceAllStringFunc(p.german, func(verb string) string {
		n++
		which := n
		if at := place.FindStringSubmatch(verb)[1]; at != "" {
			which = int(at[0] - '0')
		}
		if which >= len(args) {
			return verb
		}
		said, whole := translate(args[which])
		all = all && whole && !strings.Contains(args[which], ". ") // two sentences are no argument
		return said
	})
	return german, all
}

var (
	figure = regexp.MustCompile(`\b\d{1,3}(?:,\d{3})*\.\d{2}\b|\b\d{1,3}(?:,\d{3})+\b`)
	day    = regexp.MustCompile(`(?:(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December)`)
)

// inGerman returns a day with or without its weekday.
func inGerman(english string) string {
	german, parts := words.Languages(words.App)[1], day.FindStringSubmatch(english)
	t, err := time.Parse("2 January 2006", parts[2]+" "+parts[3]+" 2024") // a year with 29 February
	if err != nil {
		return english
	}
	said := german.Day(t, false)
	for ; parts[1] != ""; t = t.AddDate(0, 0, 1) {
		if strings.HasPrefix(t.Weekday().String(), parts[1]) {
			return german.Weekday(t) + ", " + said
		}
	}
	return said
}

// Choices are all ways in which German says an English text: one word can have several ("Approve").
func Choices(english string) []string {
	choices := []string{German(english)}
	for text, german := range words.Languages(words.App)[1].Phrases() {
		if text == english && !slices.Contains(choices, german) {
			choices = append(choices, german)
		}
	}
	return choices
}

// Part reports whether an English text is a part of one that the web app says, so that nobody can tell its German.
func Part(english string) bool {
	if German(english) != english {
		return false
	}
	for text := range words.Languages(words.App)[1].Phrases() {
		if text != english && strings.Contains(text, strings.TrimSpace(english)) {
			return true
		}
	}
	return false
}
