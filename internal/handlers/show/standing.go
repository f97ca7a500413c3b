package show

import (
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/words"
)

// HolidaysNote is shown with dates of standing orders: Florin knows weekends, but no holidays.
const HolidaysNote words.Text = "Florin counts only weekends here. Bank holidays may move a date."

// rhythms are the words for how often a standing order is executed: at the beginning of a sentence, and after an amount.
var rhythms = map[openbanking.FrequencyCode][2]words.Text{
	openbanking.FrequencyCodeDAIL: {"Every day", "every day"}, openbanking.FrequencyCodeWEEK: {"Every week", "every week"},
	openbanking.FrequencyCodeTOWK: {"Every two weeks", "every two weeks"},
	openbanking.FrequencyCodeMNTH: {"Every month", "every month"}, openbanking.FrequencyCodeTOMN: {"Every two months", "every two months"},
	openbanking.FrequencyCodeQUTR: {"Every three months", "every three months"},
	openbanking.FrequencyCodeSEMI: {"Every six months", "every six months"}, openbanking.FrequencyCodeYEAR: {"Every year", "every year"},
}

// rhythm returns the words for how often an order is executed.
func rhythm(o finance.StandingOrder) (first, behind words.Text) {
	if known, ok := rhythms[o.Frequency]; ok {
		return known[0], known[1]
	}
	return "Regularly", "regularly"
}

// Rhythm returns how often the order is executed, for use after an amount: "every month"; "regularly" when unknown.
func (c Clock) Rhythm(o finance.StandingOrder) string {
	_, behind := rhythm(o)
	return c.Say(behind)
}

// RhythmAndSpan returns how often the order is executed, and when it begins and ends: "every month, from 1 December 2026 until 1 March 2027".
func (c Clock) RhythmAndSpan(o finance.StandingOrder) string {
	first, err := o.First.Time()
	if err != nil {
		return c.Rhythm(o)
	}
	if last, err := o.Last.Time(); err == nil {
		return c.Say("%s, from %s until %s", c.Rhythm(o), c.Language.Day(first, true), c.Language.Day(last, true))
	}
	return c.Say("%s, from %s", c.Rhythm(o), c.Language.Day(first, true))
}

// Standing returns when the order is executed: rhythm, first date, last date, and what happens in a short month and when banks are closed.
func (c Clock) Standing(o finance.StandingOrder) string {
	if _, err := o.First.Time(); err != nil {
		return c.Say("The first date is missing.")
	}
	often, _ := rhythm(o)
	sentence := c.Say("%s, from %s until you stop it at your bank.", often, c.DayInFull(o.First))
	if last, err := o.Last.Time(); err == nil {
		sentence = c.Say("%s, from %s until %s.", often, c.DayInFull(o.First), c.Language.Day(last, true))
	}
	if o.Shortens() {
		sentence = joined(sentence, c.Say("In a shorter month it is paid on the last day."))
	}
	switch o.Rule {
	case openbanking.ExecutionRuleFWNG:
		return joined(sentence, c.Say("If the bank is closed on that day, it pays on the next working day."))
	case openbanking.ExecutionRulePREC:
		return joined(sentence, c.Say("If the bank is closed on that day, it pays on the working day before."))
	}
	return joined(sentence, c.Say("If the bank is closed on that day, the bank decides when it pays."))
}
