// Package words holds the texts that the aggregation service's pages show, in every language that they speak. The English
// text stands where it is shown and is the key of its translations, so a page reads like the page.
package words

import (
	"context"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// Language is a language that pages speak. It is safe for concurrent use.
type Language struct {
	code    string
	printer *message.Printer
	dates   dates
	numbers numbers
}

// numbers is how a language groups thousands and marks the fraction.
type numbers struct{ group, point string }

// dates is how a language writes a day and a time of day.
type dates struct {
	months [12]string
	first  string // the first day of a month, where it is not 1
	day    string // with {d}, {m} and {y} for the day, the month and the year
	clock  string // layout of a time of day
}

// codes are those of the languages, in the order of the translations; English is the last resort.
var codes = []string{"en", "de", "fr", "fi"}

var (
	languages = load()
	english   = languages[0]
	matcher   = language.NewMatcher(tags())
)

func tags() []language.Tag {
	list := make([]language.Tag, len(codes))
	for i, code := range codes {
		list[i] = language.MustParse(code)
	}
	return list
}

// load puts the texts into printers. It panics when a translation is not of the form of its English text.
func load() []*Language {
	builder := catalog.NewBuilder(catalog.Fallback(language.English))
	set := func(i int, key Text, messages ...catalog.Message) {
		if err := builder.Set(tags()[i], string(key), messages...); err != nil {
			panic("words: " + string(key) + ": " + err.Error())
		}
	}
	for key, translations := range texts {
		set(0, key, catalog.String(string(key)))
		for i, text := range translations {
			set(i+1, key, catalog.String(text))
		}
	}
	for key, forms := range counted {
		for i, form := range forms {
			set(i, key, plural.Selectf(1, "%d", plural.One, form.one, plural.Other, form.other))
		}
	}
	list := make([]*Language, len(codes))
	for i, code := range codes {
		list[i] = &Language{code: code, printer: message.NewPrinter(tags()[i], message.Catalog(builder)), dates: calendars[i], numbers: decimals[i]}
	}
	return list
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
type voice struct{ language *Language }

type voiceKey struct{}

// Listen returns a context whose pages speak the best language for an Accept-Language header.
func Listen(ctx context.Context, acceptLanguage string) context.Context {
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	chosen := english
	if _, i, confidence := matcher.Match(wanted...); err == nil && confidence != language.No {
		chosen = languages[i]
	}
	return context.WithValue(ctx, voiceKey{}, &voice{chosen})
}

// Speak makes the pages of a context of Listen speak the language that an application asked for; English when they do not
// speak it. Nothing changes when it asked for none.
func Speak(ctx context.Context, code string) {
	if v, ok := ctx.Value(voiceKey{}).(*voice); ok && code != "" {
		v.language = find(code)
	}
}

// In returns the language of the pages of a context: English unless Listen says otherwise.
func In(ctx context.Context) *Language {
	if v, ok := ctx.Value(voiceKey{}).(*voice); ok {
		return v.language
	}
	return english
}

// Code returns the two-letter code of the language, for the attribute lang.
func (l *Language) Code() string { return l.code }

// Text is an English text that has a translation in every language. Arguments stand in it as fmt writes them.
type Text string

// Say translates a text and puts the arguments in.
func (l *Language) Say(text Text, args ...any) string {
	return l.printer.Sprintf(string(text), args...)
}

// nameStart and nameEnd are the characters that mark where a name in a text begins and ends; they are for private use.
const (
	nameStart = "\uE000"
	nameEnd   = "\uE001"
)

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

// Decimal writes a plain decimal number, such as 1234.50, with as many digits as it has: 1,234.50.
func (l *Language) Decimal(text string) string {
	text, minus := strings.CutPrefix(text, "-")
	whole, fraction, broken := strings.Cut(text, ".")
	var b strings.Builder
	if minus {
		b.WriteString("−")
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(l.numbers.group)
		}
		b.WriteRune(digit)
	}
	if broken {
		b.WriteString(l.numbers.point + fraction)
	}
	return b.String()
}

// Date writes a day in UTC: 2 January 2006.
func (l *Language) Date(t time.Time) string {
	t = t.UTC()
	d := l.dates
	day := l.printer.Sprint(t.Day())
	if t.Day() == 1 && d.first != "" {
		day = d.first
	}
	return strings.NewReplacer("{d}", day, "{m}", d.months[t.Month()-1], "{y}", t.Format("2006")).Replace(d.day)
}

// DateTime writes a day and a time of day in UTC: 2 January 2006, 15:04 UTC.
func (l *Language) DateTime(t time.Time) string {
	return l.Date(t) + t.UTC().Format(l.dates.clock) + " UTC"
}

// decimals are in the order of codes. What stands between the groups breaks no line.
var decimals = []numbers{{",", "."}, {".", ","}, {"\u202F", ","}, {"\u00A0", ","}}

// calendars are in the order of codes.
var calendars = []dates{
	{
		months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		day:    "{d} {m} {y}", clock: ", 15:04",
	},
	{
		months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		day:    "{d}. {m} {y}", clock: ", 15:04",
	},
	{
		months: [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		first:  "1er", day: "{d} {m} {y}", clock: " à 15:04",
	},
	{
		months: [12]string{"tammikuuta", "helmikuuta", "maaliskuuta", "huhtikuuta", "toukokuuta", "kesäkuuta", "heinäkuuta", "elokuuta", "syyskuuta", "lokakuuta", "marraskuuta", "joulukuuta"},
		day:    "{d}. {m} {y}", clock: " klo 15.04",
	},
}
