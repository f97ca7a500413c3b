package main

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"florin/internal/config"
	"florin/internal/finance"
)

// operator runs a command of "florin user" on the data directory of f, with a standard input.
func (f *florin) operator(input string, arguments ...string) (out, said string, err error) {
	f.t.Helper()
	std := stdio{in: strings.NewReader(input), out: &record{}, err: &record{}}
	err = run(context.Background(), append([]string{"user"}, append(arguments, "--data-dir", f.folder, "--public-url", f.web)...), noSettings, std)
	return std.out.(*record).String(), std.err.(*record).String(), err
}

// The operator helps a locked-out person, while Florin runs and while it does not: a list of people, a new password, a link with which the person sets one, and
// removal.
func TestOperatorHelpsWhoIsLockedOut(t *testing.T) {
	t.Parallel()
	f := begin(t)
	newPerson(t).setUp(f)
	addMember(t, f)
	bo := newPerson(t)
	bo.signIn(f, memberEmail, memberPassword)
	bo.link(f, exampleBank, exampleCountryCode, exampleCustomer)

	signsIn := func(password string) bool {
		t.Helper()
		p := newPerson(t)
		p.signIn(f, memberEmail, password)
		return strings.Contains(p.page.Body, "Sign out")
	}
	out, _, err := f.operator("", "list")
	if err != nil || strings.Count(out, "\n") != 3 || !strings.Contains(out, memberEmail+"  member") || !strings.Contains(out, ownerEmail+"  owner") {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, _, err := f.operator("a new long password\n", "password", "--email", strings.ToUpper(memberEmail), "--password-stdin"); err != nil {
		t.Fatal(err)
	}
	if signsIn(memberPassword) || !signsIn("a new long password") {
		t.Error("the password was not changed")
	}
	if _, _, err := f.operator("short\n", "password", "--email", memberEmail, "--password-stdin"); err == nil ||
		!strings.Contains(err.Error(), "shorter than 10 characters") {
		t.Errorf("a short password: %v", err)
	}
	if _, _, err := f.operator("", "link", "--email", "nobody@example.org"); err == nil || !strings.Contains(err.Error(), "florin user list") {
		t.Errorf("an address without a user: %v", err)
	}

	// A link that was made while Florin did not run.
	if err := f.end(); err != nil {
		t.Fatal(err)
	}
	address, said, err := f.operator("", "link", "--email", memberEmail)
	if err != nil || !strings.Contains(said, "works once") {
		t.Fatalf("%v %s", err, said)
	}
	old := f.web
	f = beginIn(t, f.folder)
	address = strings.TrimSpace(strings.Replace(address, old, f.web, 1))
	p := newPerson(t)
	p.visit(address)
	p.send("/reset", url.Values{"password": {"a password by link"}})
	p.sees(http.StatusOK, "Your new password is set")
	if !signsIn("a password by link") {
		t.Error("the link set no password")
	}

	if _, _, err := f.operator("", "role", "--email", ownerEmail, "--role", "member"); err == nil || !strings.Contains(err.Error(), "last owner") {
		t.Errorf("the last owner gets another role: %v", err)
	}
	if _, _, err := f.operator("", "role", "--email", memberEmail); err == nil || !strings.Contains(err.Error(), "--role: owner, member or viewer") {
		t.Errorf("no role: %v", err)
	}
	if _, _, err := f.operator("", "role", "--email", memberEmail, "--role", "viewer"); err == nil || !strings.Contains(err.Error(), "has accounts") {
		t.Errorf("a viewer with accounts: %v", err)
	}
	for _, role := range []string{"owner", "member"} {
		if out, _, err := f.operator("", "role", "--email", memberEmail, "--role", role); err != nil || out != memberEmail+" has the role "+role+" now.\n" {
			t.Errorf("%s: %q %v", role, out, err)
		}
	}

	for input, want := range map[string]string{"": "nothing was removed", "yes\n": "nothing was removed", ownerEmail + "\n": "nothing was removed"} {
		if _, said, err := f.operator(input, "remove", "--email", memberEmail); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(said, "1 bank connection") {
			t.Errorf("%q: %v\n%s", input, err, said)
		}
	}
	if _, _, err := f.operator("", "remove", "--yes", "--email", ownerEmail); err == nil || !strings.Contains(err.Error(), "owner cannot be removed") {
		t.Errorf("the owner: %v", err)
	}
	bo = newPerson(t)
	bo.signIn(f, memberEmail, "a password by link")
	out, said, err = f.operator("", "remove", "--yes", "--email", memberEmail)
	if err != nil || !strings.Contains(out, "is removed") || !strings.Contains(said, "1 consent ends at the banks too") {
		t.Errorf("%v\n%s%s", err, out, said)
	}
	if signsIn("a password by link") {
		t.Error("who was removed signs in")
	}
	db := f.database()
	defer db.Close()
	for _, table := range []string{"connection", "account", "payment", "payee", "sync_task"} {
		var n int
		if err := db.QueryRow(`SELECT COUNT(*) FROM ` + table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows in %s %v", n, table, err)
		}
	}
}

// The commands do not create a data directory where there is none.
func TestOperatorInTheWrongDirectory(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "nothing")
	err := run(context.Background(), []string{"user", "list", "--data-dir", folder}, noSettings, stdio{in: strings.NewReader(""), out: &record{}, err: &record{}})
	if err == nil || !strings.Contains(err.Error(), "--data-dir") {
		t.Error(err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("it made the directory")
	}
}

// At the start Florin logs what runs where, and each setting that weakens security.
func TestLogOfTheStart(t *testing.T) {
	t.Parallel()
	f := begin(t, "--sign-in-lifetime=24h", "--log-level=info")
	if err := f.end(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"msg=starting version=", "data_dir=" + f.folder, "listen=127.0.0.1:", "service_url=http://localhost:",
		`msg="unsafe setting" setting=--sign-in-lifetime`} {
		if !strings.Contains(f.err.String(), want) {
			t.Errorf("the log lacks %s\n%s", want, f.err.String())
		}
	}
}

// When an operator sets a password for a person, the output lists the other ways in which that person can sign in.
func TestOperatorReadsWhatStaysOpen(t *testing.T) {
	t.Parallel()
	folder := closed(t.TempDir())
	db, err := openStore(t.Context(), config.Settings{DataDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	user := must(db.CreateUser(t.Context(), memberEmail, finance.RoleMember, "hash"))
	says := func(want string) {
		t.Helper()
		var out strings.Builder
		if err := userWays(t.Context(), db, user, &out); err != nil || strings.TrimSpace(out.String()) != want {
			t.Errorf("%q, %v; want %q", out.String(), err, want)
		}
	}
	says("")
	must(db.AddPasskey(t.Context(), finance.Passkey{UserID: user.ID, Site: "florin.example", Credential: []byte("1"), PublicKey: []byte("key"), Name: "phone"}))
	says("What else signs in goes on: 1 passkey. The person removes it in the settings.")
	if err := db.LinkIdentity(t.Context(), user.ID, "https://login.example", "1"); err != nil {
		t.Fatal(err)
	}
	says("What else signs in goes on: 1 passkey and the account at https://login.example. The person removes it in the settings.")
}

// The operator removes the second factor of a person who has lost it. The password stays.
func TestOperatorResetsTheSecondFactor(t *testing.T) {
	t.Parallel()
	f := begin(t)
	owner := newPerson(t)
	owner.setUp(f)
	owner.addApp(f)
	out, _, err := f.operator("", "reset-second-factor", "--email", ownerEmail)
	if err != nil || out != ownerEmail+" signs in with the password alone and is signed out everywhere. Removed: 0 passkeys, 1 authenticator app, 10 unused recovery codes.\n" {
		t.Errorf("%v %s", err, out)
	}
	p := newPerson(t)
	p.signIn(f, ownerEmail, ownerPassword)
	p.sees(http.StatusOK, "has removed your passkeys, authenticator apps and recovery codes")
	if _, _, err := f.operator("", "reset-second-factor", "--email", "nobody@example.org"); err == nil {
		t.Error("nobody has a second factor")
	}
}
