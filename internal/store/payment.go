package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

var (
	// ErrSent says that a payment is no draft any more: it was confirmed or discarded, and what came with the same form key is not taken.
	ErrSent = errors.New("this payment was confirmed already; it can no longer be changed")
	// ErrReturn says that a return from a bank fits no payment: its state is unknown, or it came to another browser.
	ErrReturn = errors.New("this return belongs to no payment, or was begun in another browser")
)

// payment reads a payment of a user.
func (s *Store) payment(ctx context.Context, q querier, userID, id string) (finance.Payment, error) {
	p, err := s.scanPayment(q.QueryRowContext(ctx, `SELECT `+paymentColumns+paymentFrom+`WHERE payment.id = $1 AND payment.user_id = $2`, id, userID))
	return p, notFound(err)
}

// Payment returns a payment of the user.
func (s *Store) Payment(ctx context.Context, userID, id string) (_ finance.Payment, err error) {
	defer doing("read payment", &err)
	return s.payment(ctx, s.db.Read(), userID, id)
}

// PaymentFilter chooses payments; its zero value all but drafts, discarded and hidden ones.
type PaymentFilter struct {
	Open      bool   // only those of which news are expected
	Drafts    bool   // only drafts
	Hidden    bool   // those that were put away, too
	AccountID string // only those from this account
	RetryOf   string // only those that repeat this payment
	Search    string // only those whose payee or title contains it, without regard to case
	Before    string // only those that come after this payment in the list: the next page
}

// Payments lists payments of the user, newest first: at most limit, and whether there are more. They have what a list
// shows; the rest of a payment comes with Payment.
func (s *Store) Payments(ctx context.Context, userID string, f PaymentFilter, limit int) (page []finance.Payment, more bool, err error) {
	defer doing("read payments", &err)
	query, args := paymentsQuery(userID, f, limit)
	read := func() (listed, error) { return s.listed(ctx, limit, query, args...) }
	var l listed
	if f.whole() {
		l, err = sqlite.Remember(ctx, s.db, sqlite.Key{"payment", userID, fmt.Sprint(f, limit)}, read)
	} else {
		l, err = read()
	}
	return l.page, l.more, err
}

// whole reports whether the filter selects the whole first part of a list that the first page or the list of payments shows. There are few such lists, so
// they are kept in memory until the next write (sqlite.Remember).
func (f PaymentFilter) whole() bool {
	return f == PaymentFilter{Open: f.Open, Drafts: f.Drafts, Hidden: f.Hidden}
}

// listed is a part of a list of payments.
type listed struct {
	page []finance.Payment
	more bool
}

// paymentsQuery reads one more than limit payments. Each filter is a text of its own, so that its index serves it; a pattern that is bound has SQLite
// prepare the text again at each run, so there is none without a search.
func paymentsQuery(userID string, f PaymentFilter, limit int) (query string, args []any) {
	query, args = `SELECT `+listedColumns+paymentFrom+`WHERE payment.user_id = $1 AND `, []any{userID, limit}
	if f.RetryOf != "" {
		query = `SELECT ` + listedColumns + paymentFrom + `WHERE +payment.user_id = $1 AND ` // +: by the payment, never by the index of the user
	}
	add := func(clause string, value any) {
		args = append(args, value)
		query += ` AND ` + strings.ReplaceAll(clause, "?", "$"+strconv.Itoa(len(args)))
	}
	switch {
	case f.Drafts:
		query += isDraft
	case f.Open:
		query += isOpen
	default:
		query += `payment.phase NOT IN ('draft', 'discarded')`
	}
	if !f.Hidden {
		query += ` AND payment.hidden = 0`
	}
	if f.AccountID != "" {
		add(`payment.account_id = ?`, f.AccountID)
	}
	if f.RetryOf != "" {
		add(`payment.retry_of = ?`, f.RetryOf)
	}
	if key := finance.NameKey(f.Search); key != "" {
		pattern := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(key) + "%"
		add(`EXISTS (SELECT 1 FROM payment_transfer transfer WHERE transfer.payment_id = payment.id AND transfer.payee_key LIKE ? ESCAPE '\')`, pattern)
	}
	if f.Before != "" {
		add(`(payment.created, payment.id) < (SELECT previous.created, previous.id FROM payment previous WHERE previous.id = ? AND previous.user_id = $1)`, f.Before)
	}
	return query + ` ORDER BY payment.created DESC, payment.id DESC LIMIT $2 + 1`, args
}

