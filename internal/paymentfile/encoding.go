package paymentfile

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// alphabets are the encodings in which files with payments are written beside UTF-8 and UTF-16, by their labels. What calls itself ISO 8859-1 is read as
// windows-1252, which has signs where the former has control characters: many programs mistake one for the other.
var alphabets = map[string]encoding.Encoding{
	"iso-8859-1": charmap.Windows1252, "iso8859-1": charmap.Windows1252, "iso_8859-1": charmap.Windows1252, "latin1": charmap.Windows1252, "windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252,
	"iso-8859-15": charmap.ISO8859_15, "iso8859-15": charmap.ISO8859_15, "iso_8859-15": charmap.ISO8859_15, "latin9": charmap.ISO8859_15, "latin-9": charmap.ISO8859_15,
	"iso-8859-2": charmap.ISO8859_2, "iso8859-2": charmap.ISO8859_2, "windows-1250": charmap.Windows1250, "cp1250": charmap.Windows1250,
}

// AssumedEncoding is the alphabet that is assumed of a file that does not tell its own.
const AssumedEncoding = "windows-1252"

var declared = regexp.MustCompile(`^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// foreign are beginnings of files of other kinds, with what to do instead.
var foreign = []struct{ begin, problem string }{
	{"PK\x03\x04", "this is a workbook or an archive, not a text. In the spreadsheet choose “Save as” and “CSV UTF-8”, or unpack the archive, and choose that file"},
	{"\xd0\xcf\x11\xe0", "this is an old Excel workbook, not a text. In the spreadsheet choose “Save as” and “CSV UTF-8”, and choose that file"},
	{"%PDF", "this is a PDF, which no payment can be read from. Export the payments as CSV or pain.001"},
	{"\x1f\x8b", "this is a compressed file. Unpack it and choose the file in it"},
	{"\x89PNG", "this is a picture. Choose a file with payments: CSV or pain.001"},
	{"\xff\xd8\xff", "this is a picture. Choose a file with payments: CSV or pain.001"},
}

// Decode decodes an uploaded file: UTF-8, UTF-16 with a byte order mark, or what an XML file declares. A CSV file in none of these is decoded as
// AssumedEncoding; guessed is then true, so that the person is asked to look at the result.
func Decode(file []byte) (text string, guessed bool, err error) {
	if len(file) > MaxBytes {
		return "", false, ErrSize
	}
	for _, f := range foreign {
		if bytes.HasPrefix(file, []byte(f.begin)) {
			return "", false, errors.New(f.problem)
		}
	}
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(file, []byte("\x00\x00\xfe\xff")):
		return "", false, errors.New("the file is written in UTF-32, which Florin does not read. Save it once more in UTF-8")
	case bytes.HasPrefix(file, []byte("\xff\xfe")), bytes.HasPrefix(file, []byte("<\x00")):
		text, err = decodeAs(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16", file)
		return text, false, err
	case bytes.HasPrefix(file, []byte("\xfe\xff")), bytes.HasPrefix(file, []byte("\x00<")):
		text, err = decodeAs(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "UTF-16", file)
		return text, false, err
	}
	file, marked := bytes.CutPrefix(file, []byte("\ufeff"))
	if bytes.IndexByte(file, 0) >= 0 {
		return "", false, errors.New("the file is no text. Choose a file with payments: CSV or pain.001")
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
			return "", false, fmt.Errorf("the file is written in %s, which Florin does not read. Save or export it once more in UTF-8", label)
		}
		fallthrough
	case marked, utf8.Valid(file), bytes.HasPrefix(bytes.TrimSpace(file), []byte("<")):
		if !utf8.Valid(file) {
			return "", false, notUTF8(file)
		}
		return string(file), false, nil
	}
	text, err = decodeAs(alphabets[AssumedEncoding], AssumedEncoding, file)
	return text, true, err
}

func decodeAs(alphabet encoding.Encoding, name string, file []byte) (string, error) {
	text, err := alphabet.NewDecoder().Bytes(file)
	if err == nil && bytes.ContainsRune(text, utf8.RuneError) {
		err = errors.New("damaged")
	}
	if err != nil {
		line := 1 + bytes.Count(text[:max(0, bytes.IndexRune(text, utf8.RuneError))], []byte("\n"))
		return "", fmt.Errorf("the file cannot be read as %s: line %d has a character that is none there. Save or export it once more in UTF-8", name, line)
	}
	return string(text), nil
}

// notUTF8 is ErrText, with the line.
func notUTF8(file []byte) error {
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
	return fmt.Errorf("%w: look at line %d. Save or export it once more in UTF-8", ErrText, line)
}
