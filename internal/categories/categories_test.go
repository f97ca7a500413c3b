package categories

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/finance"
)

func TestListsAreSortedAndWrittenAsTheyAreLookedUp(t *testing.T) {
	for name, list := range map[string]string{"merchants.txt": merchants, "mcc.txt": merchantCodes} {
		lines := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
		previous := ""
		for _, line := range lines {
			key, value, ok := strings.Cut(line, "\t")
			if !ok || key <= previous || Key(key) != key {
				t.Fatalf("%s: %q behind %q is not in order, or not a key", name, line, previous)
			}
			previous = key
			for part := range strings.SplitSeq(value, ",") {
				_, category, found := strings.Cut(part, ":")
				if !found {
					category = part
				}
				if !Known(category) {
					t.Errorf("%s: %q stands for a category that does not exist", name, line)
				}
			}
			if got := lookup(list, key); got != value {
				t.Errorf("%s: lookup(%q) = %q, want %q", name, key, got, value)
			}
		}
		if len(lines) < 500 {
			t.Errorf("%s has only %d lines", name, len(lines))
		}
	}
	for _, key := range []string{"", "\x00", "zzzzzzzzzz", "rew", "rewe\t", "aldi x"} {
		if got := lookup(merchants, key); got != "" {
			t.Errorf("lookup(%q) = %q", key, got)
		}
	}
}

func TestKeyWordsStandForCategories(t *testing.T) {
	languages := map[string]bool{}
	for line := range strings.Lines(words) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if strings.HasPrefix(head, "#") || head == "" {
			continue
		}
		parts := strings.Fields(head)
		if !ok || len(parts) != 3 || !Known(parts[0]) || !slices.Contains([]string{"in", "out", "both"}, parts[1]) {
			t.Errorf("%q is not \"category direction language: words\"", line)
			continue
		}
		languages[parts[2]] = true
		for phrase := range strings.SplitSeq(list, ",") {
			stem, isStem := strings.CutSuffix(strings.TrimSpace(phrase), "*")
			if k := Key(stem); k == "" || isStem && (len(k) < shortestStem || strings.Contains(k, " ")) || len(strings.Fields(k)) > 3 {
				t.Errorf("%s: %q can never be found", head, phrase)
			}
		}
	}
	if len(languages) != 9 {
		t.Errorf("key words in %d languages, want 9: %v", len(languages), languages)
	}
}

func TestCleanName(t *testing.T) {
	for _, c := range []struct {
		name, want string
		processor  bool
	}{
		{"SumUp  *Cafe Müller", "Cafe Müller", true},
		{"SUMUP *BLUMEN HAUS", "Blumen Haus", true},
		{"PAYPAL *SPOTIFY", "Spotify", true},
		{"Zettle_*Kaffeebar", "Kaffeebar", true},
		{"iZ *Kiosken", "Kiosken", true},
		{"SQ *BLUE BOTTLE", "Blue Bottle", true},
		{"REWE SAGT DANKE. 43242//KOELN/DE", "REWE", false},
		{"REWE MARKT 4711 KOELN DE", "Rewe Markt", false},
		{"Lidl 0815", "Lidl", false},
		{"AMZN Mktp DE*2K4AB19", "AMZN Mktp", false},
		{"NETFLIX.COM", "Netflix", false},
		{"www.zalando.de", "zalando", false},
		{"H&M", "H&M", false},
		{"4711", "4711", false},
		{"PayPal", "PayPal", false},
		{"Bäckerei Schmidt GmbH", "Bäckerei Schmidt GmbH", false},
		{"", "", false},
	} {
		if got, processor := CleanName(c.name); got != c.want || processor != c.processor {
			t.Errorf("CleanName(%q) = %q, %v, want %q, %v", c.name, got, processor, c.want, c.processor)
		}
	}
}

func TestPropertyACleanNameStaysClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`((SumUp|PAYPAL|ZETTLE_|SQ) ?\*)?[A-Z][A-Za-z]{2,9} [A-Z]{3,9}( [0-9]{3,6})?( DE)?`)).Draw(t, "name")
		clean, _ := CleanName(name)
		if strings.TrimSpace(name) != "" && clean == "" {
			t.Fatalf("CleanName(%q) leaves nothing", name)
		}
		f := Facts{Name: name, Text: rapid.String().Draw(t, "text"), Out: rapid.Bool().Draw(t, "out")}
		if d := (Memory{}).Decide(f, PayeeOf(f)); d.Category != "" && (!Known(d.Category) || d.By == Unknown || d.Why == "") {
			t.Fatalf("Decide(%+v) = %+v: a category without evidence", f, d)
		}
	})
}

func TestSpellingsOfOnePayeeHaveOneKey(t *testing.T) {
	for _, same := range [][]string{
		{"REWE", "Rewe", "REWE SAGT DANKE 123//BONN/DE"},
		{"Bäckerei Schmidt GmbH", "BÄCKEREI SCHMIDT", "Bäckerei Schmidt GmbH & Co. KG"},
		{"PAYPAL *Spotify", "Spotify AB", "SPOTIFY"},
		{"McDonald's", "MCDONALDS 01234", "McDonald’s"},
	} {
		want := PayeeOf(Facts{Name: same[0]}).Key
		for _, name := range same {
			if got := PayeeOf(Facts{Name: name}).Key; got != want || got == "" {
				t.Errorf("%q has the key %q, want that of %q: %q", name, got, same[0], want)
			}
		}
	}
}

const someIBAN = "DE02120300000000202051"

