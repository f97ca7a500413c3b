package handlers

// countryNames has the countries in which banks speak the API: the European Economic Area, the United Kingdom and Switzerland.
var countryNames = map[string]string{
	"AT": "Austria", "BE": "Belgium", "BG": "Bulgaria", "CH": "Switzerland", "CY": "Cyprus", "CZ": "Czechia", "DE": "Germany",
	"DK": "Denmark", "EE": "Estonia", "ES": "Spain", "FI": "Finland", "FR": "France", "GB": "United Kingdom", "GR": "Greece",
	"HR": "Croatia", "HU": "Hungary", "IE": "Ireland", "IS": "Iceland", "IT": "Italy", "LI": "Liechtenstein", "LT": "Lithuania",
	"LU": "Luxembourg", "LV": "Latvia", "MT": "Malta", "NL": "Netherlands", "NO": "Norway", "PL": "Poland", "PT": "Portugal",
	"RO": "Romania", "SE": "Sweden", "SI": "Slovenia", "SK": "Slovakia",
}

// countryName is the name of a country in English, or the code of one that is not listed.
func countryName(code string) string {
	if name, known := countryNames[code]; known {
		return name
	}
	return code
}
