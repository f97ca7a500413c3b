package arch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Licences that may go into one program under Apache-2.0, by a sentence of theirs.
const (
	mit    = "Permission is hereby granted, free of charge"
	bsd    = "Redistribution and use in source and binary forms"
	apache = "Apache License"
	mpl    = "Mozilla Public License"
)

// modules are the modules of others that Florin's own code imports, each with
// the reason and its licence. What those modules need themselves follows them.
var modules = map[string]struct{ reason, licence string }{
	"github.com/a-h/templ": {"pages; escapes by context", mit},

	"github.com/alexedwards/argon2id":                          {"password hashes in the standard form", mit},
	"github.com/alexedwards/scs/v2":                            {"sign-in sessions of the web app, revocable rows", mit},
	"github.com/arran4/golang-ical":                            {"calendars for other programs (RFC 5545): folding and escaping", apache},
	"github.com/boombuler/barcode":                             {"QR codes", mit},
	"github.com/chromedp/cdproto":                              {"tests: the browser's protocol", mit},
	"github.com/chromedp/chromedp":                             {"tests: journeys in Chromium", mit},
	"github.com/coreos/go-oidc/v3":                             {"signing in at a provider of OpenID Connect: its metadata, its keys, its ID tokens", apache},
	"github.com/dlclark/regexp2":                               {"Perl-compatible templates of credentials, with a time limit", mit},
	"github.com/emersion/go-ical":                              {"tests: the calendars that Florin writes are read by another reader", mit},
	"github.com/getkin/kin-openapi":                            {"tests: the OpenAPI document is one, requests and answers follow it", mit},
	"github.com/go-fonts/dejavu":                               {"tests: wide fonts for the browser, whatever the machine has", bsd},
	"github.com/go-fonts/liberation":                           {"tests: narrow fonts for the browser", bsd},
	"github.com/go-json-experiment/json":                       {"strict reading of JSON: duplicate and unknown names are errors", bsd},
	"github.com/golang-jwt/jwt/v5":                             {"application tokens and webhook tokens", mit},
	"github.com/google/uuid":                                   {"the specification's ids are UUIDs", bsd},
	"github.com/gorilla/sessions":                              {"signed and encrypted cookies without a row: hosted pages, flow cookies", bsd},
	"github.com/klauspost/compress":                            {"compression of pages, several times faster than the standard library", bsd},
	"github.com/standard-webhooks/standard-webhooks/libraries": {"tests: webhooks to people are checked as their receivers do", mit},
	"github.com/tetratelabs/wazero":                            {"WebAssembly: the sandbox in which PDFs are drawn", apache},
	"github.com/ulikunitz/xz":                                  {"LZMA: Slovak payment codes are packed with it", bsd},
	"github.com/wneessen/go-mail":                              {"mails over SMTP: headers, encodings, STARTTLS", mit},
	"github.com/makiuchi-d/gozxing":                            {"reads QR codes in pictures; tests: the codes that Florin draws are read by another reader", mit},
	"github.com/pquerna/otp":                                   {"one-time codes of authenticator apps", apache},
	"github.com/spf13/pflag":                                   {"flags of the command line, and their help; it looks no method up by name, for which the linker would keep all of them", bsd},
	"go.uber.org/goleak":                                       {"tests: every goroutine ends", mit},
	"golang.org/x/crypto":                                      {"cryptography that the standard library lacks", bsd},
	"golang.org/x/image":                                       {"logos as pictures: outlines of letters, a rasteriser, the font Go Bold; making them small, reading WebP", bsd},
	"golang.org/x/net":                                         {"host names in punycode, and reading pages in tests", bsd},
	"golang.org/x/oauth2":                                      {"signing in at a provider: the authorisation code flow with PKCE", bsd},
	"golang.org/x/text":                                        {"collation, language matching, and alphabets of files with payments", bsd},
	"golang.org/x/time":                                        {"rate limits", bsd},
	"modernc.org/sqlite":                                       {"the database, without cgo", bsd},
	"pgregory.net/rapid":                                       {"tests: properties", mpl},
}

// module as "go list -m -json" and "go mod edit -json" write it.
type goModule struct {
	Path, Version, Dir, GoMod string
}

type goMod struct {
	Require []goModule
	Replace []json.RawMessage
	Exclude []json.RawMessage
}

func readMod(t *testing.T, path string) goMod {
	t.Helper()
	return decode[goMod](t, output(t, "mod", "edit", "-json", path))[0]
}

func TestImportedModulesHaveAReasonAndALicence(t *testing.T) {
	required := readMod(t, "go.mod").Require
	seen := make(map[string]bool)
	for _, p := range packages(t) {
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
				continue // the standard library, or Florin
			}
			module := moduleOf(required, path)
			if seen[module] {
				continue
			}
			seen[module] = true
			if _, ok := modules[module]; !ok {
				t.Errorf("%s imports %s of the module %q, which is not in the list of internal/arch: add it with its reason and licence", p.path(), path, module)
			}
		}
	}
	for module, entry := range modules {
		if entry.reason == "" {
			t.Errorf("%s has no reason", module)
		}
		if !seen[module] {
			t.Errorf("nothing imports %s: remove it from the list of internal/arch", module)
			continue
		}
		found := decode[goModule](t, output(t, "list", "-m", "-json", module))[0]
		if text := licence(t, found.Dir); !strings.Contains(text, entry.licence) {
			t.Errorf("the licence of %s is not the one in the list (%s…):\n%.200s", module, entry.licence, text)
		}
	}
}

// moduleOf finds the module that holds the package.
func moduleOf(required []goModule, path string) string {
	var longest string
	for _, module := range required {
		if (path == module.Path || strings.HasPrefix(path, module.Path+"/")) && len(module.Path) > len(longest) {
			longest = module.Path
		}
	}
	return longest
}

// licence reads the licence of a module, with its line breaks made spaces.
func licence(t *testing.T, dir string) string {
	t.Helper()
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(names) == 0 {
			continue
		}
		text, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
	t.Errorf("%s holds no licence", dir)
	return ""
}

func TestNoReplaceDirectives(t *testing.T) {
	for _, path := range []string{"go.mod", "tools/go.mod", "tools/openid/go.mod"} {
		if mod := readMod(t, path); len(mod.Replace) > 0 || len(mod.Exclude) > 0 {
			t.Errorf("%s has replace or exclude directives: what is built must be what is published", path)
		}
	}
}

// security F17: the SQLite driver works with the one libc that its go.mod names.
func TestLibcIsTheOneOfTheDriver(t *testing.T) {
	const driver, libc = "modernc.org/sqlite", "modernc.org/libc"
	found := decode[goModule](t, output(t, "list", "-m", "-json", driver, libc))
	wants := version(t, readMod(t, found[0].GoMod).Require, libc)
	if found[1].Version != wants {
		t.Errorf("%s %s wants %s %s, and %s is built in", driver, found[0].Version, libc, wants, found[1].Version)
	}
}

// Generated code and the library it calls belong together.
func TestTemplGeneratesForTheLibraryInUse(t *testing.T) {
	const templ = "github.com/a-h/templ"
	tool := version(t, readMod(t, "tools/go.mod").Require, templ)
	library := version(t, readMod(t, "go.mod").Require, templ)
	if tool != library {
		t.Errorf("the tool is templ %s, the library %s", tool, library)
	}
}

func version(t *testing.T, required []goModule, path string) string {
	t.Helper()
	for _, module := range required {
		if module.Path == path {
			return module.Version
		}
	}
	t.Fatalf("%s is not required", path)
	return ""
}
