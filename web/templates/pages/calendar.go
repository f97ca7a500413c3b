package pages

import (
	"context"

	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// CalendarView shows the address at which calendar programs read what is to come. Form fields: amounts, names, "yes" where they are in it.
type CalendarView struct {
	layout.Frame
	Address        string // the one that was just made, which is shown once; "" else
	Made           string // when the present address was made, as a sentence; "" while there is none
	Asked          string // when a program last read it, as a sentence
	TooOften       bool   // a program asks so often that it is refused
	Left           string // how many events are left out, as a sentence; "" for none
	Amounts, Names bool   // are in it
	Examples       []CalendarExample
}

// CalendarExample is an event as the calendar has it.
type CalendarExample struct {
	Day   ui.Time
	Title string
}

// calendarSteps are the steps to subscribe, by calendar program.
func calendarSteps(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Text: say(ctx, "iPhone and iPad"), Value: say(ctx, "In Calendar choose Calendars, Add Calendar, Add Subscription Calendar, and paste the address.")},
		{Text: say(ctx, "Mac"), Value: say(ctx, "In Calendar choose File, New Calendar Subscription, and paste the address.")},
		{Text: say(ctx, "Thunderbird"), Value: say(ctx, "Choose New Calendar, On the Network, leave the user name empty, and paste the address.")},
		{Text: say(ctx, "Google Calendar"), Value: say(ctx, "On the web choose Other calendars, +, From URL, and paste the address. Android shows it then, too.")},
		{Text: say(ctx, "Outlook"), Value: say(ctx, "On the web choose Add calendar, Subscribe from web, and paste the address.")},
		{Text: say(ctx, "Android without Google"), Value: say(ctx, "Install a program for subscriptions, such as ICSx⁵, and paste the address there.")},
	}
}
