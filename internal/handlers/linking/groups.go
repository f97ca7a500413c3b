package linking

import (
	"slices"
	"time"

	"golang.org/x/text/language"

	"florin/internal/countries"
	"florin/internal/linking"
	"florin/web/templates/words"
)

// group is a part of the list of banks under a title of its own.
type group struct {
	title  words.Text // "" where the list has no parts
	folded bool       // it opens with a click
	banks  []linking.Bank
}

// arrange divides the banks that were found, sorted by name, into groups: first those that the person has linked before, the latest first, then those of
// the person's country, then all others. Banks for testing are folded at the end: all simulated ones when real banks are listed too, else those that do not
// look like real banks. The result of a search has only this last division.
func arrange(found []linking.Bank, realBanks, searched bool, own string) []group {
	var linked, home, other, developers []linking.Bank
	for _, b := range found {
		switch {
		case b.Simulated && (realBanks || b.ForTests()):
			developers = append(developers, b)
		case searched:
			other = append(other, b)
		case len(b.Connections) > 0:
			linked = append(linked, b)
		case b.Country == own:
			home = append(home, b)
		default:
			other = append(other, b)
		}
	}
	slices.SortStableFunc(linked, func(a, b linking.Bank) int { return lastLinked(b).Compare(lastLinked(a)) })
	var groups []group
	for _, g := range []group{
		{title: "Linked before", banks: linked}, {title: words.Text(countries.Name(own)), banks: home}, {title: "More banks", banks: other},
	} {
		if len(g.banks) > 0 {
			groups = append(groups, g)
		}
	}
	if len(groups) == 1 {
		groups[0].title = ""
	}
	if len(developers) > 0 {
		groups = append(groups, group{title: "Simulated banks for developers", folded: true, banks: developers})
	}
	return groups
}

func lastLinked(b linking.Bank) (last time.Time) {
	for _, c := range b.Connections {
		if c.Authorized.After(last) {
			last = c.Authorized
		}
	}
	return last
}

// ownCountry is the country in which a person most likely has a bank: that of the latest link, else the first one that the languages of the browser tell and
// that has banks; "" when nothing tells it.
func ownCountry(banks []linking.Bank, acceptLanguage string) string {
	var latest linking.Bank
	listed := map[string]bool{}
	for _, b := range banks {
		listed[b.Country] = true
		if lastLinked(b).After(lastLinked(latest)) {
			latest = b
		}
	}
	if latest.Country != "" {
		return latest.Country
	}
	tags, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return ""
	}
	for _, tag := range tags {
		if region, confidence := tag.Region(); confidence != language.No && listed[region.String()] {
			return region.String()
		}
	}
	return ""
}
