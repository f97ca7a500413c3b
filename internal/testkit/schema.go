package testkit

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Module returns the folder of a Go module that tests alone read, at a version and with its sum. The go command keeps it in its cache and checks it against
// the sum of all modules. Nothing of it is built or linked.
func Module(t *testing.T, module, sum string) string {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module) //nolint:gosec // a module that the test names
	download.Dir = t.TempDir()                                                             // outside of Florin, which does not need it
	out, err := download.Output()
	var about struct {
		Dir string `json:"Dir"`
		Sum string `json:"Sum"`
	}
	if err != nil || json.Unmarshal(out, &about) != nil {
		t.Fatalf("the module %s cannot be had: %v\n%s", module, err, out)
	}
	if about.Sum != sum {
		t.Fatalf("the module %s is another one: %s, want %s", module, about.Sum, sum)
	}
	return about.Dir
}

// ISOSchema returns the path of a schema of ISO 20022 that the module github.com/moov-io/iso20022 (Apache-2.0) carries, by its path in docs/specifications.
func ISOSchema(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(Module(t, "github.com/moov-io/iso20022@v0.2.1", "h1:DxghLeyQheunSWxOXrdMNJZxHMkTFEfRNqIcUBd2fvM="), "docs", "specifications", name)
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

// SchemaFaults returns the faults that libxml2 finds in an XML file with a schema, "" for none.
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
