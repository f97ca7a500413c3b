package handlers_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/finance"
)

// unzipped are the files of a ZIP file by their names.
func unzipped(t *testing.T, a *answer) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	must(t, err)
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		must(t, r.Close())
		files[f.Name] = string(text)
	}
	return files
}

// TestTakeDataAlong: the ZIP file holds each row of the person with its note and tags, the attached file, the shared expenses and the lists. Its JSON is the
// same as an export. It holds nothing of somebody else, not even of a shared account, and no secret.
func TestTakeDataAlong(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(1200)) // more than are read at a time
	row := rowAddress.FindString(b.get("/accounts/" + own.account).body)
	b.post(row+"/annotation", url.Values{"note": {"my note"}, "tags": {"mytag"}}).to(row)
	b.attach(row+"/attachments", "receipt.pdf", "%PDF-1.7 my receipt").status(http.StatusSeeOther)
	ben := s.user("ben@example.org")
	other := s.signedIn("ben@example.org")
	jar, _ := other.keeps("Bens jar", "Zwiebelhof", "123.45")
	mira := s.userOf("mira@example.org")
	other.post("/accounts/"+jar+"/share", url.Values{"everybody": {"everything"}, mira.ID: {""}}).to("/accounts/" + jar)
	other.post("/settling/new", other.dinner(ben.ID, "30", ben.ID, mira.ID)).to("/settling")

	a := b.get("/settings/leave/data").status(http.StatusOK)
	if kind, name := a.Header.Get("Content-Type"), a.Header.Get("Content-Disposition"); kind != "application/zip" || !strings.Contains(name, "florin-") || !strings.Contains(name, ".zip") {
		t.Errorf("%s %s", kind, name)
	}
	files := unzipped(t, a)
	if got := strings.Count(files["transactions.csv"], "\r\n"); got < 1201 {
		t.Errorf("transactions.csv has %d lines", got)
	}
	var rows struct {
		Transactions []json.RawMessage `json:"transactions"`
	}
	must(t, json.Unmarshal([]byte(files["transactions.json"]), &rows))
	if len(rows.Transactions) != 1200 || files["transactions.json"] != b.get("/transactions/export?format=json&whose=mine").body {
		t.Errorf("transactions.json has %d rows, or others than the export", len(rows.Transactions))
	}
	for name, text := range map[string]string{"transactions.csv": "my note", "transactions.json": "mytag", "shared-expenses.csv": "Dinner", "data/you.json": "mira@example.org",
		"data/payees.json": "Payee of mira@example.org", "data/attachments.json": "receipt.pdf", "README.txt": "data/payments.json", "data/bank-connections.json": "Elbe Sparbank"} {
		if !strings.Contains(files[name], text) {
			t.Errorf("%s lacks %q: %.300q", name, text, files[name])
		}
	}
	receipt := false
	for name, text := range files {
		receipt = receipt || strings.HasPrefix(name, "attachments/") && strings.HasSuffix(name, "/receipt.pdf") && text == "%PDF-1.7 my receipt"
		var list []map[string]any
		if strings.HasPrefix(name, "data/") {
			if err := json.Unmarshal([]byte(text), &list); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if name == "data/transactions-as-the-bank-sent-them.json" && len(list) != 1200 {
			t.Errorf("%s has %d rows", name, len(list))
		}
		for _, foreign := range []string{"Bens jar", "Zwiebelhof", jar, "123.45", "argon2", "session-1", b.cookie("florin")} {
			if foreign != "" && strings.Contains(text, foreign) {
				t.Errorf("%s has %q", name, foreign)
			}
		}
	}
	if !receipt {
		t.Error("the ZIP file lacks the attached file")
	}
	b.languages = "de"
	if text := unzipped(t, b.get("/settings/leave/data").status(http.StatusOK))["README.txt"]; !strings.Contains(text, "Ihr Adressbuch.") {
		t.Errorf("%.200q", text)
	}
}

