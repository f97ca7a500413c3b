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

// The contents of a session.
const (
	sessionUser   = "user"
	sessionSignIn = "sign_in"
	sessionNotice = "notice"       // a message for a page, after its path and its tone
	sessionSecond = "second"       // a sign-in without its second step: auth.Pending
	sessionProofs = "proofs"       // the proofs of identity, and when they were given: see Shell.proofs
	sessionKept   = "__rememberMe" // of scs: the cookie outlives the browser's window; the only value that is not text
)

// sessionCookie and flowCookie are names of cookies. The service uses other names, because cookies ignore ports.
const (
	sessionCookie = "florin-session"
	flowCookie    = "florin-flow"
)

// newSessions returns the manager of sign-in sessions. The row of a sign-in, which auth checks on every request, decides when it ends; the session of scs
// holds little more than its id. The store hashes tokens and keeps a tombstone of each ended session. IdleTimeout stays 0, because scs would otherwise write
// back a session that was ended meanwhile (security F1).
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
	m.Cookie.SameSite = http.SameSiteLaxMode // Strict cookies are missing on the return from the bank (security F3)
	m.Cookie.Persist = false                 // unless the person has chosen to stay signed in
	m.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		if errors.Is(err, store.ErrSessionEnded) || r.Context().Err() != nil {
			return // another answer has already brought the new id to the browser, or nobody waits for this one: without a cookie it changes nothing
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

// sessionCodec encodes a session like a URL query; all values are text except sessionKept. It is decoded with every request, and the codec of scs and JSON
// are slower than the query for the session. Both were used in the past and can still be decoded, so that an upgrade signs nobody out. Data that cannot be
// decoded gives an empty session.
type sessionCodec struct{}

const sessionDeadline = "deadline" // stored with the values of the session

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
	return time.Now().Add(time.Hour), map[string]any{}, nil // values added to it from now on may last
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

// identify determines who is signed in. When the sign-in has ended or expired, it also deletes the session. used says that the request counts as use of the
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
		if err != nil { // a full disk must not keep people from reading
			s.log.WarnContext(v.Ctx(), "use of a sign-in not recorded", "error", err)
		}
	}
	return nil
}

// DestroySession removes the session from the browser. When the disk accepts no writes, its row remains, which is harmless: the sign-in that it names has
// ended.
func (s *Shell) DestroySession(v *Visitor) {
	if err := s.sessions.Destroy(v.Ctx()); err != nil {
		s.log.WarnContext(v.Ctx(), "session of an ended sign-in not removed", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
		s.sessions.WriteSessionCookie(v.Ctx(), v.Writer, "", time.Time{})
	}
}

// Begin signs the user in on this browser under a new token (security T15). It first signs out a user who was signed in there.
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

// BeginWithPassword is Begin after the password was checked. The check is also a proof for a user who must set up a second factor now.
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

// BeginPending stores the first step of a sign-in in this browser under a new token. It first signs out a user who was signed in there.
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

// Pending returns the sign-in in this browser whose second step is missing. ok is false when there is none.
func (s *Shell) Pending(v *Visitor) (p auth.Pending, ok bool) {
	return auth.ParsePending(s.sessions.GetString(v.Ctx(), sessionSecond))
}

// renewSession gives the session a new token; the previous one becomes invalid (security T15).
func (s *Shell) renewSession(v *Visitor, signIn finance.SignIn) error {
	if err := s.sessions.RenewToken(v.Ctx()); err != nil {
		return err
	}
	s.sessions.RememberMe(v.Ctx(), signIn.Remembered)
	s.sessions.SetDeadline(v.Ctx(), s.auth.Ends(signIn))
	return nil
}

// End ends the sign-in of the visitor and the live streams of the user. Streams of other, valid sign-ins reconnect by themselves.
func (s *Shell) End(v *Visitor) error {
	if err := s.auth.SignOut(v.Ctx(), v.User.ID, v.SignIn.ID); err != nil {
		return err
	}
	s.hub.Disconnect(v.User.ID)
	return nil
}

// Left clears everything about a visitor whose account was removed: the session, the live streams, and what the browser has stored. The next request checks
// again whether there is an owner.
func (s *Shell) Left(v *Visitor) {
	s.hub.Disconnect(v.User.ID)
	s.DestroySession(v)
	s.owned.Store(false)
	v.proven, v.User, v.SignIn = false, finance.User{}, finance.SignIn{}
	v.Writer.Header().Set("Clear-Site-Data", `"cache", "storage"`)
}

// SignOut ends the sign-in for good: the row that every request checks, the session of scs, the live streams, and what the browser has stored.
// Clear-Site-Data does not name cookies: it ignores ports and would delete those of other programs on this host. Ours is removed separately.
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
