package live_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"florin/internal/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// drain returns what waits in the subscription, and whether it has ended.
func drain(s *live.Subscription) (events []live.Event, ended bool) {
	for {
		select {
		case e, ok := <-s.C():
			if !ok {
				return events, true
			}
			events = append(events, e)
		default:
			return events, false
		}
	}
}

func TestEventsReachTheOpenPagesOfTheirUserOnly(t *testing.T) {
	hub := live.NewHub()
	anna1, anna2, ben := hub.Subscribe("anna"), hub.Subscribe("anna"), hub.Subscribe("ben")
	e := live.Event{Topic: "payment", ID: "p1"}
	hub.Publish("anna", e)
	hub.Publish("nobody", live.Event{Topic: "payment", ID: "p2"})
	for name, s := range map[string]*live.Subscription{"first": anna1, "second": anna2} {
		if got, ended := drain(s); len(got) != 1 || got[0] != e || ended {
			t.Errorf("%s page of the user: %v, ended %t", name, got, ended)
		}
	}
	if got, ended := drain(ben); len(got) != 0 || ended {
		t.Errorf("another user: %v, ended %t", got, ended)
	}
}

func TestASlowSubscriberIsDropped(t *testing.T) {
	hub := live.NewHub()
	slow, quick := hub.Subscribe("anna"), hub.Subscribe("anna")
	const events = 1000
	for i := range events { // Publish never blocks, or this would not end
		hub.Publish("anna", live.Event{Topic: "account", ID: strconv.Itoa(i)})
		if got, ended := drain(quick); len(got) != 1 || got[0].ID != strconv.Itoa(i) || ended {
			t.Fatalf("event %d: %v, ended %t", i, got, ended)
		}
	}
	got, ended := drain(slow)
	if !ended || len(got) == 0 || len(got) == events {
		t.Errorf("the slow subscriber got %d events, ended %t; want some of them and the end", len(got), ended)
	}
	slow.Close()
}

func TestASubscriptionBeginsWithItsFirstEvents(t *testing.T) {
	hub := live.NewHub()
	other := hub.Subscribe("anna")
	first := live.Event{Topic: "opened"}
	if got, ended := drain(hub.Subscribe("anna", first)); len(got) != 1 || got[0] != first || ended {
		t.Errorf("%v, ended %t", got, ended)
	}
	if got, _ := drain(other); len(got) != 0 {
		t.Errorf("another page got %v", got)
	}
}

func TestAUserHasAtMostTwentySubscriptions(t *testing.T) {
	hub := live.NewHub()
	var open []*live.Subscription
	for range 20 {
		open = append(open, hub.Subscribe("anna"))
	}
	if got, ended := drain(hub.Subscribe("anna", live.Event{Topic: "opened"})); len(got) != 0 || !ended {
		t.Errorf("one too many: %v, ended %t", got, ended)
	}
	if _, ended := drain(hub.Subscribe("ben")); ended {
		t.Error("another user is kept out")
	}
	open[0].Close()
	if _, ended := drain(hub.Subscribe("anna")); ended {
		t.Error("no place again after one ended")
	}
	for i, s := range open[1:] {
		if _, ended := drain(s); ended {
			t.Errorf("page %d lost its subscription", i)
		}
	}
}

func TestSubscriptionsEnd(t *testing.T) {
	cases := map[string]struct {
		end       func(h *live.Hub, s *live.Subscription)
		otherEnds bool // another user's
		reopen    bool // the user may subscribe again
	}{
		"by their owner": {func(_ *live.Hub, s *live.Subscription) { s.Close(); s.Close() }, false, true},
		"by Disconnect":  {func(h *live.Hub, _ *live.Subscription) { h.Disconnect("anna"); h.Disconnect("anna") }, false, true},
		"by Close":       {func(h *live.Hub, _ *live.Subscription) { h.Close(); h.Close() }, true, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			hub := live.NewHub()
			anna, ben := hub.Subscribe("anna"), hub.Subscribe("ben")
			c.end(hub, anna)
			hub.Publish("anna", live.Event{Topic: "account"})
			if got, ended := drain(anna); len(got) != 0 || !ended {
				t.Errorf("%v, ended %t", got, ended)
			}
			if _, ended := drain(ben); ended != c.otherEnds {
				t.Errorf("another user's subscription: ended %t", ended)
			}
			if _, ended := drain(hub.Subscribe("anna")); ended == c.reopen {
				t.Errorf("a new subscription: ended %t", ended)
			}
			anna.Close()
			ben.Close()
		})
	}
}

func TestPublishAndEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := live.NewHub()
		var all sync.WaitGroup
		for i := range 20 {
			user := strconv.Itoa(i % 3)
			all.Go(func() {
				for range 50 {
					s := hub.Subscribe(user)
					hub.Publish(user, live.Event{Topic: "account"})
					drain(s)
					s.Close()
				}
			})
			all.Go(func() {
				for range 50 {
					hub.Publish(user, live.Event{Topic: "account"})
					hub.Disconnect(user)
				}
			})
		}
		all.Go(hub.Close)
		all.Wait()
	})
}
