package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"florin/internal/testkit"
)

// payloads are texts that attack a page that forgets to escape them (security T18).
func payloads() []string {
	scripts := []string{
		`<script>alert(1)</script>`, `"><script>alert(1)</script>`, `'><script>alert(1)</script>`, `</title><script>alert(1)</script>`,
		`</textarea><script>alert(1)</script>`, `</style><script>alert(1)</script>`, `</script><script>alert(1)</script>`, `--><script>alert(1)</script>`,
		`]]><script>alert(1)</script>`, `<ScRiPt>alert(1)</sCrIpT>`, `<script src=//evil.example/x.js></script>`, `<<script>alert(1);//<</script>`,
		`<script/x>alert(1)</script>`, `<noscript><p title="</noscript><script>alert(1)</script>">`,
	}
	for _, event := range []string{"onerror", "onload", "onclick", "onfocus", "onmouseover", "ontoggle", "onanimationstart"} {
		scripts = append(scripts,
			`<img src=x `+event+`=alert(1)>`, `<svg `+event+`=alert(1)>`, `<details open `+event+`=alert(1)>`,
			`" `+event+`="alert(1)`, `' `+event+`='alert(1)`, `" autofocus `+event+`=alert(1) x="`)
	}
	for _, scheme := range []string{"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\u2028script:alert(1)", "data:text/html,<script>alert(1)</script>",
		"vbscript:msgbox(1)"} {
		scripts = append(scripts, scheme, `<a href="`+scheme+`">x</a>`, `<form action="`+scheme+`"><button>x</button></form>`,
			`<iframe src="`+scheme+`"></iframe>`, `<object data="`+scheme+`"></object>`)
	}
	return append(scripts,
		`<style>body{display:none}</style>`, `<link rel=stylesheet href=//evil.example/x.css>`, `<base href=//evil.example/>`,
		`<meta http-equiv=refresh content=0;url=//evil.example>`,
		`<p style="position:fixed;inset:0">`, `{{constructor.constructor('alert(1)')()}}`, `${alert(1)}`, `<%= alert(1) %>`,
		`&lt;script&gt;alert(1)&lt;/script&gt;`, `&#60;script&#62;`,
		`&amp;`, `&`, `<`, `>`, `"`, `'`, "`", `\`, `\u003cscript\u003e`, `%3Cscript%3E`, `+ADw-script+AD4-`, `<!--`, `-->`, `<![CDATA[`, `]]>`, `<?xml version="1.0"?>`,
		`data: x`, `event: end`, `</bdi></a>`, `</template><script>alert(1)</script>`, "\u202eright to left", "zero\u200bwidth", "\u2066isolated", "\ufeffmark", "a\u0301 composed",
		strings.Repeat("W", 120), strings.Repeat("nospace", 24), "𝕸𝖆𝖙𝖍", "🏦🪙", "Ω≈ç√∫", "日本語の口座", "حساب", "e\u0301e\u0301")
}

// together joins texts, so that fewer accounts contain all of them.
func together(texts []string, n int) (joined []string) {
	for some := range slices.Chunk(texts, n) {
		joined = append(joined, strings.Join(some, " "))
	}
	return joined
}

// Texts from a bank are shown letter by letter, whatever they contain, and never run as code.
func TestJourneyPayloads(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	texts := together(payloads(), 4)
	type m = map[string]any
	var accounts []m
	var ids []string
	for i, text := range texts {
		id := fmt.Sprintf("a%d", i)
		accounts = append(accounts, m{"id": id, "type": "CACC", "product": text, "details": text, "transactions": 1})
		ids = append(ids, id)
	}
	harm := payloads()[1]
	banks := []m{
		{"name": "A " + harm, "country": "LU", "group": harm, "users": []m{{"username": harm, "password": harm, "otp": "1" + harm, "name": harm, "accounts": ids}}, "accounts": accounts},
	}
	for i, text := range payloads()[:40] {
		name := strings.Join(strings.Fields(fmt.Sprintf("B%d %s", i, text)), " ")
		banks = append(banks, m{"name": name, "country": "LU", "group": text, "users": []m{{"username": "u", "password": "p", "name": text, "accounts": []string{"x"}}},
			"accounts": []m{{"id": "x", "type": "SVGS", "product": text, "transactions": 1}}})
	}
	encoded, err := json.Marshal(m{"banks": banks})
	if err != nil {
		t.Fatal(err)
	}
	catalogue := filepath.Join(t.TempDir(), "catalogue.json")
	if err := os.WriteFile(catalogue, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	f := spawn(t, "--sandbox-catalogue", catalogue)
	w := browse(t, desktop)
	w.setUp(f)
	// The lists of banks, here and at the service, and a search for the payload itself.
	w.visit(f.web + "/link?country=LU")
	w.reads(banks[1]["name"].(string), banks[20]["name"].(string))
	w.fill("Name or BIC", harm)
	w.click("Search")
	w.reads("A " + harm)
	w.visit(f.service + "/?country=LU")
	w.reads(banks[1]["name"].(string), banks[20]["name"].(string))
	w.fill("Name or BIC", harm)
	w.click("Search")
	w.reads("A " + harm)
	// The way to the bank and back.
	w.visit(f.web + "/link?country=LU")
	w.click("A " + harm)
	w.reads("You are leaving for A " + harm)
	w.click("Continue to A " + harm)
	w.reads("A " + harm)
	w.click("Accept and go to A " + harm)
	w.bankSignIn(customer{user: harm, password: harm})
	w.fill("One-time code", "1"+harm)
	w.click("Continue")
	w.reads(texts...)
	w.click("Approve")
	w.see("is linked")
	w.reads(tidy(texts)...)
	f.synced()
	w.visit(f.web + "/")
	w.evaluate(`(() => { for (const bank of document.querySelectorAll("details[id^='bank-rows-']")) bank.open = true; return "" })()`) // there are many accounts
	w.reads(tidy(texts)...)
	// The pages of accounts, including their nicknames.
	for i, text := range payloads()[:8] {
		w.visit(f.web + "/")
		w.visit(w.evaluate(fmt.Sprintf(`document.querySelectorAll(".account-row a.row-title")[%d].href`, i)))
		w.see("Balances")
		w.fill("Nickname", text)
		w.click("Save the nickname")
		w.reads(tidy([]string{text})...)
	}
	// The parameters that a bank returns instead of a code.
	w.visit(f.web + "/callback/embedded?state=x&error=" + harm + "&error_description=" + harm)
	if status := w.status(); status < 400 || status > 499 {
		w.fatalf("a callback without an attempt answers %d, want 4xx", status)
	}
	w.checkPage()
	// The name of an application that asks for consent.
	a := addApplicationNamed(t, f, harm)
	w.visit(a.authorize(mammoth).URL)
	w.reads(harm)
}

// tidy returns texts of a bank as the app shows them in lists: without invisible characters, and with plain spaces (security T28).
func tidy(texts []string) []string {
	replacer := strings.NewReplacer("\u2028", " ", "\u202e", "", "\u200b", "", "\u2066", "", "\ufeff", "")
	var tidied []string
	for _, text := range texts {
		tidied = append(tidied, replacer.Replace(text))
	}
	return tidied
}

// reads fails unless each text is on the page letter by letter: in the text of the document or in a field.
func (w *window) reads(texts ...string) {
	w.t.Helper()
	source := w.evaluate(`document.body.textContent + "\n" + [...document.querySelectorAll("input")].map(i => i.value).join("\n")`)
	for _, text := range texts {
		if !strings.Contains(source, text) {
			w.t.Errorf("%s does not show %q", w.address(), text)
		}
	}
	w.checkPage()
}
