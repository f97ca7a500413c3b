package rates

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"florin/internal/openbanking"
)

// MaxFile is how many bytes a file of the ECB has at most, packed or not. That of all years has about a million.
const MaxFile = 20 << 20

// maxColumns is how many currencies a file has at most.
const maxColumns = 500

// Fault says why a file is refused.
type Fault string

// Faults.
const (
	FaultEmpty    Fault = "empty"
	FaultLarge    Fault = "large"    // it has more than MaxFile bytes, or what is packed in it
	FaultKind     Fault = "kind"     // it does not begin as a file of the ECB does
	FaultPacked   Fault = "packed"   // the archive is damaged
	FaultNoFile   Fault = "no-file"  // the archive has not one CSV file
	FaultCells    Fault = "cells"    // a line has more or fewer cells than the first one
	FaultDay      Fault = "day"      // a line begins with no day
	FaultTwice    Fault = "twice"    // the day was in an earlier line already
	FaultValue    Fault = "value"    // a rate is none
	FaultCurrency Fault = "currency" // a column is named by no code, or by one that another column has
)

// FileError is the error of a file that is not read.
type FileError struct {
	Fault Fault
	Line  int    // from 1; 0 for the file as a whole
	Cell  string // what stands there, cut to maxCell characters; may be empty
}

const maxCell = 40

func (e *FileError) Error() string {
	return fmt.Sprintf("the file with rates is refused: %s in line %d", e.Fault, e.Line)
}

func faulty(fault Fault, line int, cell string) error {
	if letters := []rune(cell); len(letters) > maxCell {
		cell = string(letters[:maxCell]) + "…"
	}
	return &FileError{fault, line, cell}
}

// Day is the rates of the ECB of one day.
type Day struct {
	Day   openbanking.Date
	Rates string // codes, each with its value: "CHF 0.9305 USD 1.0847"
}

// Rate is the rate of the euro against a currency on the day.
func (d Day) Rate(currency string) (Rate, bool) {
	_, rest, found := strings.Cut(" "+d.Rates, " "+currency+" ")
	value, _, _ := strings.Cut(rest, " ")
	return Rate{euro, currency, Value(value), d.Day, ECB}, found && IsCode(currency)
}

// All are all rates of the day.
func (d Day) All() (list []Rate) {
	words := strings.Fields(d.Rates)
	for pair := range slices.Chunk(words, 2) {
		list = append(list, Rate{euro, pair[0], Value(pair[len(pair)-1]), d.Day, ECB})
	}
	return list
}

// Read reads a file of the ECB: eurofxref.csv with the rates of a day, eurofxref-hist.csv with those of all days since 1999, or one of them in a zip archive,
// as the ECB gives both. "N/A" and an empty cell stand for no rate. The days come in the order of the file, without those that have no rate. All of it is read,
// or none: the error is a *FileError, or what file returns.
func Read(file io.Reader) ([]Day, error) {
	in := bufio.NewReader(&bounded{file, MaxFile})
	begin, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(begin) == 0 {
		return nil, faulty(FaultEmpty, 0, "")
	}
	if string(begin) != "PK\x03\x04" {
		return readCSV(in)
	}
	packed, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, faulty(FaultPacked, 0, "")
	}
	inside := slices.DeleteFunc(archive.File, func(f *zip.File) bool { return !strings.EqualFold(path.Ext(f.Name), ".csv") })
	if len(inside) != 1 {
		return nil, faulty(FaultNoFile, 0, "")
	}
	unpacked, err := inside[0].Open()
	if err != nil {
		return nil, faulty(FaultPacked, 0, "")
	}
	defer unpacked.Close()
	days, err := readCSV(&bounded{unpacked, MaxFile})
	if _, known := errors.AsType[*FileError](err); err != nil && !known {
		return nil, faulty(FaultPacked, 0, "")
	}
	return days, err
}

// bounded is a reader that refuses to read more than so many bytes.
type bounded struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, faulty(FaultLarge, 0, "")
	}
	return n, err
}

// readCSV reads a table: the first line has the codes of the currencies, each other one a day and its rates.
func readCSV(from io.Reader) ([]Day, error) {
	in := csv.NewReader(from)
	in.FieldsPerRecord, in.ReuseRecord = -1, true
	var columns []string // the codes; "" is the column behind the last comma
	var days []Day
	seen := map[openbanking.Date]bool{}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if wrong, known := errors.AsType[*csv.ParseError](err); known {
			if columns == nil {
				return nil, faulty(FaultKind, 0, "")
			}
			return nil, faulty(FaultCells, wrong.StartLine, "")
		}
		if err != nil {
			return nil, err
		}
		for i := range record {
			record[i] = strings.TrimSpace(record[i])
		}
		line, _ := in.FieldPos(0)
		if columns == nil {
			if columns, err = readHead(record, line); err != nil {
				return nil, err
			}
			continue
		}
		day, err := readLine(columns, record, line)
		if err != nil {
			return nil, err
		}
		if seen[day.Day] {
			return nil, faulty(FaultTwice, line, string(day.Day))
		}
		if seen[day.Day] = true; day.Rates != "" {
			days = append(days, day)
		}
	}
	switch {
	case columns == nil:
		return nil, faulty(FaultKind, 0, "")
	case len(days) == 0:
		return nil, faulty(FaultEmpty, 0, "")
	}
	return days, nil
}

// readHead reads the codes of the currencies.
func readHead(record []string, line int) ([]string, error) {
	if len(record) < 2 || strings.TrimPrefix(record[0], "\uFEFF") != "Date" {
		return nil, faulty(FaultKind, 0, "")
	}
	var columns []string
	for i, code := range record[1:] {
		last := i == len(record)-2
		if !IsCode(code) && (code != "" || !last) || code == euro || slices.Contains(columns, code) || len(columns) == maxColumns {
			return nil, faulty(FaultCurrency, line, code)
		}
		columns = append(columns, code)
	}
	return columns, nil
}

// readLine reads the rates of a day.
func readLine(columns, record []string, line int) (Day, error) {
	day, known := readDay(record[0])
	if !known {
		return Day{}, faulty(FaultDay, line, record[0])
	}
	if len(record)-1 != len(columns) {
		return Day{}, faulty(FaultCells, line, "")
	}
	var text strings.Builder
	for i, cell := range record[1:] {
		if cell == "" || cell == "N/A" {
			continue
		}
		value, err := ParseValue(cell)
		if err != nil || columns[i] == "" || strings.Contains(cell, ",") {
			return Day{}, faulty(FaultValue, line, cell)
		}
		fmt.Fprintf(&text, " %s %s", columns[i], value)
	}
	return Day{day, strings.TrimPrefix(text.String(), " ")}, nil
}

// readDay reads a day as the two files write it: "2026-11-20" and "20 November 2026".
func readDay(text string) (openbanking.Date, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t, err = time.Parse("2 January 2006", text)
	}
	day := openbanking.DateOf(t)
	return day, err == nil && day >= FirstDay
}
