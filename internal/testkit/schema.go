package testkit

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ISOSchema returns the path of a schema of ISO 20022 that the module github.com/moov-io/iso20022 (Apache-2.0) carries, by its path in docs/specifications. The
// module is read by tests alone: it is not linked. The go command keeps it in its cache and checks it against the sum of all modules.
func ISOSchema(t *testing.T, name string) string {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/moov-io/iso20022@v0.2.1")
	download.Dir = t.TempDir() // outside of Florin, which does not need it
	out, err := download.Output()
	if err != nil {
		t.Fatalf("the schema %s cannot be had: %v\n%s", name, err, out)
	}
	var module struct {
		Dir string `json:"Dir"`
		Sum string `json:"Sum"`
	}
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	if want := "h1:DxghLeyQheunSWxOXrdMNJZxHMkTFEfRNqIcUBd2fvM="; module.Sum != want {
		t.Fatalf("the module with the schema is another one: %s, want %s", module.Sum, want)
	}
	return filepath.Join(module.Dir, "docs", "specifications", name)
}

// DebianSchema returns the path of a schema of ISO 20022 that scripts/schemas fetches, by its file name. script is the path
// of that script from the folder of the test.
func DebianSchema(t *testing.T, script, name string) string {
	t.Helper()
	fetch := exec.CommandContext(t.Context(), script)
	fetch.Stderr = os.Stderr
	folder, err := fetch.Output()
	if err != nil {
		t.Fatalf("scripts/schemas, which says above what is missing: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(folder)), name)
}

// SchemaFaults is what libxml2 finds wrong with an XML file by a schema, "" for nothing.
func SchemaFaults(t testing.TB, schema, text string) string {
	t.Helper()
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Fatal("xmllint judges this file and is not here: run scripts/ledgers, as make test does")
	}
	judge := exec.CommandContext(t.Context(), lint, "--nonet", "--noout", "--schema", schema, "-") //nolint:gosec // xmllint, and a schema that the test names
	judge.Stdin = strings.NewReader(text)
	if out, err := judge.CombinedOutput(); err != nil {
		return string(out) + err.Error()
	}
	return ""
}
