package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"florin/internal/sqlite"
)

func TestTimesAreStoredAsText(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	change(t, db, "CREATE TABLE moment (at TEXT NOT NULL, maybe TEXT) STRICT")
	helsinki := time.FixedZone("EEST", 3*60*60)
	cases := []struct {
		name string
		in   time.Time
		text string
	}{
		{"UTC", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02T03:04:05.000Z"},
		{"another zone", time.Date(2026, 1, 2, 3, 4, 5, 0, helsinki), "2026-01-02T00:04:05.000Z"},
		{"cut to milliseconds", time.Date(2026, 1, 2, 3, 4, 5, 678_999_999, time.UTC), "2026-01-02T03:04:05.678Z"},
		{"early", time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), "0001-01-02T00:00:00.000Z"},
		{"last", time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC), "9999-12-31T23:59:59.999Z"},
		{"before 1970", time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC), "1969-12-31T23:59:59.999Z"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			change(t, db, "DELETE FROM moment")
			change(t, db, "INSERT INTO moment (at, maybe) VALUES ($1, $2)", sqlite.Time{Time: c.in}, sqlite.AtOrNull(c.in))
			for _, column := range []string{"at", "maybe"} {
				if got := value[string](t, db, "SELECT "+column+" FROM moment"); got != c.text {
					t.Errorf("%s is stored as %q, want %q", column, got, c.text)
				}
			}
			want := c.in.UTC().Truncate(time.Millisecond)
			if got := value[sqlite.Time](t, db, "SELECT at FROM moment"); got.Time != want || sqlite.At(c.in) != got {
				t.Errorf("read back %v, At gives %v, want %v", got, sqlite.At(c.in), want)
			}
			if got := value[sqlite.NullTime](t, db, "SELECT maybe FROM moment"); got.Time != want {
				t.Errorf("read back %v, want %v", got, want)
			}
		})
	}
}

func TestNullTime(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	change(t, db, "CREATE TABLE moment (maybe TEXT) STRICT")
	change(t, db, "INSERT INTO moment (maybe) VALUES ($1)", sqlite.AtOrNull(time.Time{}))
	if !value[bool](t, db, "SELECT maybe IS NULL FROM moment") {
		t.Error("the zero time is not NULL")
	}
	got := sqlite.AtOrNull(time.Now())
	if err := db.Read().QueryRowContext(t.Context(), "SELECT maybe FROM moment").Scan(&got); err != nil {
		t.Fatal(err)
	}
	if !got.IsZero() {
		t.Errorf("NULL was read as %v", got)
	}
}

func TestTimesThatCannotBeStored(t *testing.T) {
	for _, in := range []time.Time{{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if v, err := (sqlite.Time{Time: in}).Value(); err == nil {
			t.Errorf("%v was stored as %v", in, v)
		}
	}
}

func TestScanRefusesOtherShapes(t *testing.T) {
	for _, in := range []any{
		nil, 1767322800, "", "2026-01-02", "2026-01-02 03:04:05.000", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.00Z",
		"2026-01-02T03:04:05,000Z", "2026-01-02T03:04:05.0000Z", "2026-01-02T03:04:05.000+00:00", "2026-02-30T03:04:05.000Z",
		"2026-01-02T03:04:05.000z", "2026-13-02T03:04:05.000Z", "2026-00-02T03:04:05.000Z", "2026-01-00T03:04:05.000Z", "2026-01-02T24:00:00.000Z",
		"2026-01-02T03:60:05.000Z", "2026-01-02T03:04:60.000Z", "2026-01-02T03:04:05.00\u0663Z", "+026-01-02T03:04:05.000Z", time.Now(),
	} {
		var got sqlite.Time
		if err := got.Scan(in); err == nil {
			t.Errorf("Scan(%v) gave %v", in, got)
		}
	}
}
