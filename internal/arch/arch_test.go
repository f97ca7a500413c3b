// Package arch tests the shape of the repository: which package may import
// which, which modules of others are used and why, and a few rules that every
// package keeps. It holds no code.
package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "florin/"

// leaf is a package that imports nothing of Florin.
var leaf []string

// table says what each package may import of Florin, by its design. A package that is missing here fails the test, and so does an entry that nothing uses.
var table = map[string][]string{
	// Leaves.
	"internal/openbanking":           leaf,
	"internal/money":                 leaf,
	"internal/iban":                  leaf,
	"internal/textfile":              leaf, // files of other programs: encodings, tables, XML
	"internal/countries":             leaf,
	"internal/charts":                leaf, // where the parts of charts stand
	"internal/connlimit":             leaf,
	"internal/publicnet":             leaf,
	"internal/secretfile":            leaf,
	"internal/webauthn":              leaf, // checks passkeys
	"internal/webauthn/webauthntest": leaf, // tests: a device with passkeys
	"internal/sqlite":                leaf,
	"internal/sqlite/sqlitetest":     {"internal/sqlite"}, // tests: databases with their schema
	"internal/strictjson":            leaf,
	"internal/perlregexp":            leaf,
	"internal/apptoken":              {"internal/strictjson"},
	"internal/jobs":                  leaf,
	"internal/live":                  leaf,
	"internal/mailing":               leaf, // hands mails to a mail server
	"internal/mailing/mailtest":      leaf, // tests: a mail server
	"internal/middleware":            leaf,
	"internal/config":                leaf,
	"internal/buildinfo":             leaf,
	"migrations":                     leaf,
	"internal/chromium":              leaf, // tests: the browser and its fonts
	"internal/testkit":               leaf, // tests: which of them run when, and what they share
	"web/static":                     leaf,
	"web/widget":                     leaf,
	"internal/pdf":                   leaf,             // the first page of a PDF as a picture
	"internal/pdf/pdftest":           leaf,             // tests: small PDFs
	"internal/qrcode":                {"internal/pdf"}, // QR codes for pages of both halves
	"web/templates/ui":               {"web/templates/words", "internal/money", "internal/qrcode"},
	"web/templates/paths":            leaf,
	"web/templates/charts":           {"internal/charts", "internal/money", "web/templates/words"},
	"web/templates/words/wordstest":  {"web/templates/words"}, // tests: the German of what pages say in English
	"web/templates/words":            {"internal/money"},      // texts of the pages of both halves in their languages

	// Rules of payments, which both halves apply.
	"internal/reference":    {"internal/openbanking", "internal/iban"},
	"internal/paymentrules": {"internal/openbanking", "internal/money", "internal/iban", "internal/reference"},

	// The tables of the specification.
	"internal/specification": leaf,
	// The description of the API, made of them.
	"internal/openapi": {"internal/openbanking", "internal/specification"},

	// Web app.
	"internal/categories": {"internal/finance", "internal/money", "internal/openbanking", "internal/search"}, // what a booking is for
	// Judge that on made-up statements, which know nothing of it; for the tests and the measurements.
	"internal/categories/household": {"internal/openbanking"},
	"internal/categories/judge":     {"internal/categories", "internal/categories/household", "internal/finance", "internal/openbanking"},
	"internal/finance":              {"internal/openbanking", "internal/money", "internal/iban"},
	"internal/recurring":            {"internal/openbanking", "internal/money"},                       // payments that come again and again
	"internal/forecast":             {"internal/money", "internal/openbanking", "internal/recurring"}, // what will be on accounts
	"internal/debits":               {"internal/finance", "internal/money", "internal/openbanking"},   // what is odd about direct debits
	// Judge them on made-up statements; for the tests and the measurements.
	"internal/debits/judge":    {"internal/categories", "internal/categories/household", "internal/debits", "internal/finance", "internal/openbanking"},
	"internal/forecast/judge":  {"internal/categories", "internal/categories/household", "internal/finance", "internal/forecast", "internal/money", "internal/openbanking", "internal/recurring"},
	"internal/recurring/judge": {"internal/categories", "internal/categories/household", "internal/finance", "internal/money", "internal/openbanking", "internal/recurring"},
	// Tests: households with transfers between their accounts.
	"internal/finance/transfertest": {"internal/finance", "internal/money", "internal/openbanking"},
	// Tests and measurements: payments that people send in the apps of their banks, among bookings that look like them.
	"internal/finance/handedtest": {"internal/finance", "internal/iban", "internal/money", "internal/openbanking"},
	// The form for a payment, without pages and requests.
	"internal/paymentform": {"internal/finance", "internal/iban", "internal/money", "internal/openbanking", "internal/paymentfile", "internal/paymentrules", "internal/reference"},
	// Reads the files and codes in which other programs write payments, and writes them for the apps of banks.
	"internal/paymentfile": {"internal/finance", "internal/iban", "internal/money", "internal/openbanking", "internal/paymentrules", "internal/reference", "internal/textfile"},
	// Writes transactions in the formats in which other programs read them.
	"internal/ledgerfile": {"internal/money", "internal/openbanking"},
	// The files that people attach to transactions.
	"internal/attachments": {"internal/finance"},
	// The logos of banks, kept on this server.
	"internal/logos": leaf,
	// What banks and other programs write of the transactions of accounts.
	"internal/statementfile": {"internal/finance", "internal/iban", "internal/ledgerfile", "internal/money", "internal/openbanking", "internal/textfile"},
	"internal/bank":          {"internal/openbanking", "internal/buildinfo", "internal/publicnet", "internal/strictjson"},
	// An aggregation service for tests of the web app.
	"internal/bank/apitest": {"internal/openbanking"},
	// What a person means to spend, beside what was spent.
	"internal/budgets": {"internal/categories", "internal/openbanking"},
	// What calendar programs are told.
	"internal/calendar": {"internal/openbanking"},
	// Who owes whom in a household.
	"internal/settling": {"internal/money", "internal/openbanking"},
	// Whether the rows of an account are all that its bank has booked.
	"internal/completeness": {"internal/finance", "internal/money", "internal/openbanking"},
	// What amounts are worth in another currency.
	"internal/rates": {"internal/money", "internal/openbanking"},
	// The language of the search field.
	"internal/search": {"internal/money", "internal/openbanking"},
	"internal/store":  {"internal/budgets", "internal/calendar", "internal/categories", "internal/completeness", "internal/debits", "internal/sqlite", "migrations", "internal/finance", "internal/forecast", "internal/money", "internal/openbanking", "internal/rates", "internal/recurring", "internal/search", "internal/settling"},
	"internal/openid": {"internal/finance", "internal/publicnet", "internal/strictjson"},
	// A provider for tests that tells lies.
	"internal/openid/openidtest": leaf,
	"internal/auth":              {"internal/store", "internal/finance", "internal/openid", "internal/webauthn"},
	"internal/courier":           {"internal/finance", "internal/publicnet"},                                     // hands messages to ntfy servers and webhooks
	"internal/outbox":            {"internal/courier", "internal/finance", "internal/mailing", "internal/store"}, // sends what waits in the app's database
	"internal/providers":         {"internal/store", "internal/finance", "internal/openbanking", "internal/apptoken", "internal/publicnet"},
	"internal/linking":           {"internal/store", "internal/finance", "internal/openbanking"},
	"internal/syncer":            {"internal/store", "internal/finance", "internal/openbanking", "internal/live"},
	"internal/payments":          {"internal/store", "internal/finance", "internal/openbanking", "internal/live"},
	"internal/webhook":           {"internal/publicnet", "internal/openbanking", "internal/strictjson"},
	// The web app's pages (ADR 0040): the composition, what all areas stand in, and the areas.
	"internal/handlers": {"internal/attachments", "internal/auth", "internal/handlers/accounts", "internal/handlers/budgets", "internal/handlers/calendar", "internal/handlers/categories", "internal/handlers/connections", "internal/handlers/dashboard", "internal/handlers/directdebits", "internal/handlers/forecast", "internal/handlers/imports", "internal/handlers/install", "internal/handlers/leaving", "internal/handlers/legal", "internal/handlers/linking", "internal/handlers/notifications",
		"internal/handlers/offers", "internal/handlers/payees", "internal/handlers/payments", "internal/handlers/people", "internal/handlers/rates", "internal/handlers/recurring", "internal/handlers/reports", "internal/handlers/rules", "internal/handlers/services", "internal/handlers/settings",
		"internal/handlers/shell", "internal/handlers/signin", "internal/handlers/transactions", "internal/handlers/webhooks", "internal/linking",
		"internal/live", "internal/middleware", "internal/outbox", "internal/payments", "internal/providers", "internal/store", "internal/syncer", "web/static",
		"web/templates/pages", "web/templates/paths", "web/templates/words", "internal/handlers/settling"},
	"internal/handlers/show": {"internal/auth", "internal/categories", "internal/debits", "internal/finance", "internal/forecast", "internal/iban", "internal/ledgerfile", "internal/money", "internal/openbanking", "internal/rates", "internal/recurring", "internal/search", "internal/settling", "internal/statementfile",
		"internal/textfile", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	// What people are told, in words: on pages and in mails.
	"internal/handlers/letters": {"internal/auth", "internal/courier", "internal/finance", "internal/handlers/show", "internal/mailing", "internal/outbox", "internal/store", "web/templates/paths",
		"web/templates/ui", "web/templates/words"},
	"internal/handlers/notifications": {"internal/courier", "internal/finance", "internal/handlers/letters", "internal/handlers/shell", "internal/handlers/show",
		"internal/outbox", "internal/search", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/offers": {"internal/payments", "web/templates/words"},
	"internal/handlers/shell": {"internal/auth", "internal/finance", "internal/handlers/letters", "internal/handlers/show", "internal/live",
		"internal/middleware", "internal/openid", "internal/payments", "internal/store", "web/templates/layout", "web/templates/pages", "web/templates/paths",
		"web/templates/ui", "web/templates/words"},
	"internal/handlers/connections": {"internal/auth", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/linking", "internal/live",
		"internal/money", "internal/openbanking", "internal/payments", "internal/store", "internal/syncer", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/payments": {"internal/auth", "internal/finance", "internal/handlers/connections", "internal/handlers/offers", "internal/handlers/shell",
		"internal/handlers/show", "internal/iban", "internal/linking", "internal/live", "internal/money", "internal/openbanking", "internal/paymentfile",
		"internal/paymentform", "internal/payments", "internal/pdf", "internal/qrcode", "internal/settling", "internal/store", "internal/syncer", "internal/textfile", "web/templates/pages",
		"web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/accounts": {"internal/auth", "internal/completeness", "internal/finance", "internal/handlers/connections", "internal/handlers/payments",
		"internal/handlers/shell", "internal/handlers/show", "internal/handlers/transactions", "internal/iban", "internal/linking", "internal/live", "internal/middleware", "internal/money",
		"internal/openbanking", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/directdebits": {"internal/debits", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/store",
		"web/templates/pages", "web/templates/paths", "web/templates/ui"},
	"internal/handlers/dashboard": {"internal/categories", "internal/charts", "internal/debits", "internal/finance", "internal/handlers/connections", "internal/handlers/forecast", "internal/handlers/payments",
		"internal/handlers/shell", "internal/handlers/show", "internal/handlers/transactions", "internal/live", "internal/money", "internal/openbanking",
		"internal/payments", "internal/search", "internal/syncer", "internal/store", "web/templates/charts", "web/templates/pages", "web/templates/paths",
		"web/templates/ui", "web/templates/words"},
	"internal/handlers/forecast": {"internal/finance", "internal/forecast", "internal/handlers/shell", "internal/handlers/show", "internal/money", "internal/openbanking", "internal/search",
		"internal/store", "web/templates/charts", "web/templates/pages", "web/templates/paths", "web/templates/ui"},
	"internal/handlers/categories": {"internal/categories", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/store",
		"web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/budgets": {"internal/budgets", "internal/categories", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/money",
		"internal/openbanking", "internal/search", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/calendar": {"internal/auth", "internal/calendar", "internal/finance", "internal/forecast", "internal/handlers/shell", "internal/handlers/show",
		"internal/middleware", "internal/money", "internal/openbanking", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/rules": {"internal/categories", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/openbanking",
		"internal/search", "internal/settling", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/recurring": {"internal/categories", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/money",
		"internal/recurring", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/imports": {"internal/categories", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/money", "internal/openbanking",
		"internal/statementfile", "internal/store", "internal/textfile", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/reports": {"internal/categories", "internal/charts", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/money",
		"internal/openbanking", "internal/rates", "internal/search", "internal/store", "web/templates/charts", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/transactions": {"internal/attachments", "internal/categories", "internal/finance", "internal/handlers/payments", "internal/handlers/shell", "internal/handlers/show",
		"internal/iban", "internal/ledgerfile", "internal/live", "internal/middleware", "internal/money", "internal/openbanking", "internal/search", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui",
		"web/templates/words"},
	"internal/handlers/linking": {"internal/finance", "internal/handlers/connections", "internal/handlers/shell", "internal/handlers/show",
		"internal/linking", "internal/logos", "internal/openbanking", "internal/payments", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui",
		"web/templates/words"},
	"internal/handlers/payees": {"internal/auth", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/iban",
		"internal/openbanking", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/services": {"internal/auth", "internal/finance", "internal/handlers/offers", "internal/handlers/shell", "internal/handlers/show",
		"internal/openbanking", "internal/providers", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/people": {"internal/auth", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/live", "internal/middleware",
		"internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/settings": {"internal/auth", "internal/finance", "internal/handlers/letters", "internal/handlers/offers", "internal/handlers/shell",
		"internal/handlers/show", "internal/live", "internal/middleware", "internal/outbox", "internal/qrcode", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/signin": {"internal/auth", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/live",
		"internal/middleware", "internal/openid", "internal/outbox", "internal/store", "web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/rates": {"internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/money", "internal/rates", "internal/search", "internal/store",
		"web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/settling": {"internal/auth", "internal/finance", "internal/handlers/payments", "internal/handlers/shell", "internal/handlers/show", "internal/iban",
		"internal/live", "internal/middleware", "internal/money", "internal/openbanking", "internal/settling", "internal/store", "web/templates/layout", "web/templates/pages",
		"web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/legal":   {"internal/handlers/shell", "internal/handlers/show", "internal/store", "web/templates/pages", "web/templates/paths"},
	"internal/handlers/install": {"internal/handlers/shell", "web/static", "web/templates/layout", "web/templates/pages", "web/templates/paths", "web/templates/words"},
	"internal/handlers/leaving": {"internal/attachments", "internal/auth", "internal/finance", "internal/handlers/settling", "internal/handlers/shell", "internal/handlers/show",
		"internal/handlers/transactions", "internal/ledgerfile", "internal/linking", "internal/live", "internal/middleware", "internal/settling", "internal/store", "web/templates/pages",
		"web/templates/paths", "web/templates/ui", "web/templates/words"},
	"internal/handlers/webhooks": {"internal/auth", "internal/finance", "internal/handlers/shell", "internal/handlers/show", "internal/payments", "internal/store",
		"web/templates/pages", "web/templates/paths", "web/templates/ui", "web/templates/words"},
	"web/templates/layout": {"web/templates/ui", "web/templates/paths", "web/static", "web/templates/words"},
	"web/templates/pages": {"web/templates/charts", "web/templates/ui", "web/templates/paths", "web/templates/layout", "internal/finance", "internal/money", "internal/qrcode",
		"internal/openbanking", "web/templates/words"},
	// Shows every page with invented data; a program for those who work on the design.
	"web/templates/gallery": {"internal/qrcode", "internal/charts", "internal/chromium", "web/templates/charts", "web/templates/ui", "web/templates/paths", "web/templates/layout", "web/templates/pages", "web/static",
		"internal/finance", "internal/money", "internal/openbanking", "web/templates/words", "web/templates/words/wordstest"},

	// Aggregation service.
	"internal/aggregator":         {"internal/openbanking"},
	"internal/aggregator/storage": {"internal/aggregator", "internal/openbanking", "internal/sqlite", "migrations"},
	"internal/aggregator/sandbox": {"internal/aggregator", "internal/openbanking", "internal/money"},
	// A bank in memory, for tests of the service.
	"internal/aggregator/banktest": {"internal/aggregator", "internal/openbanking"},
	// Who uses the service, and what they may ask of banks: each rests on the storage, neither knows the other.
	"internal/aggregator/registry": {"internal/aggregator", "internal/aggregator/storage", "internal/openbanking", "internal/apptoken"},
	"internal/aggregator/engine":   {"internal/aggregator", "internal/aggregator/storage", "internal/openbanking"},
	"internal/aggregator/notify":   {"internal/aggregator", "internal/aggregator/storage", "internal/apptoken", "internal/buildinfo", "internal/publicnet"},
	"internal/aggregator/api": {"internal/aggregator", "internal/aggregator/registry", "internal/aggregator/engine", "internal/openbanking",
		"internal/apptoken", "internal/strictjson", "internal/middleware"},
	"internal/aggregator/logo": leaf,
	// What the hosted pages and the sites of the simulated banks have in common.
	"internal/aggregator/site": {"internal/aggregator", "internal/aggregator/engine", "internal/openbanking", "internal/middleware",
		"web/templates/hosted", "web/templates/words", "web/static"},
	"internal/aggregator/pages": {"internal/aggregator", "internal/aggregator/engine", "internal/aggregator/site", "internal/openapi",
		"internal/openbanking", "internal/qrcode", "web/templates/hosted", "web/templates/words", "web/widget"},
	"internal/aggregator/banksites": {"internal/aggregator", "internal/aggregator/engine", "internal/aggregator/sandbox", "internal/aggregator/site",
		"internal/aggregator/logo", "internal/openbanking", "web/templates/hosted", "web/templates/words"},
	"internal/aggregator/panel": {"internal/aggregator", "internal/aggregator/registry", "internal/mailing", "internal/aggregator/site", "internal/openbanking",
		"internal/apptoken", "internal/middleware", "web/templates/panel",
		"web/templates/words"}, // the panel speaks English alone; its dates are written as those of all pages are
	"internal/aggregator/server": {
		"internal/aggregator", "internal/aggregator/storage", "internal/aggregator/sandbox", "internal/aggregator/registry", "internal/aggregator/engine",
		"internal/aggregator/notify",
		"internal/aggregator/api", "internal/aggregator/site", "internal/aggregator/pages", "internal/aggregator/banksites", "internal/aggregator/panel",
		"internal/mailing", "internal/openbanking", "internal/apptoken", "internal/jobs", "internal/middleware"},
	// Starts the service for tests.
	"internal/aggregator/server/servertest": {"internal/aggregator/server", "internal/middleware", "internal/sqlite/sqlitetest", "internal/testkit",
		"migrations"},
	// The receiver of webhooks that the control panel and its documents show; it stands for itself.
	"internal/aggregator/panel/sample": leaf,

	"web/templates/panel":  {"web/static"},
	"web/templates/hosted": {"internal/qrcode", "web/templates/words", "web/static"},

	// Top.
	"internal/contract":      {"internal/openbanking", "internal/apptoken", "internal/openapi", "internal/contract/walk"},
	"internal/contract/walk": leaf, // through the hosted pages of any service, as a person would go
	"internal/arch":          leaf,
}

// extra are the edges beyond the design, each with its reason.
var extra = map[[2]string]string{
	{"internal/handlers/linking", "internal/countries"}:     "countries are shown by their names",
	{"internal/handlers/payments", "internal/countries"}:    "countries are shown by their names",
	{"internal/handlers/payments", "internal/paymentrules"}: "files with payments are held against the rules of the bank, and broken rules are told in words",
	{"internal/handlers/services", "internal/countries"}:    "countries are shown by their names",
	{"internal/handlers/show", "internal/countries"}:        "countries are shown by their names",
	{"internal/aggregator/site", "internal/countries"}:      "countries are shown by their names",
	{"internal/search", "internal/iban"}:                    "an IBAN that is typed in groups is one number",
	{"internal/store", "internal/secretfile"}:               "the master key has a file of its own",
	{"internal/aggregator/server", "internal/sqlite"}:       "readiness looks at the free space where the database lies",
	{"internal/aggregator/server", "internal/secretfile"}:   "its secrets have files of their own",
	{"internal/payments", "internal/jobs"}:                  "its loops are wakened when a payment is due",
	{"internal/webhook", "internal/finance"}:                "the inbox keeps a webhook with its checks, as the domain has it",
	{"internal/linking", "internal/jobs"}:                   "its loop is wakened when a service has not ended a session",
	{"internal/syncer", "internal/jobs"}:                    "its loops are wakened when there is something to sync",
	{"internal/aggregator/sandbox", "internal/iban"}:        "accounts of the simulated banks have IBANs with right check digits",
	{"internal/aggregator/engine", "internal/paymentrules"}: "a payment is refused that breaks a rule of the bank",
	{"internal/aggregator/engine", "internal/reference"}:    "and told which kind of reference is wrong",
	{"internal/aggregator/engine", "internal/iban"}:         "an authorisation is refused that asks for an account whose IBAN is mistyped",
	{"internal/aggregator/sandbox", "internal/reference"}:   "a booked payment tells the scheme of its reference only where its check digits are right",
	{"internal/aggregator/site", "internal/money"}:          "amounts of payments are shown with the digits that their currencies have, and added up",
	{"internal/aggregator/engine", "internal/perlregexp"}:   "templates of credentials are Perl-compatible regular expressions",
	{"internal/aggregator/sandbox", "internal/perlregexp"}:  "and so are those of a catalogue",
	{"internal/contract", "internal/perlregexp"}:            "and those of the banks that the suite meets",
	{"internal/contract", "internal/money"}:                 "payments are filled in as the metadata of a bank ask for it",
	{"internal/contract", "internal/reference"}:             "and with references whose check digits are right",
	{"internal/aggregator/site", "internal/iban"}:           "the choice of accounts shows IBANs in groups of four",
}

// top may import everything: it wires the halves.
const top = "cmd/web"

// The two halves never meet, not even in tests; only the top and the tests of
// the repository as a whole know both.
var (
	appHalf = []string{"internal/attachments", "internal/budgets", "internal/calendar", "internal/categories", "internal/charts", "internal/completeness", "internal/courier", "internal/finance", "internal/forecast", "internal/logos", "internal/rates", "internal/settling", "internal/recurring", "internal/search", "internal/paymentfile", "internal/paymentform", "internal/ledgerfile", "internal/statementfile", "internal/bank", "internal/store", "internal/auth", "internal/webauthn", "internal/openid",
		"internal/linking", "internal/outbox", "internal/syncer", "internal/payments", "internal/providers", "internal/webhook", "internal/handlers", "web/templates/charts", "web/templates/layout",
		"web/templates/pages", "web/templates/paths", "web/templates/gallery"}
	serviceHalf = []string{"internal/aggregator", "web/templates/hosted", "web/templates/panel"}
)

// pkg is what "go list" says of a package.
type pkg struct {
	ImportPath                         string
	Dir, Name                          string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
}

func (p pkg) path() string { return strings.TrimPrefix(p.ImportPath, module) }

// output runs the go command in the root of the repository.
func output(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Dir = "../.."
	var stderr bytes.Buffer
	command.Stderr = &stderr
	text, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return text
}

// decode reads the values of a stream of JSON.
func decode[T any](t *testing.T, text []byte) []T {
	t.Helper()
	var values []T
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var value T
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return values
		case err != nil:
			t.Fatal(err)
		}
		values = append(values, value)
	}
}

var (
	listOnce sync.Once
	listed   []pkg
)

// packages returns all packages of Florin.
func packages(t *testing.T) []pkg {
	t.Helper()
	listOnce.Do(func() {
		listed = decode[pkg](t, output(t, "list", "-e", "-json=ImportPath,Dir,Name,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./..."))
	})
	if len(listed) < 5 {
		t.Fatalf("go list found %d packages only", len(listed))
	}
	return listed
}

// own returns those imports that are packages of Florin, without the module.
func own(imports []string) []string {
	var paths []string
	for _, path := range imports {
		if rest, ok := strings.CutPrefix(path, module); ok {
			paths = append(paths, rest)
		}
	}
	return paths
}

func TestImportsFollowTheTable(t *testing.T) {
	used := make(map[[2]string]bool)
	exists := make(map[string]bool)
	for _, p := range packages(t) {
		from := p.path()
		exists[from] = true
		if from == top || strings.HasPrefix(from, "tools/") {
			continue
		}
		allowed, known := table[from]
		if !known {
			t.Errorf("%s is not in the table of internal/arch: add it with what it may import", from)
			continue
		}
		for _, to := range own(p.Imports) {
			edge := [2]string{from, to}
			switch {
			case slices.Contains(allowed, to), extra[edge] != "":
				used[edge] = true
			default:
				t.Errorf("%s imports %s, which its design does not foresee; if it has to, write the edge and the reason into internal/arch", from, to)
			}
		}
	}
	for from, allowed := range table {
		if !exists[from] {
			t.Errorf("%s is in the table of internal/arch and does not exist: remove it", from)
		}
		for _, to := range allowed {
			if exists[from] && !used[[2]string{from, to}] {
				t.Errorf("%s may import %s and does not: remove it from the table", from, to)
			}
		}
	}
	for edge, reason := range extra {
		if exists[edge[0]] && !used[edge] {
			t.Errorf("%s no longer imports %s (%s): remove the edge from internal/arch", edge[0], edge[1], reason)
		}
	}
}

func TestTheTableItselfIsSound(t *testing.T) {
	for from, allowed := range table {
		for _, to := range allowed {
			if _, known := table[to]; !known {
				t.Errorf("%s may import %s, which is not in the table", from, to)
			}
			if within(from, appHalf) && within(to, serviceHalf) || within(from, serviceHalf) && within(to, appHalf) {
				t.Errorf("the table lets %s import %s: the halves never meet", from, to)
			}
		}
	}
	for edge, reason := range extra {
		if reason == "" || slices.Contains(table[edge[0]], edge[1]) {
			t.Errorf("the extra edge %v has no reason or is in the table already", edge)
		}
	}
}

// within reports whether the package is one of the roots or below one.
func within(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return path == root || strings.HasPrefix(path, root+"/") })
}

func TestTheHalvesNeverMeet(t *testing.T) {
	for _, p := range packages(t) {
		for _, to := range own(slices.Concat(p.Imports, p.TestImports, p.XTestImports)) {
			from := p.path()
			if within(from, appHalf) && within(to, serviceHalf) || within(from, serviceHalf) && within(to, appHalf) {
				t.Errorf("%s imports %s: the web app and the aggregation service share nothing but the data model", from, to)
			}
		}
	}
}
