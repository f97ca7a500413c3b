// Package countries names the countries in which banks speak the API.
package countries

import (
	"maps"
	"slices"
)

// names has the countries of the European Economic Area, the United Kingdom and Switzerland.
var names = map[string]string{
	"AT": "Austria", "BE": "Belgium", "BG": "Bulgaria", "CH": "Switzerland", "CY": "Cyprus", "CZ": "Czechia", "DE": "Germany",
	"DK": "Denmark", "EE": "Estonia", "ES": "Spain", "FI": "Finland", "FR": "France", "GB": "United Kingdom", "GR": "Greece",
	"HR": "Croatia", "HU": "Hungary", "IE": "Ireland", "IS": "Iceland", "IT": "Italy", "LI": "Liechtenstein", "LT": "Lithuania",
	"LU": "Luxembourg", "LV": "Latvia", "MT": "Malta", "NL": "Netherlands", "NO": "Norway", "PL": "Poland", "PT": "Portugal",
	"RO": "Romania", "SE": "Sweden", "SI": "Slovenia", "SK": "Slovakia",
}

// Name is the name of a country in English, or the code of one that is not listed.
func Name(code string) string {
	if name, known := names[code]; known {
		return name
	}
	return code
}

// Codes lists the codes of the countries that have a name, in their order.
func Codes() []string { return slices.Sorted(maps.Keys(names)) }
