package main

import "florin/web/templates/pages"

// calendarScreens are the states of the page about the address for calendar programs.
func calendarScreens() []screen {
	fresh := pages.CalendarView{Frame: frame(), Examples: []pages.CalendarExample{{Day: at("1 December"), Title: "Debit expected"}, {Day: at("3 December"), Title: "Income expected"}}}
	made := fresh
	made.Made, made.Asked = "This address was made on 3 October.", "No calendar program has read it yet."
	shown := made
	shown.Address = "https://money.example.org/calendar/ERVHQXTHQLYXXEAXHUGLEV3B2M.ics"
	odd := made
	odd.Amounts, odd.Names, odd.TooOften, odd.Left = true, true, true, "The calendar holds 1,000 events. 9,000 later ones are left out."
	odd.Asked = "A calendar program last read it at 14:02."
	odd.Examples = []pages.CalendarExample{{Day: at("1 December"), Title: "Debit expected: 1,234,567.00 EUR, " + longWord + longWord}, {Day: at("3 December"), Title: rtlName}}
	return []screen{
		{"calendar", pages.Calendar(fresh)}, {"calendar-made", pages.Calendar(made)}, {"calendar-shown", pages.Calendar(shown)}, {"calendar-odd", pages.Calendar(odd)},
		{"calendar-empty", pages.Calendar(pages.CalendarView{Frame: frame()})},
	}
}
