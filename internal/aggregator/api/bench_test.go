package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"florin/internal/apptoken"
)

// BenchmarkBalances compares GET /accounts/{account_id}/balances with a handler that only verifies the token.
func BenchmarkBalances(b *testing.B) {
	s := start(b)
	path := "/accounts/" + uid(s.link()) + "/balances"
	verifier := apptoken.NewVerifier([]string{issuer}, []string{audience}, s.registry.PublicKeys)
	verify := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := verifier.Verify(r.Context(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	for name, handler := range map[string]http.Handler{"balances": s.Config.Handler, "token only": verify} {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
					request.Header.Set("Authorization", "Bearer "+s.token)
					recorder := httptest.NewRecorder()
					if handler.ServeHTTP(recorder, request); recorder.Code != http.StatusOK {
						b.Fatal(recorder.Code, recorder.Body)
					}
				}
			})
		})
	}
}
