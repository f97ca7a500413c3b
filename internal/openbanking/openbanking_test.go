package openbanking_test

import (
	"encoding/json"
	"testing"
	"time"

	ob "florin/internal/openbanking"
)

// api-notes 4: valid_until in every form that was seen, and how it is echoed.
func TestDateTimeInEveryForm(t *testing.T) {
	tests := []struct{ text, want string }{
		{"2026-11-30T08:12:16.903Z", "2026-11-30T08:12:16.903Z"},
		{"2026-11-30T08:12:16.903123+00:00", "2026-11-30T08:12:16.903123Z"},
		{"2026-11-30T08:12:16Z", "2026-11-30T08:12:16Z"},
		{"2026-11-30 08:12:16Z", "2026-11-30T08:12:16Z"},
		{"2026-11-30 08:12:16.903123+00:00", "2026-11-30T08:12:16.903123Z"},
		{"2026-11-30T10:12:16+02:00", "2026-11-30T08:12:16Z"},
		{"2026-11-30T02:42:16-05:30", "2026-11-30T08:12:16Z"},
		{"2026-11-30T08:12:16.123456789Z", "2026-11-30T08:12:16.123456789Z"},
		{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"2026-11-30T10:12:16+0200", "2026-11-30T08:12:16Z"},
		{"2026-11-30 10:12:16.5+0200", "2026-11-30T08:12:16.5Z"},
		{"2026-11-30T08:12Z", "2026-11-30T08:12:00Z"},
		{"2026-11-30T10:12+02:00", "2026-11-30T08:12:00Z"},
		{"2026-11-30t08:12:16z", "2026-11-30T08:12:16Z"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			d, err := ob.ParseDateTime(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if d.Location() != time.UTC {
				t.Errorf("in %v, want UTC", d.Location())
			}
			if out, err := json.Marshal(d); err != nil || string(out) != `"`+tt.want+`"` {
				t.Errorf("written as %s, %v, want %q", out, err, tt.want)
			}
			var decoded ob.DateTime
			if err := json.Unmarshal([]byte(`"`+tt.text+`"`), &decoded); err != nil || decoded != d {
				t.Errorf("decoded as %v, %v, want %v", decoded, err, d)
			}
		})
	}
}

func TestDateTimeRefuses(t *testing.T) {
	for _, text := range []string{
		"", "now", "2026-11-30", "2026-11-30T08:12:16", "2026-11-30 08:12:16", // no offset
		"2026-11-30  08:12:16Z", "2026-11-30T08Z", "2026-11-30T08:12:16.Z", "2026-11-30T08:12", "2026-11-30T08:12:16+01:00[Europe/Berlin]",
		"2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T08:12:16+25:00", "2026-11-30T08:12:16+2500", "2026-11-30T08:12:16+02",
		"2026-11-30T08:12:16Z ", " 2026-11-30T08:12:16Z", "1795939936", "+2026-11-30T08:12:16Z",
		"0000-12-31T23:59:59Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", // not writable in UTC
	} {
		if d, err := ob.ParseDateTime(text); err == nil || d != (ob.DateTime{}) {
			t.Errorf("%q was read as %v, %v", text, d, err)
		}
		body, _ := json.Marshal(text)
		if err := json.Unmarshal(body, new(ob.DateTime)); err == nil {
			t.Errorf("%s was decoded", body)
		}
	}
	for _, body := range []string{"7", "{}", "[]", "true"} {
		if err := json.Unmarshal([]byte(body), new(ob.DateTime)); err == nil {
			t.Errorf("%s was decoded", body)
		}
	}
}

func TestDate(t *testing.T) {
	// 23:30 at UTC-1 is the next day in UTC.
	if d := ob.DateOf(time.Date(2026, 1, 31, 23, 30, 0, 0, time.FixedZone("", -3600))); d != "2026-02-01" {
		t.Errorf("DateOf = %s", d)
	}
	if got, err := ob.Date("2024-02-29").Time(); err != nil || !got.Equal(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)) || got.Location() != time.UTC {
		t.Errorf("got %v, %v", got, err)
	}
	for _, d := range []ob.Date{"", "0", "2026-02-29", "2026-1-2", "20260102", "2026-01-02T00:00:00Z", "02.01.2026", "2026-01-02 ", "２026-01-02"} {
		if got, err := d.Time(); err == nil || !got.IsZero() {
			t.Errorf("%q was read as %v", d, got)
		}
	}
}

func TestListIsNeverNull(t *testing.T) {
	tests := []struct {
		list ob.List[string]
		want string
	}{
		{nil, `[]`},
		{ob.List[string]{}, `[]`},
		{ob.List[string]{"a", "b"}, `["a","b"]`},
	}
	for _, tt := range tests {
		if got, err := json.Marshal(tt.list); err != nil || string(got) != tt.want {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
	}
	var list ob.List[string]
	if err := json.Unmarshal([]byte(`null`), &list); err != nil || list != nil {
		t.Errorf("null was read as %#v, %v", list, err)
	}
}

func TestKnown(t *testing.T) {
	if !ob.Known(ob.CashAccountTypeSVGS) || ob.Known(ob.CashAccountType("svgs")) || ob.Known(ob.CashAccountType("")) {
		t.Error("CashAccountType")
	}
	if ob.Known(ob.SchemeName("PLKNR")) { // api-notes 6
		t.Error("PLKNR is in no list")
	}
	if !ob.Known(ob.ExpiredSession) || ob.Known(ob.ErrorCode("expired_session")) {
		t.Error("ErrorCode")
	}
}

func FuzzParseDateTime(f *testing.F) {
	for _, text := range []string{"2026-11-30T08:12:16.903Z", "2026-11-30 08:12:16.903123+00:00", "0001-01-01T00:00:00-23:59",
		"9999-12-31T23:59:59.999999999Z", "2026-11-30T8:12:16,5Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ob.ParseDateTime(text)
		if err != nil {
			return
		}
		out, err := json.Marshal(d)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var again ob.DateTime
		if err := json.Unmarshal(out, &again); err != nil || !again.Equal(d.Time) {
			t.Fatalf("%q became %s, then %v, %v", text, out, again, err)
		}
	})
}

func FuzzDate(f *testing.F) {
	f.Add("2024-02-29")
	f.Add("2026-1-2")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := ob.Date(text).Time(); err == nil && string(ob.DateOf(d)) != text {
			t.Fatalf("%q is %v", text, d)
		}
	})
}
