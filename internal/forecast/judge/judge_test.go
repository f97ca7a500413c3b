package judge

import (
	"testing"

	"florin/internal/categories/household"
	"florin/internal/testkit"
)

func TestForecastsAreNearlyAsGoodAsTheyCanBe(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Figures)
	var e Errors
	for _, code := range household.Countries() {
		for style := range household.Styles {
			if err := e.Household(code, style, 1, 8, 20); err != nil {
				t.Fatal(err)
			}
		}
	}
	told, oracle := Median(e.Forecast), Median(e.Oracle)
	t.Logf("median errors after 30 days in %d forecasts: %.1f %% of what is spent in a month, %.1f %% of an oracle; bills %.1f %%, everyday spending %.1f %%", len(e.Forecast),
		100*told, 100*oracle, 100*Median(e.Bills), 100*Median(e.Everyday))
	if told > 1.2*oracle {
		t.Error("a forecast is far worse than one that knows the household")
	}
}
