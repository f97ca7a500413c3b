package syncer

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/openbanking"
)

// requires makes the bank of a rig one that gives data only while the person is there, which it knows by the headers. seen are those of the calls for data.
func (r *rig) requires(names ...string) (seen func() []http.Header) {
	var mu sync.Mutex
	var all []http.Header
	r.PSUHeaders = func(context.Context, finance.Provider, openbanking.ASPSP) ([]string, error) { return names, nil }
	for _, kind := range []string{"details", "balances", "transactions"} {
		r.service.script(kind, func(_ int, req *http.Request) any {
			mu.Lock()
			defer mu.Unlock()
			psu := http.Header{}
			for name, values := range req.Header {
				if strings.HasPrefix(name, "Psu-") {
					psu[name] = values
				}
			}
			all = append(all, psu)
			for _, name := range names {
				if req.Header.Get(name) == "" {
					return apitest.Refusal(openbanking.ASPSPPSUActionRequired)
				}
			}
			return nil
		})
	}
	return func() []http.Header {
		mu.Lock()
		defer mu.Unlock()
		last := all
		all = nil
		return last
	}
}

var browser = http.Header{"Psu-Ip-Address": {"192.0.2.7"}, "Psu-User-Agent": {"Browser"}, "Psu-Accept": {"text/html"}}

// spec, ASPSP data: a refresh that the person asks for carries all the headers that the bank requires and no other, or none. It does not count, and nothing of
// it is left for the next read.
func TestAttendedRefresh(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	seen := r.requires("Psu-Ip-Address", "psu-user-agent")
	r.drain(t)
	for _, scope := range finance.Scopes() {
		if k := r.task(t, scope); k.LastError.Code != "ASPSP_PSU_ACTION_REQUIRED" || len(k.Reads) != 0 || time.Until(k.NextAttempt) < 2*time.Hour {
			t.Errorf("%s without the person: %+v", scope, k)
		}
	}
	for name, present := range map[string]http.Header{"nobody": nil, "one header of two": {"Psu-Ip-Address": {"192.0.2.7"}}} {
		seen()
		if _, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, present); err != nil {
			t.Fatal(err)
		}
		r.drain(t)
		for _, psu := range seen() {
			if len(psu) > 0 {
				t.Errorf("%s: sent %v", name, psu)
			}
		}
	}
	if due, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, browser); due != 3 || err != nil {
		t.Fatalf("%d tasks are due, %v", due, err)
	}
	r.drain(t)
	calls := seen()
	if len(calls) != 4 { // two pages of transactions
		t.Errorf("%d calls", len(calls))
	}
	for _, psu := range calls {
		if len(psu) != 2 || psu.Get("Psu-Ip-Address") != "192.0.2.7" || psu.Get("Psu-User-Agent") != "Browser" {
			t.Errorf("sent %v", psu)
		}
	}
	for _, scope := range finance.Scopes() {
		if k := r.task(t, scope); k.LastError.Code != "" || len(k.Reads) != 0 || k.LastSuccess.IsZero() {
			t.Errorf("%s with the person: %+v", scope, k)
		}
	}
	r.now(t)
	r.drain(t)
	for _, psu := range seen() {
		if len(psu) > 0 {
			t.Errorf("the next read sent %v", psu)
		}
	}
	// Asked for, but read by the next process: the person's request is not kept.
	if _, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, browser); err != nil {
		t.Fatal(err)
	}
	check(t, r.store.Close())
	r.open(t)
	r.drain(t)
	for _, psu := range seen() {
		if len(psu) > 0 {
			t.Errorf("another process sent %v", psu)
		}
	}
}

// A bank that does not like the headers is read without them.
func TestRefusedHeadersAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, code := range []openbanking.ErrorCode{openbanking.PSUHeaderInvalid, openbanking.PSUHeaderNotProvided} {
		r := newRig(t, 4)
		r.requires("Psu-Ip-Address")
		r.service.script("balances", func(_ int, req *http.Request) any {
			if req.Header.Get("Psu-Ip-Address") != "" {
				return apitest.Refusal(code)
			}
			return nil
		})
		r.drain(t)
		_, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, browser)
		check(t, err)
		r.drain(t)
		if k := r.task(t, finance.ScopeBalances); k.LastError.Code != "" || len(k.Reads) != 2 || r.service.called("balances") != 3 {
			t.Errorf("%s: %d calls, %+v", code, r.service.called("balances"), k)
		}
	}
}

