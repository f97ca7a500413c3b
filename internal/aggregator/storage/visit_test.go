package storage

import (
	"errors"
	"testing"
	"time"

	"florin/internal/aggregator"
)

func TestVisits(t *testing.T) {
	s := open(t)
	application(t, s)
	pending(t, s, "one")
	ctx := t.Context()
	first := aggregator.Visit{ID: "v1", AuthorizationID: "one"}
	second := aggregator.Visit{ID: "v2", AuthorizationID: "one", Method: "web", Reference: "r2"}
	if previous, err := s.BeginVisit(ctx, first, epoch); err != nil || previous != (aggregator.Visit{}) {
		t.Fatalf("%+v, %v", previous, err)
	}
	chosen := first
	chosen.Method, chosen.Reference = "app", "r1"
	if err := s.SetVisitMethod(ctx, chosen, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.SetVisitMethod(ctx, chosen, ""); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("a choice over another: %v", err)
	}
	if got, err := s.Visit(ctx, "v1"); err != nil || got != chosen {
		t.Errorf("%+v, %v", got, err)
	}
	if previous, err := s.BeginVisit(ctx, second, epoch); err != nil || previous != chosen {
		t.Errorf("%+v, %v", previous, err)
	}
	if _, err := s.Visit(ctx, "v1"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("the visit that was replaced: %v", err)
	}
	if got, err := s.VisitOf(ctx, "one"); err != nil || got != second {
		t.Errorf("%+v, %v", got, err)
	}
	if err := s.SetVisitMethod(ctx, aggregator.Visit{ID: "v2", AuthorizationID: "one", Method: "web"}, "r2"); err == nil {
		t.Error("a method without a handle is stored")
	}
}

// An authorisation that is over, or late, begins no visit, and keeps the one that it has.
func TestVisitsOfAnAuthorizationThatIsOver(t *testing.T) {
	s := open(t)
	application(t, s)
	ctx := t.Context()
	row := pending(t, s, "one")
	kept := aggregator.Visit{ID: "v1", AuthorizationID: "one", Reference: "r1"}
	if _, err := s.BeginVisit(ctx, kept, epoch); err != nil {
		t.Fatal(err)
	}
	next := aggregator.Visit{ID: "v2", AuthorizationID: "one"}
	if _, err := s.BeginVisit(ctx, next, row.PageExpires); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("late: %v", err)
	}
	if err := s.End(ctx, "one", aggregator.EventCancelled, epoch); err != nil {
		t.Fatal(err)
	}
	if _, err := s.BeginVisit(ctx, next, epoch); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("after the end: %v", err)
	}
	if got, err := s.Visit(ctx, "v1"); err != nil || got != kept {
		t.Errorf("%+v, %v", got, err)
	}
}

// Credentials leave the database with their use, and with the end of the authorisation, whichever end that is.
func TestSuppliedCredentials(t *testing.T) {
	s := open(t)
	application(t, s)
	ctx := t.Context()
	with := func(id string) {
		t.Helper()
		row := pending(t, s, "template of "+id)
		row.AuthorizationID = id
		if err := s.CreateSession(ctx, row, hash("another state of "+id),
			aggregator.SuppliedCredentials{Sealed: "sealed " + id, Autosubmit: id == "used"}); err != nil {
			t.Fatal(err)
		}
	}
	gone := func(id string) {
		t.Helper()
		if got, err := s.SuppliedCredentials(ctx, id); !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
		if err := s.DropCredentials(ctx, id); !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%s, dropped: %v", id, err)
		}
	}
	for _, id := range []string{"used", "ended", "completed"} {
		with(id)
		if got, err := s.SuppliedCredentials(ctx, id); err != nil || got.Sealed != "sealed "+id || got.Autosubmit != (id == "used") {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
	if err := s.DropCredentials(ctx, "used"); err != nil {
		t.Error(err)
	}
	if err := s.End(ctx, "ended", aggregator.EventFailed, epoch); err != nil {
		t.Error(err)
	}
	if err := s.TakeReturn(ctx, "completed", epoch); err != nil {
		t.Error(err)
	}
	if err := s.Complete(ctx, "completed", aggregator.Consent{Reference: "c", ValidUntil: epoch.Add(time.Hour)}, hash("code"),
		epoch.Add(time.Minute)); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"used", "ended", "completed", "template of used"} {
		gone(id)
	}
}