// listed reads one more than limit payments, to know whether there are more.
func (s *Store) listed(ctx context.Context, limit int, query string, args ...any) (l listed, err error) {
	l.page, err = collect(ctx, s.db.Read(), s.scanListed, query, args...)
	if len(l.page) > limit {
		l.page, l.more = l.page[:limit], true
	}
	return l, err
}

// Some states of a payment, in the words of the partial indexes that find them.
const (
	isDraft  = `payment.phase = 'draft'`
	isOpen   = `(payment.phase IN ('sending', 'unknown') OR payment.phase = 'created' AND payment.final = 0)`
	isUnseen = `payment.seen IS NULL AND (payment.final = 1 OR payment.phase = 'failed')`
)

// Drafts returns how many drafts the user has.
func (s *Store) Drafts(ctx context.Context, userID string) (_ int, err error) {
	defer doing("count drafts", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"payment", userID, "drafts"}, func() (n int, err error) {
		err = s.db.Read().QueryRowContext(ctx, draftsQuery, userID).Scan(&n)
		return n, err
	})
}

const draftsQuery = `SELECT COUNT(*) FROM payment WHERE payment.user_id = $1 AND ` + isDraft + ` AND payment.hidden = 0`

// PaymentTransfers lists the transfers of a payment of the user in their order.
func (s *Store) PaymentTransfers(ctx context.Context, userID, id string) (_ []finance.PaymentTransfer, err error) {
	defer doing("read payment transfers", &err)
	return paymentTransfers(ctx, s.db.Read(), userID, id)
}

func paymentTransfers(ctx context.Context, q querier, userID, id string) ([]finance.PaymentTransfer, error) {
	return collect(ctx, q, func(row scanner) (finance.PaymentTransfer, error) { return scanTransfer(row) }, `SELECT `+transferColumns+`
		FROM payment_transfer transfer JOIN payment ON payment.id = transfer.payment_id WHERE payment.id = $1 AND payment.user_id = $2 ORDER BY transfer.position`, id, userID)
}

const transferColumns = `transfer.position, transfer.minor, transfer.currency, transfer.payee, transfer.scheme, transfer.number, transfer.end_to_end_id, transfer.transaction_id, transfer.status`

// scanTransfer reads transferColumns, and what follows them into more.
func scanTransfer(row scanner, more ...any) (finance.PaymentTransfer, error) {
	var t finance.PaymentTransfer
	var minor int64
	var currency string
	err := row.Scan(append([]any{&t.Position, &minor, &currency, &t.Payee, &t.Account.Scheme, &t.Account.Number, &t.EndToEndID, &t.TransactionID, &t.Status},
		more...)...)
	if err == nil {
		t.Amount = money.FromMinor(minor, currency)
	}
	return t, err
}

// SaveDraft stores a draft under the one-time key of its form, or changes the one that is there. Once the payment is no draft any more, the same order
// under the same key is answered with the payment as it is, and another one with ErrSent and the payment. retryOf is a payment of the user that this
// one repeats, "" for none. The total must be above zero.
func (s *Store) SaveDraft(ctx context.Context, userID, formKey string, o finance.PaymentOrder, retryOf string) (_ finance.Payment, err error) {
	defer doing("save draft", &err)
	return s.saveDraft(ctx, userID, formKey, o, origin{retryOf: retryOf})
}

// SaveAskedDraft is SaveDraft for what somebody asked the user to pay. finance.ErrRequestOver when that is not open any more, or another payment is prepared
// for it already.
func (s *Store) SaveAskedDraft(ctx context.Context, userID, formKey string, o finance.PaymentOrder, requestID string) (_ finance.Payment, err error) {
	defer doing("save draft of a request", &err)
	return s.saveDraft(ctx, userID, formKey, o, origin{request: requestID})
}

// origin is why a draft is made.
type origin struct {
	retryOf string // the payment that it repeats; ""
	request string // what somebody asked for; ""
}

func (s *Store) saveDraft(ctx context.Context, userID, formKey string, o finance.PaymentOrder, from origin) (p finance.Payment, err error) {
	totals, err := o.Totals()
	if err != nil {
		return finance.Payment{}, err
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		p, err = s.scanPayment(tx.QueryRowContext(ctx, `SELECT `+paymentColumns+paymentFrom+`WHERE payment.user_id = $1 AND payment.form_key = $2`, userID, formKey))
		switch {
		case errors.Is(notFound(err), finance.ErrNotFound):
			p = finance.Payment{ID: finance.NewID(), UserID: userID, FormKey: formKey}
			o = o.Referenced(finance.UniqueReference())
			if err := s.insertDraft(ctx, tx, p, o, from); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			o = o.Referenced(*p.Order.Request.PaymentInformationID)
			switch same := o.ReviewHash() == p.Order.ReviewHash(); {
			case same:
				return nil
			case p.Phase != finance.PhaseDraft:
				return ErrSent
			}
		}
		if err := writeOrder(ctx, tx, p, o, totals); err != nil {
			return err
		}
		p, err = s.payment(ctx, tx, userID, p.ID)
		return err
	})
	return p, err
}

