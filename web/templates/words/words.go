// Package words holds the texts that people read, in every language that the pages speak. The English text stands where it
// is shown and is the key of its translations, so a page reads like the page (ADR 0041). The files named app_ hold the German
// of the web app, service.go the German, French and Finnish of the aggregation service.
package words

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"

	"florin/internal/money"
)

// Language is a language that pages speak. It is safe for concurrent use.
type Language struct {
	index   int // of codes
	code    string
	printer *message.Printer
	dates   dates
	numbers numbers
	hides   bool      // it writes Mask in the place of every amount
	twin    *Language // that differs in hides alone
}

// Half is a half of Florin: each speaks languages of its own.
type Half int

// The halves.
const (
	App     Half = 2 // English and German
	Service Half = 4 // French and Finnish too
)

// codes are those of the languages, in the order of the translations; English is the last resort. A half speaks the first
// of them, as many as its value says.
var codes = []string{"en", "de", "fr", "fi"}

var (
	builder   = catalog.NewBuilder(catalog.Fallback(language.English))
	languages = speak()
	english   = languages[0]
	entries   = load()
	matchers  = map[Half]language.Matcher{App: language.NewMatcher(tags()[:App]), Service: language.NewMatcher(tags()[:Service])}
)

// English is the language in which texts are written first.
var English = english

// Languages returns the languages of a half, English first.
func Languages(half Half) []*Language { return languages[:half] }

func tags() []language.Tag {
	list := make([]language.Tag, len(codes))
	for i, code := range codes {
		list[i] = language.MustParse(code)
	}
	return list
}

func speak() []*Language {
	list := make([]*Language, len(codes))
	for i, code := range codes {
		open := &Language{index: i, code: code, printer: message.NewPrinter(tags()[i], message.Catalog(builder)), dates: calendars[i], numbers: decimals[i]}
		hiding := *open
		hiding.hides, hiding.twin, open.twin = true, open, &hiding
		list[i] = open
	}
	return list
}

// entry is a text in the languages of its half, in the order of codes: as it is said, or, where a number chooses, in its forms.
type entry struct {
	said   []string
	forms  []forms
	listed sync.Once // in the catalogue of the printers
}

// load makes the index of all texts. Only those with arguments need the printers, and each of them is listed there when it is said for the first time:
// to list all takes longer than the rest of a start.
func load() map[Text]*entry {
	index := make(map[Text]*entry, 4096)
	for key, translations := range texts {
		index[key] = &entry{said: append([]string{key.english()}, translations[:]...)}
	}
	for key, translations := range counted {
		index[key] = &entry{forms: translations[:]}
	}
	for _, area := range app {
		for key, translation := range area.texts {
			index[key] = &entry{said: []string{key.english(), translation}}
		}
		for key, translations := range area.counts {
			index[key] = &entry{forms: translations[:]}
		}
	}
	return index
}

// list puts a text into the catalogue of the printers. It panics when a translation is not of the form of its English text.
func (e *entry) list(key Text) {
	set := func(i int, message catalog.Message) {
		if err := builder.Set(tags()[i], string(key), message); err != nil {
			panic("words: " + string(key) + ": " + err.Error())
		}
	}
	for i, text := range e.said {
		set(i, catalog.String(text))
	}
	for i, form := range e.forms {
		set(i, plural.Selectf(key.number(), "%d", plural.One, form.one, plural.Other, form.other))
	}
}

// find returns the language with a two-letter code; English for one that pages do not speak.
func find(code string) *Language {
	for _, l := range languages {
		if l.code == code {
			return l
		}
	}
	return english
}

// voice is the language of the pages of one request. It can change while the request goes on, and what is shown last, an
// error perhaps, still speaks it.
type voice struct {
	language *Language // one that hides nothing
	hides    bool
}

type voiceKey struct{}

// Listen returns a context whose pages speak the language of a half that suits an Accept-Language header best.
func Listen(ctx context.Context, half Half, acceptLanguage string) context.Context {
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	chosen := english
	if _, i, confidence := matchers[half].Match(wanted...); err == nil && confidence != language.No {
		chosen = languages[i]
	}
	return context.WithValue(ctx, voiceKey{}, &voice{language: chosen})
}

// Speak makes the pages of a context of Listen speak the language with a two-letter code, that a person or an application asked for; English when
// pages do not speak it. Nothing changes when code is "".
func Speak(ctx context.Context, code string) {
	if v, ok := ctx.Value(voiceKey{}).(*voice); ok && code != "" {
		v.language = find(code)
	}
}

// Hide says whether the pages of a context of Listen write Mask in the place of every amount (ADR 0065).
func Hide(ctx context.Context, hides bool) {
	if v, ok := ctx.Value(voiceKey{}).(*voice); ok {
		v.hides = hides
	}
}

// Speaking returns the language of a half with a two-letter code; English for one that the half does not speak.
func Speaking(half Half, code string) *Language {
	for _, l := range Languages(half) {
		if l.code == code {
			return l
		}
	}
	return english
}

