package store

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"florin/internal/finance"
)

// An invitation lets one person join, even when several open it at the same moment. A refused address does not use it up.
func TestAnInvitationIsUsedOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	owner := must(b.CreateUser(ctx, "owner@example.org", finance.RoleOwner, "h"))(t)
	const token = finance.Secret("token")
	made := must(b.CreateInvitation(ctx, finance.Invitation{UserID: owner.ID, Name: "Bo", Role: finance.RoleViewer}, token, time.Hour))(t)
	if _, err := b.UseInvitation(ctx, "another", "bo@example.org", "h"); !errors.Is(err, ErrInvitation) {
		t.Errorf("an unknown token: %v", err)
	}
	if _, err := b.UseInvitation(ctx, token, owner.Email, "h"); !errors.Is(err, ErrEmailTaken) {
		t.Errorf("the address of another: %v", err)
	}
	var wg sync.WaitGroup
	joined := make(chan finance.User, 10)
	for n := range cap(joined) {
		wg.Go(func() {
			u, err := b.UseInvitation(ctx, token, fmt.Sprintf("bo%d@example.org", n), "h")
			if err == nil {
				joined <- u
			} else if !errors.Is(err, ErrInvitation) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(joined)
	if len(joined) != 1 {
		t.Fatalf("%d have joined", len(joined))
	}
	bo := <-joined
	if bo.Role != finance.RoleViewer || len(must(b.Users(ctx))(t)) != 2 {
		t.Errorf("%+v", bo)
	}
	if err := b.WithdrawInvitation(ctx, made.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("withdrawn after use: %v", err)
	}
	if _, err := b.CreateInvitation(ctx, finance.Invitation{UserID: bo.ID, Name: "x", Role: finance.RoleOwner}, "third", time.Hour); !errors.Is(err,
		finance.ErrNotFound) {
		t.Errorf("a viewer invites: %v", err)
	}
	late := must(b.CreateInvitation(ctx, finance.Invitation{UserID: owner.ID, Name: "late", Role: finance.RoleMember}, "late", 0))(t)
	if _, err := b.UseInvitation(ctx, "late", "late@example.org", "h"); !errors.Is(err, ErrInvitation) {
		t.Errorf("too old: %v", err)
	}
	if got := must(b.InvitationByToken(ctx, "late"))(t); got.ID != late.ID || got.State(time.Now()) != finance.InvitationExpired {
		t.Errorf("%+v", got)
	}
}

// There is always an owner, even when two owners step down at the same moment. An owner's open invitations end with the role.
func TestTheLastOwnerStays(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	first := must(b.CreateUser(ctx, "first@example.org", finance.RoleOwner, "h"))(t)
	if err := b.SetRole(ctx, first.ID, finance.RoleMember); !errors.Is(err, ErrOwnerStays) {
		t.Errorf("another role: %v", err)
	}
	second := b.user(t, "second@example.org")
	if err := b.RemoveUser(ctx, first.ID); !errors.Is(err, ErrOwnerStays) { // a person who is alone can leave: TestLastOwner of handlers
		t.Errorf("removed: %v", err)
	}
	check(t, b.SetRole(ctx, second.ID, finance.RoleOwner))
	for _, owner := range []finance.User{first, second} {
		must(b.CreateInvitation(ctx, finance.Invitation{UserID: owner.ID, Name: "friend", Role: finance.RoleOwner}, finance.Secret(owner.ID), time.Hour))(t)
	}
	var wg sync.WaitGroup
	for _, u := range []finance.User{first, second} {
		wg.Go(func() {
			if err := b.SetRole(ctx, u.ID, finance.RoleViewer); err != nil && !errors.Is(err, ErrOwnerStays) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	owners := 0
	for _, u := range must(b.Users(ctx))(t) {
		state := must(b.InvitationByToken(ctx, finance.Secret(u.ID)))(t).State(time.Now())
		if u.Role == finance.RoleOwner {
			owners++
			if state != finance.InvitationOpen {
				t.Errorf("the invitation of the owner is %s", state)
			}
		} else if state != finance.InvitationWithdrawn {
			t.Errorf("the invitation of a former owner is %s", state)
		}
	}
	if owners != 1 {
		t.Errorf("%d owners", owners)
	}
	if err := b.SetRole(ctx, "nobody", finance.RoleMember); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("an unknown user: %v", err)
	}
}

// A viewer has no accounts: a person with accounts or a bank cannot become one.
func TestAViewerHasNoAccounts(t *testing.T) {
	b := newBed(t)
	u := b.user(t, "a@example.org")
	b.link(t, u, "s1", resource("h1", "EUR", "u1", "iban"))
	if err := b.SetRole(t.Context(), u.ID, finance.RoleViewer); !errors.Is(err, ErrHasAccounts) {
		t.Error(err)
	}
	check(t, b.SetRole(t.Context(), u.ID, finance.RoleOwner))
}

// An invitation lets a person join who signs in at an OpenID provider. Refused tries do not use it up.
func TestJoinWithAnIdentity(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	owner := must(b.CreateUser(ctx, "owner@example.org", finance.RoleOwner, "h"))(t)
	made := must(b.CreateInvitation(ctx, finance.Invitation{UserID: owner.ID, Name: "Bo", Role: finance.RoleViewer}, "token", time.Hour))(t)
	const issuer = "https://login.example"
	check(t, b.LinkIdentity(ctx, owner.ID, issuer, "1"))
	for _, try := range []struct {
		id, email, subject string
		want               error
	}{{"another", "bo@example.org", "2", ErrInvitation}, {made.ID, owner.Email, "2", ErrEmailTaken}, {made.ID, "bo@example.org", "1", ErrIdentityTaken}} {
		if _, err := b.UseInvitationWithIdentity(ctx, try.id, try.email, issuer, try.subject); !errors.Is(err, try.want) {
			t.Errorf("%+v: %v", try, err)
		}
	}
	bo := must(b.UseInvitationWithIdentity(ctx, made.ID, "bo@example.org", issuer, "2"))(t)
	if got := must(b.UserOfIdentity(ctx, issuer, "2"))(t); got.ID != bo.ID || got.Role != finance.RoleViewer || must(b.PasswordHash(ctx, bo.ID))(t) != NoPassword {
		t.Errorf("%+v", got)
	}
	if _, err := b.UseInvitationWithIdentity(ctx, made.ID, "eve@example.org", issuer, "3"); !errors.Is(err, ErrInvitation) {
		t.Errorf("used twice: %v", err)
	}
}