func (s *Store) insertDraft(ctx context.Context, tx *sqlite.Tx, p finance.Payment, o finance.PaymentOrder, from origin) error {
	if from.retryOf != "" {
		old, err := s.payment(ctx, tx, p.UserID, from.retryOf)
		if err != nil {
			return err
		}
		from.request = old.RequestID
	}
	if from.request != "" {
		switch r, err := s.paymentRequest(ctx, tx, p.UserID, from.request); {
		case err != nil:
			return err
		case r.Payer.ID != p.UserID:
			return finance.ErrNotFound
		case r.State == finance.RequestAsked:
		case from.retryOf != "": // it is repeated for its own sake
			from.request = ""
		default:
			return finance.ErrRequestOver
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO payment (id, user_id, provider_id, form_key, retry_of, request_id, revision, phase, aspsp_name, country, psu_type, type, auth_method,
			request, reference, successful, title, minor, currency, created)
		VALUES ($1, $2, NULLIF($3, ''), $4, NULLIF($5, ''), NULLIF($6, ''), 0, 'draft', '', '', '', '', '', '', $7, '', '', 0, '', $8)`,
		p.ID, p.UserID, o.ProviderID, p.FormKey, from.retryOf, from.request, o.Request.PaymentInformationID, sqlite.At(tx.Now))
	if err != nil {
		return err
	}
	return addEvent(ctx, tx, p.ID, finance.PaymentEvent{Kind: finance.EventDrafted})
}

// writeOrder writes what a draft is about. An account must be of the user.
func writeOrder(ctx context.Context, tx *sqlite.Tx, p finance.Payment, o finance.PaymentOrder, totals []money.Amount) error {
	request, err := json.Marshal(o.Request)
	if err != nil {
		return err
	}
	var successful []string
	for _, status := range o.Successful {
		successful = append(successful, string(status))
	}
	minor, currency := int64(0), ""
	if len(totals) == 1 {
		minor, currency = totals[0].Minor(), totals[0].Currency()
	}
	transfers := o.Transfers()
	title := "" // of several each has its own
	if len(transfers) == 1 {
		title = cmp.Or(transfers[0].Payee, transfers[0].Account.Format())
	}
	if o.AccountID != "" {
		var one int
		if err := tx.QueryRowContext(ctx, `SELECT 1 FROM account WHERE id = $1 AND user_id = $2`, o.AccountID, p.UserID).Scan(&one); err != nil {
			return notFound(err)
		}
	}
	err = changed(tx.ExecContext(ctx, `UPDATE payment SET provider_id = NULLIF($1, ''), account_id = NULLIF($2, ''), revision = revision + 1, aspsp_name = $3, country = $4, psu_type = $5,
			type = $6, auth_method = $7, request = $8, successful = $9, title = $10, minor = $11, currency = $12
		WHERE id = $13 AND user_id = $14 AND phase = 'draft'`,
		o.ProviderID, o.AccountID, o.ASPSP.Name, o.ASPSP.Country, o.PSUType, o.Type, o.AuthMethod, string(request), strings.Join(successful, " "), title, minor,
		currency, p.ID, p.UserID))
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM payment_transfer WHERE payment_id = $1`, p.ID); err != nil {
		return err
	}
	for i, t := range transfers {
		_, err := tx.ExecContext(ctx, `INSERT INTO payment_transfer (payment_id, position, payee, payee_key, scheme, number, minor, currency, end_to_end_id, reference_key)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			p.ID, i, t.Payee, finance.NameKey(t.Payee), t.Account.Scheme, t.Account.Number, t.Amount.Minor(), t.Amount.Currency(), t.EndToEndID,
			finance.ReferenceKey(o.Request.CreditTransferTransaction[i]))
		if err != nil {
			return err
		}
	}
	return nil
}

// Sending is what a confirmation stores with the payment.
type Sending struct {
	State    finance.Secret // of the way back
	Browser  finance.Secret // of the flow cookie
	Lifetime time.Duration  // of the state
	Answer   time.Duration  // after which no answer can come any more
}

// StartSending turns a draft into a payment that is being sent: of any number of calls one succeeds, and it alone may call the service. agree is asked
// in the same transaction, with the draft, whether it may go; its error is returned and nothing is changed. For a payment that is no draft any
// more, the payment as it is comes with ErrSent.
func (s *Store) StartSending(ctx context.Context, userID, id string, w Sending,
	agree func(p finance.Payment, past []finance.PastTransfer, payees []finance.Payee) error) (finance.Payment, error) {
	return s.confirm(ctx, userID, id, "begin to send payment", false, agree, func(tx *sqlite.Tx, p finance.Payment) error {
		return changed(tx.ExecContext(ctx, `UPDATE payment SET phase = 'sending', sent = $1, sending_until = $2, state_hash = $3, browser_hash = $4, state_expires = $5, last_day = $6
			WHERE id = $7 AND user_id = $8 AND phase = 'draft'`,
			sqlite.At(tx.Now), sqlite.At(tx.Now.Add(w.Answer)), hashOf(w.State), hashOf(w.Browser), sqlite.At(tx.Now.Add(w.Lifetime)), p.Order.LastDay(tx.Now),
			id,
			userID))
	})
}

// confirm turns a draft, which the person sends (ownApp) or a service, into what leave makes of it when agree lets it go, and returns the payment. An error
// of agree is returned as it is, every other one with what the store was doing.
func (s *Store) confirm(ctx context.Context, userID, id, what string, ownApp bool, agree func(finance.Payment, []finance.PastTransfer, []finance.Payee) error,
	leave func(*sqlite.Tx, finance.Payment) error) (p finance.Payment, err error) {
	var refusal error // of agree: the caller's own
	defer func() {
		if refusal == nil {
			doing(what, &err)
		}
	}()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		p, err = s.payment(ctx, tx, userID, id)
		switch {
		case err != nil:
			return err
		case p.Phase != finance.PhaseDraft:
			return ErrSent
		case p.Order.OwnApp() && !ownApp: // another tab made it one since the service was chosen
			return errors.New("store: this payment is sent by the person")
		case !p.Order.OwnApp() && ownApp:
			return errors.New("store: this payment is sent by a service")
		}
		past, payees, err := paidBefore(ctx, tx, userID, id, tx.Now)
		if err != nil {
			return err
		}
		if refusal = agree(p, past, payees); refusal != nil {
			return refusal
		}
		if err := leave(tx, p); err != nil {
			return err
		}
		if err := addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventConfirmed}); err != nil {
			return err
		}
		p, err = s.payment(ctx, tx, userID, id)
		return err
	})
	return p, err
}

// CreatedPayment is what the service says of a payment it has.
type CreatedPayment struct {
	PaymentID string
	Status    openbanking.PaymentStatus
	URL       string // "" when it is not known
	PSUIDHash string
	Found     bool // the payment was found later; its answer was lost
}

// PaymentCreated records that the service has a payment that was being sent, or whose outcome was unknown, be it that it has lapsed since. Webhooks
// that came before are now its own. The payment is due for a check. finance.ErrNotFound when it is in another phase.
func (s *Store) PaymentCreated(ctx context.Context, userID, id string, c CreatedPayment) (p finance.Payment, err error) {
	defer doing("record created payment", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE payment SET phase = 'created', payment_id = $1, url = $2, psu_id_hash = $3, status = $4, source = $5, sending_until = NULL,
				failure_code = '', failure_text = '', failure_request = '', at_created = $6, news = $6, next_check_at = $6
			WHERE id = $7 AND user_id = $8 AND (phase IN ('sending', 'unknown') OR phase = 'failed' AND failure_code = $9)`,
			c.PaymentID, s.key.seal(c.URL, "payment", "url", id), c.PSUIDHash, c.Status, source(c), sqlite.At(tx.Now), id, userID, finance.FailureLapsed))
		if errors.Is(err, finance.ErrNotFound) && c.URL != "" { // it was found meanwhile: the answer that came late still brings the address
			err = changed(tx.ExecContext(ctx,
				`UPDATE payment SET url = $1, psu_id_hash = $2 WHERE id = $3 AND user_id = $4 AND phase = 'created' AND payment_id = $5 AND url = ''`,
				s.key.seal(c.URL, "payment", "url", id), c.PSUIDHash, id, userID, c.PaymentID))
			if err == nil {
				p, err = s.payment(ctx, tx, userID, id)
			}
			return err
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE webhook_delivery SET local_id = $1, next_try_at = NULL
			WHERE payment_id = $2 AND verified = 1 AND applied IS NULL AND local_id IS NULL
			AND provider_id = (SELECT payment.provider_id FROM payment WHERE payment.id = $1 AND payment.user_id = $3)`, id, c.PaymentID, userID)
		if err != nil {
			return err
		}
		kind := finance.EventCreated
		if c.Found {
			kind = finance.EventFound
		}
		if err := addEvent(ctx, tx, id, finance.PaymentEvent{Kind: kind, Source: source(c), Status: c.Status}); err != nil {
			return err
		}
		p, err = s.payment(ctx, tx, userID, id)
		return err
	})
	return p, err
}

func source(c CreatedPayment) finance.NewsSource {
	if c.Found {
		return finance.NewsWebhook
	}
	return finance.NewsAnswer
}

// PaymentFailed records that a payment that was being sent was refused: nothing was created.
func (s *Store) PaymentFailed(ctx context.Context, userID, id string, f finance.Failure) (_ finance.Payment, err error) {
	defer doing("record failed payment", &err)
	return s.endSending(ctx, userID, id, finance.PhaseFailed, finance.EventFailed, f)
}

// PaymentUnknown records that it is not known whether a payment that was being sent exists.
func (s *Store) PaymentUnknown(ctx context.Context, userID, id string, f finance.Failure) (_ finance.Payment, err error) {
	defer doing("record unknown payment", &err)
	return s.endSending(ctx, userID, id, finance.PhaseUnknown, finance.EventUnknown, f)
}

func (s *Store) endSending(ctx context.Context, userID, id string, phase finance.Phase, kind finance.EventKind, f finance.Failure) (p finance.Payment,
	err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE payment SET phase = $1, sending_until = NULL, failure_code = $2, failure_text = $3, failure_request = $4, news = $5
			WHERE id = $6 AND user_id = $7 AND phase = 'sending'`, phase, f.Code, f.Said, f.RequestID, sqlite.At(tx.Now), id, userID))
		if err != nil {
			return err
		}
		if err := addEvent(ctx, tx, id, finance.PaymentEvent{Kind: kind, Detail: string(f.Code)}); err != nil {
			return err
		}
		p, err = s.payment(ctx, tx, userID, id)
		return err
	})
	return p, err
}