// In returns the language of the pages of a context: English unless Listen says otherwise.
func In(ctx context.Context) *Language {
	if v, ok := ctx.Value(voiceKey{}).(*voice); ok {
		if v.hides {
			return v.language.twin
		}
		return v.language
	}
	return english
}

// Hides reports whether the language writes Mask in the place of every amount.
func (l *Language) Hides() bool { return l.hides }

// Code returns the two-letter code of the language, for the attribute lang.
func (l *Language) Code() string { return l.code }

// Text is an English text that has a translation in every language of its half. %s and %d stand for its arguments; a number
// chooses between the forms for one and for many. Where one English word has two translations, "#" and a word say which is
// meant and are not shown: "Open#verb".
type Text string

var mark = regexp.MustCompile(`#[a-z]+$`)

// english is the text as it is shown in English.
func (t Text) english() string {
	if !strings.Contains(string(t), "#") {
		return string(t)
	}
	return mark.ReplaceAllString(string(t), "")
}

var argument = regexp.MustCompile(`%(?:\[(\d+)\])?[sd]`)

// number is which argument of the text, from 1 on, is the number that chooses the form: the first that is one.
func (t Text) number() int {
	for i, found := range argument.FindAllStringSubmatch(string(t), -1) {
		if strings.HasSuffix(found[0], "d") {
			if n, err := strconv.Atoi(found[1]); err == nil {
				return n
			}
			return i + 1
		}
	}
	return 1
}

// Message is a text with its arguments, in no language yet. The zero value says nothing.
type Message struct {
	Text Text
	Args []any // as those of Say
}

// Msg returns a message.
func Msg(text Text, args ...any) Message { return Message{text, args} }

// Say returns a text in the language, with its arguments put in: a string stands as it is, a number with its thousands
// grouped, a Text or a Message in the same language, an amount of money as Money writes it.
func (l *Language) Say(text Text, args ...any) string {
	known := entries[text]
	if len(args) == 0 {
		if known != nil && l.index < len(known.said) {
			return known.said[l.index]
		}
		return text.english()
	}
	if known != nil {
		known.listed.Do(func() { known.list(text) })
	}
	said := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case Message:
			said[i] = l.Message(arg)
		case Text:
			said[i] = l.Say(arg)
		case money.Amount:
			said[i] = l.Money(arg)
		default:
			said[i] = arg
		}
	}
	return l.printer.Sprintf(string(text), said...)
}

// Message returns a message in the language; "" for one that says nothing.
func (l *Language) Message(m Message) string {
	if m.Text == "" {
		return ""
	}
	return l.Say(m.Text, m.Args...)
}

// Say returns a text in the language of the pages of a context, as Language.Say does.
func Say(ctx context.Context, text Text, args ...any) string { return In(ctx).Say(text, args...) }

// Rich returns a text whose arguments are components, or what Say takes: "Made in place of %s.", with a link.
func Rich(text Text, args ...any) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		l := In(ctx)
		said := make([]any, len(args))
		for i, arg := range args {
			switch arg := arg.(type) {
			case templ.Component:
				said[i] = nameStart + strconv.Itoa(i) + nameEnd
			case string:
				said[i] = noMarks.Replace(arg)
			default:
				said[i] = arg
			}
		}
		for piece := range strings.SplitSeq(l.Say(text, said...), nameStart) {
			if which, rest, found := strings.Cut(piece, nameEnd); found {
				i, err := strconv.Atoi(which)
				if err != nil || i >= len(args) {
					return fmt.Errorf("words: %q has no component %q", text, which)
				}
				if err := args[i].(templ.Component).Render(ctx, w); err != nil {
					return err
				}
				piece = rest
			}
			if _, err := io.WriteString(w, templ.EscapeString(piece)); err != nil {
				return err
			}
		}
		return nil
	})
}

// List returns names as a list in a sentence: "Anna, Ben and Cleo".
func (l *Language) List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return l.Say("%s and %s", strings.Join(names[:last], ", "), names[last])
}

// nameStart and nameEnd are the characters that mark where a name in a text begins and ends; they are for private use.
const (
	nameStart = "\uE000"
	nameEnd   = "\uE001"
)

var noMarks = strings.NewReplacer(nameStart, "", nameEnd, "")

// Part is a piece of a text: words of the text, or a name that came from elsewhere and may be in any script.
type Part struct {
	Text string
	Name bool
}

// Parts is Say with names as arguments, each made Plain and kept apart from the words around it.
func (l *Language) Parts(text Text, names ...string) []Part {
	args := make([]any, len(names))
	for i, name := range names {
		args[i] = nameStart + Plain(name) + nameEnd
	}
	var parts []Part
	for piece := range strings.SplitSeq(l.Say(text, args...), nameStart) {
		name, rest, found := strings.Cut(piece, nameEnd)
		if !found {
			name, rest = "", piece
		}
		if found {
			parts = append(parts, Part{Text: name, Name: true})
		}
		if rest != "" {
			parts = append(parts, Part{Text: rest})
		}
	}
	return parts
}
