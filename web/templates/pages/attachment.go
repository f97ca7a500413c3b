package pages

import "florin/web/templates/ui"

// AttachmentsCard lists the files that the person attached to a transaction. Its form posts a file in the field "file".
type AttachmentsCard struct {
	Action  string // path of the form
	Accept  string // types for the choice of a file: "application/pdf,.pdf"
	Files   []AttachmentRow
	Hint    string // which files can be attached
	Problem string // why a file was refused; usually empty
}

// AttachmentRow is one of the files.
type AttachmentRow struct {
	Name   string
	Href   string
	Opens  bool   // in the browser; else it is saved
	Type   string // "PDF"
	Size   string // "231 KB"
	Added  ui.Time
	Remove string // path of the form that removes it
}