// SweepSending marks as unknown the payments that are still being sent although no answer can come, because the process that sent them died. It
// returns these payments, and when to look again; zero when nothing is being sent.
func (s *Store) SweepSending(ctx context.Context) (lost []finance.Payment, next time.Time, err error) {
	defer doing("find payments without an answer", &err)
	look := func() (sqlite.NullTime, error) {
		var at sqlite.NullTime
		err := s.db.Read().QueryRowContext(ctx, `SELECT MIN(sending_until) FROM payment WHERE sending_until IS NOT NULL`).Scan(&at)
		return at, err
	}
	first, err := look()
	if err != nil || first.IsZero() || first.After(time.Now()) {
		return nil, first.Time, err
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		lost, err = collect(ctx, tx, s.scanPayment, `SELECT `+paymentColumns+paymentFrom+`WHERE payment.phase = 'sending' AND payment.sending_until <= $1`,
			sqlite.At(tx.Now))
		if err != nil {
			return err
		}
		for i, p := range lost {
			err := changed(tx.ExecContext(ctx, `UPDATE payment SET phase = 'unknown', sending_until = NULL, failure_code = $1, news = $2
				WHERE id = $3 AND user_id = $4 AND phase = 'sending'`, finance.FailureInterrupted, sqlite.At(tx.Now), p.ID, p.UserID))
			if err != nil {
				return err
			}
			if err := addEvent(ctx, tx, p.ID, finance.PaymentEvent{Kind: finance.EventUnknown, Detail: string(finance.FailureInterrupted)}); err != nil {
				return err
			}
			lost[i].Phase, lost[i].Failure.Code = finance.PhaseUnknown, finance.FailureInterrupted
		}
		return nil
	})
	if err != nil {
		return nil, time.Time{}, err
	}
	second, err := look()
	return lost, second.Time, err
}

