package store

import (
	"context"
	"strconv"
	"strings"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// Exported is Find with all that an export writes of a row.
func (s *Store) Exported(ctx context.Context, userID string, query search.Query, before int64, limit int) ([]finance.ExportedRow, bool, error) {
	return s.Mine(userID).Exported(ctx, query, before, limit)
}

// Exported is Store.Exported. Rows of others have no notes and no tags.
func (w Seen) Exported(ctx context.Context, query search.Query, before int64, limit int) (page []finance.ExportedRow, more bool, err error) {
	defer doing("read transactions for an export", &err)
	m, err := w.matchOf(ctx, query)
	if err != nil || m.nothing() {
		return nil, false, err
	}
	page, err = collect(ctx, w.store.db.Read(), scanExported, m.in.newest(exportedColumns), m.what, m.low, min(m.high, before), w.userID, limit)
	for i := range page {
		m.home.exported(&page[i])
	}
	if len(page) > limit {
		return page[:limit], true, err
	}
	return page, false, err
}

const exportedColumns = rowColumns + `, t.account_id, t.booking_date, t.value_date, t.transaction_date, t.counterparty_account, t.first_seen, t.identity, t.ordinal,
	COALESCE((SELECT json_extract(r.original, '$.entry_reference') FROM transaction_record r WHERE r.transaction_id = t.id), ''),
	COALESCE((SELECT note.text FROM transaction_note note WHERE note.transaction_id = t.id), ''),
	COALESCE((SELECT GROUP_CONCAT(tag.tag, char(10)) FROM transaction_tag tag WHERE tag.transaction_id = t.id), ''),
	COALESCE((SELECT GROUP_CONCAT(part.minor || ' ' || part.category_id || ' ' || part.note, char(10) ORDER BY part.position)
		FROM transaction_part part WHERE part.transaction_id = t.id), '')`

func scanExported(row scanner) (r finance.ExportedRow, err error) {
	var first sqlite.Time
	var identity string
	var ordinal int64
	var tags, parts string
	err = scanRow(row, &r.TransactionRow, &r.AccountID, &r.BookingDate, &r.ValueDate, &r.TransactionDate, &r.CounterpartyAccount, &first, &identity, &ordinal,
		&r.Reference, &r.Kept.Note, &tags, &parts)
	if err != nil {
		return r, err
	}
	r.Reference = finance.Clean(r.Reference)
	r.FirstSeen, r.StableID = first.Time, identity+"-"+strconv.FormatInt(ordinal, 10)
	if tags != "" { // no tag has a line break (finance.ReadTags)
		r.Kept.Tags = strings.Split(tags, "\n")
	}
	r.Parts, err = partsOf(parts, r.Amount.Currency())
	return r, err
}

// partsOf reads the parts of a row from one text: amount, category and note of each on a line. A note has one line (finance.ReadSplit).
func partsOf(text, currency string) (parts []finance.SplitPart, err error) {
	if text == "" {
		return nil, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		amount, rest, _ := strings.Cut(line, " ")
		category, note, _ := strings.Cut(rest, " ")
		minor, err := strconv.ParseInt(amount, 10, 64)
		if err != nil {
			return nil, err
		}
		parts = append(parts, finance.SplitPart{Amount: money.FromMinor(minor, currency), Category: category, Note: note})
	}
	return parts, nil
}
