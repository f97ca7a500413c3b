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

// phrase is a text of the web app: how it reads in English, with what stands in the places for its arguments, and how German says it.
type phrase struct {
	english *regexp.Regexp
	german  string
	letters int // of its own, without the arguments
}

var (
	place   = regexp.MustCompile(`%(?:\[(\d+)\])?[sd]`)
	phrases = sync.OnceValue(func() []phrase {
		var list []phrase
		for english, german := range words.Languages(words.App)[1].Phrases() {
			var pattern strings.Builder
			pattern.WriteString(`^`)
			last, letters := 0, 0
			for _, found := range place.FindAllStringIndex(english, -1) {
				pattern.WriteString(regexp.QuoteMeta(english[last:found[0]]) + `(.+?)`)
				letters += found[0] - last
				last = found[1]
			}
			pattern.WriteString(regexp.QuoteMeta(english[last:]) + `$`)
			if letters += len(english) - last; letters > 3 || !strings.Contains(english, "%") {
				list = append(list, phrase{regexp.MustCompile(pattern.String()), german, letters})
			}
		}
		slices.SortFunc(list, func(a, b phrase) int { return b.letters - a.letters })
		return list
	})
)

// German returns what a text is in German that a page shows in English: the translation of the text that reads so, with its arguments in German too. What is no text of a page
// stays, but for days and figures.
func German(text string) string {
	core := strings.TrimSpace(text)
	if core == "" {
		return text
	}
	for _, p := range phrases() {
		args := p.english.FindStringSubmatch(core)
		if args == nil {
			continue
		}
		n := 0
		said := place.ReplaceAllStringFunc(p.german, func(verb string) string {
			n++
			which := n
			if at := place.FindStringSubmatch(verb)[1]; at != "" {
				which = int(at[0] - '0')
			}
			if which >= len(args) {
				return verb
			}
			return German(args[which])
		})
		return strings.Replace(text, core, said, 1)
	}
	text = figure.ReplaceAllStringFunc(text, func(english string) string {
		return strings.NewReplacer(",", ".", ".", ",").Replace(english)
	})
	return day.ReplaceAllStringFunc(text, func(english string) string {
		t, err := time.Parse("2 January", english)
		if err != nil {
			return english
		}
		return words.Languages(words.App)[1].Day(t, false)
	})
}

var figure = regexp.MustCompile(`\b\d{1,3}(?:,\d{3})*\.\d{2}\b`)

var day = regexp.MustCompile(`\d+ (?:January|February|March|April|May|June|July|August|September|October|November|December)`)
