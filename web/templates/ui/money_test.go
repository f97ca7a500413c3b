package ui

import (
	"strings"
	"testing"

	"florin/internal/money"
	"florin/web/templates/words"
)

// A long number is smaller where it is large, and breaks between its groups alone; one that fits on a phone does not break.
func TestLongNumbersBreakBetweenGroups(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		language string
		hero     string
		figure   string
	}{
		{123_456, "en", `<span class="money money-hero">1,234<span class="cents">.56</span> `, `>1,234.56 <span`},
		{99_999_999_999, "en", `<span class="money money-hero">999,999,999<span class="cents">.99</span> `, `>999,999,999.99 <span`},
		{-1_000_000_000_000_000_00, "en", `<span class="money money-hero money-long">−1,<wbr>000,<wbr>000,<wbr>000,<wbr>000,<wbr>000<span class="cents">.00</span> `,
			`>−1,<wbr>000,<wbr>000,<wbr>000,<wbr>000,<wbr>000.00 <span`},
		{1_000_000_000_000_000_00, "de", `money-long">1.<wbr>000.<wbr>000.<wbr>000.<wbr>000.<wbr>000<span class="cents">,00</span> `, `>1.<wbr>000.<wbr>000.<wbr>000.<wbr>000.<wbr>000,00 <span`},
	} {
		ctx := words.Listen(t.Context(), words.App, c.language)
		m := Money{Amount: money.FromMinor(c.minor, "EUR")}
		var hero, figure strings.Builder
		if err := Hero(m).Render(ctx, &hero); err != nil {
			t.Fatal(err)
		}
		if err := Figure(m).Render(ctx, &figure); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(hero.String(), c.hero) || !strings.Contains(figure.String(), c.figure) {
			t.Errorf("%d: %s\n%s", c.minor, hero.String(), figure.String())
		}
	}
}

// The choices of one group stand below its heading, with those of no group beside them.
func TestOptionsStandBelowTheirGroup(t *testing.T) {
	var b strings.Builder
	list := []Option{{Text: "All"}, {Value: "1", Text: "A", Group: "One"}, {Value: "2", Text: "B", Group: "One", Selected: true}, {Value: "3", Text: "C", Group: "Two & more"}, {Value: "n", Text: "New"}}
	if err := Options(list).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	want := `<option value="">All</option><optgroup label="One"><option value="1">A</option><option value="2" selected>B</option></optgroup>` +
		`<optgroup label="Two &amp; more"><option value="3">C</option></optgroup><option value="n">New</option>`
	if got := strings.ReplaceAll(b.String(), "> <", "><"); got != want {
		t.Errorf("%s", got)
	}
}
