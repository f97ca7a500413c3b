package pages

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// WCAG 2.2, 1.4.3: text on the colour of any bank is readable.
func TestTextOnBrandColours(t *testing.T) {
	tests := []struct{ colour, ink string }{
		{"#000000", "#ffffff"},
		{"#ffffff", "#000000"},
		{"#1a4d8f", "#ffffff"},
		{"#ffd400", "#000000"},
		{"#757575", "#ffffff"},
		{"#777777", "#000000"},
	}
	for _, test := range tests {
		b := brandOf("Bank", test.colour, "B")
		if b.ink != test.ink {
			t.Errorf("ink on %s = %s, want %s", test.colour, b.ink, test.ink)
		}
	}
	for grey := range 256 {
		colour := fmt.Sprintf("#%02x%02[1]x%02[1]x", grey)
		b := brandOf("Bank", colour, "B")
		light, dark := luminance(b.ink), luminance(colour)
		if light < dark {
			light, dark = dark, light
		}
		if got := (light + 0.05) / (dark + 0.05); got < 4.5 {
			t.Errorf("%s on %s has a contrast of %.2f, want at least 4.5", b.ink, colour, got)
		}
	}
}

func TestLogo(t *testing.T) {
	for _, initials := range []string{"M", "MA", "Ö", "<&", ""} {
		logo := brandOf("Bank", "#1a4d8f", initials).logo()
		text, err := textOf(logo)
		if err != nil {
			t.Fatalf("the logo of %q is not well-formed: %v", initials, err)
		}
		if text != initials {
			t.Errorf("text of the logo = %q, want %q", text, initials)
		}
	}
}

func textOf(document string) (string, error) {
	var text strings.Builder
	decoder := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return strings.TrimSpace(text.String()), nil
		}
		if err != nil {
			return "", err
		}
		if characters, ok := token.(xml.CharData); ok {
			text.Write(characters)
		}
	}
}
