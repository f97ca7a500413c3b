package statementfile_test

import (
	"strings"
	"testing"

	"florin/internal/statementfile"
)

func TestQIF(t *testing.T) {
	euro := statementfile.Options{Currency: "EUR"}
	f := check(t, "Quicken", "!Option:AutoSwitch\n!Account\nNCash box\nTCash\n^\nNGiro\nTBank\nD"+german+"\n^\n!Clear:AutoSwitch\n!Account\nNGiro\nTBank\n^\n!Type:Bank \nD1/15'24\nT-1,234.50\nN1001\nPShop\nMBooks\nLLeisure\n"+
		"SBooks\nENovel\n$-1,200.00\nSFees\n$-34.50\n^\nD 2/ 3'24\nU5.00\nT5.00\nPAnna\n^\n!Type:Cat\nNLeisure\n^\n!Account\nNCard\nTCCard\n^\n!Type:CCard\nD12/31/99\nT-1\n^\n", euro, `
		= Giro|||`+german+`|EUR|CACC
		16|2024-01-15|||-1234.50 EUR|Shop||Books/Books Novel -1,200.00/Fees -34.50|||1001
		28|2024-02-03|||5.00 EUR|Anna
		= Card||||EUR|CARD
		41|1999-12-31|||-1.00 EUR`)
	if f.Reading.Days != statementfile.MonthDayYear || f.Reading.Unsure {
		t.Errorf("%+v", f.Reading)
	}
	check(t, "European, without an account", "!Type:Bank\nD31.12.2025\nT-12,30\nPCafé\n^\nD01.02.2026\nT1.000,00\n^\n", euro, `
		= ||||EUR|CACC
		2|2025-12-31|||-12.30 EUR|Café
		6|2026-02-01|||1000.00 EUR`)
	check(t, "ISO", "!Type:Cash\nD2026-02-01\nT-0.5\n^\n", euro, `
		= ||||EUR|CASH
		2|2026-02-01|||-0.50 EUR`)
	f = check(t, "days that could be months, as Quicken means them", "!Type:Bank\nD01/02/2026\nT1,000\n^\n", euro, `
		= ||||EUR|CACC
		2|2026-01-02|||1000.00 EUR`)
	if !f.Reading.Unsure {
		t.Error("it is not sure which is the month")
	}
	check(t, "and as the person says", "!Type:Bank\nD01/02/2026\nT1,000\n^\n", statementfile.Options{Currency: "KWD",
		Reading: statementfile.Reading{Days: statementfile.DayMonthYear, Decimal: statementfile.Comma}}, `
		= ||||KWD|CACC
		2|2026-02-01|||1.000 KWD`)
	check(t, "what cannot be read", "!Type:Bank\nD13/13/2026\nT1\n^\nD01/15/2026\nTlots\n^\nD01/15/2026\n^\nT1\n^\nD01/15/0000\nT1\n^\nD01/15/2026\nT1\nM"+strings.Repeat("x", 5000)+"\n^\nD01/15/2026\nT2\n^\n!Type:Invst\nD1/15'26\nNBuy\n^\n", euro, `
		= ||||EUR|CACC
		19|2026-01-15|||2.00 EUR
		! 2 WrongDay{Text:"13/13/2026"}
		! 5 WrongAmount{Text:"lots"}
		! 8 NoAmount
		! 10 NoDay
		! 12 WrongDay{Text:"01/15/0000"}
		! 15 LongText{Most:4000}
		! 23 Investment`)
	for name, c := range map[string]struct{ file, want string }{
		"no currency": {"!Type:Bank\nD2026-01-01\nT1\n^\n", "NoCurrency"},
		"cut off":     {"!Type:Bank\nD2026-01-01\nT1\n", "CutOff"},
		"no row":      {"!Type:Bank\n", "NoRow"},
		"long record": {"!Type:Bank\n" + strings.Repeat("Mx\n", 5000), "CutOff"},
	} {
		if f, err := statementfile.Read([]byte(c.file), statementfile.Options{}); refused(err) != c.want {
			t.Errorf("%s: %s %+v, want %s", name, refused(err), f, c.want)
		}
	}
}
