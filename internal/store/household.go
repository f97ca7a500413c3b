package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// Seen reads what a person sees: of the own accounts (Mine), or of the household (Household): the own accounts and those that others share with the person.
// What rows of others come to counts as the own; of what their owners alone are told nothing is read out: names of accounts, notes, tags, files, payments, and
// what is still to be reviewed (ADR 0058). Each call asks anew what is shared: it holds until the next write.
type Seen struct {
	store     *Store
	userID    string
	household bool
}

// Mine reads what is the user's own.
func (s *Store) Mine(userID string) Seen { return Seen{s, userID, false} }

// Household reads what the user sees of everybody.
func (s *Store) Household(userID string) Seen { return Seen{s, userID, true} }

// OfHousehold reports whether it is more than the person's own.
func (w Seen) OfHousehold() bool { return w.household }

// key is by what something that is read is remembered. No id of a user has a space.
func (w Seen) key() string {
	if w.household {
		return "household " + w.userID
	}
	return w.userID
}

// seenBy returns the condition that a user sees an account. account is the name of the accounts in the statement, user the parameter with the user's id.
// The reading statement itself checks the shares, so a share that has ended takes effect at once.
func seenBy(household bool, account, user string) string {
	if household {
		return account + `.id IN (SELECT seen.account_id FROM household_account seen WHERE seen.user_id = ` + user + `)`
	}
	return account + `.user_id = ` + user
}

// household is what a person sees of others.
type household struct {
	rows  []finance.SharedAccount // accounts with all their transactions, each joint account once
	worth []finance.SharedAccount // accounts of which only the balances are seen
	owner map[string]string       // by the ids of rows
	// payers are the owners of accounts that are shared with everything, other copies of joint accounts too; counts is the copy that counts, by their ids.
	payers []finance.User
	counts map[string]string
	marks  map[string]search.Marked
	// roots are the categories that the person sees in place of those of an owner, by the ids of the owner and of the category as rows have it.
	roots map[string]map[string]string
	book  categories.Book
}

// home is the household of the person, from memory while nothing was written.
func (w Seen) home(ctx context.Context) (*household, error) {
	return sqlite.Remember(ctx, w.store.db, sqlite.Key{"household", w.userID}, func() (*household, error) {
		shared, err := w.store.Shared(ctx, w.userID)
		if err != nil {
			return nil, err
		}
		own, err := w.store.Accounts(ctx, w.userID)
		if err != nil {
			return nil, err
		}
		seen, err := collect(ctx, w.store.db.Read(), func(row scanner) (id string, err error) { return id, row.Scan(&id) },
			`SELECT account_id FROM household_account WHERE user_id = $1`, w.userID)
		if err != nil {
			return nil, err
		}
		h := &household{owner: map[string]string{}, counts: map[string]string{}, marks: map[string]search.Marked{}, roots: map[string]map[string]string{}}
		counted := slices.Clone(own)
		var balances []finance.SharedAccount
		for _, a := range shared {
			switch {
			case slices.Contains(seen, a.ID):
				h.rows, counted = append(h.rows, a), append(counted, a.Account)
				h.owner[a.ID] = a.Owner.ID
				h.marks[a.Owner.ID] = append(h.marks[a.Owner.ID], search.AccountMark(a.ID))
			case a.Level == finance.ShareBalances:
				balances = append(balances, a)
			}
		}
		h.worth = finance.CountOnce(counted, balances)
		for _, a := range shared {
			i := slices.IndexFunc(counted, func(c finance.Account) bool { return c.ID == a.ID || finance.SameAccount(c, a.Account) })
			if a.Level != finance.ShareEverything || i < 0 {
				continue
			}
			h.counts[a.ID] = counted[i].ID
			if !slices.ContainsFunc(h.payers, func(u finance.User) bool { return u.ID == a.Owner.ID }) {
				h.payers = append(h.payers, a.Owner)
			}
		}
		if h.book, err = w.store.Categories(ctx, w.userID); err != nil {
			return nil, err
		}
		h.book = slices.Clone(h.book)
		for _, a := range h.rows {
			if h.roots[a.Owner.ID] != nil {
				continue
			}
			book, err := w.store.Categories(ctx, a.Owner.ID)
			if err != nil {
				return nil, err
			}
			h.roots[a.Owner.ID] = h.join(book)
		}
		return h, nil
	})
}

// join adds the categories of an owner to those of the person. It returns, for each category of the owner, the category under which the person sees it: the
// same one of the starting set, the person's own category of the same name, else a new one with the owner's name for it.
func (h *household) join(owner categories.Book) map[string]string {
	roots := map[string]string{}
	for id, root := range owner.Roots() {
		if same, known := h.book.Of(root.ID); known {
			roots[id] = same.ID
			continue
		}
		at := slices.IndexFunc(h.book, func(own categories.Own) bool {
			return own.Into == "" && own.Name != "" && strings.EqualFold(own.Name, root.Name)
		})
		if at < 0 {
			at = len(h.book)
			h.book = append(h.book, categories.Own{Category: root.Category, Name: root.Name, Archived: root.Archived})
		}
		roots[id] = h.book[at].ID
	}
	slices.SortStableFunc(h.book, func(a, b categories.Own) int {
		return cmp.Compare(slices.Index(categories.Groups, a.Group), slices.Index(categories.Groups, b.Group))
	})
	return roots
}

