package notify

import (
	"context"
	"crypto/rsa"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
	"florin/internal/apptoken"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/migrations"
)

// sharedKey is one signing key for the tests that are not about keys: making one takes a second.
var sharedKey = sync.OnceValues(apptoken.NewKey)

// tester is what tests of both kinds have.
type tester interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// open opens a database in the folder.
func open(t tester, folder string) *storage.Store {
	t.Helper()
	store, err := storage.Open(context.Background(), filepath.Join(folder, "aggregator.db"))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// made makes a database in the folder, which it returns.
func made(t tester, folder string) string {
	t.Helper()
	sqlitetest.Make(t, filepath.Join(folder, "aggregator.db"), migrations.Aggregator)
	return folder
}

func newStore(t *testing.T) *storage.Store {
	t.Helper()
	store := open(t, made(t, t.TempDir()))
	t.Cleanup(func() { store.Close() })
	return store
}

// newNotifier returns a notifier that does not spend time on making keys.
func newNotifier(t tester, o Options) *Notifier {
	t.Helper()
	if o.URL == "" {
		o.URL = "https://localhost:8443"
	}
	n, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	n.keys.makeKey = func() (*rsa.PrivateKey, error) { return sharedKey() }
	return n
}

// register stores an application, of the operator or of a developer, that lists origins.
func register(t tester, store *storage.Store, owner string, origins ...string) aggregator.Application {
	t.Helper()
	ctx := context.Background()
	app := aggregator.Application{
		ID: uuid.NewString(), Name: "Shop", Environment: openbanking.EnvironmentSandbox, Status: aggregator.ApplicationActive, WebhookOrigins: origins,
		Services: []openbanking.Service{openbanking.ServicePIS}, CreatedAt: time.Now(),
	}
	if owner != "" {
		link := aggregator.SignInLink{TokenHash: hash(owner), Email: owner, Client: "n", Created: time.Now(), Expires: time.Now().Add(time.Hour)}
		if _, err := store.AddSignInLink(ctx, link, true, storage.LinkLimits{Since: time.Now().Add(-time.Hour), ForEmail: 9, ByNetwork: 9}); err != nil {
			t.Fatal(err)
		}
		developer, _, err := store.UseSignInLink(ctx, hash(owner), owner, uuid.NewString(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		app.OwnerID = developer.ID
	}
	if err := store.CreateApplication(ctx, app, aggregator.ApplicationKey{ID: uuid.NewString(), PEM: "k", Created: time.Now()}, 0); err != nil {
		t.Fatal(err)
	}
	return app
}

func hash(text string) string { return fmt.Sprintf("%064x", text)[:64] }

// statuses are those that a payment goes through, each with an event.
var statuses = []openbanking.PaymentStatus{
	openbanking.PaymentStatusRCVD, openbanking.PaymentStatusACTC, openbanking.PaymentStatusACCP, openbanking.PaymentStatusACSP, openbanking.PaymentStatusACSC,
}

// pay stores a payment that wants to be told at url, and returns its id.
func pay(t tester, store *storage.Store, app aggregator.Application, url string) string {
	t.Helper()
	id := uuid.NewString()
	now := time.Now()
	err := store.CreatePayment(context.Background(), aggregator.Payment{
		Authorization: aggregator.Authorization{
			AuthorizationID: id, ApplicationID: app.ID, ASPSP: openbanking.ASPSP{Name: "B", Country: "FI"}, PSUType: openbanking.PSUTypePersonal,
			PSUIDHash: strings.Repeat("a", 64), RedirectURL: "https://a.example", Language: "en", Created: now, PageExpires: now.Add(time.Hour),
		},
		Type: openbanking.PaymentTypeSEPA, WebhookURL: url,
	}, fmt.Sprintf("%064x", strings.ReplaceAll(id, "-", ""))[:64], aggregator.SuppliedCredentials{})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// advance takes a payment to a status, which writes an event.
func advance(t tester, store *storage.Store, payment string, status openbanking.PaymentStatus) {
	t.Helper()
	now := time.Now()
	_, err := store.UpdatePayment(context.Background(), payment, now, func(p *aggregator.Payment) error {
		p.Status, p.AuthStatus = status, openbanking.PaymentAuthStatusFinalised
		if p.Approved.IsZero() {
			p.Approved = now
		}
		p.Final = status == openbanking.PaymentStatusACSC
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// events returns the events of an application, the oldest first.
func events(t tester, store *storage.Store, app aggregator.Application) []aggregator.Webhook {
	t.Helper()
	records, err := store.Webhooks(context.Background(), aggregator.WebhookFilter{ApplicationID: app.ID, Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]aggregator.Webhook, len(records))
	for i, r := range records {
		list[len(list)-1-i] = r.Webhook
	}
	return list
}

// one stores a payment with one event for url, and returns that.
func one(t tester, store *storage.Store, app aggregator.Application, url string) aggregator.Webhook {
	t.Helper()
	payment := pay(t, store, app, url)
	advance(t, store, payment, statuses[0])
	for _, w := range events(t, store, app) {
		if w.PaymentID == payment {
			return w
		}
	}
	t.Fatal("no event was written")
	return aggregator.Webhook{}
}

func reread(t tester, store *storage.Store, id string) aggregator.Webhook {
	t.Helper()
	w, err := store.Webhook(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func attempts(t tester, store *storage.Store, id string) []aggregator.WebhookAttempt {
	t.Helper()
	list, err := store.WebhookAttempts(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// work calls Work once and expects no error.
func work(t tester, n *Notifier) time.Time {
	t.Helper()
	next, err := n.Work(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// receiver is a server with this answer.
func receiver(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server
}
