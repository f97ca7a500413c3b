package auth

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"florin/internal/finance"
)

// EndsUnused returns when a sign-in expires if it is not used again.
func (a *Auth) EndsUnused(s finance.SignIn) time.Time {
	end, idle := a.Ends(s), a.lifetimes.Idle
	if s.Remembered {
		idle = a.lifetimes.RememberedIdle
	}
	if unused := s.LastSeen.Add(idle); idle > 0 && unused.Before(end) {
		return unused
	}
	return end
}

// Ends returns when a sign-in expires, used or not.
func (a *Auth) Ends(s finance.SignIn) time.Time {
	if s.Remembered {
		return s.Created.Add(a.lifetimes.Remembered)
	}
	return s.Created.Add(a.lifetimes.SignIn)
}

// LongestUnused returns how long a remembered sign-in lasts without use. shorter is false when it lasts no longer with use.
func (a *Auth) LongestUnused() (idle time.Duration, shorter bool) {
	idle = a.lifetimes.RememberedIdle
	return idle, idle > 0 && idle < a.lifetimes.Remembered
}

// Longest returns the longest time that a sign-in can last.
func (a *Auth) Longest() time.Duration { return max(a.lifetimes.SignIn, a.lifetimes.Remembered) }

// SignedIn returns the user and the sign-in of a session. The error is finance.ErrNotFound when the sign-in was ended, has expired or never existed; the
// session is then invalid. It is called on every request (security F1).
func (a *Auth) SignedIn(ctx context.Context, userID, signInID string) (finance.User, finance.SignIn, error) {
	if a.ended.has(signInID) {
		return finance.User{}, finance.SignIn{}, finance.ErrNotFound
	}
	user, signIn, err := a.store.SignedIn(ctx, userID, signInID)
	if err == nil && !time.Now().Before(a.EndsUnused(signIn)) {
		return finance.User{}, finance.SignIn{}, errors.Join(finance.ErrNotFound, a.EndSignIn(ctx, userID, signInID))
	}
	return user, signIn, err
}

// EndSignIn ends a sign-in of the user for good; finance.ErrNotFound when there is none. It also succeeds on a full disk: the sign-in is then refused from
// memory until WriteEnded has stored its end.
func (a *Auth) EndSignIn(ctx context.Context, userID, signInID string) error {
	err := a.store.EndSignIn(ctx, userID, signInID)
	if err == nil || errors.Is(err, finance.ErrNotFound) {
		return err
	}
	if _, _, found := a.store.SignedIn(ctx, userID, signInID); found != nil {
		return errors.Join(err, found) // it is another user's, or the database cannot be read
	}
	a.ended.add(signInID, userID)
	return nil
}

// EndOtherSignIns ends all sign-ins of the user except one, in the way of EndSignIn.
func (a *Auth) EndOtherSignIns(ctx context.Context, userID, keep string) error {
	err := a.store.EndOtherSignIns(ctx, userID, keep)
	if err == nil {
		return nil
	}
	others, found := a.SignIns(ctx, userID)
	if found != nil {
		return errors.Join(err, found)
	}
	for _, s := range others {
		if s.ID != keep {
			a.ended.add(s.ID, userID)
		}
	}
	return nil
}

// SignOut is EndSignIn for a sign-in that may have ended already.
func (a *Auth) SignOut(ctx context.Context, userID, signInID string) error {
	err := a.EndSignIn(ctx, userID, signInID)
	if errors.Is(err, finance.ErrNotFound) {
		return nil
	}
	return err
}

// WriteEnded stores the ends of sign-ins that were ended while the disk accepted no writes. It fails while that lasts.
func (a *Auth) WriteEnded(ctx context.Context) error {
	for signInID, userID := range a.ended.all() {
		if err := a.store.EndSignIn(ctx, userID, signInID); err != nil && !errors.Is(err, finance.ErrNotFound) {
			return err
		}
		a.ended.remove(signInID)
	}
	return nil
}

// WhenEnded sets the function that is called when WriteEnded has something to do. It must be set before the first request.
func (a *Auth) WhenEnded(wake func()) { a.ended.wake = wake }

// ended holds sign-ins whose end could not be stored.
type ended struct {
	wake func() // may be nil

	mu  sync.Mutex
	ids map[string]string // from sign-in to user
}

func (e *ended) has(signInID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, has := e.ids[signInID]
	return has
}

func (e *ended) add(signInID, userID string) {
	e.mu.Lock()
	if e.ids == nil {
		e.ids = make(map[string]string)
	}
	e.ids[signInID] = userID
	e.mu.Unlock()
	if e.wake != nil {
		e.wake()
	}
}

func (e *ended) remove(signInID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.ids, signInID)
}

func (e *ended) all() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.ids)
}
