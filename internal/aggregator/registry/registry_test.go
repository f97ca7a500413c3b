package registry_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/storage"
	"florin/internal/apptoken"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/migrations"
)

const callback = "https://app.example/callback"

var certificate = sync.OnceValue(func() string {
	key, err := apptoken.NewKey()
	if err != nil {
		panic(err)
	}
	pem, err := apptoken.SelfSigned(key, "Ledger", time.Now(), time.Hour)
	if err != nil {
		panic(err)
	}
	return string(pem)
})

// noAuthorizations is a service whose applications have no sessions.
type noAuthorizations struct{ registry.Authorizations }

func (noAuthorizations) EndOrphans(context.Context) error { return nil }

// start makes a registry on a database of its own. mail takes its mails, now is its clock; both may be nil.
func start(t *testing.T, mail func(registry.Mail), now func() time.Time) *registry.Registry {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aggregator.db")
	sqlitetest.Make(t, path, migrations.Aggregator)
	store, err := storage.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return registry.New(registry.Options{
		Store:           store,
		Authorizations:  noAuthorizations{},
		List:            func() []aggregator.Connector { return nil },
		RegistrationURL: "https://service.example",
		Secrets:         registry.NewSecrets(),
		Mail:            mail,
		Now:             now,
	})
}

// TestWebhookOrigins: an origin is scheme, host and port alone.
func TestWebhookOrigins(t *testing.T) {
	r := start(t, nil, nil)
	for _, origin := range []string{"https://app.example/", "https://app.example/hook", "https://app.example?a", "app.example", "http://app.example",
		"https://user@app.example"} {
		_, err := r.Register(t.Context(), openbanking.RegisterApplicationRequest{Certificate: certificate(), Environment: openbanking.EnvironmentSandbox,
			Name: "N", RedirectURLs: []string{callback}}, []string{origin})
		var refused *openbanking.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, "webhook_origins[0]") {
			t.Errorf("%s: %v", origin, err)
		}
	}
	origins := []string{"https://app.example", "https://app.example:8443", "http://localhost:8080"}
	app, err := r.Register(t.Context(), openbanking.RegisterApplicationRequest{Certificate: certificate(), Environment: openbanking.EnvironmentSandbox,
		Name: "N", RedirectURLs: []string{callback}}, origins)
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := r.Application(t.Context(), app.ID); err != nil || !reflect.DeepEqual(stored.WebhookOrigins, origins) {
		t.Errorf("%v, %v", stored.WebhookOrigins, err)
	}
}
