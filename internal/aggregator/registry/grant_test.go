package registry_test

import (
	"errors"
	"slices"
	"testing"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// The operator grants its own application other origins of webhooks; bad ones are refused, and nothing changes.
func TestGrantWebhooks(t *testing.T) {
	r := start(t, nil, nil)
	request := openbanking.RegisterApplicationRequest{Certificate: certificate(), Environment: openbanking.EnvironmentSandbox, Name: "N",
		RedirectURLs: []string{callback}}
	app, err := r.Register(t.Context(), request, nil)
	if err != nil {
		t.Fatal(err)
	}
	granted := []string{"http://127.0.0.1:8080"}
	for _, test := range []struct {
		id      string
		origins []string
		good    bool
	}{
		{app.ID, []string{"https://old.example"}, true},
		{app.ID, granted, true},
		{app.ID, []string{"http://192.168.1.5:8080"}, false},
		{app.ID, []string{"https://app.example/hook"}, false},
		{"none", granted, false},
	} {
		if err := r.GrantWebhooks(t.Context(), test.id, test.origins); (err == nil) != test.good {
			t.Errorf("%s %v: %v", test.id, test.origins, err)
		}
	}
	if stored, err := r.Application(t.Context(), app.ID); err != nil || !slices.Equal(stored.WebhookOrigins, granted) {
		t.Errorf("%v, %v", stored.WebhookOrigins, err)
	}
	if err := r.GrantWebhooks(t.Context(), "none", granted); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("an unknown application: %v", err)
	}
}
