package finance

import "time"

// Calendar is the address at which the calendar program of a person reads what is to come. Its token is known to the program alone.
type Calendar struct {
	UserID   string
	Amounts  bool      // amounts are in it
	Names    bool      // names of payees and banks are in it
	Language string    // two letters: that of the person, else the one that the person's browser asked for last; "" when neither is known
	Created  time.Time // of the address
	Asked    time.Time // when a program last read it, to a quarter of an hour; zero until it was
}
