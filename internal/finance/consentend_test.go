package finance

import (
	"errors"
	"testing"
	"time"
)

// How long access lasts is typed in days or as a day, up to what the bank allows.
func TestParseConsentEnd(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 20, 9, 30, 0, 0, berlin)
	longest := now.Add(180*24*time.Hour - 5*time.Minute).UTC()
	at := func(month time.Month, day, hour, minute, second int) time.Time {
		return time.Date(2026, month, day, hour, minute, second, 0, berlin)
	}
	for text, want := range map[string]time.Time{
		"":            longest,
		"  ":          longest,
		"1":           at(10, 21, 9, 30, 0),
		"30":          at(11, 19, 9, 30, 0), // the clocks go back on the way
		"0030":        at(11, 19, 9, 30, 0),
		"180":         longest,
		"2026-10-21":  at(10, 21, 23, 59, 59),
		"31.12.2026":  at(12, 31, 23, 59, 59),
		" 31.12.2026": at(12, 31, 23, 59, 59),
		"2027-04-18":  longest, // the last day
	} {
		if got, err := ParseConsentEnd(text, now, longest); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v %v, want %v", text, got, err, want)
		}
	}
	type facts struct {
		form, soon, late bool
	}
	for text, want := range map[string]facts{
		"0":                    {soon: true},
		"-3":                   {soon: true},
		"181":                  {late: true},
		"99999999999":          {late: true},
		"99999999999999999999": {form: true},
		"2026-10-20":           {soon: true},
		"2020-01-01":           {soon: true},
		"2027-04-19":           {late: true},
		"9999-12-31":           {late: true},
		"2027-02-29":           {form: true},
		"a month":              {form: true},
		"3 days":               {form: true},
		"1e3":                  {form: true},
	} {
		var got *ConsentEndError
		if _, err := ParseConsentEnd(text, now, longest); !errors.As(err, &got) || (facts{got.Form != nil, got.Soon, got.Late}) != want || got.Error() == "" {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
		if want.late && (got.MostDays != 180 || got.Last != "2027-04-18") {
			t.Errorf("%q: %d days until %s", text, got.MostDays, got.Last)
		}
	}
}
