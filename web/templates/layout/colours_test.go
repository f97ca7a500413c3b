package layout

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// The colours of the manifest and of the browser's bars are those of the style sheet, where they are written as oklch.
func TestColoursAreThoseOfTheStyleSheet(t *testing.T) {
	sheet, err := os.ReadFile("../../static/assets/app.css")
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]Colours{"surface": Bar, "paper": Paper} {
		found := regexp.MustCompile(`--` + token + `: light-dark\(oklch\((\S+) (\S+) (\S+)\), oklch\((\S+) (\S+) (\S+)\)\);`).FindSubmatch(sheet)
		if found == nil {
			t.Fatalf("app.css has no --%s", token)
		}
		var n [6]float64
		for i := range n {
			if n[i], err = strconv.ParseFloat(string(found[i+1]), 64); err != nil {
				t.Fatal(err)
			}
		}
		if got := (Colours{hex(n[0], n[1], n[2]), hex(n[3], n[4], n[5])}); got != want {
			t.Errorf("--%s is %v, not %v", token, got, want)
		}
	}
}

// hex is a colour of oklch in sRGB: https://www.w3.org/TR/css-color-4/#color-conversion-code.
func hex(lightness, chroma, hue float64) string {
	a, b := chroma*math.Cos(hue*math.Pi/180), chroma*math.Sin(hue*math.Pi/180)
	l := math.Pow(lightness+0.3963377774*a+0.2158037573*b, 3)
	m := math.Pow(lightness-0.1055613458*a-0.0638541728*b, 3)
	s := math.Pow(lightness-0.0894841775*a-1.2914855480*b, 3)
	channel := func(linear float64) int {
		c := 12.92 * linear
		if linear > 0.0031308 {
			c = 1.055*math.Pow(linear, 1/2.4) - 0.055
		}
		return int(math.Round(255 * min(1, max(0, c))))
	}
	return fmt.Sprintf("#%02x%02x%02x", channel(4.0767416621*l-3.3077115913*m+0.2309699292*s), channel(-1.2684380046*l+2.6097574011*m-0.3413193965*s),
		channel(-0.0041960863*l-0.7034186147*m+1.7076147010*s))
}
