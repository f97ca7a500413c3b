package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/alexedwards/scs/v2"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/middleware"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// What a session holds.
const (
	sessionUser   = "user"
	sessionSignIn = "sign_in"
	sessionNotice = "notice"       // a sentence for a page, behind its path and its tone
	sessionSecond = "second"       // a sign-in whose second step is missing: auth.Pending
	sessionProofs = "proofs"       // what the person proved for who they are, and when: see Shell.proofs
	sessionKept   = "__rememberMe" // of scs: the cookie outlives the browser's window; the only value that is no text
)

// sessionCookie and flowCookie are names of cookies. The other half has others: cookies ignore ports.
const (
	sessionCookie = "florin-session"
	flowCookie    = "florin-flow"
)

// newSessions returns the manager of sign-in sessions. When a sign-in ends is decided by its row, which auth checks on every request; the session of scs
// holds hardly more than the id of that row. Tokens are hashed by the store, which keeps a tombstone of each session that ended;
// IdleTimeout stays 0, since scs would else write back a session that was ended meanwhile (security F1).
func (s *Shell) newSessions(https bool) *scs.SessionManager {
	m := scs.New()
	m.Store = s.store.Sessions()
	m.Codec = sessionCodec{}
	m.Lifetime = s.auth.Longest()
	m.IdleTimeout = 0
	m.Cookie.Name = cookieName(sessionCookie, https)
	m.Cookie.Path = "/"
	m.Cookie.Domain = ""
	m.Cookie.HttpOnly = true
	m.Cookie.Secure = https
	m.Cookie.SameSite = http.SameSiteLaxMode // Strict ones are missing on the return from the bank (security F3)
	m.Cookie.Persist = false                 // unless the person chose to stay signed in
	m.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		if errors.Is(err, store.ErrSessionEnded) || r.Context().Err() != nil {
			return // another answer has brought the browser the new id already, or nobody waits for this one: without a cookie it leaves that as it is
		}
		if store.IsDiskFull(err) {
			s.log.ErrorContext(r.Context(), "sign-in session not saved", "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
			s.Plain(func(v *Visitor) *Problem { return diskFull(v, err) }).ServeHTTP(w, r)
			return
		}
		panic(fmt.Errorf("sign-in session: %w", err)) // nothing has been written yet: middleware.Recover answers with the page for 500
	}
	return m
}

// sessionCodec writes what a session holds like the query of an address; all of it is text but for sessionKept. It is read with every request, and the
// codec of scs, or JSON, takes longer than the query for the session. Both were used once, and are still read, so that an upgrade signs nobody out.
// What cannot be read is a session that holds nothing.
type sessionCodec struct{}

const sessionDeadline = "deadline" // beside what the session holds

func (sessionCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	record := url.Values{sessionDeadline: {deadline.Format(time.RFC3339Nano)}}
	for name, value := range values {
		text, ok := value.(string)
		if kept, is := value.(bool); is && name == sessionKept {
			text, ok = strconv.FormatBool(kept), true
		}
		if !ok || name == sessionDeadline {
			return nil, fmt.Errorf("a session cannot hold %T under the name %q", value, name)
		}
		record[name] = []string{text}
	}
	return []byte(record.Encode()), nil
}

func (sessionCodec) Decode(data []byte) (time.Time, map[string]any, error) {
	for _, decode := range []func([]byte) (time.Time, map[string]any, error){decodeQuery, decodeJSON, scs.GobCodec{}.Decode} {
		if deadline, values, err := decode(data); err == nil {
			return deadline, values, nil
		}
	}
	return time.Now().Add(time.Hour), map[string]any{}, nil // what is put into it from now on may live
}

func decodeQuery(data []byte) (time.Time, map[string]any, error) {
	record, err := url.ParseQuery(string(data))
	if err != nil {
		return time.Time{}, nil, err
	}
	deadline, err := time.Parse(time.RFC3339Nano, record.Get(sessionDeadline))
	if err != nil {
		return time.Time{}, nil, err
	}
	values := make(map[string]any, len(record))
	for name, texts := range record {
		switch name {
		case sessionDeadline:
		case sessionKept:
			values[name] = texts[0] == strconv.FormatBool(true)
		default:
			values[name] = texts[0]
		}
	}
	return deadline, values, nil
}

func decodeJSON(data []byte) (time.Time, map[string]any, error) {
	var record struct {
		Deadline time.Time      `json:"deadline"`
		Values   map[string]any `json:"values"`
	}
	err := json.Unmarshal(data, &record)
	if err == nil && (record.Values == nil || record.Deadline.IsZero()) {
		err = errors.New("not a session")
	}
	return record.Deadline, record.Values, err
}

