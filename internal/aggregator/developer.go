package aggregator

import "time"

// Developer is somebody with an account in the control panel: an e-mail address that was proved.
type Developer struct {
	ID      string // UUID
	Email   string // as it was first given, compared without case
	Created time.Time
}

// SignInLink is a one-time link that was asked for. It is good for one sign-in.
type SignInLink struct {
	TokenHash string // SHA-256, hexadecimal
	Email     string
	Client    string // network that asked, for throttling
	Created   time.Time
	Expires   time.Time
}

// DeveloperSession is a browser that is signed in to the control panel.
type DeveloperSession struct {
	ID          string // UUID, not secret
	DeveloperID string
	Device      string // what the browser says it is, shortened
	Created     time.Time
	LastSeen    time.Time
	Expires     time.Time
}
