package store

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"florin/internal/finance"
)

// The list of sign-ins has the method of each and the network from which it was last used.
func TestWhereSignInsAre(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	home, away := netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8:7::/48")
	n := NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "one", Method: finance.SignInPassword, Network: home}
	made := must(b.CreateSignIn(ctx, n))(t)
	is := func(want netip.Prefix) finance.SignIn {
		t.Helper()
		_, read, err := b.SignedIn(ctx, u.ID, made.ID)
		list := must(b.SignIns(ctx, u.ID, time.Now().Add(-time.Hour)))(t)
		if err != nil || read.Network != want || read.Method != finance.SignInPassword || len(list) != 1 || list[0].Network != want ||
			list[0].Method != read.Method {
			t.Fatalf("read %+v, list %+v, %v; want %v", read, list, err, want)
		}
		return read
	}
	read := is(home)
	check(t, b.TouchSignIn(ctx, read, netip.Prefix{})) // the network is unknown: the last one stays
	read = is(home)
	time.Sleep(2 * time.Millisecond) // times are stored to the millisecond
	check(t, b.TouchSignIn(ctx, read, away))
	is(away)
}

// Removing a passkey ends its sign-ins, except the one that removes it. Sign-ins with other methods and of other people stay.
func TestSignInsOfAPasskeyEndWithIt(t *testing.T) {
	for _, how := range []string{"removed", "copied"} {
		t.Run(how, func(t *testing.T) {
			b := newBed(t)
			ctx := t.Context()
			u := b.user(t, "a@example.org")
			add := func(name string) finance.Passkey {
				return must(b.AddPasskey(ctx, finance.Passkey{UserID: u.ID, Site: "florin.example", Credential: []byte(name), PublicKey: []byte("key"), Name: name}))(t)
			}
			phone, key := add("phone"), add("key")
			counter := uint32(0)
			with := func(p finance.Passkey) finance.SignIn {
				counter++
				p.Counter = counter
				return must(b.CreatePasskeySignIn(ctx, p, NewSignIn{UserID: u.ID, Device: p.Name, Method: finance.SignInPasskey}))(t)
			}
			kept, ended, other := with(phone), with(phone), with(key)
			typed := must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "typed"}))(t)
			want := []string{kept.ID, other.ID, typed.ID}
			if how == "removed" {
				must(b.RemovePasskey(ctx, u.ID, phone.ID, kept.ID, ""))(t)
			} else {
				want = []string{other.ID, typed.ID}
				copied := phone
				copied.Counter = 1
				for range 2 { // there is one notice
					if err := b.UsePasskey(ctx, copied); !errors.Is(err, ErrPasskeyCopied) {
						t.Fatal(err)
					}
				}
				if n := slices.DeleteFunc(b.noticed(t, u), func(k finance.NoticeKind) bool { return k != finance.NoticePasskeyCopied }); len(n) != 1 {
					t.Errorf("notices %v", n)
				}
			}
			var got []string
			for _, s := range must(b.SignIns(ctx, u.ID, time.Now().Add(-time.Hour)))(t) {
				got = append(got, s.ID)
			}
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("good are %v, want %v (ended %s)", got, want, ended.ID)
			}
		})
	}
}

func TestEndOtherSignIns(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	sign := func(u finance.User) string {
		return must(b.CreateSignIn(ctx, NewSignIn{UserID: u.ID, PasswordHash: "hash of " + u.Email, Device: "x"}))(t).ID
	}
	kept, foreign := sign(u), sign(other)
	sign(u)
	sign(u)
	check(t, b.EndOtherSignIns(ctx, u.ID, kept))
	for _, of := range []struct{ user, want string }{{u.ID, kept}, {other.ID, foreign}} {
		list := must(b.SignIns(ctx, of.user, time.Now().Add(-time.Hour)))(t)
		if len(list) != 1 || list[0].ID != of.want {
			t.Errorf("%+v", list)
		}
	}
}

// The notice about a new password, on the pages and by mail, lists the other ways in which the person can sign in at that time.
func TestANewPasswordTellsWhatStaysOpen(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	phone := must(b.AddPasskey(ctx, finance.Passkey{UserID: u.ID, Site: "florin.example", Credential: []byte("1"), PublicKey: []byte("key"), Name: "phone"}))(t)
	must(b.AddPasskey(ctx, finance.Passkey{UserID: other.ID, Site: "florin.example", Credential: []byte("2"), PublicKey: []byte("key"), Name: "hers"}))(t)
	const issuer = "https://login.example"
	check(t, b.LinkIdentity(ctx, u.ID, issuer, "1"))
	check(t, b.ResetPassword(ctx, u.ID, "second"))
	tells := func(want finance.Ways) {
		t.Helper()
		for _, n := range must(b.Notices(ctx, u.ID))(t) {
			if n.Kind.SetsPassword() && n.StillOpen != want || !n.Kind.SetsPassword() && n.StillOpen != (finance.Ways{}) {
				t.Errorf("the notice %s lists %+v, want %+v", n.Kind, n.StillOpen, want)
			}
		}
	}
	tells(finance.Ways{Passkeys: 1, Provider: issuer})
	told := 0
	for _, m := range b.mails(t) {
		if m.Notice.Kind == finance.NoticePasswordSet && m.Notice.StillOpen == (finance.Ways{Passkeys: 1, Provider: issuer}) {
			told++
		}
	}
	if told != 1 {
		t.Errorf("%d mails list them", told)
	}
	must(b.RemovePasskey(ctx, u.ID, phone.ID, "", ""))(t)
	tells(finance.Ways{Provider: issuer})
	check(t, b.RemoveIdentity(ctx, u.ID, issuer, ""))
	tells(finance.Ways{})
}