// RTS 2018/389, article 36(5)(b): four reads in 24 hours without the person, whoever asks for them, and none by two processes.
func TestReadsWithoutThePersonAreCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	for range 3 {
		r.drain(t)
		r.now(t)
	}
	other := New(r.store, r.connect, r.hub, r.log)
	var both sync.WaitGroup
	for _, one := range []*Syncer{r.Syncer, other} {
		both.Go(func() {
			for range 8 {
				if _, err := one.Run(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	if n := r.service.called("balances"); n != 4 {
		t.Fatalf("%d calls", n)
	}
	if due, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, browser); due != 0 || err != nil {
		t.Errorf("%d tasks are due, %v", due, err)
	}
	r.now(t) // as a clock that was wrong, or another Florin, would
	check(t, r.store.Close())
	r.open(t)
	r.drain(t)
	k := r.task(t, finance.ScopeBalances)
	if n := r.service.called("balances"); n != 4 || k.State != finance.TaskWaiting || !k.NextAttempt.Equal(k.Reads[0].Add(finance.ReadsWithin)) {
		t.Errorf("%d calls, %+v", n, k)
	}
	r.ago(t, 25*time.Hour)
	r.now(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeBalances); r.service.called("balances") != 5 || len(k.Reads) != 1 {
		t.Errorf("%d calls, %+v", r.service.called("balances"), k)
	}
	// What brought nothing does not count.
	r.service.script("balances", func(int, *http.Request) any { return apitest.Refusal(openbanking.ASPSPTimeout) })
	r.now(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeBalances); k.LastError.Code != "ASPSP_TIMEOUT" || len(k.Reads) != 1 {
		t.Errorf("%+v", k)
	}
}

// Who opens a page with old figures has them read again, once for each scope, with the headers of that request where the bank knows by them that somebody is
// there.
func TestStaleFiguresAreReadWhenTheirPageIsOpened(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.StaleAfter = 15 * time.Minute
	seen := r.requires("Psu-Ip-Address")
	_, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, nil)
	check(t, err)
	r.drain(t) // the bank refuses: it is learnt what it requires
	arrive := func() []http.Header {
		t.Helper()
		seen()
		for range 3 {
			r.Arrive(r.user.ID, r.link.ConnectionID, browser)
		}
		_, err := r.Admit(t.Context())
		check(t, err)
		r.Arrive(r.user.ID, r.link.ConnectionID, browser)
		_, err = r.Admit(t.Context())
		check(t, err)
		r.drain(t)
		return seen()
	}
	if calls := arrive(); len(calls) != 0 {
		t.Errorf("tried a moment ago, and again: %v", calls)
	}
	r.ago(t, 16*time.Minute)
	if calls := arrive(); len(calls) != 2 || slices.ContainsFunc(calls, func(psu http.Header) bool { return psu.Get("Psu-Ip-Address") == "" }) {
		t.Errorf("%d calls: %v", len(calls), calls)
	}
	if calls := arrive(); len(calls) != 0 {
		t.Errorf("fresh, and read again: %v", calls)
	}
	r.ago(t, 16*time.Minute)
	r.StaleAfter = 0
	if calls := arrive(); len(calls) != 0 {
		t.Errorf("turned off, and read: %v", calls)
	}
	r.StaleAfter = 15 * time.Minute
	r.Arrive("somebody else", r.link.ConnectionID, browser)
	if _, err := r.Admit(t.Context()); err != nil {
		t.Error(err)
	}
	r.drain(t)
	if calls := seen(); len(calls) != 0 {
		t.Errorf("somebody else has it read: %v", calls)
	}
}

// A bank that makes up references anew at each call (references-per-fetch) brought nothing new when it brought the same rows.
func TestRowsUnderOtherReferencesAreNotNew(t *testing.T) {
	t.Parallel()
	r := newRig(t, 5)
	r.drain(t)
	for i := range r.service.rows {
		r.service.rows[i].EntryReference = new("other-" + *r.service.rows[i].EntryReference)
	}
	r.due(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); k.RowsNew != 0 || k.RowsSeen != 5 || len(r.amounts(t)) != 5 {
		t.Errorf("%+v", k)
	}
	r.service.rows = append([]openbanking.Transaction{row(100)}, r.service.rows...)
	r.service.rows[0].BookingDate = new(openbanking.DateOf(time.Now()))
	for i := range r.service.rows {
		r.service.rows[i].EntryReference = new("third-" + *r.service.rows[i].EntryReference)
	}
	r.due(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); k.RowsNew != 1 || len(r.amounts(t)) != 6 {
		t.Errorf("%+v", k)
	}
}
