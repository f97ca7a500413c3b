package handlers_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers"
)

const (
	aPDF = "%PDF-1.7\nbinary\x00\xff"
	aPNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
)

// uploadOf is a form with a file, as a browser sends it: the header holds the file name unchanged.
func uploadOf(name, content string) (body *bytes.Buffer, kind string) {
	body = &bytes.Buffer{}
	parts := multipart.NewWriter(body)
	_ = parts.WriteField("other", "field")
	part, _ := parts.CreatePart(map[string][]string{"Content-Disposition": {`form-data; name="file"; filename="` + name + `"`}, "Content-Type": {"text/html"}})
	_, _ = io.WriteString(part, content)
	_ = parts.Close()
	return body, parts.FormDataContentType()
}

func (b *browser) attach(path, name, content string) *answer {
	b.site.t.Helper()
	body, kind := uploadOf(name, content)
	r := b.request(http.MethodPost, path, body)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

var attached = regexp.MustCompile(`/attachments/([A-Z0-9]{26})"`)

// files are the names in the folder for attachments.
func (s *site) files() (names []string) {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(filepath.Dir(s.path), "attachments"))
	must(s.t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestAttachAFile: a file is kept with a transaction, is served so that nothing in it can run, and is removed. A file that cannot be kept is refused with a
// reason.
func TestAttachAFile(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(2))
	page := "/accounts/" + own.account + "/transactions/" + own.transaction
	form := page + "/attachments"
	b.post(form+"/"+own.attachment+"/remove", nil).to(page)
	b.get(page).has("Attachments", `enctype="multipart/form-data"`, `action="`+form+`"`, "with 20 MB at most")

	b.attach(form, "Beleg <Café> Nr. 7.pdf", aPDF).to(page)
	b.get(page).has("Beleg &lt;Café&gt; Nr. 7.pdf is attached.", "Beleg &lt;Café&gt; Nr. 7.pdf</bdi>", "PDF", "1 KB")
	b.attach(form, "photo", aPNG).to(page)
	found := attached.FindAllStringSubmatch(b.get(page).has("photo", "PNG").body, -1)
	if len(found) != 2 || len(s.files()) != 2 {
		t.Fatalf("%q, and the folder has %q", found, s.files())
	}
	for i, want := range []struct{ body, kind, disposition string }{
		{aPDF, "application/pdf", `attachment; filename*=utf-8''Beleg%20%3CCaf%C3%A9%3E%20Nr.%207.pdf`}, {aPNG, "image/png", `inline; filename=photo.png`},
	} {
		path := form + "/" + found[i][1]
		a := b.get(path).status(http.StatusOK)
		if a.body != want.body || a.Header.Get("Content-Type") != want.kind || a.Header.Get("Content-Disposition") != want.disposition {
			t.Errorf("%s is %q with %v", path, a.body, a.Header)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"} {
			if got := a.Header.Get(header); got != want {
				t.Errorf("%s is %q, want %q", header, got, want)
			}
		}
		head := b.do(b.request(http.MethodHead, path, nil)).status(http.StatusOK)
		if head.body != "" || head.ContentLength != int64(len(want.body)) {
			t.Errorf("HEAD answers %q with %v", head.body, head.Header)
		}
	}
	b.get("/transactions?q=has:attachment").has("Shop 0").lacks("Shop 1")

	long := strings.Repeat("x", finance.MaxFileName) + ".pdf"
	for want, c := range map[string][2]string{
		"Choose a file.":                            {"", ""},
		"This file is empty.":                       {"empty.pdf", ""},
		"whatever its name says":                    {"bomb.pdf", "PK\x03\x04\x14\x00"},
		"whatever its name says. Nothing was kept.": {"page.pdf", "<html><script>alert(1)</script>%PDF-1.7"},
		"The name picture.png ends like that of another kind of file, but what is in it is PDF.": {"picture.png", aPDF},
		"The name of this file is a path or empty.":                                              {"../../secrets/app.pdf", aPDF},
		"is a path or empty. Rename":                                                             {`C:\receipts\one.pdf`, aPDF},
		"The name of this file is too long.":                                                     {long, aPDF},
		"A file may have 20 MB at most.":                                                         {"large.pdf", aPDF + strings.Repeat("x", finance.MaxAttachment)},
	} {
		b.attach(form, c[0], c[1]).status(http.StatusUnprocessableEntity).has(want, `id="file-problem"`, "photo")
	}
	b.post(form, url.Values{}).status(http.StatusUnprocessableEntity).has("Choose a file.")
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.attach(form, "leer.pdf", "").status(http.StatusUnprocessableEntity).has("Diese Datei ist leer.", "Anhänge")
	s.full = errors.New("little space")
	b.attach(form, "receipt.pdf", aPDF).status(http.StatusInsufficientStorage).has("The disk of this server is full", "Florin could not keep the file.")
	s.full = nil
	if n := len(s.files()); n != 2 {
		t.Errorf("what was refused left %d files", n-2)
	}

	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	tom.attach(form, "receipt.pdf", aPDF).status(http.StatusNotFound)
	tom.get(form + "/" + found[0][1]).status(http.StatusNotFound)
	tom.post(form+"/"+found[0][1]+"/remove", nil).status(http.StatusNotFound)
	b.get(form + "/NOTHERE").status(http.StatusNotFound)

	must(t, os.Remove(filepath.Join(filepath.Dir(s.path), "attachments", found[1][1])))
	b.get(form+"/"+found[1][1]).status(http.StatusNotFound).has("This file is missing", "put it back from a backup")
	for _, f := range found {
		b.post(form+"/"+f[1]+"/remove", nil).to(page)
	}
	b.get(page).has("The file is deleted.").lacks("photo")
	b.get(form + "/" + found[0][1]).status(http.StatusNotFound)
	if left := s.files(); len(left) > 0 {
		t.Errorf("the folder has %q", left)
	}
}

// An upload above the limit is answered with a page. A large form to another address is refused, as without attachments.
func TestAttachHasABound(t *testing.T) {
	t.Parallel()
	_, b, own := linkedSite(t, transactions(1))
	page := "/accounts/" + own.account + "/transactions/" + own.transaction
	send := func(path string, size int64) (*http.Response, error) {
		boundary := "florin"
		head := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n" + aPDF
		r := b.request(http.MethodPost, path, io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, size), strings.NewReader("\r\n--"+boundary+"--\r\n")))
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		return b.client.Do(r)
	}
	if answer, err := send(page+"/attachments", 50<<20); err != nil || answer.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("50 MB: %v, %v", answer, err)
	}
	if answer, err := send(page+"/annotation", 1<<20); err == nil && answer.StatusCode < 400 {
		t.Errorf("a file sent to the form of the note: %v", answer)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A slow upload is accepted: the time limit of small forms does not apply to it.
func TestAttachSlowly(t *testing.T) {
	t.Parallel()
	s := unopened(t)
	const hurry = 300 * time.Millisecond
	s.config = func(server *http.Server) { server.ReadTimeout, server.WriteTimeout = hurry, hurry }
	s.open(func(*handlers.Options) {})
	s.service.rows["uid-1"] = transactions(1)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	page := "/accounts/" + own.account + "/transactions/" + own.transaction
	whole, kind := uploadOf("slow.pdf", aPDF)
	text := whole.String()
	body, more := io.Pipe()
	go func() {
		for i := range 4 {
			_, _ = io.WriteString(more, text[i*len(text)/4:(i+1)*len(text)/4])
			time.Sleep(hurry / 2)
		}
		_ = more.Close()
	}()
	r := b.request(http.MethodPost, page+"/attachments", body)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	b.do(r).to(page)
	b.get(page).has("slow.pdf is attached.")
}
