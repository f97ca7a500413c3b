package finance

import (
	"errors"
	"strings"
	"testing"
)

// The type of a file is that of its content, from the first byte on.
func TestFileTypeOf(t *testing.T) {
	for head, want := range map[string]FileType{
		"":           "",
		"%PDF":       "",
		"%PDF-1.7\n": FilePDF,
		"%PDF-1.4\n<html><script>alert(1)</script>": FilePDF, // served as application/pdf, and as nothing else
		"<html><script>alert(1)</script>%PDF-1.4":   "",
		"\n%PDF-1.4":                                       "",
		"\xef\xbb\xbf%PDF-1.4":                             "",
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR":              FilePNG,
		"\x89PNG\n\x1a\n":                                  "",
		"\xff\xd8\xff\xe0\x00\x10JFIF":                     FileJPEG,
		"\xff\xd8":                                         "",
		"RIFF\x24\x00\x00\x00WEBPVP8 ":                     FileWebP,
		"RIFF\x24\x00\x00\x00WAVEfmt ":                     "",
		"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic": FileHEIC,
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic": FileHEIC,
		"\x00\x00\x00\x14ftypmif1\x00\x00\x00\x00mif1heic": "", // behind the box
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif": "",
		"\x00\x00\x00\x18ftypmp42heic\x00\x00\x00\x00mif1": "", // its version
		"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42": "",
		"\x00\x00\x00\x00ftypheic\x00\x00\x00\x00mif1heic": "",
		"\xff\xff\xff\xfcftypheic\x00\x00\x00\x00mif1heic": FileHEIC,
		"PK\x03\x04\x14\x00receipt.pdf":                    "",
		"GIF89a":                                           "",
		"<svg xmlns=\"http://www.w3.org/2000/svg\">":       "",
		"<!DOCTYPE html>":                                  "",
	} {
		if got := FileTypeOf([]byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
	}
}

func FuzzFileTypeOf(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic"))
	f.Add([]byte("RIFF"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if kind := FileTypeOf(head); kind != "" && extensions[kind] == nil {
			t.Errorf("%q is %q", head, kind)
		}
	})
}

// A name is kept without what cannot be seen; a path is none.
func TestReadFileName(t *testing.T) {
	for name, want := range map[string]string{
		"receipt.pdf": "receipt.pdf", " Rechnung  Nr. 12.PDF ": "Rechnung Nr. 12.PDF", "ab\u202egpj.exe\x00": "abgpj.exe", "日本.png": "日本.png", ".png": ".png",
		strings.Repeat("x", MaxFileName): strings.Repeat("x", MaxFileName),
	} {
		if got, err := ReadFileName(name); got != want || err != nil {
			t.Errorf("%q is kept as %q, %v, want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]error{
		"": ErrFileName, " ": ErrFileName, ".": ErrFileName, "..": ErrFileName, "../receipt.pdf": ErrFileName, "/etc/passwd": ErrFileName,
		`C:\receipt.pdf`: ErrFileName, "\x00": ErrFileName, strings.Repeat("ä", MaxFileName/2) + "x": ErrFileNameLong,
	} {
		if got, err := ReadFileName(name); got != "" || !errors.Is(err, want) {
			t.Errorf("%q: %q, %v, want %v", name, got, err, want)
		}
	}
}

// A name does not promise another type, and a saved file has an ending of its own type.
func TestNamesGoWithTheirTypes(t *testing.T) {
	for name, want := range map[string]struct {
		err   error
		saved string
	}{
		"receipt.pdf": {nil, "receipt.pdf"}, "RECEIPT.PDF": {nil, "RECEIPT.PDF"}, "receipt": {nil, "receipt.pdf"}, "Invoice no. 12": {nil, "Invoice no. 12.pdf"},
		"page.html": {nil, "page.html.pdf"}, "picture.png": {ErrFileTypeOther, ""}, "photo.JPEG": {ErrFileTypeOther, ""}, "x.heif": {ErrFileTypeOther, ""},
	} {
		err := CheckFileName(name, FilePDF)
		if !errors.Is(err, want.err) {
			t.Errorf("%q for a PDF: %v, want %v", name, err, want.err)
		}
		if saved := (Attachment{Name: name, Type: FilePDF}).FileName(); err == nil && saved != want.saved {
			t.Errorf("%q is saved as %q, want %q", name, saved, want.saved)
		}
	}
}
