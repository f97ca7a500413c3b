package main

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"

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

// german returns what a made-up text of the gallery is in German: the text that reads so in English, else it stays.
func german(text string) string {
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
			return german(args[which])
		})
		return strings.Replace(text, core, said, 1)
	}
	return day.ReplaceAllStringFunc(text, func(english string) string {
		t, err := time.Parse("2 January", english)
		if err != nil {
			return english
		}
		return words.Languages(words.App)[1].Day(t, false)
	})
}

var day = regexp.MustCompile(`\d+ (?:January|February|March|April|May|June|July|August|September|October|November|December)`)

// read are the attributes that people read or hear.
var read = []string{"aria-label", "placeholder", "title", "alt", "data-label"}

// inGerman turns the English of the made-up content of a page into German; what the templates say themselves is German already.
func inGerman(page *bytes.Buffer) error {
	var out bytes.Buffer
	tokens := html.NewTokenizer(bytes.NewReader(page.Bytes()))
	for raw := false; ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if err := tokens.Err(); err != io.EOF {
				return err
			}
			*page = out
			return nil
		}
		token := tokens.Token()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			raw = slices.Contains([]string{"pre", "code", "q", "textarea", "script", "style"}, token.Data)
			for i, a := range token.Attr {
				if slices.Contains(read, a.Key) {
					token.Attr[i].Val = german(a.Val)
				}
			}
		case html.EndTagToken:
			raw = false
		case html.TextToken:
			if !raw {
				token.Data = german(token.Data)
			}
		}
		out.WriteString(token.String())
	}
}
