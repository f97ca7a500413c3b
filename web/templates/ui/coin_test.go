package ui

import (
	"strings"
	"testing"
)

func TestInitials(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Mock ASPSP", "MA"},
		{"Bank of the Moors", "BM"},
		{"Banca dell’Arno", "BA"},
		{"Crédit du Lac", "CL"},
		{"Österbottens Sparbank", "ÖS"},
		{"Fjordbanken", "Fj"},
		{"bunq", "Bu"},
		{"N26", "N26"},
		{"ING", "ING"},
		{"Fio", "Fi"},
		{"42", "42"},
		{"La", "La"},
		{"x", "X"},
		{"בנק הפועלים", "בה"},
		{"€ & —", "·"},
		{"", "·"},
	}
	for _, test := range tests {
		if got := Initials(test.name); got != test.want {
			t.Errorf("Initials(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCoinColourFollowsFromTheName(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range strings.Fields("Arno Elbe Tagus Seine Rhine Thames Danube Po Vistula Ebro Loire Oder Main Meuse Douro Tiber Neva Drava Sava Tisza") {
		hue := coinHue(name)
		if hue != coinHue(name) {
			t.Errorf("%s has two colours", name)
		}
		seen[hue] = true
	}
	if len(seen) < coinHues/2 {
		t.Errorf("20 names share %d colours", len(seen))
	}
}
