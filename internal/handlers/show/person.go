package show

import "florin/internal/settling"

// Person returns how a person who shares expenses is called. The sentences themselves say "you".
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