// category is the category that the person sees of a row of an account, by that which the row has.
func (h *household) category(accountID, id string) string {
	owner, theirs := h.owner[accountID]
	if !theirs {
		return id
	}
	return h.roots[owner][id]
}

// row is a row of an account as the person sees it.
func (h *household) row(accountID string, r finance.TransactionRow) finance.TransactionRow {
	if h == nil || h.owner[accountID] == "" {
		return r
	}
	r.Category, r.Reviewed, r.Suggestion = h.category(accountID, r.Category), true, ""
	for i, id := range r.Split {
		r.Split[i] = h.category(accountID, id)
	}
	return r
}

// exported is row, for what an export writes of it.
func (h *household) exported(r *finance.ExportedRow) {
	if h == nil || h.owner[r.AccountID] == "" {
		return
	}
	r.TransactionRow = h.row(r.AccountID, r.TransactionRow)
	r.Kept.Note, r.Kept.Tags = "", nil
	for i, p := range r.Parts {
		r.Parts[i].Category, r.Parts[i].Note = h.category(r.AccountID, p.Category), ""
	}
}

// asked returns the query as it applies to the rows of an account: unchanged for the person's own accounts, else as askedOf.
func (h *household) asked(accountID string, query search.Query) search.Query {
	if h == nil || h.owner[accountID] == "" {
		return query
	}
	return h.askedOf(h.owner[accountID], query)
}

// askedOf translates a query for the rows of another owner: categories become those of the owner, and conditions on private facts, such as notes and tags,
// match nothing.
func (h *household) askedOf(owner string, query search.Query) search.Query {
	switch q := query.(type) {
	case search.And:
		return search.And(h.eachAsked(owner, q))
	case search.Or:
		return search.Or(h.eachAsked(owner, q))
	case search.Not:
		return search.Not{Query: h.askedOf(owner, q.Query)}
	case search.Phrase:
		return q.Public()
	case search.Marked:
		marks := search.Marked{}
		for _, mark := range q {
			if id, is := mark.Category(); is {
				for theirs, root := range h.roots[owner] {
					if root == id {
						marks = append(marks, search.CategoryMark(theirs))
					}
				}
			} else if mark.Public() {
				marks = append(marks, mark)
			}
		}
		slices.Sort(marks)
		return marks
	}
	return query
}

func (h *household) eachAsked(owner string, parts []search.Query) []search.Query {
	asked := make([]search.Query, len(parts))
	for i, part := range parts {
		asked[i] = h.askedOf(owner, part)
	}
	return asked
}

// condition puts a query into the language of the index: for the own accounts, and for those of each owner who shares some. Owners of whose accounts the query
// asks for none are left out.
func (h *household) condition(own seenAccounts, query search.Query) string {
	own.all = false // the household has others
	groups := []struct {
		seen  seenAccounts
		query search.Query
	}{{own, query}}
	for i, a := range h.rows {
		if !slices.ContainsFunc(h.rows[:i], func(before finance.SharedAccount) bool { return before.Owner.ID == a.Owner.ID }) {
			groups = append(groups, struct {
				seen  seenAccounts
				query search.Query
			}{seenAccounts{marks: h.marks[a.Owner.ID]}, h.askedOf(a.Owner.ID, query)})
		}
	}
	var conditions []string
	for _, g := range groups {
		if len(g.seen.marks) > 0 && !g.seen.leavesOut(g.query) {
			conditions = append(conditions, g.seen.condition(g.seen.without(g.query)))
		}
	}
	return joined(conditions, " OR ", "")
}

// leavesOut reports whether a query asks for other accounts alone.
func (seen seenAccounts) leavesOut(query search.Query) bool {
	and, ok := query.(search.And)
	if !ok {
		and = search.And{query}
	}
	return slices.ContainsFunc(and, func(part search.Query) bool {
		marks, ok := part.(search.Marked)
		return ok && !slices.ContainsFunc(marks, func(m search.Mark) bool {
			_, account := m.Account()
			return !account || slices.Contains(seen.marks, m)
		})
	})
}

// categorised gives sums of others the categories that the person sees.
func (w Seen) categorised(ctx context.Context, all []Sum) ([]Sum, error) {
	if !w.household {
		return all, nil
	}
	h, err := w.home(ctx)
	if err != nil {
		return nil, err
	}
	for i, sum := range all {
		all[i].Category = h.category(sum.AccountID, sum.Category)
	}
	return all, nil
}

