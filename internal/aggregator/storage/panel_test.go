package storage

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// developer stores a developer with this id and a link that was used for it.
func developer(t *testing.T, s *Store, id string) aggregator.Developer {
	t.Helper()
	email := id + "@dev.example"
	link := aggregator.SignInLink{TokenHash: hash("link of " + id), Email: email, Client: "192.0.2.1", Created: epoch, Expires: epoch.Add(time.Hour)}
	good, err := s.AddSignInLink(t.Context(), link, true, LinkLimits{Since: epoch.Add(-time.Hour), ForEmail: 100, ByNetwork: 100})
	if err != nil || !good {
		t.Fatal(good, err)
	}
	d, isNew, err := s.UseSignInLink(t.Context(), link.TokenHash, "", id, epoch)
	if err != nil || !isNew || d != (aggregator.Developer{ID: id, Email: email, Created: epoch}) {
		t.Fatalf("%+v, %v, %v", d, isNew, err)
	}
	return d
}

// owned stores an application of the developer.
func owned(t *testing.T, s *Store, owner, id string, status aggregator.ApplicationStatus, environment openbanking.Environment) aggregator.Application {
	t.Helper()
	app := aggregator.Application{ID: id, OwnerID: owner, Name: id, Environment: environment, Status: status, CreatedAt: epoch}
	if err := s.CreateApplication(t.Context(), app, aggregator.ApplicationKey{ID: "key of " + id, PEM: "key", Created: epoch}, 0); err != nil {
		t.Fatal(err)
	}
	return app
}

// TestSignInLinkIsUsedOnce: of many sign-ins at the same time one counts.
func TestSignInLinkIsUsedOnce(t *testing.T) {
	s := open(t)
	link := aggregator.SignInLink{TokenHash: hash("x"), Email: "a@dev.example", Client: "n", Created: epoch, Expires: epoch.Add(time.Minute)}
	if _, err := s.AddSignInLink(t.Context(), link, true, LinkLimits{Since: epoch, ForEmail: 1, ByNetwork: 1}); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"late":            third(s.UseSignInLink(t.Context(), link.TokenHash, "", "id", link.Expires)),
		"another address": third(s.UseSignInLink(t.Context(), link.TokenHash, "b@dev.example", "id", epoch)),
		"another token":   third(s.UseSignInLink(t.Context(), hash("y"), "", "id", epoch)),
	} {
		if !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	results := make([]error, 16)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			_, _, results[i] = s.UseSignInLink(t.Context(), link.TokenHash, link.Email, fmt.Sprint("id ", i), epoch)
		})
	}
	wait.Wait()
	used := 0
	for _, err := range results {
		if err == nil {
			used++
		} else if !errors.Is(err, aggregator.ErrNotFound) {
			t.Error(err)
		}
	}
	if used != 1 {
		t.Errorf("used %d times", used)
	}
}

// TestLinkLimits: links are counted for an address and by a network, together with their storage.
func TestLinkLimits(t *testing.T) {
	s := open(t)
	n := 0
	ask := func(email, network string, at time.Time, usable bool) (bool, error) {
		n++
		link := aggregator.SignInLink{TokenHash: hash(fmt.Sprint(n)), Email: email, Client: network, Created: at, Expires: at.Add(time.Hour)}
		good, err := s.AddSignInLink(t.Context(), link, usable, LinkLimits{Since: at.Add(-time.Hour), ForEmail: 2, ByNetwork: 4})
		_, lookErr := s.SignInLink(t.Context(), link.TokenHash, at)
		if good != (lookErr == nil) {
			t.Errorf("good %v, found %v", good, lookErr)
		}
		return good, err
	}
	for i, tt := range []struct {
		email, network string
		at             time.Time
		usable, good   bool
		err            error
	}{
		{"a", "1", epoch, true, true, nil},
		{"a", "2", epoch, true, true, nil},
		{"a", "1", epoch, true, false, nil},
		{"b", "1", epoch, false, false, nil},
		{"b", "1", epoch, true, true, nil},
		{"c", "1", epoch, true, false, aggregator.ErrConflict},
		{"c", "2", epoch, true, true, nil},
		{"a", "1", epoch.Add(time.Hour), true, true, nil},
	} {
		if good, err := ask(tt.email, tt.network, tt.at, tt.usable); good != tt.good || !errors.Is(err, tt.err) {
			t.Errorf("%d: %v, %v", i, good, err)
		}
	}
}

