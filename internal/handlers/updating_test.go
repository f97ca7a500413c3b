package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"florin/internal/handlers"
	"florin/web/static"
)

// While the databases are brought up to date, each address answers with a page that says how far it is, in the language of the browser, and loads itself again.
func TestUpdating(t *testing.T) {
	t.Parallel()
	var u handlers.Updating
	h := u.Handler()
	ask := func(method, path, languages string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Accept-Language", languages)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	u.Step(3, 7)
	for _, c := range []struct{ method, path, languages, want string }{
		{http.MethodGet, "/", "en", "Step 3 of 7."},
		{http.MethodGet, "/transactions?q=rent", "de", "Schritt 3 von 7."},
		{http.MethodPost, "/webhooks/one", "", "Florin is updating its database"},
	} {
		w := ask(c.method, c.path, c.languages)
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), c.want) || strings.Contains(w.Body.String(), "error-code") {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
		for name, want := range map[string]string{"Refresh": "3", "Retry-After": "3", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	u.Step(4, 7)
	if w := ask(http.MethodGet, "/", "en"); !strings.Contains(w.Body.String(), "Step 4 of 7.") {
		t.Errorf("after the next step: %s", w.Body)
	}
	if w := ask(http.MethodGet, static.URL("app.css"), "en"); w.Code != http.StatusOK {
		t.Errorf("the style of the page: %d", w.Code)
	}
}
