package iban

import "strings"

// country is one line of the IBAN registry: what follows the country code and the two
// check digits.
type country struct {
	adjective string // of an IBAN: "A German IBAN"
	structure string // of the national part, in the notation of ISO 13616: 8!n10!n
	sepa      bool   // in the geographical scope of the SEPA schemes
}

// countries is the IBAN registry (ISO 13616), by country code. Neighbouring groups of
// one kind of character are kept apart as the registry has them: bank, branch, account.
var countries = map[string]country{
	"AD": {"Andorran", "4!n4!n12!c", true},
	"AE": {"Emirati", "3!n16!n", false},
	"AL": {"Albanian", "8!n16!c", true},
	"AT": {"Austrian", "5!n11!n", true},
	"AZ": {"Azerbaijani", "4!a20!c", false},
	"BA": {"Bosnian", "3!n3!n8!n2!n", false},
	"BE": {"Belgian", "3!n7!n2!n", true},
	"BG": {"Bulgarian", "4!a4!n2!n8!c", true},
	"BH": {"Bahraini", "4!a14!c", false},
	"BI": {"Burundian", "5!n5!n11!n2!n", false},
	"BR": {"Brazilian", "8!n5!n10!n1!a1!c", false},
	"BY": {"Belarusian", "4!c4!n16!c", false},
	"CH": {"Swiss", "5!n12!c", true},
	"CR": {"Costa Rican", "4!n14!n", false},
	"CY": {"Cypriot", "3!n5!n16!c", true},
	"CZ": {"Czech", "4!n6!n10!n", true},
	"DE": {"German", "8!n10!n", true},
	"DJ": {"Djiboutian", "5!n5!n11!n2!n", false},
	"DK": {"Danish", "4!n9!n1!n", true},
	"DO": {"Dominican", "4!c20!n", false},
	"EE": {"Estonian", "2!n2!n11!n1!n", true},
	"EG": {"Egyptian", "4!n4!n17!n", false},
	"ES": {"Spanish", "4!n4!n1!n1!n10!n", true},
	"FI": {"Finnish", "3!n11!n", true},
	"FK": {"Falkland Islands", "2!a12!n", false},
	"FO": {"Faroese", "4!n9!n1!n", false},
	"FR": {"French", "5!n5!n11!c2!n", true},
	"GB": {"British", "4!a6!n8!n", true},
	"GE": {"Georgian", "2!a16!n", false},
	"GI": {"Gibraltar", "4!a15!c", true},
	"GL": {"Greenlandic", "4!n9!n1!n", false},
	"GR": {"Greek", "3!n4!n16!c", true},
	"GT": {"Guatemalan", "4!c20!c", false},
	"HN": {"Honduran", "4!a20!n", false},
	"HR": {"Croatian", "7!n10!n", true},
	"HU": {"Hungarian", "3!n4!n1!n15!n1!n", true},
	"IE": {"Irish", "4!a6!n8!n", true},
	"IL": {"Israeli", "3!n3!n13!n", false},
	"IQ": {"Iraqi", "4!a3!n12!n", false},
	"IS": {"Icelandic", "4!n2!n6!n10!n", true},
	"IT": {"Italian", "1!a5!n5!n12!c", true},
	"JO": {"Jordanian", "4!a4!n18!c", false},
	"KW": {"Kuwaiti", "4!a22!c", false},
	"KZ": {"Kazakh", "3!n13!c", false},
	"LB": {"Lebanese", "4!n20!c", false},
	"LC": {"Saint Lucian", "4!a24!c", false},
	"LI": {"Liechtenstein", "5!n12!c", true},
	"LT": {"Lithuanian", "5!n11!n", true},
	"LU": {"Luxembourg", "3!n13!c", true},
	"LV": {"Latvian", "4!a13!c", true},
	"LY": {"Libyan", "3!n3!n15!n", false},
	"MC": {"Monegasque", "5!n5!n11!c2!n", true},
	"MD": {"Moldovan", "2!c18!c", true},
	"ME": {"Montenegrin", "3!n13!n2!n", true},
	"MK": {"North Macedonian", "3!n10!c2!n", true},
	"MN": {"Mongolian", "4!n12!n", false},
	"MR": {"Mauritanian", "5!n5!n11!n2!n", false},
	"MT": {"Maltese", "4!a5!n18!c", true},
	"MU": {"Mauritian", "4!a2!n2!n12!n3!n3!a", false},
	"NI": {"Nicaraguan", "4!a20!n", false},
	"NL": {"Dutch", "4!a10!n", true},
	"NO": {"Norwegian", "4!n6!n1!n", true},
	"OM": {"Omani", "3!n16!c", false},
	"PK": {"Pakistani", "4!a16!c", false},
	"PL": {"Polish", "8!n16!n", true},
	"PS": {"Palestinian", "4!a21!c", false},
	"PT": {"Portuguese", "4!n4!n11!n2!n", true},
	"QA": {"Qatari", "4!a21!c", false},
	"RO": {"Romanian", "4!a16!c", true},
	"RS": {"Serbian", "3!n13!n2!n", true},
	"RU": {"Russian", "9!n5!n15!c", false},
	"SA": {"Saudi", "2!n18!c", false},
	"SC": {"Seychelles", "4!a2!n2!n16!n3!a", false},
	"SD": {"Sudanese", "2!n12!n", false},
	"SE": {"Swedish", "3!n16!n1!n", true},
	"SI": {"Slovenian", "5!n8!n2!n", true},
	"SK": {"Slovak", "4!n6!n10!n", true},
	"SM": {"San Marino", "1!a5!n5!n12!c", true},
	"SO": {"Somali", "4!n3!n12!n", false},
	"ST": {"Sao Tome", "4!n4!n11!n2!n", false},
	"SV": {"Salvadoran", "4!a20!n", false},
	"TL": {"Timorese", "3!n14!n2!n", false},
	"TN": {"Tunisian", "2!n3!n13!n2!n", false},
	"TR": {"Turkish", "5!n1!n16!c", false},
	"UA": {"Ukrainian", "6!n19!c", false},
	"VA": {"Vatican", "3!n15!n", true},
	"VG": {"British Virgin Islands", "4!a16!n", false},
	"XK": {"Kosovan", "4!n10!n2!n", false},
	"YE": {"Yemeni", "4!a4!n18!c", false},
}

// bicCountries are the country codes of ISO 3166, and XK, which Kosovo uses.
const bicCountries = " AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ" +
	" CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR" +
	" GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP" +
	" KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ" +
	" NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW" +
	" SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ" +
	" UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW "

// IsCountry reports whether two capital letters are the code of a country (ISO 3166), or XK, which Kosovo uses.
func IsCountry(code string) bool {
	return len(code) == 2 && code[0] != ' ' && code[1] != ' ' && strings.Contains(bicCountries, " "+code+" ")
}
