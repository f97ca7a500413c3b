package finance

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Booked first, available and expected on lines of their own, never a figure the bank did not send.
func TestChooseBalances(t *testing.T) {
	balance := func(kind openbanking.BalanceStatus, minor int64, currency string) Balance {
		return Balance{Type: kind, Amount: money.FromMinor(minor, currency)}
	}
	text := func(b *Balance) string {
		if b == nil {
			return "none"
		}
		return string(b.Type)
	}
	for name, c := range map[string]struct {
		kind                              openbanking.CashAccountType
		balances                          []Balance
		main, booked, available, expected string
	}{
		"all": {"CACC", []Balance{balance("ITAV", 3, "EUR"), balance("XPCD", 2, "EUR"), balance("ITBD", 4, "EUR"), balance("CLBD", 1, "EUR"),
			balance("CLAV", 5, "EUR")}, "CLBD", "CLBD", "CLAV", "XPCD"},
		"only expected (N26)":   {"CACC", []Balance{balance("XPCD", 1, "EUR")}, "XPCD", "none", "none", "XPCD"},
		"only other (cards)":    {"CACC", []Balance{balance("OTHR", 1, "EUR")}, "OTHR", "none", "none", "none"},
		"only available":        {"CACC", []Balance{balance("ITAV", 1, "EUR")}, "ITAV", "none", "ITAV", "none"},
		"none":                  {"CACC", nil, "none", "none", "none", "none"},
		"opening before value":  {"CACC", []Balance{balance("VALU", 1, "EUR"), balance("OPBD", 1, "EUR")}, "OPBD", "OPBD", "none", "none"},
		"a kind not known":      {"CACC", []Balance{balance("NEWB", 1, "EUR")}, "NEWB", "none", "none", "none"},
		"other currency is not": {"CACC", []Balance{balance("CLBD", 1, "USD"), balance("ITBD", 1, "EUR")}, "ITBD", "ITBD", "none", "none"},
		"a loan":                {"LOAN", []Balance{balance("CLBD", -1, "EUR"), balance("ITAV", -1, "EUR")}, "CLBD", "CLBD", "none", "none"},
		"a loan, one figure":    {"LOAN", []Balance{balance("ITAV", -1, "EUR")}, "ITAV", "none", "none", "none"},
		"only another currency": {"CACC", []Balance{balance("CLBD", 1, "USD")}, "CLBD", "CLBD", "none", "none"},
	} {
		got := ChooseBalances(Account{Type: c.kind, Currency: "EUR"}, c.balances)
		if text(got.Main) != c.main || text(got.Booked) != c.booked || text(got.Available) != c.available || text(got.Expected) != c.expected {
			t.Errorf("%s: %s %s %s %s", name, text(got.Main), text(got.Booked), text(got.Available), text(got.Expected))
		}
	}
}

// The credit left on a card is no money, and a loan is no cash.
func TestWhatCounts(t *testing.T) {
	for name, c := range map[string]struct {
		account Account
		balance openbanking.BalanceStatus
		minor   int64
		counts  bool
		holding Holding
	}{
		"a current account":         {Account{Type: "CACC"}, "CLBD", 5, true, HoldingSpending},
		"one with an available one": {Account{Type: "CACC"}, "ITAV", 5, true, HoldingSpending},
		"without a type":            {Account{}, "XPCD", 5, true, HoldingSpending},
		"savings":                   {Account{Type: "SVGS"}, "ITBD", 5, true, HoldingSavings},
		"a card":                    {Account{Type: "CARD"}, "CLBD", -5, true, HoldingCards},
		"what is left on a card":    {Account{Type: "CARD"}, "ITAV", 5, false, HoldingCards},
		"a loan":                    {Account{Type: "LOAN"}, "ITBD", -5, true, HoldingLoans},
		"a loan, said as available": {Account{Type: "LOAN"}, "ITAV", -5, true, HoldingLoans},
		"what is left of a loan":    {Account{Type: "LOAN"}, "CLAV", 5, false, HoldingLoans},
		"a house":                   {Account{Type: "OTHR", Source: SourceValue}, "CLBD", 5, true, HoldingValues},
		"cash":                      {Account{Type: "CASH", Source: SourceManual}, "CLBD", 5, true, HoldingSpending},
	} {
		c.account.Currency = "EUR"
		got := Counted(c.account, []Balance{{Type: c.balance, Amount: money.FromMinor(c.minor, "EUR")}})
		if (got != nil) != c.counts || c.account.Holding() != c.holding {
			t.Errorf("%s: %v, %d", name, got, c.account.Holding())
		}
		if Counted(c.account, nil) != nil {
			t.Errorf("%s counts without a balance", name)
		}
	}
}

