package statementfile_test

import (
	"strings"
	"testing"

	"florin/internal/statementfile"
)

func TestMT940(t *testing.T) {
	numbered := ":20:STARTUMS\r\n:25:37040044/532013000\r\n:28C:00001/001\r\n:60F:C251230EUR1000,50\r\n" +
		":61:2512310102DR12,30NDDTNONREF//BANK1\r\n:86:105?00SEPA-BASISLASTSCHRIFT?10931?20EREF+INV-77?21MREF+M1?22CRED+DE98ZZZ09999999999\r\n" +
		"?23SVWZ+Strom Dezember Abschl?24ag 4711 Kundennummer 12345?25678?30COBADEFFXXX?31" + german + "?32Stadtwerke Beispielstadt Gm?33bH?34992\r\n" +
		":61:2601021231CR1,NTRFKREF//\r\n:86:166?00GUTSCHRIFT?20Danke?21schoen?32Anna?33Beispiel\r\n" +
		":61:260103RC5,00NRTINONREF\r\nRueckgabe\r\n:62F:C260103EUR984,20\r\n-\r\n"
	check(t, "numbered parts, as German banks write them", numbered, statementfile.Options{}, `
		= |||37040044/532013000|EUR||1000.50 2025-12-30|984.20 2026-01-03
		5|2026-01-02|2025-12-31||-12.30 EUR|Stadtwerke Beispielstadt GmbH|`+german+`|Strom Dezember Abschl ag 4711 Kundennummer 12345 678/EREF+INV-77/MREF+M1/CRED+DE98ZZZ09999999999|SEPA-BASISLASTSCHRIFT|BANK1
		8|2025-12-31|2026-01-02||1.00 EUR|Anna Beispiel||Danke schoen|GUTSCHRIFT
		10|2026-01-03|2026-01-03||-5.00 EUR|||Rueckgabe`)
	full := strings.Repeat("x", 22) + " word"
	check(t, "a part that is full goes on in the next", ":20:A\n:25:1\n:60F:C260101EUR0,\n:61:260101C1,NTRF\n:86:166?20"+full+"?21s?22more\n:62F:C260101EUR1,\n",
		statementfile.Options{}, `
		= |||1|EUR||0.00 2026-01-01|1.00 2026-01-01
		4|2026-01-01|2026-01-01||1.00 EUR|||`+full+`s more`)
	check(t, "named parts, as Dutch banks write them, and blocks of SWIFT", "{1:F01INGBNL2ABXXX0000000000}{2:I940INGBNL2AXXXN}{4:\n:20:P1\n:25:"+dutch+"EUR\n:28C:1\n:60F:D260201EUR0,10\n"+
		":61:2602010201D7,5N544EREF//26032\n/TRCD/00544/\n:86:/EREF/E-9//MARF/M-8//CSID/NL93ZZZ332656790051//CNTP/"+finn+"/NDEAFIHH/Puhelin Oy/Helsinki//REMI/USTD//Lasku\n 12/3//\n"+
		":61:260201C3,NTRFNONREF\n:86:/TRTP/SEPA OVERBOEKING/IBAN/"+german+"/BIC/COBADEFF/NAME/J JANSEN/REMI/HUUR MAART/EREF/NOTPROVIDED\n:62F:D260201EUR4,60\n-}\n",
		statementfile.Options{}, `
		= |||`+dutch+`|EUR||-0.10 2026-02-01|-4.60 2026-02-01
		6|2026-02-01|2026-02-01||-7.50 EUR|Puhelin Oy|`+finn+`|Lasku 12/3/EREF+E-9/MREF+M-8/CRED+NL93ZZZ332656790051||26032
		10|2026-02-01|2026-02-01||3.00 EUR|J JANSEN|`+german+`|HUUR MAART|SEPA OVERBOEKING`)
	check(t, "pages, several accounts and free text", "ABNANL2A\n940\nABNANL2A\n:20:A\n:25:111\n:28C:1/1\n:60F:C260301USD10,\n:61:260301D1,NMSCNONREF\n:86:FREE TEXT OF\n THE BANK\n:62M:C260301USD9,\n-\n\f:20:A\n:25:111\n:28C:1/2\n"+
		":60M:C260301USD9,\n:61:260302D2,NMSCNONREF\n:62F:C260302USD7,\n-\n:20:B\n:25:222\n:60F:C260301JPY100,\n:61:260301C50,NMSC\n:62F:C260301JPY150,\n",
		statementfile.Options{}, `
		= |||111|USD||10.00 2026-03-01|7.00 2026-03-02
		8|2026-03-01|2026-03-01||-1.00 USD|||FREE TEXT OF THE BANK
		17|2026-03-02|2026-03-02||-2.00 USD
		= |||222|JPY||100 2026-03-01|150 2026-03-01
		23|2026-03-01|2026-03-01||50 JPY`)
	check(t, "what cannot be read", ":20:A\n:25:1\n:60F:C260101EUR0,\n:61:260101C"+strings.Repeat("9", 40)+",NTRF\n:61:261301C1,NTRF\n:61:nonsense\n:61:260101C1,005NTRF\n:61:260101C2,NTRF\n:62F:C260101EUR1,\n",
		statementfile.Options{}, `
		= |||1|EUR||0.00 2026-01-01|1.00 2026-01-01
		8|2026-01-01|2026-01-01||2.00 EUR
		! 4 WrongAmount{Text:"`+strings.Repeat("9", 40)+`,"}
		! 5 WrongDay{Text:"261301"}
		! 6 WrongLine
		! 7 WrongAmount{Text:"1,005"}`)
}
