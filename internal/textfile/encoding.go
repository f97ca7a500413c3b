package textfile

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// alphabets are the encodings in which files are written beside UTF-8 and UTF-16, by their labels. What calls itself ISO 8859-1 is read as
// windows-1252, which has signs where the former has control characters: many programs mistake one for the other.
var alphabets = map[string]encoding.Encoding{
	"iso-8859-1": charmap.Windows1252, "iso8859-1": charmap.Windows1252, "iso_8859-1": charmap.Windows1252, "latin1": charmap.Windows1252,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252,
	"iso-8859-15": charmap.ISO8859_15, "iso8859-15": charmap.ISO8859_15, "iso_8859-15": charmap.ISO8859_15, "latin9": charmap.ISO8859_15,
	"latin-9":    charmap.ISO8859_15,
	"iso-8859-2": charmap.ISO8859_2, "iso8859-2": charmap.ISO8859_2, "windows-1250": charmap.Windows1250, "cp1250": charmap.Windows1250,
}

// AssumedEncoding is the alphabet that is assumed of a file that does not tell its own.
const AssumedEncoding = "windows-1252"

var declared = regexp.MustCompile(`^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// otherFiles are the beginnings of files of other kinds.
var otherFiles = []struct {
	begin string
	kind  FileKind
}{
	{"PK\x03\x04", Workbook},
	{"\xd0\xcf\x11\xe0", OldWorkbook},
	{"%PDF", PDF},
	{"\x1f\x8b", Compressed},
	{"\x89PNG", Picture},
	{"\xff\xd8\xff", Picture},
}

// Decode decodes a file of at most that many bytes: UTF-8, UTF-16 with a byte order mark, or what an XML file declares. Any other file is decoded as
// AssumedEncoding; guessed is then true, so that the person is asked to look at the result. The error is an *Error.
func Decode(file []byte, most int) (text string, guessed bool, err error) {
	if len(file) > most {
		return "", false, Refuse(TooLarge{Most: most})
	}
	for _, other := range otherFiles {
		if bytes.HasPrefix(file, []byte(other.begin)) {
			return "", false, Refuse(OtherFile{Kind: other.kind})
		}
	}
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(file, []byte("\x00\x00\xfe\xff")):
		return "", false, Refuse(OtherFile{Kind: UTF32})
	case bytes.HasPrefix(file, []byte("\xff\xfe")), bytes.HasPrefix(file, []byte("<\x00")):
		text, err = decodeAs(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16", file)
		return text, false, err
	case bytes.HasPrefix(file, []byte("\xfe\xff")), bytes.HasPrefix(file, []byte("\x00<")):
		text, err = decodeAs(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "UTF-16", file)
		return text, false, err
	}
	file, marked := bytes.CutPrefix(file, []byte("\ufeff"))
	if bytes.IndexByte(file, 0) >= 0 {
		return "", false, Refuse(OtherFile{Kind: NoText})
	}
	m := declared.FindSubmatch(file[:min(len(file), 400)])
	switch {
	case m != nil && !marked:
		label := strings.ToLower(string(m[1]))
		if alphabet := alphabets[label]; alphabet != nil {
			text, err = decodeAs(alphabet, label, file)
			return text, false, err
		}
		// What declares UTF-16 and can be read up to here is none: programs write so that hold the text in memory.
		if label != "utf-8" && label != "utf8" && label != "us-ascii" && label != "ascii" && !strings.HasPrefix(label, "utf-16") {
			return "", false, Refuse(UnknownEncoding{Name: label})
		}
		fallthrough
	case marked, utf8.Valid(file), bytes.HasPrefix(bytes.TrimSpace(file), []byte("<")):
		if !utf8.Valid(file) {
			return "", false, NotUTF8In(file)
		}
		return string(file), false, nil
	}
	text, err = decodeAs(alphabets[AssumedEncoding], AssumedEncoding, file)
	return text, true, err
}

// DecodeAs decodes a file that does not tell its encoding as the one with that name, such as "windows-1250". The error is an *Error.
func DecodeAs(name string, file []byte) (string, error) {
	alphabet := alphabets[name]
	if alphabet == nil {
		return "", Refuse(UnknownEncoding{Name: name})
	}
	return decodeAs(alphabet, name, file)
}

func decodeAs(alphabet encoding.Encoding, name string, file []byte) (string, error) {
	text, err := alphabet.NewDecoder().Bytes(file)
	if err == nil && bytes.ContainsRune(text, utf8.RuneError) {
		err = errors.New("damaged")
	}
	if err != nil {
		line := 1 + bytes.Count(text[:max(0, bytes.IndexRune(text, utf8.RuneError))], []byte("\n"))
		return "", Refuse(WrongEncoding{Name: name, Line: line})
	}
	return string(text), nil
}

// NotUTF8In is the error of a file that is not written in UTF-8, with the line.
func NotUTF8In(file []byte) error {
	line := 1
	for len(file) > 0 {
		r, size := utf8.DecodeRune(file)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		file = file[size:]
	}
	return Refuse(NotUTF8{Line: line})
}
