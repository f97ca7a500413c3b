package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/config.md anew")

const docs = "../../docs/config.md"

// TestDocumentationIsComplete holds docs/config.md against the command line.
// After a change: go test ./internal/config -run Documentation -update
func TestDocumentationIsComplete(t *testing.T) {
	_, settings, ofCommands := newCommandLine()
	want := reference(settings, ofCommands)
	if *update {
		if err := os.MkdirAll("../../docs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(docs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/config.md is not up to date: go test ./internal/config -run Documentation -update")
	}
}

func TestEverySettingIsDocumented(t *testing.T) {
	_, settings, ofCommands := newCommandLine()
	for _, setting := range slices.Concat(settings, ofCommands) {
		if !strings.HasSuffix(setting.help, ".") {
			t.Errorf("--%s: its help is not a sentence: %q", setting.name, setting.help)
		}
		if setting.placeholder == "" && setting.field.Kind() != reflect.Bool {
			t.Errorf("--%s: no placeholder", setting.name)
		}
	}
	for _, setting := range settings {
		if setting.name != configFlag && setting.group == "" {
			t.Errorf("--%s: no group", setting.name)
		}
	}
	for _, setting := range ofCommands {
		if !slices.ContainsFunc(commands, func(c command) bool { return slices.Contains(c.takes, setting.name) }) {
			t.Errorf("--%s: no command takes it", setting.name)
		}
	}
	for _, c := range commands {
		for _, name := range c.takes {
			if find(ofCommands, name) == nil {
				t.Errorf("%s takes --%s, which nothing declares", c.name, name)
			}
		}
	}
}

// Every setting of the service that a document names exists.
func TestDocumentsNameSettingsThatExist(t *testing.T) {
	_, settings, _ := newCommandLine()
	known := map[string]bool{}
	groups := map[string]bool{} // first words of names, such as service
	for _, setting := range settings {
		first, _, _ := strings.Cut(setting.name, "-")
		known["--"+setting.name], groups[first] = true, true
	}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, name := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile("(?:^|[ `(|])(--([a-z]+)[a-z-]*)").FindAllStringSubmatch(string(text), -1) {
			if !groups[match[2]] || strings.HasSuffix(match[1], "-") {
				continue // of another program, or what several names begin with
			}
			if named++; !known[match[1]] {
				t.Errorf("%s names %s, which does not exist", filepath.Base(name), match[1])
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d settings were found in the documents", named)
	}
}

func reference(settings, ofCommands []*setting) string {
	var b strings.Builder
	b.WriteString(`# Settings and commands

Florin runs without any setting. Each setting is a flag, an environment variable
and a line in the file that ` + "`--config`" + ` names. A flag wins over the environment,
the environment over the file, the file over the default. An empty variable counts
as not set. All mistakes are reported at once, and Florin does not start with one.

This page is made from the program itself: ` + "`go test ./internal/config -run Documentation -update`" + `.

## Settings file

One setting in a line, by the name of its flag without the dashes:

` + "```" + `
# /etc/florin.conf
data-dir      = /var/lib/florin
public-url    = https://money.example
listen        = 127.0.0.1:8080
trusted-proxy = 127.0.0.1
trusted-proxy = 10.0.0.0/8
` + "```" + `

An empty line and a line that begins with ` + "`#`" + ` mean nothing. A value may stand in double
quotes. A repeatable setting has a line for each value, or one line with commas (in the
environment: commas).
`)
	for _, group := range groups(settings) {
		fmt.Fprintf(&b, "\n## %s\n\n| Flag | Variable | Default | Meaning |\n|---|---|---|---|\n", group.title)
		for _, setting := range group.settings {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", cell(setting.form()), variable(setting.name), defaultCell(setting), cell(setting.help))
		}
	}
	b.WriteString("\nBoth listeners answer only to the host names in their public addresses and to those of the machine itself (`localhost`,\n" +
		"`127.0.0.1`, `[::1]`), so that no site can pass itself off as Florin. A reverse proxy has to pass on the `Host` header\n" +
		"that the browser sent (nginx: `proxy_set_header Host $host;`). `/healthz` and `/readyz` answer under every name.\n")
	b.WriteString("\nSecrets are better kept in a file (`--setup-token-file`): arguments and variables can be seen by others on the machine.\n")
	b.WriteString(dataDirectory)
	b.WriteString(memory)
	b.WriteString("\n## Commands\n\nEach command accepts all settings, so that it finds the same data.\n")
	for _, command := range commands {
		if len(command.parts()) > 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### florin %s\n\n%s\n", command.name, command.help)
		if len(command.takes) == 0 {
			continue
		}
		b.WriteString("\n| Flag | Needed | Meaning |\n|---|---|---|\n")
		for _, flag := range command.flags(ofCommands) {
			needed := "no"
			if flag.required {
				needed = "yes"
			} else if flag.standIn() != "" {
				needed = "no: " + flag.standIn()
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell(flag.form()), needed, cell(flag.help))
		}
	}
	return b.String()
}

func defaultCell(s *setting) string {
	switch {
	case s.standard != "":
		return "`" + s.standard + "`"
	case s.derived != "":
		return cell(s.derived)
	}
	return "none"
}

// cell escapes what would end a table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// memory says which variables of the Go runtime Florin goes by.
const memory = `
## Memory

Two variables of the Go runtime work as everywhere. They are no settings: they have no flag and no line in the file.

| Variable | Default | Meaning |
|---|---|---|
| ` + "`GOMEMLIMIT`" + ` | none | How much memory Florin should keep to, for example ` + "`256MiB`" + `. Near it garbage is collected earlier. It is a goal, not a wall. |
| ` + "`GOGC`" + ` | ` + "`200`" + ` | How much memory, in percent of what is in use, may become garbage before it is collected. |

Whatever a banking service answers, one answer costs less than 64 MB: a larger one is refused before it is decoded.
`

// dataDirectory says what is in the data directory.
const dataDirectory = `
## Data directory

| Path | What it is |
|---|---|
| ` + "`app.db`, `aggregator.db`" + ` | The databases of the web app and of the service. While Florin runs, ` + "`-wal` and `-shm`" + ` files stand beside them and belong to them. |
| ` + "`secrets/`" + ` | Keys (mode 0600 in a directory of mode 0700). ` + "`app.key`" + ` opens what is encrypted in ` + "`app.db`" + `; without it the database cannot be used. |
| ` + "`attachments/`" + ` | The files that people attach to transactions, under random names (mode 0600). |
| ` + "`backups/`" + ` | A copy of each database from before its schema was changed by a newer version. The last five are kept. |
| ` + "`app.db-migrating`, `aggregator.db-migrating`" + ` | Empty files. Their locks keep two processes from changing one schema at once. They stay, and a backup does not need them. |
| ` + "`serving`" + ` | An empty file. Its lock keeps a second Florin from running with the same directory. It stays too. |

Florin refuses to start with a database of a newer version, and with keys that others may read.
`
