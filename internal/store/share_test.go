package store

import (
	"errors"
	"slices"
	"testing"

	"florin/internal/finance"
)

// Who sees what of an account: all pairs of the level for everybody and the level for one person, seen by that person, another one and the owner, and by each
// after all shares were ended.
func TestRightsOfShares(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	ownerID, account := b.linked(t)
	reader, other := b.user(t, "reader@example.org"), must(b.CreateUser(ctx, "viewer@example.org", finance.RoleViewer, "h"))(t)
	sees := func(userID string) finance.ShareLevel {
		t.Helper()
		shared, err := b.SharedAccount(ctx, userID, account)
		if errors.Is(err, finance.ErrNotFound) {
			return finance.ShareNothing
		}
		check(t, err)
		if shared.ID != account || shared.Owner.ID != ownerID || shared.Nickname != "" {
			t.Errorf("%+v", shared)
		}
		return shared.Level
	}
	for _, everybody := range finance.ShareLevels {
		for _, single := range finance.ShareLevels {
			must(b.Share(ctx, ownerID, account, []finance.Share{{Level: everybody}, {ReaderID: reader.ID, Level: single},
				{ReaderID: ownerID, Level: finance.ShareEverything}}))(t)
			for _, c := range []struct {
				who, id string
				want    finance.ShareLevel
			}{{"reader", reader.ID, max(everybody, single)}, {"another", other.ID, everybody}, {"owner", ownerID, finance.ShareNothing}, {"nobody", "nobody", finance.ShareNothing}} {
				if got := sees(c.id); got != c.want {
					t.Errorf("everybody %q, one %q: the %s sees %q, want %q", everybody, single, c.who, got, c.want)
				}
				if _, _, err := b.SharedRow(ctx, c.id, account, 1); !errors.Is(err, finance.ErrNotFound) { // there is no row
					t.Errorf("a row that is not there: %v", err)
				}
			}
		}
	}
	if got := must(b.Shares(ctx, ownerID, account))(t); len(got) != 2 || got[0].ReaderID != "" {
		t.Errorf("the owner sees the shares %+v", got)
	}
	if got := must(b.Shares(ctx, reader.ID, account))(t); len(got) != 0 {
		t.Errorf("somebody else sees the shares %+v", got)
	}

	// Only people whose access changes are returned.
	concerned := must(b.Share(ctx, ownerID, account, []finance.Share{{Level: finance.ShareBalances}, {ReaderID: reader.ID, Level: finance.ShareEverything}}))(t)
	if !slices.Equal(concerned, []string{other.ID}) {
		t.Errorf("%v, want only %s", concerned, other.ID)
	}
	if _, err := b.Share(ctx, reader.ID, account, []finance.Share{{Level: finance.ShareEverything}}); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("somebody else shares it: %v", err)
	}
	if _, err := b.Share(ctx, ownerID, account, []finance.Share{{ReaderID: "nobody", Level: finance.ShareBalances}}); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("shared with an unknown user: %v", err)
	}
	if sees(reader.ID) != finance.ShareEverything {
		t.Error("a share that was refused has changed something")
	}
	concerned = must(b.Share(ctx, ownerID, account, nil))(t)
	if slices.Sort(concerned); len(concerned) != 2 || sees(reader.ID) != finance.ShareNothing || len(must(b.Shared(ctx, other.ID))(t)) != 0 {
		t.Errorf("after the end: %v", concerned)
	}

	// A share ends when the person it is for is removed.
	must(b.Share(ctx, ownerID, account, []finance.Share{{ReaderID: reader.ID, Level: finance.ShareBalances}}))(t)
	check(t, b.SetNickname(ctx, ownerID, account, "My secret name"))
	if sees(reader.ID) != finance.ShareBalances {
		t.Error("not shared")
	}
	check(t, b.RemoveUser(ctx, reader.ID))
	if got := must(b.Shares(ctx, ownerID, account))(t); len(got) != 0 {
		t.Errorf("shared with a removed person: %+v", got)
	}
}

// Two people who linked one account learn that from each other's account; others do not. The same account in another currency is another account.
func TestAJointAccountIsFound(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	one, two, three := b.user(t, "one@example.org"), b.user(t, "two@example.org"), b.user(t, "three@example.org")
	first, _ := b.link(t, one, "s1", resource("h", "EUR", "u1"), resource("h3", "EUR", "u9"))
	b.link(t, two, "s2", resource("h", "EUR", "u2"))
	b.link(t, three, "s3", resource("h", "USD", "u3"))
	joint, single := first.Accounts[0].Account.ID, first.Accounts[1].Account.ID
	if got := must(b.AlsoLinkedBy(ctx, one.ID, joint))(t); len(got) != 1 || got[0].ID != two.ID {
		t.Errorf("%+v", got)
	}
	if got := must(b.AlsoLinkedBy(ctx, one.ID, single))(t); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := must(b.AlsoLinkedBy(ctx, two.ID, joint))(t); len(got) != 0 {
		t.Errorf("asked for the account of another: %+v", got)
	}
}
