package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"florin/internal/openid/openidtest"
	"florin/internal/testkit"
)

// An owner links an account at an OpenID Connect provider by another author, and signs in with it through its login page. Then the owner invites somebody, who
// joins with another account at that provider.
func TestJourneyProvider(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := freeAddress(t)
			issuer := openidtest.Real(t, "http://"+strings.Replace(address, "127.0.0.1", "localhost", 1)+"/sign-in/openid/back")
			secret := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(secret, []byte(openidtest.RealClientSecret+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			f := spawn(t, "--listen", address, "--oidc-issuer", issuer, "--oidc-client-id", openidtest.RealClientID, "--oidc-client-secret-file", secret,
				"--oidc-name", "Home Login")
			w := browse(t, l)
			w.setUp(f)
			w.visit(f.web + "/settings")
			w.see("Link your account there, and you can sign in to Florin with it.")
			w.click("Link with Home Login")
			w.proves()
			w.logsIn(openidtest.Account{Name: "ada", Password: "a wrong one"})
			w.see("username or password wrong")
			w.logsIn(openidtest.Ada)
			w.see("From now on you can sign in with Home Login.", "Linked since", "With the password")
			w.checkPage()

			other := browse(t, l)
			other.visit(f.web + "/sign-in")
			other.click("Sign in with Home Login")
			other.logsIn(openidtest.Ada)
			other.see("No bank is linked yet")
			w.visit(f.web + "/settings")
			w.see("With Home Login", "With the password", "Sign out all other devices")
			w.checkPage()
			w.click("Sign out all other devices")
			w.proves()
			w.see("You are signed out on all other devices.")
			w.seeNot("Sign out all other devices")
			other.visit(f.web + "/settings")
			other.see("Sign in with Home Login", "Forgotten your password?")

			w.click("People and invitations")
			w.fill("For whom", "Bo")
			w.choose("Role", "Viewer")
			w.click("Make a link")
			w.proves()
			w.see("The invitation for Bo")
			o := browse(t, l)
			o.visit(w.evaluate(`document.querySelector(".copyable code").textContent`))
			o.see("You are invited as a viewer.")
			o.checkPage()
			o.click("Join with Home Login")
			o.logsIn(openidtest.Bo)
			o.see(openidtest.Bo.Email)
			o.visit(f.web + "/settings")
			o.see(openidtest.Bo.Email, "Viewer", "With Home Login")
			o.checkPage()
		})
	}
}

// logsIn fills in the login page of the provider.
func (w *window) logsIn(who openidtest.Account) {
	w.t.Helper()
	w.see("Username:", "Password:")
	w.fill("Username:", who.Name)
	w.fill("Password:", who.Password)
	w.click("Login")
}