// LapseUnknown settles payments whose outcome has been unknown for so long that nobody can approve them any more: nobody received the address at
// which a payment is approved, so no money moved. It leaves out payments about which the bank was asked (ASPSP_…), and those of a provider with a
// webhook whose payment is still being looked for. It returns the settled ones, and when to look again; zero when none is left.
func (s *Store) LapseUnknown(ctx context.Context, after time.Duration) (lapsed []finance.Payment, next time.Time, err error) {
	defer doing("settle unknown payments", &err)
	look := func() (sqlite.NullTime, error) {
		var at sqlite.NullTime
		err := s.db.Read().QueryRowContext(ctx, unknownQuery).Scan(&at)
		if !at.IsZero() {
			at.Time = at.Add(after)
		}
		return at, err
	}
	first, err := look()
	if err != nil || first.IsZero() || first.After(time.Now()) {
		return nil, first.Time, err
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		lapsed, err = collect(ctx, tx, s.scanPayment, `SELECT `+paymentColumns+paymentFrom+`WHERE `+isLapsing+` AND payment.sent <= $1
			AND NOT EXISTS (SELECT 1 FROM webhook_delivery delivery WHERE delivery.next_try_at IS NOT NULL AND delivery.provider_id = payment.provider_id)`, sqlite.At(tx.Now.Add(-after)))
		if err != nil {
			return err
		}
		for i, p := range lapsed {
			err := changed(tx.ExecContext(ctx,
				`UPDATE payment SET phase = 'failed', failure_code = $1, failure_text = '', news = $2 WHERE id = $3 AND user_id = $4 AND phase = 'unknown'`,
				finance.FailureLapsed, sqlite.At(tx.Now), p.ID, p.UserID))
			if err != nil {
				return err
			}
			if err := addEvent(ctx, tx, p.ID, finance.PaymentEvent{Kind: finance.EventFailed, Detail: string(finance.FailureLapsed)}); err != nil {
				return err
			}
			lapsed[i].Phase, lapsed[i].Failure.Code, lapsed[i].Failure.Said = finance.PhaseFailed, finance.FailureLapsed, ""
		}
		return nil
	})
	if err != nil {
		return nil, time.Time{}, err
	}
	second, err := look()
	if !second.IsZero() && second.Before(time.Now()) { // a webhook is looked for
		second.Time = time.Now().Add(time.Minute)
	}
	return lapsed, second.Time, err
}

