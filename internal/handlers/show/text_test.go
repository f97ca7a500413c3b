package show

import (
	"strings"
	"testing"

	"florin/web/templates/ui"
)

func TestOptionsAreSortedAsPeopleRead(t *testing.T) {
	options := []ui.Option{{Text: "Zypern"}, {Text: "Österreich"}, {Text: "Åland"}, {Text: "Oman"}, {Text: "Palau"}, {Text: "albanien"}}
	SortOptions(options)
	var got []string
	for _, o := range options {
		got = append(got, o.Text)
	}
	if want := "Åland albanien Oman Österreich Palau Zypern"; strings.Join(got, " ") != want {
		t.Errorf("sorted: %s, want %s", got, want)
	}
}
