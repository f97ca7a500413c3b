package finance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path"
	"slices"
	"strings"
	"time"
)

// Attachment is a file that a person keeps with a transaction, such as a receipt.
type Attachment struct {
	ID    string // under which its content is kept
	Name  string // as the person's computer called it
	Type  FileType
	Size  int64 // bytes, more than 0
	Added time.Time
}

// How much a person can attach.
const (
	MaxAttachment      = 20 << 20 // bytes of one file
	MaxAttachments     = 20       // of a transaction
	MaxAttachmentSpace = 2 << 30  // bytes of all files of a person together
	MaxFileName        = 200      // bytes
)

// What is wrong with a file that a person wants to attach.
var (
	ErrFileName           = errors.New("the name of the file is a path, or empty")
	ErrFileNameLong       = errors.New("the name of the file is longer than MaxFileName")
	ErrFileType           = errors.New("the file is none of the types that can be attached")
	ErrFileTypeOther      = errors.New("the name of the file ends as that of another type")
	ErrFileEmpty          = errors.New("the file is empty")
	ErrFileTooLarge       = errors.New("the file is larger than MaxAttachment")
	ErrTooManyAttachments = errors.New("the transaction has MaxAttachments files already")
	ErrAttachmentSpace    = errors.New("the files of the person would take more than MaxAttachmentSpace")
)

// FileType is the media type of a file that can be attached.
type FileType string

// Values of FileType.
const (
	FilePDF  FileType = "application/pdf"
	FilePNG  FileType = "image/png"
	FileJPEG FileType = "image/jpeg"
	FileWebP FileType = "image/webp"
	FileHEIC FileType = "image/heic"
)

// extensions are the endings of names, the usual one of each type first.
var extensions = map[FileType][]string{
	FilePDF: {".pdf"}, FilePNG: {".png"}, FileJPEG: {".jpg", ".jpeg", ".jpe", ".jfif"}, FileWebP: {".webp"}, FileHEIC: {".heic", ".heif", ".hif"},
}

// FileHead is how much of a file FileTypeOf looks at, in bytes.
const FileHead = 512

// FileTypeOf returns the type of a file by its beginning, FileHead bytes of it or all; "" for one that cannot be attached. Nothing may stand before the
// signature: what browsers would take for a page, with a PDF further down, is none.
func FileTypeOf(head []byte) FileType {
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return FilePDF
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return FilePNG
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return FileJPEG
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return FileWebP
	case heic(head):
		return FileHEIC
	}
	return ""
}

// heicBrands are those of HEIC in the file type box of ISO 14496-12: pictures and sequences coded with HEVC (ISO 23008-12, annex B).
var heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"}

// heic reports whether a file begins with a file type box that names a brand of HEIC: the major one or, where that is a general one such as mif1, a compatible
// one.
func heic(head []byte) bool {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return false
	}
	size := binary.BigEndian.Uint32(head)
	if size < 16 || size%4 != 0 {
		return false
	}
	box := head[:min(int(size), len(head)&^3)]
	for at := 8; at+4 <= len(box); at += 4 {
		if at != 12 && slices.Contains(heicBrands, string(box[at:at+4])) { // 12 is a version
			return true
		}
	}
	return false
}

// ReadFileName returns the cleaned name of a file, to be stored. A name with path separators is ErrFileName: a path reveals folders of the person's
// machine.
func ReadFileName(name string) (string, error) {
	clean := Clean(name)
	switch {
	case clean == "" || strings.ContainsAny(clean, `/\`) || strings.Trim(clean, ".") == "":
		return "", ErrFileName
	case len(clean) > MaxFileName:
		return "", ErrFileNameLong
	}
	return clean, nil
}

// CheckFileName returns ErrFileTypeOther when a name ends as that of another type.
func CheckFileName(name string, of FileType) error {
	ending := strings.ToLower(path.Ext(name))
	for t, endings := range extensions {
		if t != of && slices.Contains(endings, ending) {
			return ErrFileTypeOther
		}
	}
	return nil
}

// FileName is what the file is called when it is saved: its name with an ending of its type, so that no program takes it for anything else.
func (a Attachment) FileName() string {
	if slices.Contains(extensions[a.Type], strings.ToLower(path.Ext(a.Name))) {
		return a.Name
	}
	return a.Name + extensions[a.Type][0]
}