const (
	isLapsing    = `payment.phase = 'unknown' AND substr(payment.failure_code, 1, 6) <> 'ASPSP_'`
	unknownQuery = `SELECT MIN(payment.sent) FROM payment WHERE ` + isLapsing
)

// DiscardDraft discards a draft of the user. It returns ErrSent when the payment is no draft any more.
func (s *Store) DiscardDraft(ctx context.Context, userID, id string) (err error) {
	defer doing("discard draft", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return s.discardDraft(ctx, tx, userID, id) })
}

func (s *Store) discardDraft(ctx context.Context, tx *sqlite.Tx, userID, id string) error {
	if _, err := s.payment(ctx, tx, userID, id); err != nil {
		return err
	}
	err := changed(tx.ExecContext(ctx, `UPDATE payment SET phase = 'discarded' WHERE id = $1 AND user_id = $2 AND phase = 'draft'`, id, userID))
	if errors.Is(err, finance.ErrNotFound) {
		return ErrSent
	}
	if err != nil {
		return err
	}
	return addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventDiscarded})
}

// HidePayment takes a payment of the user out of the lists, or back into them. It changes nothing at the bank.
func (s *Store) HidePayment(ctx context.Context, userID, id string, hidden bool) (err error) {
	defer doing("hide payment", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := changed(tx.ExecContext(ctx, `UPDATE payment SET hidden = $1 WHERE id = $2 AND user_id = $3`, flag(hidden), id, userID)); err != nil {
			return err
		}
		if !hidden {
			return nil
		}
		return addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventHidden})
	})
}

