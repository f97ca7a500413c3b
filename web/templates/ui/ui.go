// Package ui holds the components that pages are made of. Each takes its own props, already formatted for people;
// none knows a domain type, looks anything up or calculates. Styles are in web/static/assets/app.css.
package ui

import (
	"context"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"florin/internal/money"
	"florin/web/templates/words"
)

// Money is an amount as it is shown: in the language of the page, with the code of its currency behind it.
type Money struct {
	money.Amount

	Flow bool // it is a movement: what arrived has a plus sign and is green, so that colour is never needed
}

// Arrived reports whether it is money that came in.
func (m Money) Arrived() bool { return m.Flow && m.Sign() > 0 }

// Written is the number: "−1,234.56", "+2,100.00".
func (m Money) Written(ctx context.Context) string {
	if m.Arrived() {
		return "+" + words.In(ctx).Figure(m.Amount)
	}
	return words.In(ctx).Figure(m.Amount)
}

// cut returns the figure up to the decimal sign, and from it on; cents is empty for currencies without decimals.
func (m Money) cut(ctx context.Context) (whole, cents string) {
	figure := m.Written(ctx)
	i := strings.LastIndex(figure, words.In(ctx).Point())
	if i < 0 {
		return figure, ""
	}
	return figure[:i], figure[i:]
}

// long reports whether the number would be wider than a phone where it is large.
func (m Money) long(ctx context.Context) bool { return len([]rune(m.whole(ctx))) >= longNumber }

// longNumber is how many characters a number has before its cents that is shown smaller where it is large, and may break between its groups.
const longNumber = 12

// digits writes a number, and the rest behind it. A long one may break between its groups, and nowhere else.
func digits(number, rest string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		if strings.HasSuffix(number, words.Mask) {
			return masked(number, rest).Render(ctx, w)
		}
		runes := []rune(number)
		var b strings.Builder
		for i, r := range runes {
			b.WriteString(templ.EscapeString(string(r)))
			if len(runes) >= longNumber && i > 0 && i+1 < len(runes) && !unicode.IsDigit(r) {
				b.WriteString("<wbr>")
			}
		}
		_, err := io.WriteString(w, b.String()+templ.EscapeString(rest))
		return err
	})
}

func (m Money) whole(ctx context.Context) string {
	whole, _ := m.cut(ctx)
	return whole
}

func (m Money) cents(ctx context.Context) string {
	_, cents := m.cut(ctx)
	return cents
}

// Time is a moment or a day: for machines and for people.
type Time struct {
	ISO  string // "2026-10-03" or "2026-10-03T14:02:00Z"
	Text string // "3 October 2026" or "14:02"
}

// Tone says what a badge, a notice or a step means. Colour never says it alone: icon and words say it too.
type Tone string

// The tones.
const (
	Plain   Tone = ""
	Info    Tone = "info"
	Busy    Tone = "busy"
	Good    Tone = "good"
	Warning Tone = "warning"
	Bad     Tone = "bad"
)

func (t Tone) notice() string {
	switch t {
	case Good:
		return "notice notice-success"
	case Warning:
		return "notice notice-warning"
	case Bad:
		return "notice notice-error"
	default:
		return "notice"
	}
}

func (t Tone) badge() string {
	switch t {
	case Good:
		return "badge badge-good"
	case Warning:
		return "badge badge-warn"
	case Bad:
		return "badge badge-bad"
	case Busy, Info:
		return "badge badge-busy"
	default:
		return "badge"
	}
}

func (t Tone) icon() string {
	switch t {
	case Good:
		return "icon is-good"
	case Warning:
		return "icon is-warn"
	case Bad:
		return "icon is-bad"
	case Busy:
		return "icon is-busy"
	default:
		return "icon soft"
	}
}

// word is what the icon of the tone says to those who do not see it.
func (t Tone) word(ctx context.Context) string {
	switch t {
	case Good:
		return words.Say(ctx, "Done:")
	case Warning:
		return words.Say(ctx, "Attention:")
	case Bad:
		return words.Say(ctx, "Error:")
	case Busy:
		return words.Say(ctx, "In progress:")
	case Info:
		return words.Say(ctx, "Note:")
	default:
		return ""
	}
}

// Link leads somewhere inside the app.
type Link struct {
	Text string
	Href string
}

// Notice is a message at the top of a page or inside a card.
type Notice struct {
	Tone   Tone
	Title  string
	Text   string
	Code   string // machine-readable code, shown small; may be empty
	Action Link   // may be empty

	Dismiss Dismiss // closes it; may be empty
}

// Dismiss is the form that closes a notice.
type Dismiss struct {
	Action string // address of the form; empty for none
	Back   string // the page that shows the notice; form field "back"
	Text   string // of the button
}

// Badge is a short state, with an optional code.
type Badge struct {
	Tone Tone
	Text string
}

// Fact is one line of a definition list.
type Fact struct {
	Name  string
	Value string
	Code  string // shown after the value; may be empty
	Note  string // second, softer line; may be empty
}

// Input is one field of a form.
type Input struct {
	Name         string // also its id
	Label        string
	Type         string // "text", "password", "email", "search"
	Value        string
	Hint         string
	Problem      string // what is wrong with Value and what to do; empty when nothing is
	Autocomplete string
	Required     bool
	Autofocus    bool
	MaxLength    int    // 0: no limit
	Mode         string // inputmode: "decimal"; empty: what the type says
	Min, Max     string // of a date; empty: no limit
}

// describedBy names the hint and the problem of the field, for assistive technology.
func (i Input) describedBy() string {
	switch {
	case i.Hint != "" && i.Problem != "":
		return i.Name + "-problem " + i.Name + "-hint"
	case i.Problem != "":
		return i.Name + "-problem"
	case i.Hint != "":
		return i.Name + "-hint"
	default:
		return ""
	}
}

// Option is one choice of a select.
type Option struct {
	Value    string
	Text     string
	Selected bool
	Group    string // the heading that it stands below, with its neighbours of the same; empty: none
}

// grouped puts neighbours of one group together.
func grouped(options []Option) (groups [][]Option) {
	for i, option := range options {
		if i == 0 || option.Group != options[i-1].Group {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], option)
	}
	return groups
}

// Step is one line of a progress or a result list.
type Step struct {
	Tone  Tone
	Text  string   // "Balances"
	Note  string   // beside it: "3 of 3", "14:02"
	Lines []string // below it, whole sentences: what went wrong, and what becomes of it
	Code  string   // error code; may be empty
}

// Progress is the state of a running sync. Its ID makes it a live fragment.
type Progress struct {
	ID    string
	Title string // "First sync: 2 of 3 accounts"
	Note  string // "You can leave this page."
	Done  int
	Total int // 0: unknown, the bar then moves without an end
	Steps []Step
}

// Pager leads to newer and older rows; an empty Href leaves a link out.
type Pager struct {
	Newer string
	Older string
}

// noticeRole makes problems heard at once and leaves other messages to be read in turn.
func noticeRole(t Tone) string {
	if t == Bad || t == Warning {
		return "alert"
	}
	return "status"
}

// units is a length in a drawing.
func units(length float64) string { return strconv.FormatFloat(length, 'f', 3, 64) }
