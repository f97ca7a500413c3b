package pages

import "florin/web/templates/words"

// countryNames has the countries of the European Economic Area, the United Kingdom and Switzerland.
var countryNames = map[string]words.Text{
	"AT": "Austria", "BE": "Belgium", "BG": "Bulgaria", "CH": "Switzerland", "CY": "Cyprus", "CZ": "Czechia", "DE": "Germany",
	"DK": "Denmark", "EE": "Estonia", "ES": "Spain", "FI": "Finland", "FR": "France", "GB": "United Kingdom", "GR": "Greece",
	"HR": "Croatia", "HU": "Hungary", "IE": "Ireland", "IS": "Iceland", "IT": "Italy", "LI": "Liechtenstein", "LT": "Lithuania",
	"LU": "Luxembourg", "LV": "Latvia", "MT": "Malta", "NL": "Netherlands", "NO": "Norway", "PL": "Poland", "PT": "Portugal",
	"RO": "Romania", "SE": "Sweden", "SI": "Slovenia", "SK": "Slovakia",
}

// countryName returns the name of a country, or the code itself.
func countryName(l *words.Language, code string) string {
	if name, ok := countryNames[code]; ok {
		return l.Say(name)
	}
	return code
}