// UsePaymentState consumes the state of a return from the bank, once (security T10): of any number of calls one succeeds, and notes what the return
// seems to say, which is auth. The payment is due for a check. A state that was used, is too old, or is of a payment that is final leads its browser
// to the payment all the same, and changes nothing. ErrReturn for a state that is unknown, of another provider, or in another browser. The user is
// the one who began it.
func (s *Store) UsePaymentState(ctx context.Context, providerID string, state, browser finance.Secret,
	auth openbanking.PaymentAuthStatus) (p finance.Payment, err error) {
	defer doing("use payment state", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var userID, id string
		err := tx.QueryRowContext(ctx, `UPDATE payment SET returned = $1, next_check_at = CASE WHEN final = 0 THEN $1 END
			WHERE state_hash = $2 AND browser_hash = $3 AND provider_id = $4 AND phase = 'created' AND returned IS NULL AND state_expires > $1
			RETURNING user_id, id`, sqlite.At(tx.Now), hashOf(state), hashOf(browser), providerID).Scan(&userID, &id)
		if errors.Is(notFound(err), finance.ErrNotFound) {
			err := tx.QueryRowContext(ctx,
				`SELECT payment.user_id, payment.id FROM payment WHERE payment.state_hash = $1 AND payment.browser_hash = $2 AND payment.provider_id = $3`,
				hashOf(state), hashOf(browser), providerID).Scan(&userID, &id)
			if err != nil {
				return err
			}
			p, err = s.payment(ctx, tx, userID, id)
			return err
		}
		if err != nil {
			return err
		}
		p, err = s.payment(ctx, tx, userID, id)
		if err != nil {
			return err
		}
		if err := addEvent(ctx, tx, id, finance.PaymentEvent{Kind: finance.EventReturned, Source: finance.NewsReturn, Auth: auth}); err != nil {
			return err
		}
		p, _, err = s.apply(ctx, tx, p, finance.PaymentNews{Source: finance.NewsReturn, At: tx.Now, Auth: auth, AuthSource: finance.NewsReturn, AuthAt: tx.Now},
			"")
		return err
	})
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return finance.Payment{}, ErrReturn
	}
	return p, err
}

// StateUntil returns until when the return from the bank is accepted in a browser; zero when it belongs to another browser.
func (s *Store) StateUntil(ctx context.Context, userID, id string, browser finance.Secret) (_ time.Time, err error) {
	defer doing("read payment state", &err)
	var until sqlite.NullTime
	err = s.db.Read().QueryRowContext(ctx, `SELECT state_expires FROM payment WHERE id = $1 AND user_id = $2 AND browser_hash = $3 AND phase = 'created'`,
		id, userID, hashOf(browser)).Scan(&until)
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return time.Time{}, nil
	}
	return until.Time, err
}