// Categories is Store.Categories; those of the household have the categories of others that the person lacks, under the names that their owners gave them.
func (w Seen) Categories(ctx context.Context) (_ categories.Book, err error) {
	defer doing("read categories", &err)
	if !w.household {
		return w.store.Categories(ctx, w.userID)
	}
	h, err := w.home(ctx)
	if err != nil {
		return nil, err
	}
	return h.book, nil
}

// Holdings is Store.Holdings; those of the household have the accounts of others whose transactions are seen, with their banks and balances.
func (w Seen) Holdings(ctx context.Context) (_ Holdings, err error) {
	defer doing("read holdings", &err)
	all, err := w.store.Holdings(ctx, w.userID)
	if err != nil || !w.household {
		return all, err
	}
	h, err := w.home(ctx)
	if err != nil {
		return all, err
	}
	return all.with(h.rows), nil
}

// Worth is Holdings with the accounts of others of which only the balances are seen.
func (w Seen) Worth(ctx context.Context) (_ Holdings, err error) {
	defer doing("read holdings", &err)
	all, err := w.Holdings(ctx)
	if err != nil || !w.household {
		return all, err
	}
	h, err := w.home(ctx)
	if err != nil {
		return all, err
	}
	return all.with(h.worth), nil
}

// with are holdings with accounts of others beside them.
func (h Holdings) with(others []finance.SharedAccount) Holdings {
	h.Accounts, h.Connections = slices.Clip(h.Accounts), slices.Clip(h.Connections)
	balances := make(map[string][]finance.Balance, len(h.Balances)+len(others))
	for id, list := range h.Balances {
		balances[id] = list
	}
	for _, a := range others {
		h.Accounts, balances[a.ID] = append(h.Accounts, a.Account), a.Balances
		if a.Connection.ID != "" && !slices.ContainsFunc(h.Connections, func(c finance.Connection) bool { return c.ID == a.Connection.ID }) {
			h.Connections = append(h.Connections, a.Connection)
		}
	}
	h.Balances = balances
	return h
}

// Owners are whose the accounts of others are that the person sees, by the ids of the accounts; none of what is the person's own.
func (w Seen) Owners(ctx context.Context) (_ map[string]finance.User, err error) {
	defer doing("read owners of accounts", &err)
	owners := map[string]finance.User{}
	if !w.household {
		return owners, nil
	}
	h, err := w.home(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range slices.Concat(h.rows, h.worth) {
		owners[a.ID] = a.Owner
	}
	return owners, nil
}

// DayBalances is Store.DayBalances. Of an account of which only the balances are seen it is known from the day of the present one on: what was on it on days
// before would tell what was booked.
func (w Seen) DayBalances(ctx context.Context, accountID string, in search.Period) (_ []DayBalance, err error) {
	defer doing("read balances of days", &err)
	if !w.household {
		return w.store.DayBalances(ctx, w.userID, accountID, in)
	}
	h, err := w.home(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(h.worth, func(a finance.SharedAccount) bool { return a.ID == accountID })
	if at < 0 {
		return w.store.DayBalances(ctx, cmp.Or(h.owner[accountID], w.userID), accountID, in)
	}
	counted := finance.Counted(h.worth[at].Account, h.worth[at].Balances)
	if counted == nil {
		return nil, nil
	}
	var list []DayBalance
	for day := max(in.From, cmp.Or(counted.Reference, openbanking.DateOf(counted.Fetched))); day != "" && day <= in.To; day = dayAfter(day) {
		list = append(list, DayBalance{day, counted.Amount})
	}
	return list, nil
}

// Pending are the rows of an account that are not booked, of which the query is true. row is what can be found of one.
func (w Seen) Pending(ctx context.Context, accountID string, query search.Query, row func(finance.PendingTransaction) search.Row) (
	found []finance.PendingTransaction, err error) {
	defer doing("read pending transactions", &err)
	owner := w.userID
	if w.household {
		h, err := w.home(ctx)
		if err != nil {
			return nil, err
		}
		owner, query = cmp.Or(h.owner[accountID], owner), h.asked(accountID, query)
	}
	all, err := w.store.Pending(ctx, owner, accountID)
	for _, t := range all {
		if query.Matches(row(t)) {
			found = append(found, t)
		}
	}
	return found, err
}

// LooksAtHousehold reports whether the user looks at the household where a page leaves the choice.
func (s *Store) LooksAtHousehold(ctx context.Context, userID string) (_ bool, err error) {
	defer doing("read whose accounts are shown", &err)
	return s.some(ctx, "household_choice", `SELECT 1 FROM household_choice WHERE user_id = $1`, userID)
}

// LookAtHousehold keeps whether the user looks at the household.
func (s *Store) LookAtHousehold(ctx context.Context, userID string, household bool) (err error) {
	defer doing("save whose accounts are shown", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		query := `DELETE FROM household_choice WHERE user_id = $1`
		if household {
			query = `INSERT INTO household_choice (user_id) VALUES ($1) ON CONFLICT DO NOTHING`
		}
		_, err := tx.ExecContext(ctx, query, userID)
		return err
	})
}