// identify finds out who is signed in. When the sign-in has ended or expired, it also deletes the session. used says that the request counts as use of the
// sign-in, which is recorded at most once a minute.
func (s *Shell) identify(v *Visitor, used bool) error {
	userID := s.sessions.GetString(v.Ctx(), sessionUser)
	if userID == "" {
		return nil
	}
	user, signIn, err := s.auth.SignedIn(v.Ctx(), userID, s.sessions.GetString(v.Ctx(), sessionSignIn))
	switch {
	case errors.Is(err, finance.ErrNotFound):
		s.DestroySession(v)
		return nil
	case err != nil:
		return err
	}
	v.User, v.SignIn = user, signIn
	if used {
		err := s.store.TouchSignIn(v.Ctx(), signIn, finance.NetworkOf(clientAddress(v)))
		if err != nil { // a disk that is full must not keep people from reading
			s.log.WarnContext(v.Ctx(), "use of a sign-in not recorded", "error", err)
		}
	}
	return nil
}

// DestroySession takes the session from the browser. On a disk that takes no writes its row stays and does no harm: the sign-in that it names has ended.
func (s *Shell) DestroySession(v *Visitor) {
	if err := s.sessions.Destroy(v.Ctx()); err != nil {
		s.log.WarnContext(v.Ctx(), "session of an ended sign-in not removed", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
		s.sessions.WriteSessionCookie(v.Ctx(), v.Writer, "", time.Time{})
	}
}

// Begin signs the user in on this browser, under a new token (security T15). A user who was signed in there before is signed out.
func (s *Shell) Begin(v *Visitor, user finance.User, signIn finance.SignIn) error {
	if v.SignedIn() {
		if err := s.End(v); err != nil {
			return err
		}
	}
	if err := s.sessions.Clear(v.Ctx()); err != nil {
		return err
	}
	s.sessions.Put(v.Ctx(), sessionUser, user.ID)
	s.sessions.Put(v.Ctx(), sessionSignIn, signIn.ID)
	if err := s.renewSession(v, signIn); err != nil {
		return err
	}
	return s.KnowBrowser(v, user)
}

// BeginWithPassword is Begin after the password was checked, which is a proof for whoever has to set up a second factor now.
func (s *Shell) BeginWithPassword(v *Visitor, user finance.User, signIn finance.SignIn) error {
	if err := s.Begin(v, user, signIn); err != nil {
		return err
	}
	proofs, err := s.auth.AfterSignIn(v.Ctx(), signIn)
	for _, p := range proofs {
		s.keepProof(v, p)
	}
	return err
}

// BeginPending keeps the first step of a sign-in in this browser, under a new token. A user who was signed in there before is signed out.
func (s *Shell) BeginPending(v *Visitor, p auth.Pending) error {
	if v.SignedIn() {
		if err := s.End(v); err != nil {
			return err
		}
	}
	if err := s.sessions.Clear(v.Ctx()); err != nil {
		return err
	}
	s.sessions.Put(v.Ctx(), sessionSecond, p.String())
	if err := s.sessions.RenewToken(v.Ctx()); err != nil {
		return err
	}
	s.sessions.RememberMe(v.Ctx(), false)
	s.sessions.SetDeadline(v.Ctx(), time.Now().Add(auth.PendingLife))
	return nil
}

// Pending returns the sign-in in this browser whose second step is missing. ok is false when there is none, or none any more.
func (s *Shell) Pending(v *Visitor) (p auth.Pending, ok bool) {
	return auth.ParsePending(s.sessions.GetString(v.Ctx(), sessionSecond))
}

// renewSession gives the session a new token; the one before is worth nothing any more (security T15).
func (s *Shell) renewSession(v *Visitor, signIn finance.SignIn) error {
	if err := s.sessions.RenewToken(v.Ctx()); err != nil {
		return err
	}
	s.sessions.RememberMe(v.Ctx(), signIn.Remembered)
	s.sessions.SetDeadline(v.Ctx(), s.auth.Ends(signIn))
	return nil
}

// End ends the visitor's sign-in and the user's live streams; those of sign-ins that are still good connect again by themselves.
func (s *Shell) End(v *Visitor) error {
	if err := s.auth.SignOut(v.Ctx(), v.User.ID, v.SignIn.ID); err != nil {
		return err
	}
	s.hub.Disconnect(v.User.ID)
	return nil
}

// Left forgets the visitor, who was removed: the session, the live streams, and what the browser has kept. Whether there is an owner is asked anew.
func (s *Shell) Left(v *Visitor) {
	s.hub.Disconnect(v.User.ID)
	s.DestroySession(v)
	s.owned.Store(false)
	v.proven, v.User, v.SignIn = false, finance.User{}, finance.SignIn{}
	v.Writer.Header().Set("Clear-Site-Data", `"cache", "storage"`)
}

// SignOut ends the sign-in for good: the row that every request checks, the session of scs, the live streams, and what the browser has kept.
// Cookies are left out of Clear-Site-Data, which does not know ports and would take those of other programs on this host; ours is removed.
func (s *Shell) SignOut(v *Visitor) error {
	if v.SignedIn() {
		if err := s.End(v); err != nil {
			return err
		}
		s.log.InfoContext(v.Ctx(), "signed out", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
	s.DestroySession(v)
	v.Writer.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	v.SeeOther(paths.SignIn)
	return nil
}
