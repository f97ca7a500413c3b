package sandbox

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of banks into docs/sandbox.md")

const docsFile = "../../../docs/sandbox.md"

// The list of banks in docs/sandbox.md is that of the catalogue; go test -run Docs -update writes it.
func TestDocsListEveryBankAndUser(t *testing.T) {
	s := builtInBanks()
	var b strings.Builder
	b.WriteString("| Country | Bank | Kind | User | Password | One-time code | Accounts |\n|---|---|---|---|---|---|---|\n")
	for _, bank := range s.Banks() {
		if bank.NoCredentials() {
			continue
		}
		for _, u := range bank.users {
			otp := "none"
			if u.OTP != "" {
				otp = "`" + u.OTP + "`"
			}
			var accounts []string
			for _, a := range u.accounts {
				words := string(a.data.Type)
				if a.data.Currency != countryOf(bank.Country()).Currency {
					words += " " + a.data.Currency
				}
				if len(a.holders) > 1 {
					words += " joint"
				}
				if a.data.Blocked {
					words += " blocked"
				}
				accounts = append(accounts, words)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | `%s` | `%s` | %s | %s |\n", bank.Country(), bank.Name(), u.PSUType, u.Username, u.Password, otp, strings.Join(accounts, ", "))
		}
	}
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	head, rest, ok := strings.Cut(text, "<!-- banks -->\n")
	_, tail, end := strings.Cut(rest, "<!-- /banks -->")
	if !ok || !end {
		t.Fatal("the marks <!-- banks --> are missing")
	}
	want := head + "<!-- banks -->\n" + b.String() + "<!-- /banks -->" + tail
	if *update {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != want {
		t.Error("docs/sandbox.md lists other banks than the catalogue; run go test ./internal/aggregator/sandbox -run Docs -update")
	}
}

// The example of docs/sandbox.md works.
func TestDocsExampleIsACatalogue(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "```json\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example")
	}
	s, _ := newTest(t, example)
	b := bankNamed(t, s, "DE", "Hafenbank")
	for _, a := range b.accounts {
		if len(whole(t, a, longest, testToday)) < 20 {
			t.Errorf("%s: hardly anything happens", a.data.ID)
		}
	}
}
