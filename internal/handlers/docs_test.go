package handlers

import (
	"flag"
	"fmt"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"

	"florin/internal/handlers/shell"
)

var update = flag.Bool("update", false, "write docs/routes.md")

// docs/routes.md lists what Routes lists, so that who may do what is read in one place.
// After a change: go test ./internal/handlers -run Documentation -update
func TestDocumentationOfRoutes(t *testing.T) {
	names := map[shell.Access]string{shell.Public: "everybody", shell.ByAddress: "a program that knows the address", shell.Setup: "everybody, until there is an owner", shell.SignedIn: "signed in", shell.Member: "member or owner",
		shell.Stream: "signed in (stream)", shell.Owner: "owner"}
	var b strings.Builder
	b.WriteString(`# Routes of the web app
Who may do what, by areas ([ADR 0040](adr/0040-areas-of-the-web-app.md)). "Signed in" reaches what is one's own; what belongs to others is 404.
A viewer is signed in, and is neither member nor owner ([household.md](household.md)).
Made from the program: ` + "`go test ./internal/handlers -run Documentation -update`" + `.

| Area | Method | Address | Who |
|---|---|---|---|
`)
	listed := 0
	row := func(area string, r shell.Route) {
		who := names[r.Access]
		if r.Files != nil {
			who += fmt.Sprintf("; takes a file, %d KiB at most", r.Files.Max>>10)
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", area, r.Method, r.Pattern, who)
		listed++
	}
	s := new(shell.Shell)
	all := newAreas(s, Options{}, nil, nil)
	for _, a := range all {
		area := path.Base(reflect.TypeOf(a).Elem().PkgPath())
		for _, r := range a.Routes() {
			row(area, r)
		}
	}
	routes := Routes()
	row("shell", routes[len(routes)-1])
	if listed != len(routes) {
		t.Errorf("%d of %d routes are listed", listed, len(routes))
	}
	const file = "../../docs/routes.md"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Error("docs/routes.md is not up to date: run make generate")
	}
}