// TestLeave: people of each role leave by typing their address after a proof of identity. Then they are signed out everywhere, their consent has ended, and the
// debts of the others are unchanged.
func TestLeave(t *testing.T) {
	t.Parallel()
	for _, role := range finance.Roles {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			mira := s.user("mira@example.org")
			stays := s.signedIn("mira@example.org")
			bo, err := s.auth.AddUser(t.Context(), "bo@example.org", password, role)
			must(t, err)
			b, elsewhere := s.signedIn("bo@example.org"), s.signedIn("bo@example.org")
			if role != finance.RoleViewer {
				b.link()
			}
			stays.post("/settling/new", stays.dinner(mira.ID, "30", mira.ID, bo.ID)).to("/settling")
			b.get("/settings").status(http.StatusOK).has("/settings/leave")
			page := b.get("/settings/leave").status(http.StatusOK).has("Download your data", "2 sign-ins", "You owe", "15.00", "mira@example.org", "under the name bo@example.org")
			if role != finance.RoleViewer {
				page.has("1 bank connection", "1 consent ends, at the bank too.")
			}
			if files := unzipped(t, b.get("/settings/leave/data").status(http.StatusOK)); !strings.Contains(files["shared-expenses.csv"], "Dinner") {
				t.Errorf("%q", files["shared-expenses.csv"])
			}
			right := url.Values{"name": {" Bo@example.org"}}
			b.post("/settings/leave", right).status(http.StatusForbidden).has(asksAgain)
			wrong := url.Values{"step_up": {"yes"}, "password": {password}, "name": {"mira@example.org"}}
			b.post("/settings/leave", wrong).status(http.StatusUnprocessableEntity).has("This is not the e-mail address. Nothing is deleted yet.")
			if _, err := s.store.User(t.Context(), bo.ID); err != nil {
				t.Fatal(err)
			}
			b.post("/settings/leave", right).status(http.StatusOK).has("You have left Florin").lacks("Sign out").hasHeaders()
			for _, gone := range []*browser{b, elsewhere} {
				gone.get("/settings").to("/sign-in?next=%2Fsettings")
			}
			if _, err := s.store.User(t.Context(), bo.ID); err == nil {
				t.Error("bo still exists")
			}
			_, err = s.linking.EndSessions(t.Context())
			must(t, err)
			want := 1
			if role == finance.RoleViewer {
				want = 0
			}
			if got := s.service.Count("DELETE /sessions/{id}"); got != want {
				t.Errorf("%d sessions were ended at the service, want %d", got, want)
			}
			stays.get("/settling").status(http.StatusOK).has("bo@example.org", "15.00")
			if strings.Contains(s.log.String(), "bo@example.org") {
				t.Error("the log names the person")
			}
		})
	}
}

// TestLastOwnerStaysWithTheOthers: the last owner cannot leave while there are other users. Without others the owner can, and this Florin has no users any
// more.
func TestLastOwnerStaysWithTheOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	bo := s.user("bo@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/settings/leave").status(http.StatusOK).has("mira@example.org is the only owner.", "Make somebody else an owner first.", "Download your data").lacks("delete everything")
	sure := url.Values{"step_up": {"yes"}, "password": {password}, "name": {"mira@example.org"}}
	b.post("/settings/leave", sure).status(http.StatusConflict).has("mira@example.org is the only owner.")
	must(t, s.store.RemoveUser(t.Context(), bo.ID))
	b.get("/settings/leave").status(http.StatusOK).has("Nobody else uses this Florin.")
	b.post("/settings/leave", sure).status(http.StatusOK).has("Nobody uses this Florin any more.")
	b.get("/").to("/setup")
}

// TestOwnerRemovesAPerson: an owner sees how much is deleted, but not what, types the address, and the person is gone. Nobody else can.
func TestOwnerRemovesAPerson(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	owner := s.signedIn("mira@example.org")
	bo := s.user("bo@example.org")
	member := s.signedIn("bo@example.org")
	member.link()
	member.keeps("Secret jar", "Zwiebelhof", "123.45")
	page := "/settings/people/" + bo.ID + "/remove"
	owner.get("/settings/people").status(http.StatusOK).has(fmt.Sprintf("href=%q", page)).lacks(mira.ID + "/remove")
	owner.get(page).status(http.StatusOK).has("Remove bo@example.org", "1 bank connection", "3 accounts", "8 transactions", "1 consent ends").
		lacks("Secret jar", "Zwiebelhof", "123.45", "Elbe Sparbank", "Download your data")
	owner.get("/settings/people/" + mira.ID + "/remove").to("/settings/leave")
	owner.get("/settings/people/nobody/remove").status(http.StatusNotFound)
	member.get(page).status(http.StatusNotFound)
	member.post(page, url.Values{"name": {"bo@example.org"}}).status(http.StatusNotFound)

	owner.post(page, url.Values{"name": {"bo@example.org"}}).status(http.StatusForbidden).has(asksAgain)
	owner.proves()
	owner.post(page, url.Values{"name": {"mira@example.org"}}).status(http.StatusUnprocessableEntity).has("Nothing is deleted yet.")
	owner.post(page, url.Values{"name": {"bo@example.org"}}).to("/settings/people")
	owner.get("/settings/people").has("bo@example.org is removed. Florin is ending the consents at the banks.").lacks(page)
	owner.post(page, url.Values{"name": {"bo@example.org"}}).status(http.StatusNotFound)
	member.get("/settings").to("/sign-in?next=%2Fsettings")
}
