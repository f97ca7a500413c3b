package calendar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/calendar"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/web/templates/words"
)

const (
	// hours is after how many hours a program is asked to look for something new.
	hours = 6
	// askedAtOnce is how often the programs of a person may ask at once; then once in askedEvery. People have several, and a person presses a button.
	askedAtOnce = 20
	askedEvery  = time.Minute
	// refusedLately is how long the page says that a program asks too often.
	refusedLately = time.Hour
)

// written is the file of a calendar as it is sent.
type written struct {
	body []byte
	etag string
}

// file answers a calendar program. An address that ended is not found, as one that never was (security T82).
func (a *Area) file(v *shell.Visitor) error {
	token, named := strings.CutSuffix(v.Request.PathValue("file"), ".ics")
	if !named {
		return finance.ErrNotFound
	}
	c, err := a.Store.CalendarByToken(v.Ctx(), finance.Secret(token))
	if err != nil {
		return err
	}
	if wait := a.asks(c.UserID, time.Now()); wait > 0 {
		v.Writer.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		return &shell.Problem{Status: http.StatusTooManyRequests}
	}
	if err := a.Store.CalendarAsked(v.Ctx(), c); err != nil {
		return err
	}
	f, err := a.write(v.Ctx(), c)
	if err != nil {
		return err
	}
	h := v.Writer.Header()
	h.Set("Cache-Control", "private, max-age=0") // the program asks each time whether it changed
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Content-Type", calendar.MIMEType)
	h.Set("Content-Disposition", `inline; filename="florin.ics"`)
	h.Set("ETag", f.etag)
	http.ServeContent(v.Writer, v.Request, "", time.Time{}, bytes.NewReader(f.body)) // looks at If-None-Match
	return nil
}

// asks counts a request of the person's calendar programs. Above the limit it returns how long the program has to wait, else 0.
func (a *Area) asks(userID string, now time.Time) (wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.asking[userID] // as many as there are people with an address
	if known == nil {
		known = &asking{limit: rate.NewLimiter(rate.Every(askedEvery), askedAtOnce)}
		a.asking[userID] = known
	}
	reserved := known.limit.ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		known.refused = now
	}
	return wait
}

// tooOften reports whether a program of a person was refused lately.
func (a *Area) tooOften(userID string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.asking[userID]
	return known != nil && !known.refused.IsZero() && now.Sub(known.refused) < refusedLately
}

// write makes the file of a calendar, from memory while nothing was written.
func (a *Area) write(ctx context.Context, c finance.Calendar) (written, error) {
	clock := show.Clock{Language: words.Speaking(words.App, c.Language), Now: a.At(ctx, time.Now()).Now}
	what := "calendar " + clock.Code() + strconv.FormatBool(c.Amounts) + strconv.FormatBool(c.Names)
	return store.Remembered(ctx, a.Store, c.UserID, what, clock.Now, a.Store.Stamp(ctx), func() (written, error) {
		entries, _, err := a.entries(ctx, c, clock)
		if err != nil {
			return written{}, err
		}
		events, err := a.Store.CalendarEvents(ctx, c.UserID, entries, clock.Today())
		if err != nil {
			return written{}, err
		}
		body, err := calendar.Write(calendar.File{Name: "Florin", Text: clock.Say("Payments, income and ends of consents that Florin expects."), Hours: hours}, entries, events)
		sum := sha256.Sum256(body)
		return written{body, `"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"`}, err
	})
}
