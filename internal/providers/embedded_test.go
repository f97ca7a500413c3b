package providers

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

func TestEnsureEmbedded(t *testing.T) {
	ctx := t.Context()
	key, err := store.LoadKey(filepath.Join(t.TempDir(), "secrets"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "app.db"), key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	registered := 0
	var known error
	e := Embedded{Name: "Simulated banks", BaseURL: "http://localhost:8081/", RegistrationURL: "http://localhost:8081", Issuer: "localhost", Audience: "localhost",
		RedirectURL: "http://localhost:8080/callback/embedded",
		Bearer:      func(context.Context) (string, error) { return "bearer", nil },
		Register: func(_ context.Context, bearer string, q openbanking.RegisterApplicationRequest) (openbanking.RegisterApplicationResponse, error) {
			registered++
			if bearer != "bearer" || q.Environment != "SANDBOX" || len(q.RedirectURLs) != 1 {
				t.Errorf("%+v", q)
			}
			return openbanking.RegisterApplicationResponse{AppID: "app-" + string(rune('0'+registered))}, nil
		},
		Application: func(context.Context, finance.Provider) (openbanking.Application, error) {
			return openbanking.Application{}, known
		},
	}
	steps := []struct {
		name   string
		change func()
		want   string
	}{
		{"the first start", func() {}, "app-1"},
		{"the next start", func() {}, "app-1"},
		{"the public address changed", func() { e.RedirectURL = "https://florin.example/callback/embedded" }, "app-2"},
		{"the service is away", func() { known = errors.New("connection refused") }, "app-2"},
		{"the service forgot", func() { known = &openbanking.Error{Code: openbanking.UnauthorizedAccess} }, "app-3"},
	}
	for _, s := range steps {
		s.change()
		p, err := EnsureEmbedded(ctx, db, e)
		if err != nil || p.ApplicationID != s.want || p.RedirectURL != e.RedirectURL || p.BaseURL != "http://localhost:8081" || p.PrivateKey == "" {
			t.Errorf("%s: %+v %v", s.name, p, err)
		}
	}
}
