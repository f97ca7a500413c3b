package finance

import (
	"testing"
	"time"
)

func TestStateOfAnInvitation(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		i    Invitation
		want InvitationState
	}{
		{"new", Invitation{Expires: now.Add(time.Second)}, InvitationOpen},
		{"at its end", Invitation{Expires: now}, InvitationExpired},
		{"used", Invitation{Expires: now.Add(-time.Hour), Used: now}, InvitationUsed},
		{"withdrawn", Invitation{Expires: now.Add(-time.Hour), Withdrawn: now}, InvitationWithdrawn},
	} {
		if got := c.i.State(now); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestLastOwner(t *testing.T) {
	t.Parallel()
	one := []User{{ID: "a", Role: RoleOwner}, {ID: "b", Role: RoleMember}, {ID: "c", Role: RoleViewer}}
	two := append([]User{{ID: "d", Role: RoleOwner}}, one...)
	for _, c := range []struct {
		all  []User
		id   string
		want bool
	}{{one, "a", true}, {one, "b", false}, {one, "c", false}, {two, "a", false}, {two, "d", false}, {nil, "a", false}} {
		if got := LastOwner(c.all, c.id); got != c.want {
			t.Errorf("%s of %d: %t", c.id, len(c.all), got)
		}
	}
}
