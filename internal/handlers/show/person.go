package show

import "florin/internal/settling"

// Person is how somebody who shares expenses is called; "you" is left to the sentences.
func (c Clock) Person(b settling.Book, id string) string {
	p := b.Person(id)
	switch {
	case p.Gone && p.Email == "":
		return c.Say("somebody who has left")
	case p.Gone:
		return c.Say("%s (no longer here)", p.Email)
	}
	return p.Email
}