// TestApplicationStates: the only moves of an application; a deleted one keeps nothing but its name.
func TestApplicationStates(t *testing.T) {
	s := open(t)
	developer(t, s, "ada")
	events := []aggregator.ApplicationEvent{aggregator.ApplicationApproved, aggregator.ApplicationLinked, aggregator.ApplicationPause,
		aggregator.ApplicationResume}
	states := []aggregator.ApplicationStatus{aggregator.ApplicationPending, aggregator.ApplicationActive, aggregator.ApplicationPaused,
		aggregator.ApplicationDeleted}
	for _, status := range states {
		for _, event := range events {
			app := owned(t, s, "ada", fmt.Sprint(status, " ", event), status, openbanking.EnvironmentProduction)
			from, to := aggregator.ApplicationTransition(event)
			if err := s.MoveApplication(t.Context(), "eve", app.ID, event); !errors.Is(err, aggregator.ErrNotFound) {
				t.Errorf("another developer moves %s: %v", app.ID, err)
			}
			err := s.MoveApplication(t.Context(), "ada", app.ID, event)
			after, readErr := s.Application(t.Context(), app.ID)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if from == status && (err != nil || after.Status != to) || from != status && (!errors.Is(err, aggregator.ErrNotFound) || after.Status != status) {
				t.Errorf("%s: %v, now %s", app.ID, err, after.Status)
			}
		}
	}
	app := owned(t, s, "ada", "ends", aggregator.ApplicationActive, openbanking.EnvironmentSandbox)
	if err := s.DeleteApplication(t.Context(), "eve", app.ID); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("another developer deletes: %v", err)
	}
	for i, want := range []error{nil, aggregator.ErrNotFound} {
		if err := s.DeleteApplication(t.Context(), "ada", app.ID); !errors.Is(err, want) {
			t.Errorf("deleted %d times: %v", i+1, err)
		}
	}
	if keys, err := s.ApplicationKeys(t.Context(), app.ID); err != nil || len(keys) != 0 {
		t.Errorf("a deleted application has keys %v, %v", keys, err)
	}
	if _, err := s.OwnApplication(t.Context(), "ada", app.ID); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("a deleted application is still there: %v", err)
	}
}

// TestKeysOfAnApplication: two at most, one at least, also when many are added at the same time.
func TestKeysOfAnApplication(t *testing.T) {
	s := open(t)
	developer(t, s, "ada")
	app := owned(t, s, "ada", "app", aggregator.ApplicationActive, openbanking.EnvironmentSandbox)
	results := make([]error, 8)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			results[i] = s.AddKey(t.Context(), "ada", app.ID, aggregator.ApplicationKey{ID: fmt.Sprint("new ", i), PEM: "x", Created: epoch})
		})
	}
	wait.Wait()
	added := 0
	for _, err := range results {
		if err == nil {
			added++
		} else if !errors.Is(err, aggregator.ErrConflict) {
			t.Error(err)
		}
	}
	if added != 1 {
		t.Errorf("%d keys were added to the first", added)
	}
	keys, err := s.ApplicationKeys(t.Context(), app.ID)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%v, %v", keys, err)
	}
	for i := range 8 {
		wait.Go(func() {
			results[i] = s.EndKey(t.Context(), "ada", app.ID, keys[i%2].ID, epoch.Add(time.Hour))
		})
	}
	wait.Wait()
	ended := len(slices.DeleteFunc(results, func(err error) bool { return err != nil }))
	keys, err = s.ApplicationKeys(t.Context(), app.ID)
	good := slices.DeleteFunc(slices.Clone(keys), func(k aggregator.ApplicationKey) bool { return !k.Ended.IsZero() })
	if ended != 1 || len(good) != 1 || err != nil {
		t.Errorf("%d ended, %d good, %v", ended, len(good), err)
	}
	for name, err := range map[string]error{
		"add of another developer": s.AddKey(t.Context(), "eve", app.ID, aggregator.ApplicationKey{ID: "x", PEM: "x", Created: epoch}),
		"end of another developer": s.EndKey(t.Context(), "eve", app.ID, good[0].ID, epoch),
		"end of an unknown key":    s.EndKey(t.Context(), "ada", app.ID, "none", epoch),
	} {
		if !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefreshTokens: each is used once; the second use of one ends its family, and no other.
func TestRefreshTokens(t *testing.T) {
	s := open(t)
	d := developer(t, s, "ada")
	end := epoch.Add(time.Hour)
	for _, first := range []string{"a0", "b0"} {
		if err := s.CreateRefreshToken(t.Context(), d.ID, hash(first), epoch, end); err != nil {
			t.Fatal(err)
		}
	}
	rotate := func(from, to string, at time.Time) error {
		got, err := s.RotateRefreshToken(t.Context(), hash(from), hash(to), at, end)
		if err == nil && got != d {
			t.Errorf("%s is of %+v", from, got)
		}
		return err
	}
	for i, tt := range []struct {
		from, to string
		at       time.Time
		good     bool
	}{
		{"a0", "a1", epoch, true},
		{"a1", "a2", epoch, true},
		{"b0", "b1", epoch, true},
		{"x", "y", epoch, false},
		{"a0", "a3", epoch, false},
		{"a2", "a4", epoch, false}, // its family has ended
		{"b1", "b2", epoch, true},
		{"b2", "b3", end, false},
	} {
		if err := rotate(tt.from, tt.to, tt.at); (err == nil) != tt.good || err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%d, %s: %v", i, tt.from, err)
		}
	}
}

