package rates

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	oneDay = "Date, USD, JPY, CHF, \n20 November 2026, 1.0847, 162.74, 0.9305, \n"
	years  = "Date,USD,JPY,CYP,CHF,\n2026-11-20,1.0847,162.74,N/A,0.9305,\n2026-11-19,1.0801,161,N/A,,\n2007-12-31,1.4721,164.93,0.585274,1.6547,\n1999-01-04,N/A,N/A,N/A,N/A,\n"
)

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadFilesOfTheECB(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"a day":          {oneDay, "2026-11-20: USD 1.0847 JPY 162.74 CHF 0.9305"},
		"with a mark":    {"\uFEFF" + strings.ReplaceAll(oneDay, "\n", "\r\n"), "2026-11-20: USD 1.0847 JPY 162.74 CHF 0.9305"},
		"no last comma":  {"Date,USD\n2026-11-20,1.0847", "2026-11-20: USD 1.0847"},
		"years":          {years, "2026-11-20: USD 1.0847 JPY 162.74 CHF 0.9305; 2026-11-19: USD 1.0801 JPY 161; 2007-12-31: USD 1.4721 JPY 164.93 CYP 0.585274 CHF 1.6547"},
		"a packed day":   {zipped(t, map[string]string{"eurofxref.csv": oneDay}), "2026-11-20: USD 1.0847 JPY 162.74 CHF 0.9305"},
		"one of several": {zipped(t, map[string]string{"readme.txt": "x", "a/EUROFXREF.CSV": oneDay}), "2026-11-20: USD 1.0847 JPY 162.74 CHF 0.9305"},
	} {
		days, err := Read(iotest.OneByteReader(strings.NewReader(c.file)))
		var got []string
		for _, d := range days {
			got = append(got, fmt.Sprintf("%s: %s", d.Day, d.Rates))
		}
		if err != nil || strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestRatesOfADay(t *testing.T) {
	days, err := Read(strings.NewReader(years))
	if err != nil {
		t.Fatal(err)
	}
	if got, known := days[2].Rate("CYP"); !known || got != (Rate{"EUR", "CYP", "0.585274", "2007-12-31", ECB}) {
		t.Errorf("%v, %t", got, known)
	}
	for _, none := range []string{"CYP", "GBP", "1.0847", "", "USD 1.0847"} {
		if got, known := days[0].Rate(none); known {
			t.Errorf("a rate for %q: %v", none, got)
		}
	}
	if all := days[0].All(); len(all) != 3 || all[2] != (Rate{"EUR", "CHF", "0.9305", "2026-11-20", ECB}) {
		t.Errorf("%v", all)
	}
}

// What is wrong with a file is named with its line, and nothing of the file is read.
func TestFilesThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want FileError
	}{
		"nothing":               {"", FileError{Fault: FaultEmpty}},
		"a head alone":          {"Date,USD,\n", FileError{Fault: FaultEmpty}},
		"no rates":              {"Date,USD,\n2026-11-20,N/A,\n", FileError{Fault: FaultEmpty}},
		"another table":         {"Day;Amount\n2026-11-20;1\n", FileError{Fault: FaultKind}},
		"a picture":             {"\x89PNG\r\n\x1a\n\x00\"", FileError{Fault: FaultKind}},
		"a page":                {"<!doctype html>\n<title>x</title>", FileError{Fault: FaultKind}},
		"a word for a code":     {"Date,Franken,\n", FileError{FaultCurrency, 1, "Franken"}},
		"small letters":         {"Date,usd,\n", FileError{FaultCurrency, 1, "usd"}},
		"a gap in the head":     {"Date,USD,,CHF\n", FileError{FaultCurrency, 1, ""}},
		"the euro":              {"Date,EUR,\n", FileError{FaultCurrency, 1, "EUR"}},
		"a code twice":          {"Date,USD,CHF,USD,\n", FileError{FaultCurrency, 1, "USD"}},
		"a rate of zero":        {"Date,USD,\n2026-11-20,1.0847,\n2026-11-19,0,\n", FileError{FaultValue, 3, "0"}},
		"below zero":            {"Date,USD,\n2026-11-20,-1.0847,\n", FileError{FaultValue, 2, "-1.0847"}},
		"a milliard":            {"Date,USD,\n2026-11-20,1000000000,\n", FileError{FaultValue, 2, "1000000000"}},
		"1e9":                   {"Date,USD,\n2026-11-20,1e9,\n", FileError{FaultValue, 2, "1e9"}},
		"40 digits":             {"Date,USD,\n2026-11-20," + strings.Repeat("1", 50) + ",\n", FileError{FaultValue, 2, strings.Repeat("1", 40) + "…"}},
		"a decimal comma":       {"Date,USD,\n2026-11-20,\"1,08\",\n", FileError{FaultValue, 2, "1,08"}},
		"behind the last comma": {"Date,USD,\n2026-11-20,1,2\n", FileError{FaultValue, 2, "2"}},
		"too few cells":         {"Date,USD,CHF,\n\n2026-11-20,1.0847,\n", FileError{FaultCells, 3, ""}},
		"an open quote":         {"Date,USD,\n2026-11-20,\"1.0847,\n", FileError{FaultCells, 2, ""}},
		"no day":                {"Date,USD,\n2026-02-30,1.0847,\n", FileError{FaultDay, 2, "2026-02-30"}},
		"before the euro":       {"Date,USD,\n1998-12-31,1.0847,\n", FileError{FaultDay, 2, "1998-12-31"}},
		"a day twice":           {"Date,USD,\n2026-11-20,1.0847,\n20 November 2026,1.0847,\n", FileError{FaultTwice, 3, "2026-11-20"}},
		"too large":             {"Date,USD,\n" + strings.Repeat(" ", MaxFile), FileError{Fault: FaultLarge}},
		"a bomb":                {zipped(t, map[string]string{"eurofxref.csv": "Date,USD,\n" + strings.Repeat(" ", MaxFile)}), FileError{Fault: FaultLarge}},
		"two files in one":      {zipped(t, map[string]string{"a.csv": oneDay, "b.csv": oneDay}), FileError{Fault: FaultNoFile}},
		"no table in it":        {zipped(t, map[string]string{"a.txt": oneDay}), FileError{Fault: FaultNoFile}},
		"a broken archive":      {zipped(t, map[string]string{"a.csv": oneDay})[:60], FileError{Fault: FaultPacked}},
	} {
		days, err := Read(strings.NewReader(c.file))
		got, known := errors.AsType[*FileError](err)
		if !known || *got != c.want || days != nil {
			t.Errorf("%s: %v and %d days; want %v", name, err, len(days), c.want)
		}
	}
	broken := errors.New("the line is dead")
	if _, err := Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// Whatever a file holds, it is refused with a fault, or each of its days has rates that can be used.
func FuzzRead(f *testing.F) {
	f.Add([]byte(oneDay))
	f.Add([]byte(years))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, file []byte) {
		days, err := Read(bytes.NewReader(file))
		if _, known := errors.AsType[*FileError](err); err != nil && !known || err == nil && len(days) == 0 {
			t.Fatalf("%d days, %v", len(days), err)
		}
		for _, d := range days {
			all := d.All()
			if len(all) == 0 {
				t.Fatalf("%v", d)
			}
			for _, r := range all {
				if again, known := d.Rate(r.Quote); !known || again != r {
					t.Fatalf("%v and %v", r, again)
				}
				if _, err := ParseValue(string(r.Value)); err != nil {
					t.Fatal(r, err)
				}
			}
		}
	})
}
