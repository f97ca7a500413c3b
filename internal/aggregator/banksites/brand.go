package banksites

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator/logo"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
)

// brandSheet serves the colours of a bank as a style sheet. In the dark an edge keeps its buttons apart from the ground.
func (s *Sites) brandSheet(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = io.WriteString(w, brandColours(bank.Colour())) // the browser went away: nothing left to tell it
	return nil
}

// brandColours is the style sheet of a colour.
func brandColours(colour string) string {
	return fmt.Sprintf(":root { --brand: %[1]s; --on-brand: %[2]s; --brand-edge: light-dark(color-mix(in oklch, %[1]s 82%%, black), color-mix(in oklch, %[1]s 45%%, white)); }\n",
		colour, logo.Ink(colour))
}

// bankLogo serves the logo of a bank. The bank may be named as in the API too.
func (s *Sites) bankLogo(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		var ok bool
		bank, ok = s.bankNamed(openbanking.ASPSP{Name: r.PathValue("bank"), Country: strings.ToUpper(r.PathValue("country"))})
		if !ok {
			return err
		}
	}
	s.serveLogo(w, r, bank.Name(), bank.Colour(), bank.Initials())
	return nil
}

// groupLogo serves the logo of a group of banks.
func (s *Sites) groupLogo(w http.ResponseWriter, r *http.Request) error {
	group, ok := s.banks.Group(r.PathValue("group"))
	if !ok {
		return site.ErrNoPage
	}
	s.serveLogo(w, r, group.Name, group.Colour, group.Initials)
	return nil
}

// logoLifetime is how long a client may keep a logo without asking.
const logoLifetime = 24 * time.Hour

// serveLogo draws a logo as the end of its address asks (spec: ASPSP data, logo): as SVG, or as PNG when the address says
// so or the client likes that better. Sites elsewhere may show it.
func (s *Sites) serveLogo(w http.ResponseWriter, r *http.Request, name, colour, letters string) {
	header := w.Header()
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Access-Control-Allow-Origin", "*")
	wanted, err := logo.ParseTransformation(r.PathValue("transformation"))
	if err != nil {
		text := err.Error()
		http.Error(w, strings.ToUpper(text[:1])+text[1:], http.StatusNotFound)
		return
	}
	if wanted.Format == "" {
		header.Add("Vary", "Accept")
		wanted.Format = logo.FormatSVG
		if accepts := strings.Join(r.Header.Values("Accept"), ","); site.Quality(accepts, "image/png") > site.Quality(accepts, "image/svg+xml") {
			wanted.Format = logo.FormatPNG
		}
	}
	draw := logo.Logo.SVG
	switch wanted.Format {
	case logo.FormatPNG:
		header.Set("Content-Type", "image/png")
		draw = logo.Logo.PNG
	default:
		header.Set("Content-Type", "image/svg+xml")
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	}
	body := s.logos.get(drawing{name, colour, letters, string(wanted.Format), wanted.Width, wanted.Height}, func() []byte {
		return draw(logo.New(name, colour, letters), wanted.Width, wanted.Height)
	})
	header.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(logoLifetime/time.Second)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
