package textfile

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// XML reads a text whatever encoding it declares: it is UTF-8 already.
func XML(text string) *xml.Decoder {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	return d
}

// ScanXML looks at the whole of an XML text before any of it is believed: it is well-formed, has no more levels than depth, and no document type, so that
// there are no entities but those of XML itself (ASVS 1.5.1). visit, when not nil, is called for each element with the names of those that it is in. The
// error is an *Error.
func ScanXML(text string, depth int, visit func(open []string, name string)) error {
	decoder := XML(text)
	var open []string
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			return nil
		}
		if end, ok := token.(xml.EndElement); ok && (len(open) == 0 || open[len(open)-1] != end.Name.Local) {
			err = errors.New("an end without its beginning")
		}
		if err != nil {
			line, _ := decoder.InputPos()
			return Refuse(Malformed{Line: line})
		}
		switch t := token.(type) {
		case xml.Directive:
			return Refuse(DocumentType{})
		case xml.StartElement:
			if len(open) == depth {
				return Refuse(TooDeep{})
			}
			if visit != nil {
				visit(open, t.Name.Local)
			}
			open = append(open, t.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}