// The person chooses which balance counts, of those that the bank gives; when it gives the chosen one no more, the one counts that would count by itself.
func TestTheBalanceOfChoiceCounts(t *testing.T) {
	balance := func(kind openbanking.BalanceStatus, minor int64, currency string) Balance {
		return Balance{Type: kind, Amount: money.FromMinor(minor, currency)}
	}
	all := []Balance{balance("ITAV", 300, "EUR"), balance("XPCD", 200, "EUR"), balance("CLBD", 100, "EUR"), balance("CLBD", 90, "EUR"), balance("ITBD", 80, "USD")}
	for name, c := range map[string]struct {
		account   Account
		balances  []Balance
		counted   string
		lost      bool
		countable string
	}{
		"no choice":                   {Account{Type: "CACC"}, all, "CLBD", false, "ITAV XPCD CLBD"},
		"what is available":           {Account{Type: "CACC", Counts: "ITAV"}, all, "ITAV", false, "ITAV XPCD CLBD"},
		"what is expected":            {Account{Type: "SVGS", Counts: "XPCD"}, all, "XPCD", false, "ITAV XPCD CLBD"},
		"in another currency only":    {Account{Type: "CACC", Counts: "ITBD"}, all, "CLBD", true, "ITAV XPCD CLBD"},
		"given no more":               {Account{Type: "CACC", Counts: "OPAV"}, all, "CLBD", true, "ITAV XPCD CLBD"},
		"none given at all":           {Account{Type: "CACC", Counts: "ITAV"}, nil, "", false, ""},
		"of a card what is expected":  {Account{Type: "CARD", Counts: "XPCD"}, all, "XPCD", false, "XPCD CLBD"},
		"of a card what is available": {Account{Type: "CARD", Counts: "ITAV"}, all, "CLBD", true, "XPCD CLBD"},
		"of a loan what is available": {Account{Type: "LOAN", Counts: "ITAV"}, all, "CLBD", true, "XPCD CLBD"},
		"the person keeps it now":     {Account{Type: "CACC", Counts: "ITAV", Source: SourceManual}, all, "CLBD", false, ""},
	} {
		c.account.Currency = "EUR"
		got, chosen := Counted(c.account, c.balances), ChooseBalances(c.account, c.balances)
		text := ""
		if got != nil {
			text = string(got.Type)
		}
		var countable []string
		for _, b := range Countable(c.account, c.balances) {
			countable = append(countable, string(b.Type))
		}
		if text != c.counted || got != chosen.Main && (got == nil || *got != *chosen.Main) || chosen.Lost != c.lost ||
			strings.Join(countable, " ") != c.countable {
			t.Errorf("%s: %q counts, lost: %t, of %q", name, text, chosen.Lost, countable)
		}
	}
	if chosen := ChooseBalances(Account{Type: "CACC", Currency: "EUR", Counts: "ITAV"}, all); chosen.Booked.Amount.Minor() != 100 || chosen.Available != chosen.Main {
		t.Errorf("%+v", chosen)
	}
	for _, booked := range []openbanking.BalanceStatus{"CLBD", "ITBD", "OPBD", "PRCD", "VALU"} {
		if !balance(booked, 1, "EUR").Booked() {
			t.Errorf("%s is not booked", booked)
		}
	}
	for _, other := range []openbanking.BalanceStatus{"CLAV", "ITAV", "OPAV", "FWAV", "XPCD", "OTHR", "INFO", "NEWB"} {
		if balance(other, 1, "EUR").Booked() {
			t.Errorf("%s is booked", other)
		}
	}
}

func TestReadBalance(t *testing.T) {
	now := time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	b, err := ReadBalance("a", "EUR", openbanking.BalanceResource{Name: "Booked", BalanceType: "CLBD",
		BalanceAmount: openbanking.AmountType{Amount: "-7.5", Currency: "XXX"}, ReferenceDate: new(openbanking.Date("2026-03-09"))}, now)
	if err != nil || b.Amount != money.FromMinor(-750, "EUR") || b.Text != "-7.5" || b.AccountID != "a" || b.Name != "Booked" ||
		!b.AsOf().Equal(time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)) || !b.Fetched.Equal(now) {
		t.Errorf("%+v %v", b, err)
	}
}

func TestConnectionStateFollowsItsDate(t *testing.T) {
	now := time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status ConnectionStatus
		left   time.Duration
		want   ConnectionStatus
		days   int
	}{
		"active":       {ConnectionActive, 49 * time.Hour, ConnectionActive, 2},
		"past its day": {ConnectionActive, 0, ConnectionExpired, 0},
		"revoked":      {ConnectionRevoked, 49 * time.Hour, ConnectionRevoked, 0},
		"disconnected": {ConnectionDisconnected, -time.Hour, ConnectionDisconnected, 0},
	} {
		conn := Connection{Status: c.status, ValidUntil: now.Add(c.left)}
		if got, days := conn.State(now), conn.DaysLeft(now); got != c.want || days != c.days {
			t.Errorf("%s: %s %d", name, got, days)
		}
	}
}

// Security T32.
func TestSecretsDoNotPrint(t *testing.T) {
	const canary = "canary-7f3a"
	s := Secret(canary)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "provider", Provider{PrivateKey: s})
	all := log.String() + fmt.Sprintf("%v %s %q %x %+v %#v", s, s, s, s, Provider{PrivateKey: s}, Provider{PrivateKey: s}) + fmt.Sprint(s)
	if strings.Contains(all, canary) || strings.Contains(all, fmt.Sprintf("%x", canary)) || s.Reveal() != canary {
		t.Error(all)
	}
}

func TestNormalEmail(t *testing.T) {
	for in, want := range map[string]string{" Anna@Example.ORG ": "anna@example.org", "a@b": "a@b"} {
		if got, err := NormalEmail(in); got != want || err != nil {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
	for _, in := range []string{"", "anna", "@x", "a@", "a b@c", "a@b@c", "a@.c", "a@c.", "<a@c>", "a\x00@c", strings.Repeat("a", 250) + "@b.cc"} {
		if got, err := NormalEmail(in); err == nil {
			t.Errorf("%q was taken as %q", in, got)
		}
	}
}
