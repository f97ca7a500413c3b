// Package textfile reads files of text that other programs wrote: their encodings, their tables and their XML. What is wrong with a file is a fact
// (Finding) that the pages put into words.
package textfile

import "fmt"

// Finding is a fact about a file, in no language yet: something that is wrong, or that is read in another way than it could be meant. Packages that read a
// kind of file have findings of their own, which embed Fact.
type Finding interface{ Finding() }

// Fact makes a Finding of the type in which it is embedded.
type Fact struct{}

// Finding marks the type.
func (Fact) Finding() {}

// Error is the error of a file that cannot be read.
type Error struct{ Reason Finding }

func (e *Error) Error() string { return fmt.Sprintf("the file cannot be read: %T", e.Reason) }

// Refuse returns the error with a finding.
func Refuse(f Finding) error { return &Error{f} }

// Why a file cannot be read. Lines count from 1.
type (
	TooLarge struct {
		Fact

		Most int // bytes
	}
	OtherFile struct { // a file of another kind
		Fact

		Kind FileKind
	}
	NotUTF8 struct {
		Fact

		Line int
	}
	UnknownEncoding struct { // the file declares one that is not read
		Fact

		Name string
	}
	WrongEncoding struct { // the file declares one in which it is not written
		Fact

		Name string
		Line int
	}
	WrongQuotes struct { // of a table
		Fact

		Line int
	}
	Malformed struct { // XML
		Fact

		Line int
	}
	DocumentType struct{ Fact } // of XML
	TooDeep      struct{ Fact } // XML
)

// FileKind is a kind of file that is no text.
type FileKind int

// The kinds of file that are recognised.
const (
	Workbook FileKind = iota // of a spreadsheet, or an archive: both are packed alike
	OldWorkbook
	PDF
	Compressed
	Picture
	NoText
	UTF32
)
