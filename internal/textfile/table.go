package textfile

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// Line is a line of a table that is not empty.
type Line struct {
	Number int // of the line in the file on which it begins, from 1
	Cells  []string
}

// Table splits a CSV text into its lines and cells. What separates the cells is said by a first line such as "sep=;", as spreadsheets write it, else it is
// the sign by which most lines have the same number of cells. Quotation marks inside a cell without any around it are part of its text. The error is an
// *Error.
func Table(text string) (lines []Line, separator rune, err error) {
	before := 0
	if first, rest, more := strings.Cut(text, "\n"); more {
		said, ok := strings.CutPrefix(strings.ToLower(strings.TrimRight(first, "\r ")), "sep=")
		if ok && (said == "" || len(said) == 1 && strings.Contains(separators, said)) {
			before, text = 1, rest
			if said != "" {
				separator = rune(said[0])
			}
		}
	}
	if separator == 0 {
		separator = separatorOf(text)
	}
	lines, err = split(text, separator, before, false)
	var bad *csv.ParseError
	if errors.As(err, &bad) && errors.Is(err, csv.ErrBareQuote) {
		lines, err = split(text, separator, before, true)
	}
	if errors.As(err, &bad) {
		return nil, separator, Refuse(WrongQuotes{Line: before + bad.StartLine})
	}
	return lines, separator, err
}

// split splits a text. before is the number of lines before it. With bare quotes no cell has several lines, since a quotation mark could be one of a cell
// that was never closed.
func split(text string, separator rune, before int, bare bool) (lines []Line, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = separator, -1, separator != '\t', bare
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		all := strings.Join(cells, "")
		number, _ := r.FieldPos(0)
		if bare && strings.Contains(all, "\n") {
			return nil, &csv.ParseError{StartLine: number, Line: number, Err: csv.ErrQuote}
		}
		if strings.TrimSpace(all) != "" {
			lines = append(lines, Line{Number: before + number, Cells: cells})
		}
	}
}

// separators are the signs that separate cells; of two that fit as well, the first.
const separators = ",;\t|"

// separatorOf is the sign by which most of the first lines of a table are split into the same number of cells; if they are as many, into more.
func separatorOf(text string) rune {
	const enough = 100                             // lines
	counts := make([]map[int]int, len(separators)) // how many lines have a sign so many times
	for i := range counts {
		counts[i] = map[int]int{}
	}
	inQuotes, seen := false, 0
	for line := range strings.Lines(text) {
		if seen++; seen > enough {
			break
		}
		var in [len(separators)]int
		for _, r := range line {
			if r == '"' {
				inQuotes = !inQuotes
			} else if i := strings.IndexRune(separators, r); i >= 0 && !inQuotes {
				in[i]++
			}
		}
		for i, n := range in {
			counts[i][n]++
		}
	}
	best, most := rune(separators[0]), 0
	for i, separator := range separators {
		for n, lines := range counts[i] {
			if n*lines*lines > most {
				best, most = separator, n*lines*lines
			}
		}
	}
	return best
}
