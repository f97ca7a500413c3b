package show

import (
	"fmt"
	"io"
	"net/http"

	"florin/internal/ledgerfile"
	"florin/web/templates/pages"
)

// DownloadTables answers with the tables of sections as one CSV file: each below its title, with its notes. It uses the separator and decimal sign that
// spreadsheets expect in the reader's language.
func (c Clock) DownloadTables(w http.ResponseWriter, name string, sections []pages.ReportSection) error {
	w.Header().Set("Content-Type", ledgerfile.CSV.ContentType(ledgerfile.Options{Encoding: ledgerfile.UTF8BOM}))
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.csv"`, name))
	return c.WriteTables(w, sections)
}

// WriteTables writes the CSV file of DownloadTables.
func (c Clock) WriteTables(w io.Writer, sections []pages.ReportSection) error {
	options := ledgerfile.Options{Encoding: ledgerfile.UTF8BOM}
	if c.Language.Point() == "," {
		options.Separator, options.Decimal = ledgerfile.Semicolon, ledgerfile.DecimalComma
	}
	var rows [][]ledgerfile.Cell
	for _, s := range sections {
		if len(s.Table.Head) == 0 {
			continue
		}
		if len(rows) > 0 {
			rows = append(rows, []ledgerfile.Cell{{}})
		}
		rows = append(rows, []ledgerfile.Cell{{Text: s.Title}})
		var head []ledgerfile.Cell
		for _, name := range s.Table.Head {
			head = append(head, ledgerfile.Cell{Text: name})
		}
		rows = append(rows, head)
		for _, row := range s.Table.Rows {
			var line []ledgerfile.Cell
			for _, cell := range row {
				one := ledgerfile.Cell{Text: cell.Text}
				if cell.Amount != nil {
					one.Amount = &cell.Amount.Amount
				}
				line = append(line, one)
			}
			rows = append(rows, line)
		}
		for _, note := range s.Notes {
			rows = append(rows, []ledgerfile.Cell{{Text: note}})
		}
	}
	return ledgerfile.WriteTable(w, rows, options)
}
