package show

import (
	"florin/internal/textfile"
	"florin/web/templates/words"
)

// FileProblem returns why a file of another program cannot be read, and what to do; "" for a finding that is not of package textfile.
func FileProblem(l *words.Language, found textfile.Finding) string {
	switch f := found.(type) {
	case textfile.TooLarge:
		if f.Most < 10<<20 {
			return l.Say("The file is larger than %d KiB. Split it into smaller files.", f.Most>>10)
		}
		return l.Say("The file is larger than %d MiB. Split it into smaller files.", f.Most>>20)
	case textfile.OtherFile:
		return l.Say(otherFiles[f.Kind])
	case textfile.NotUTF8:
		return l.Say("The file is not written in UTF-8: see line %d. Save or export it again as UTF-8.", f.Line)
	case textfile.UnknownEncoding:
		return l.Say("The file is written in %s, which Florin cannot read. Save or export it again as UTF-8.", f.Name)
	case textfile.WrongEncoding:
		return l.Say("The file cannot be read as %s: line %d has a character that does not exist there. Save or export it again as UTF-8.", f.Name, f.Line)
	case textfile.WrongQuotes:
		return l.Say("Line %d cannot be read: a quotation mark is missing or in the wrong place. Put a field that contains a quotation mark between quotation marks, and write the mark inside it twice.", f.Line)
	case textfile.Malformed:
		return l.Say("The file is not correct XML: see line %d. It may be incomplete or changed by hand. Export it again.", f.Line)
	case textfile.DocumentType:
		return l.Say("The file contains a document type (DOCTYPE), which can be used for attacks and which no such file needs. Remove that line, or export the file again.")
	case textfile.TooDeep:
		return l.Say("The file has more levels of elements than such a file can have. Export it again.")
	}
	return ""
}

// otherFiles are the texts for files that are not text, with what to do instead.
var otherFiles = map[textfile.FileKind]words.Text{
	textfile.Workbook:    "This is a spreadsheet or an archive. In the spreadsheet choose “Save as” and “CSV UTF-8”, or unpack the archive. Then choose that file.",
	textfile.OldWorkbook: "This is an Excel file. In Excel choose “Save as” and “CSV UTF-8”. Then choose that file.",
	textfile.PDF:         "Florin cannot read a PDF here. Export the same data as CSV or XML where the PDF came from, and choose that file.",
	textfile.Compressed:  "This file is compressed. Unpack it and choose the file inside.",
	textfile.Picture:     "This is a picture. Choose a file that was exported as CSV or XML.",
	textfile.NoText:      "This is not a text file. Choose a file that was exported as CSV or XML.",
	textfile.UTF32:       "The file is written in UTF-32, which Florin cannot read. Save it again as UTF-8.",
}
