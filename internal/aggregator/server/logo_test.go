package server_test

import (
	"bytes"
	"encoding/xml"
	"image"
	_ "image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// size is what a logo says of its own size in pixels.
func size(t *testing.T, contentType, body string) (width, height int) {
	t.Helper()
	if contentType == "image/png" {
		config, _, err := image.DecodeConfig(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return config.Width, config.Height
	}
	var drawing struct {
		Width  int `xml:"width,attr"`
		Height int `xml:"height,attr"`
	}
	if err := xml.NewDecoder(bytes.NewReader([]byte(body))).Decode(&drawing); err != nil {
		t.Fatal(err)
	}
	return drawing.Width, drawing.Height
}

// spec: ASPSP data, ASPSPGroup: every bank and every group has a logo at the address that GET /aspsps gives.
func TestEveryLogoIsServed(t *testing.T) {
	s := run(t, "Ledger", "")
	var list openbanking.ASPSPsResponse
	if status := s.call("GET", "/aspsps", nil, &list); status != 200 {
		t.Fatalf("status %d", status)
	}
	groups := map[string]string{} // address by name
	logos := map[string]string{}  // drawing by address
	for _, bank := range list.ASPSPs {
		addresses := []string{bank.Logo}
		if bank.Group != nil {
			groups[bank.Group.Name] = bank.Group.Logo
			addresses = append(addresses, bank.Group.Logo)
		}
		for _, address := range addresses {
			if logos[address] != "" {
				continue
			}
			response, body := send(t, "GET", address, http.Header{}, "")
			if response.StatusCode != 200 || response.Header.Get("Content-Type") != "image/svg+xml" {
				t.Fatalf("%s: status %d, %s", address, response.StatusCode, response.Header.Get("Content-Type"))
			}
			logos[address] = body
		}
	}
	if len(groups) < 3 || len(logos) != len(list.ASPSPs)+len(groups) {
		t.Errorf("%d logos for %d banks and %d groups", len(logos), len(list.ASPSPs), len(groups))
	}
}

// spec: ASPSP data, logo: suffixes transform the image, of a bank and of a group.
func TestLogoTransformations(t *testing.T) {
	testkit.Unwatched(t)
	s := run(t, "Ledger", "")
	var list openbanking.ASPSPsResponse
	s.call("GET", "/aspsps", nil, &list)
	var bank openbanking.ASPSPData
	for _, b := range list.ASPSPs {
		if b.Group != nil {
			bank = b
		}
	}
	const svg, png, text = "image/svg+xml", "image/png", "text/plain; charset=utf-8"
	browser := "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
	tests := []struct {
		suffix, accept string
		status         int
		contentType    string
		width, height  int
		varies         bool
	}{
		{"", "", 200, svg, 256, 256, true},
		{"-/resize/500x/", "", 200, svg, 500, 500, true},
		{"-/resize/x80/", "*/*", 200, svg, 80, 80, true},
		{"-/resize/500x300/", browser, 200, svg, 500, 300, true},
		{"-/resize/500x300/-/resize/100x/", "", 200, svg, 100, 60, true},
		{"", "image/png", 200, png, 256, 256, true},
		{"-/resize/x80/", "image/png,image/*;q=0.8", 200, png, 80, 80, true},
		{"-/resize/x80/", "image/*;q=0.1, image/PNG; q=0.5", 200, png, 80, 80, true},
		{"", "image/png,image/*", 200, svg, 256, 256, true},
		{"", "image/svg+xml;q=0.2,image/png;q=0.9", 200, png, 256, 256, true},
		{"", "image/png;q=nonsense", 200, svg, 256, 256, true},
		{"", "image/jpeg", 200, svg, 256, 256, true}, // better than nothing
		{"-/format/png/", browser, 200, png, 256, 256, false},
		{"-/resize/500x300/-/format/png/", "", 200, png, 500, 300, false},
		{"-/format/svg/", "image/png", 200, svg, 256, 256, false},
		{"-/resize/1024x1024/-/format/png/", "", 200, png, 1024, 1024, false},
		{"-/resize/1025x/", "", 404, text, 0, 0, false},
		{"-/resize/0x0/", "", 404, text, 0, 0, false},
		{"-/blur/20/", browser, 404, text, 0, 0, false},
		{"anything", "", 404, text, 0, 0, false},
	}
	for _, address := range []string{bank.Logo, bank.Group.Logo} {
		for _, test := range tests {
			t.Run(strings.TrimPrefix(address, s.url)+test.suffix+" "+test.accept, func(t *testing.T) {
				header := http.Header{}
				if test.accept != "" {
					header.Set("Accept", test.accept)
				}
				response, body := send(t, "GET", address+test.suffix, header, "")
				contentType := response.Header.Get("Content-Type")
				if response.StatusCode != test.status || contentType != test.contentType {
					t.Fatalf("status %d, %s; want %d, %s", response.StatusCode, contentType, test.status, test.contentType)
				}
				if response.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
					t.Error("other sites may not show it")
				}
				if test.status == 404 {
					if !strings.Contains(body, "-/resize/500x300/") || response.Header.Get("Cache-Control") != "no-store" {
						t.Errorf("the text does not help, or is kept: %q", body)
					}
					return
				}
				if width, height := size(t, contentType, body); width != test.width || height != test.height {
					t.Errorf("%d by %d, want %d by %d", width, height, test.width, test.height)
				}
				if vary := response.Header.Values("Vary"); slices.Contains(vary, "Accept") != test.varies {
					t.Errorf("Vary %q", vary)
				}
				if response.Header.Get("Cache-Control") != "public, max-age=86400" {
					t.Errorf("Cache-Control %q", response.Header.Get("Cache-Control"))
				}
			})
		}
	}
	for _, address := range []string{s.url + "/groups/none/logo/", s.url + "/banks/xx/none/logo/"} {
		if response, _ := send(t, "GET", address, browserHeader(), ""); response.StatusCode != 404 {
			t.Errorf("%s: status %d", address, response.StatusCode)
		}
	}
}