// RenewState lets the return from the bank be accepted for a while from now on, in the browser that leaves for the bank. A state that was used stays
// used.
func (s *Store) RenewState(ctx context.Context, userID, id string, browser finance.Secret, lifetime time.Duration) (err error) {
	defer doing("renew payment state", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE payment SET browser_hash = $1, state_expires = $2 WHERE id = $3 AND user_id = $4 AND phase = 'created'`,
			hashOf(browser), sqlite.At(tx.Now.Add(lifetime)), id, userID)
		return err
	})
}

// waiting is the condition of a payment that the user may have approved at the bank, and of which the bank has said nothing since.
var waiting = `(payment.phase = 'created' AND payment.final = 0 AND (payment.at_approved IS NOT NULL OR payment.returned IS NOT NULL) AND NOT (` +
	carriedOut + `))`

// paidBefore returns what a user has paid and saved under the accounts and names of a payment, without the payment itself. It returns each payee that a
// bank has paid once. Of the transfers to the same account it returns the latest with the same amount, while a duplicate is still asked about, and the
// latest with the same reference. So the size of the result depends on the payment alone, not on how much was paid before.
func paidBefore(ctx context.Context, q querier, userID, id string, now time.Time) (past []finance.PastTransfer, payees []finance.Payee, err error) {
	past, err = collect(ctx, q, func(row scanner) (p finance.PastTransfer, err error) {
		p.Paid = true
		return p, row.Scan(&p.Payee, &p.Account.Scheme, &p.Account.Number)
	}, `SELECT DISTINCT transfer.payee, transfer.scheme, transfer.number FROM payment_transfer asked
		CROSS JOIN payment_transfer transfer ON transfer.scheme = asked.scheme AND transfer.number = asked.number OR asked.payee_key <> '' AND transfer.payee_key = asked.payee_key
		CROSS JOIN payment INDEXED BY payment_standing ON payment.user_id = $1 AND payment.id = transfer.payment_id
		WHERE asked.payment_id = $2 AND payment.id <> $2 AND `+carriedOut+` AND `+transferPaid+`
		ORDER BY transfer.payee, transfer.scheme, transfer.number`, userID, id)
	if err != nil {
		return nil, nil, err
	}
	for _, alike := range []string{
		`transfer.minor = asked.minor AND transfer.currency = asked.currency AND (payment.phase = 'unknown' OR payment.sent > $3 OR ` + waiting + `)`,
		`transfer.reference_key = asked.reference_key AND asked.reference_key <> '' AND $3 <> ''`,
	} {
		repeated, err := collect(ctx, q, scanPast, `SELECT past.*, payment.phase = 'created' AND (payment.at_approved IS NULL AND payment.returned IS NULL OR payment.type = 'OWN_APP')
				AND NOT (`+carriedOut+`), `+waiting+` FROM (
			SELECT payment.id, transfer.payee, transfer.scheme, transfer.number, transfer.minor, transfer.currency, transfer.reference_key, payment.phase = 'unknown', MAX(payment.sent), asked.position FROM payment_transfer asked
			CROSS JOIN payment_transfer transfer ON transfer.scheme = asked.scheme AND transfer.number = asked.number
			CROSS JOIN payment INDEXED BY payment_standing ON payment.user_id = $1 AND payment.id = transfer.payment_id
			WHERE asked.payment_id = $2 AND payment.id <> $2 AND payment.sent IS NOT NULL AND payment.phase <> 'failed' AND NOT (payment.final = 1 AND payment.status IN `+voidStatuses+`)
				AND `+transferPaid+` AND `+alike+`
			GROUP BY asked.position) past JOIN payment ON payment.id = past.id ORDER BY past.position`, userID, id, sqlite.At(now.Add(-finance.DuplicateWithin)))
		if err != nil {
			return nil, nil, err
		}
		past = append(past, repeated...)
	}
	payees, err = collect(ctx, q, func(row scanner) (e finance.Payee, err error) {
		return e, row.Scan(&e.ID, &e.Name, &e.Account.Scheme, &e.Account.Number)
	}, `SELECT DISTINCT payee.id, payee.name, payee.scheme, payee.number FROM payment_transfer asked
		JOIN payee ON payee.scheme = asked.scheme AND payee.number = asked.number OR asked.payee_key <> '' AND payee.name_key = asked.payee_key
		WHERE asked.payment_id = $2 AND payee.user_id = $1 ORDER BY payee.name_key, payee.id`, userID, id)
	return past, payees, err
}

func scanPast(row scanner) (finance.PastTransfer, error) {
	var p finance.PastTransfer
	var minor int64
	var currency string
	var sent sqlite.Time
	var position int
	err := row.Scan(&p.LocalID, &p.Payee, &p.Account.Scheme, &p.Account.Number, &minor, &currency, &p.Reference, &p.Uncertain, &sent, &position,
		&p.Unapproved, &p.Waiting)
	p.Amount, p.Sent = money.FromMinor(minor, currency), sent.Time
	return p, err
}

// fillReferences fills in the references of transfers from before there was a column for them.
func (s *Store) fillReferences(ctx context.Context) error {
	type old struct{ id, request string }
	all, err := collect(ctx, s.db.Read(), func(row scanner) (o old, err error) { return o, row.Scan(&o.id, &o.request) },
		`SELECT payment.id, payment.request FROM payment WHERE payment.id IN (SELECT transfer.payment_id FROM payment_transfer transfer WHERE transfer.reference_key IS NULL)`)
	if err != nil || len(all) == 0 {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, o := range all {
			var r openbanking.PaymentRequestResource
			if err := json.Unmarshal([]byte(o.request), &r); err != nil {
				return fmt.Errorf("payment %s: %w", o.id, err)
			}
			for i, t := range r.CreditTransferTransaction {
				if _, err := tx.ExecContext(ctx, `UPDATE payment_transfer SET reference_key = $1 WHERE payment_id = $2 AND position = $3`, finance.ReferenceKey(t),
					o.id, i); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// fillLastDays works out the last day of payments from before there was a column for it (migration 00013).
func (s *Store) fillLastDays(ctx context.Context) error {
	type old struct {
		id, request string
		sent        sqlite.Time
	}
	all, err := collect(ctx, s.db.Read(), func(row scanner) (o old, err error) { return o, row.Scan(&o.id, &o.request, &o.sent) },
		`SELECT payment.id, payment.request, payment.sent FROM payment WHERE payment.last_day = '' AND payment.sent IS NOT NULL`)
	if err != nil || len(all) == 0 {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, o := range all {
			var order finance.PaymentOrder
			if err := json.Unmarshal([]byte(o.request), &order.Request); err != nil {
				return fmt.Errorf("payment %s: %w", o.id, err)
			}
			if _, err := tx.ExecContext(ctx, `UPDATE payment SET last_day = $1 WHERE id = $2`, order.LastDay(o.sent.Time), o.id); err != nil {
				return err
			}
		}
		return nil
	})
}

// PaidBefore is what the user paid and saved under the accounts and the names of a payment, which is left out itself. Of saved payees it has name and account.
func (s *Store) PaidBefore(ctx context.Context, userID, id string) (_ []finance.PastTransfer, _ []finance.Payee, err error) {
	defer doing("read earlier payments", &err)
	return paidBefore(ctx, s.db.Read(), userID, id, time.Now())
}