func TestChain(t *testing.T) {
	out := func(f Facts) Facts { f.Out = true; return f }
	memory := Memory{
		Own: map[string]bool{"DE89370400440532013000": true},
		Lessons: map[Lesson]string{
			{ByCreditor, true, "DE98ZZZ09999999999"}: "sport", {ByAccount, true, someIBAN}: "rent", {ByAccount, true, "LU89751000135104200E"}: "shopping",
			{ByName, true, "rewe"}: "dining", {ByName, true, "maria muster"}: "gifts",
		},
	}
	for name, c := range map[string]struct {
		facts Facts
		want  Decision
	}{
		"own account":                   {out(Facts{Account: "DE89370400440532013000", Text: "Miete"}), Decision{Category: Transfer, By: ByTransfer, Why: "DE89370400440532013000"}},
		"same creditor before account":  {out(Facts{Account: someIBAN, Signs: finance.Signs{Creditor: "DE98ZZZ09999999999"}}), Decision{Category: "sport", By: ByCreditor, Why: "DE98ZZZ09999999999"}},
		"same account":                  {out(Facts{Name: "Somebody", Account: someIBAN}), Decision{Category: "rent", By: ByAccount, Why: someIBAN}},
		"same account, other direction": {Facts{Name: "Somebody", Account: someIBAN}, Decision{}},
		"same name before merchants":    {out(Facts{Name: "REWE SAGT DANKE 12//BONN/DE"}), Decision{Category: "dining", By: ByName, Why: "REWE"}},
		"same name of a person":         {out(Facts{Name: "Maria Muster", Account: "DE75512108001245126199"}), Decision{Category: "gifts", By: ByName, Why: "Maria Muster"}},
		"account of a processor":        {out(Facts{Name: "PayPal Europe S.a.r.l.", Account: "LU89751000135104200E", Text: "PP.4711.PP . NETFLIX, Ihr Einkauf bei NETFLIX"}), Decision{}},
		"merchant":                      {out(Facts{Name: "ALDI SUED 0815 BONN DE"}), Decision{Category: "groceries", By: ByMerchant, Why: "aldi"}},
		"fuel station with a shop":      {out(Facts{Name: "TOTALENERGIES//KIEL/DE"}), Decision{Category: "fuel", By: ByMerchant, Why: "totalenergies"}},
		"merchant of a country":         {out(Facts{Name: "Orange", Country: "FR"}), Decision{Category: "phone", By: ByMerchant, Why: "orange"}},
		"merchant by transfer":          {out(Facts{Name: "IKEA Deutschland GmbH & Co. KG", Account: "DE75512108001245126199"}), Decision{Category: "home", By: ByMerchant, Why: "ikea"}},
		"person called like a shop":     {out(Facts{Name: "Penny Lane", Account: "DE75512108001245126199"}), Decision{}},
		"merchant in the text":          {out(Facts{Text: "Kartenzahlung 12.03. LIDL 4711 BONN DE"}), Decision{Category: "groceries", By: ByMerchant, Why: "lidl"}},
		"salary of a supermarket":       {Facts{Name: "Lidl Stiftung & Co. KG", Account: "DE75512108001245126199", Text: "Lohn/Gehalt 10/2026"}, Decision{Category: "salary", By: ByWord, Why: "lohn gehalt"}},
		"refund of a merchant":          {Facts{Name: "Zara", Signs: finance.Signs{MerchantCode: "5651"}}, Decision{Category: "clothing", By: ByMerchant, Why: "zara"}},
		"merchant category code":        {out(Facts{Name: "Xyzzy", Signs: finance.Signs{MerchantCode: "5814"}}), Decision{Category: "dining", By: ByMCC, Why: "5814"}},
		"code of the bank":              {out(Facts{Signs: finance.Signs{Codes: []string{"CWDL", "CCRD"}}}), Decision{Category: "cash", By: ByCode, Why: "CWDL"}},
		"code with a direction":         {Facts{Signs: finance.Signs{Codes: []string{"INTR"}}}, Decision{Category: "interest", By: ByCode, Why: "INTR"}},
		"word in the name":              {out(Facts{Name: "Landeshauptkasse NRW", Account: someIBAN + "X", Text: "Miete"}), Decision{Category: "tax", By: ByWord, Why: "landeshauptkasse"}},
		"word in the text":              {out(Facts{Name: "Erika Beispiel", Account: "X", Text: "Miete November"}), Decision{Category: "rent", By: ByWord, Why: "miete"}},
		"word with accents":             {out(Facts{Name: "Jean Bon", Account: "X", Text: "MÉDECIN"}), Decision{Category: "health", By: ByWord, Why: "medecin"}},
		"nothing known":                 {out(Facts{Name: "Jan Novak", Account: "X", Text: "thanks"}), Decision{}},
	} {
		if got := memory.Decide(c.facts, PayeeOf(c.facts)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	facts := []Facts{{Out: true, Name: "REWE SAGT DANKE. 43242//KOELN/DE", Text: "2026-10-03T12:11 Debitk.1 2027-12"}, {Out: true, Name: "Erika Beispiel", Account: "X", Text: "Danke für den schönen Abend, bis zum nächsten Mal in Berlin"}}
	for i := 0; b.Loop(); i++ {
		Memory{}.Decide(facts[i%2], PayeeOf(facts[i%2]))
	}
}

func TestBookFollowsMerges(t *testing.T) {
	b := BookOf([]Own{{Category: Category{"books", GroupLeisure}, Into: "entertainment"}, {Category: Category{"own-1", GroupHousing}, Name: "Cabin"},
		{Category: Category{"pets", GroupLiving}, Archived: true}, {Category: Category{"fees", GroupMoney}, Into: "loan"}, {Category: Category{"loan", GroupMoney}, Into: "fees"}})
	if c, ok := b.Of("books"); !ok || c.ID != "entertainment" {
		t.Errorf("books are shown as %+v", c)
	}
	if got := b.Shown("entertainment"); !slices.Equal(got, []string{"entertainment", "books"}) {
		t.Errorf("shown under entertainment: %v", got)
	}
	if _, ok := b.Of("fees"); ok {
		t.Error("two that were merged into each other have an end")
	}
	offered := b.Offered("")
	for _, id := range []string{"books", "pets", "fees"} {
		if offered.index(id) >= 0 {
			t.Errorf("%s is offered", id)
		}
	}
	if i := offered.index("own-1"); i < 0 || offered[i-1].ID != "home" {
		t.Error("an own category does not stand behind the others of its group")
	}
}

func TestReplayKnowsOnlyWhatCameBefore(t *testing.T) {
	shop := Facts{Out: true, Name: "Corner Shop 12"}
	right, of := Replay(nil, []Labelled{{shop, "groceries"}, {shop, "groceries"}, {shop, "gifts"}, {shop, "gifts"}}, 3)
	if right != 2 || of != 3 {
		t.Errorf("right in %d of %d, want 2 of 3", right, of)
	}
}
