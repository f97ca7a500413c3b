package finance

import "time"

// Invitation is a one-time link with which a person joins, in a role, with an e-mail address and a password of their own choice.
type Invitation struct {
	ID        string
	UserID    string // of who invites
	Name      string // whom it is for, in the words of who invites
	Role      Role
	Created   time.Time
	Expires   time.Time
	Used      time.Time // zero until somebody has joined with it
	Withdrawn time.Time // zero until it is taken back
}

// InvitationState is what has become of an invitation.
type InvitationState string

// Values of InvitationState. Only an open one lets somebody join.
const (
	InvitationOpen      InvitationState = "open"
	InvitationUsed      InvitationState = "used"
	InvitationWithdrawn InvitationState = "withdrawn"
	InvitationExpired   InvitationState = "expired"
)

// State returns what has become of the invitation at a moment.
func (i Invitation) State(now time.Time) InvitationState {
	switch {
	case !i.Used.IsZero():
		return InvitationUsed
	case !i.Withdrawn.IsZero():
		return InvitationWithdrawn
	case !now.Before(i.Expires):
		return InvitationExpired
	}
	return InvitationOpen
}