// TestRequestsRoundTrip: what is written comes back, by each filter and in pages that do not overlap.
func TestRequestsRoundTrip(t *testing.T) {
	s := open(t)
	developer(t, s, "ada")
	app := owned(t, s, "ada", "app", aggregator.ApplicationActive, openbanking.EnvironmentSandbox)
	other := owned(t, s, "ada", "other", aggregator.ApplicationActive, openbanking.EnvironmentSandbox)
	var batch []aggregator.Request
	for i := range 30 {
		batch = append(batch, aggregator.Request{
			ID: fmt.Sprintf("%02d", i), ApplicationID: app.ID, At: epoch.Add(time.Duration(i/3) * time.Second), Endpoint: "GET /a", Resource: fmt.Sprint(i % 2),
			Status: 200 + i, Error: openbanking.AccessDenied, ASPSP: openbanking.ASPSP{Name: "B", Country: "FI"}, Latency: time.Duration(i) * time.Microsecond,
		})
	}
	batch = append(batch, aggregator.Request{ID: "x", ApplicationID: other.ID, At: epoch, Endpoint: "GET /b", Status: 500})
	if err := s.AddRequests(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	var got []aggregator.Request
	filter := aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, Limit: 7}
	for range 10 {
		page, err := s.Requests(t.Context(), filter)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
		last := page[len(page)-1]
		filter.Before = aggregator.RequestCursor{At: last.At, ID: last.ID}
	}
	want := slices.Clone(batch[:30])
	slices.Reverse(want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in pages: %v", got)
	}
	for name, tt := range map[string]struct {
		filter aggregator.RequestFilter
		n      int
	}{
		"both":        {aggregator.RequestFilter{ApplicationIDs: []string{app.ID, other.ID}}, 31},
		"none":        {aggregator.RequestFilter{}, 0},
		"id":          {aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, ID: "07"}, 1},
		"id of other": {aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, ID: "x"}, 0},
		"resource":    {aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, Resource: "1"}, 15},
		"status":      {aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, StatusFrom: 205, StatusTo: 209}, 5},
		"error":       {aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, Error: "ACCESS_DENIED"}, 30},
		"bank":        {aggregator.RequestFilter{ApplicationIDs: []string{app.ID, other.ID}, Bank: "B", Country: "FI"}, 30},
		"endpoint":    {aggregator.RequestFilter{ApplicationIDs: []string{app.ID, other.ID}, Endpoint: "GET /b"}, 1},
		"since":       {aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, From: epoch.Add(9 * time.Second)}, 3},
	} {
		tt.filter.Limit = 100
		if rows, err := s.Requests(t.Context(), tt.filter); err != nil || len(rows) != tt.n {
			t.Errorf("%s: %d, %v, want %d", name, len(rows), err, tt.n)
		}
	}

	// Retention: by age and by number, a batch at a time.
	left := func() int {
		rows, err := s.Requests(t.Context(), aggregator.RequestFilter{ApplicationIDs: []string{app.ID}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	for _, tt := range []struct {
		before time.Time
		keep   int
		limit  int
		more   bool
		left   int
	}{
		{epoch.Add(-time.Second), 100, 10, false, 30},
		{epoch.Add(time.Second), 100, 2, true, 28},
		{epoch.Add(time.Second), 100, 10, false, 24},
		{epoch, 21, 10, false, 21},
		{epoch, 9, 5, true, 16},
		{epoch.Add(time.Hour), 100, 100, false, 0},
	} {
		if more, err := s.PruneRequests(t.Context(), app.ID, tt.before, tt.keep, tt.limit); err != nil || more != tt.more || left() != tt.left {
			t.Errorf("%+v: %v, %v, %d left", tt, more, err, left())
		}
	}
	if ids, err := s.LoggedApplications(t.Context()); err != nil || !slices.Equal(ids, []string{other.ID}) {
		t.Errorf("applications with requests: %v, %v", ids, err)
	}
}

// TestChecksGuardTheControlPanel: what the code would never do the schema refuses too.
func TestChecksGuardTheControlPanel(t *testing.T) {
	s := open(t)
	developer(t, s, "ada")
	owned(t, s, "ada", "app", aggregator.ApplicationActive, openbanking.EnvironmentSandbox)
	for _, statement := range []string{
		"UPDATE application SET status = 'OPEN'",
		"UPDATE application SET restricted = 2",
		"UPDATE application SET owner_id = 'nobody'",
		"UPDATE application_key SET public_key = ''",
		"UPDATE application_key SET application_id = 'none'",
		"UPDATE developer SET email = ''",
		"UPDATE developer SET email = 'Ada@dev.example'",
		"UPDATE sign_in_link SET token_hash = 'short'",
		"INSERT INTO developer (id, email, created_at) SELECT 'second', email, created_at FROM developer",
		"INSERT INTO own_account (application_id, hash, aspsp_name, aspsp_country, label, linked_at) VALUES ('none', 'h', 'n', 'c', 'l', 't')",
		"INSERT INTO linking (authorization_id, developer_id, state_hash) VALUES ('none', 'ada', '" + strings.Repeat("a", 64) + "')",
		"INSERT INTO request_log (application_id, at, request_id, endpoint, resource, status, error, aspsp_name, aspsp_country, latency) VALUES ('app', 't', 'i', '', '', 200, '', '', '', -1)",
	} {
		err := s.db.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		})
		if err == nil {
			t.Errorf("%s passes", statement)
		}
	}
}
