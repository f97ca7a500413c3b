package sandbox

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"florin/internal/openbanking"
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
			fmt.Fprintf(&b, "| %s | %s | %s | `%s` | `%s` | %s | %s |\n", bank.Country(), bank.Name(), u.PSUType, u.Username, u.Password, otp,
				strings.Join(accounts, ", "))
		}
	}
	inDocs(t, "banks", b.String())
}

// The list of methods in docs/sandbox.md is that of the catalogue: of banks that have more to say than one by REDIRECT.
func TestDocsListEveryMethod(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Country | Bank | Kind | auth_method | Approach | Credentials |\n|---|---|---|---|---|---|\n")
	for _, bank := range builtInBanks().Banks() {
		methods := bank.ASPSP().AuthMethods
		plain := func(m openbanking.AuthMethod) bool {
			return m.Approach == openbanking.AuthenticationApproachRedirect && len(m.Credentials) == 0 && strings.HasPrefix(*m.Name, "redirect_")
		}
		if !slices.ContainsFunc(methods, func(m openbanking.AuthMethod) bool { return !plain(m) }) {
			continue
		}
		for _, m := range methods {
			approach := string(m.Approach)
			if m.HiddenMethod {
				approach += ", hidden"
			}
			credentials := "none"
			var names []string
			for _, c := range m.Credentials {
				name := "`" + c.Name + "`"
				if !c.Required {
					name += " (optional)"
				}
				names = append(names, name)
			}
			if len(names) > 0 {
				credentials = strings.Join(names, ", ")
			}
			fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s | %s |\n", bank.Country(), bank.Name(), m.PSUType, *m.Name, approach, credentials)
		}
	}
	inDocs(t, "methods", b.String())
}

// The list of scenarios in docs/sandbox.md is that of the program, with the places where the catalogue has them.
func TestDocsListEveryScenario(t *testing.T) {
	var b strings.Builder
	group := ""
	for _, s := range builtInBanks().Scenarios() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n### %s\n\n| Scenario | What the bank does | What a client does | Where |\n|---|---|---|---|\n", group)
		}
		var places []string
		for _, p := range s.Places {
			place := p.Bank.Name() + " (" + p.Bank.Country() + ")"
			if p.User.Username != "" {
				place += ", `" + p.User.Username + "`"
			}
			places = append(places, place)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, s.Bank, s.Client, strings.Join(places, "; "))
	}
	inDocs(t, "scenarios", strings.TrimPrefix(b.String(), "\n"))
}

// The paths of payments in docs/sandbox.md are those of the program.
func TestDocsListEveryPathOfPayments(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Path | What it is | At once | On the day of execution |\n|---|---|---|---|\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.name, p.words, joined(p.accepted), joined(p.executed))
	}
	inDocs(t, "payment-paths", b.String())
}

// The payments of docs/sandbox.md are those of the catalogue.
func TestDocsListEveryPaymentType(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Country | Bank | Kind | Payment type | Currencies | Path | Asks for |\n|---|---|---|---|---|---|---|\n")
	for _, bank := range builtInBanks().Banks() {
		for _, p := range bank.data.Payments {
			way := cmp.Or(bank.data.Habits.PaymentPaths[string(p.PaymentType)], defaultPath(p))
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | `%s` | %s |\n", bank.Country(), bank.Name(), p.PSUType, p.PaymentType, strings.Join(p.Currencies, ", "),
				way, strings.Join(asks(p), ", "))
		}
	}
	inDocs(t, "payment-types", b.String())
}

// asks says what a payment type needs beyond amount and account.
func asks(p openbanking.ResponsePaymentType) []string {
	var list []string
	for _, need := range []struct {
		required *bool
		words    string
	}{
		{p.DebtorAccountRequired, "debtor account"}, {p.DebtorCurrencyRequired, "debtor currency"}, {p.DebtorContactEmailRequired, "e-mail"},
		{p.DebtorContactPhoneRequired, "phone"},
		{p.CreditorNameRequired, "name"}, {p.CreditorCountryRequired, "country"}, {p.CreditorPostalAddressRequired, "address"}, {p.CreditorAgentBICFIRequired, "BIC"},
		{p.CreditorAgentClearingSystemMemberIDRequired, "clearing member"}, {p.RemittanceInformationRequired, "remittance information"},
		{p.RegulatoryReportingCodeRequired, "regulatory code"},
	} {
		if need.required != nil && *need.required {
			list = append(list, need.words)
		}
	}
	if len(p.AllowedAuthMethods) > 0 {
		list = append(list, "method "+strings.Join(p.AllowedAuthMethods, " or "))
	}
	if p.MaxTransactions != nil && *p.MaxTransactions > 1 {
		list = append(list, fmt.Sprintf("at most %d transactions", *p.MaxTransactions))
	}
	return list
}

// The numbers of docs/sandbox.md that provoke a rejection do.
func TestDocsListPayeesThatAreRejected(t *testing.T) {
	s := builtInBanks()
	b := bankNamed(t, s, "IE", "Scenario Payments")
	unknown := computeIBAN(t, "IE", b.data.BankCode+"12345678")
	var text strings.Builder
	text.WriteString("| Number | Reason |\n|---|---|\n")
	for _, row := range []struct{ number, reason, words string }{
		{unknown, incorrectAccount, ""}, {b.closedIBANs()[0], closedAccount, ""}, {accountOf(t, b, "blocked").iban, blockedAccount, ""},
		{accountOf(t, b, "small").iban, insufficientFunds, ", as the account of `payment-causes` that a payment goes from: it holds 100.00"},
	} {
		o := sepa("x", row.number, "1.00")
		from, available := accountOf(t, b, "spare"), int64(1000000)
		if row.reason == insufficientFunds {
			from, available = accountOf(t, b, "small"), accountOf(t, b, "small").opening
			o = sepa("x", elsewhere, "100.01")
		}
		plan := b.plan(&o, b.user("payment-causes"), from, available, testNow)
		if last := plan.Steps[len(plan.Steps)-1]; last.Reason == nil || last.Reason.StatusReasonCode != row.reason {
			t.Errorf("%s: %+v", row.number, plan)
		}
		fmt.Fprintf(&text, "| `%s`%s | `%s` |\n", row.number, row.words, row.reason)
	}
	inDocs(t, "payees", text.String())
}

func joined(list []openbanking.PaymentStatus) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// inDocs compares a part of docs/sandbox.md, between two marks, with what it has to be.
func inDocs(t *testing.T, mark, part string) {
	t.Helper()
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	head, rest, ok := strings.Cut(text, "<!-- "+mark+" -->\n")
	_, tail, end := strings.Cut(rest, "<!-- /"+mark+" -->")
	if !ok || !end {
		t.Fatalf("the marks <!-- %s --> are missing", mark)
	}
	want := head + "<!-- " + mark + " -->\n" + part + "<!-- /" + mark + " -->" + tail
	if *update {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != want {
		t.Errorf("docs/sandbox.md lists other %s than there are; run go test ./internal/aggregator/sandbox -run Docs -update", mark)
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
