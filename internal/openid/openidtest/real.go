package openidtest

import (
	"bufio"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The client and the people whom the provider of tools/openid knows.
const (
	RealClientID     = "florin"
	RealClientSecret = "secret of florin"
)

// Account is somebody's account at the provider of tools/openid.
type Account struct{ Name, Password, Subject, Email string }

// Values of Account.
var (
	Ada = Account{"ada", "engine of ada", "subject-of-ada", "ada@home.example"}
	Bo  = Account{"bo", "engine of bo", "subject-of-bo", "bo@home.example"}
)

// Real builds and starts the provider of tools/openid, a program that is not ours, and returns its issuer. It knows one client, which people come back to at
// redirect, and ends with the test.
func Real(t testing.TB, redirect string) (issuer string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "openid")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".") //nolint:gosec // into a folder of the test
	build.Dir = filepath.Join(root(t), "tools", "openid")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, output)
	}
	provider := exec.CommandContext(t.Context(), program, "--redirect", redirect) //nolint:gosec // what was just built
	stdin, err := provider.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := provider.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := provider.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // it ends by itself
		_ = provider.Wait()
	})
	issuer, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the provider names no issuer: %v", err)
	}
	return strings.TrimSpace(issuer)
}

// root is the folder of the repository.
func root(t testing.TB) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(output)))
}

var (
	loginForm = regexp.MustCompile(`<form method="POST" action="([^"]+)"`)
	loginID   = regexp.MustCompile(`<input type="hidden" name="id" value="([^"]+)">`)
)

// SignIn goes to an address of the provider of tools/openid, signs in on its login page as a browser without JavaScript does, and returns where the provider
// then sends the browser; and the last page that it saw, where the provider sends it nowhere.
func SignIn(t testing.TB, address string, who Account) (back, page string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer browser.CloseIdleConnections()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	v := visitor{t: t, client: browser, home: at.Host, at: at}
	page = v.send(http.MethodGet, at, nil)
	form, id := loginForm.FindStringSubmatch(page), loginID.FindStringSubmatch(page)
	if form == nil || id == nil {
		return v.back, page
	}
	to, err := v.at.Parse(html.UnescapeString(form[1]))
	if err != nil {
		t.Fatal(err)
	}
	page = v.send(http.MethodPost, to, url.Values{"id": {html.UnescapeString(id[1])}, "username": {who.Name}, "password": {who.Password}})
	return v.back, page
}

// visitor is at the provider.
type visitor struct {
	t      testing.TB
	client *http.Client
	home   string   // the host of the provider
	at     *url.URL // the last page there
	back   string   // where the provider has sent the browser; "" while it is there
}

// send goes where redirects lead, and returns the page at their end; "" away from the provider.
func (v *visitor) send(method string, to *url.URL, form url.Values) (page string) {
	v.t.Helper()
	for to.Host == v.home {
		r, err := http.NewRequestWithContext(v.t.Context(), method, to.String(), strings.NewReader(form.Encode()))
		if err != nil {
			v.t.Fatal(err)
		}
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		answer, err := v.client.Do(r)
		if err != nil {
			v.t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			v.t.Fatal(err)
		}
		v.at = to
		if to, err = answer.Location(); err != nil { // a page
			return string(text)
		}
		method, form = http.MethodGet, nil
	}
	v.back = to.String()
	return ""
}
