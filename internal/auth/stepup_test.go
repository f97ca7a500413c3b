package auth

import (
	"context"
	"errors"
	"testing"
	"time"

	"florin/internal/finance"
)

// stepUp proves with a password, for something.
func stepUp(t testing.TB, a *Auth, user finance.User, signInID string, password finance.Secret) error {
	_, err := a.StepUp(t.Context(), user, signInID, ForServices, Evidence{ByPassword: password})
	return err
}

func isWrong(err error) bool {
	wrong, is := errors.AsType[*ProofError](err)
	return is && !wrong.Missing
}

// purposes are all of them; those of one payment and of one payee differ in one thing each.
var purposes = map[string]Purpose{
	"services":                ForServices,
	"sign-ins":                ForSignIns,
	"deletion":                ForDeletion,
	"leaving":                 ForLeaving,
	"password":                ForPassword,
	"payment":                 ForPayment("p1", "hash of 12.30 EUR to ACME"),
	"the payment, changed":    ForPayment("p1", "hash of 12.31 EUR to ACME"),
	"the same payment again":  ForPayment("p2", "hash of 12.30 EUR to ACME"),
	"payee":                   ForPayee("ACME", "IBAN", "DE89370400440532013000"),
	"the payee's other name":  ForPayee("ACMF", "IBAN", "DE89370400440532013000"),
	"the payee's new account": ForPayee("ACME", "IBAN", "NL91ABNA0417164300"),
	"parts that run together": ForPayee("ACMEIBAN", "", "DE89370400440532013000"),
}

// TestProofIsForOnePurpose: a proof for one purpose, or for a payment as it was, is none for any other; and it is good for five minutes.
func TestProofIsForOnePurpose(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		_, signIn, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		for made, purpose := range purposes {
			for _, bad := range []finance.Secret{"", wrong} {
				_, err := a.StepUp(t.Context(), user, signIn.ID, purpose, Evidence{ByPassword: bad})
				if problem, is := errors.AsType[*ProofError](err); !is || problem.Missing != (bad == "") || problem.Method != ByPassword {
					t.Errorf("%s, password %q: %v", made, bad.Reveal(), err)
				}
			}
			proof, err := a.StepUp(t.Context(), user, signIn.ID, purpose, Evidence{ByPassword: password})
			check(t, err)
			for _, c := range []struct {
				later time.Duration
				good  bool
			}{{-time.Second, false}, {0, true}, {5*time.Minute - time.Second, true}, {5 * time.Minute, false}} {
				for asked, other := range purposes {
					want := c.good && asked == made && !other.fresh
					if got := proof.Good(other, time.Now().Add(c.later)); got != want {
						t.Errorf("a proof for %s, %s later, for %s: %t", made, c.later, asked, got)
					}
				}
			}
			if proof.Good(Purpose{}, time.Now()) || (Proof{At: time.Now()}).Good(Purpose{}, time.Now()) {
				t.Error("there is a proof for nothing")
			}
		}
		if _, err := a.StepUp(t.Context(), user, signIn.ID, Purpose{}, Evidence{ByPassword: password}); err == nil {
			t.Error("a proof without a purpose was made")
		}
	})
}

// second is a second factor that the person has.
type second struct{}

func (second) method() Method                            { return "second" }
func (second) has(context.Context, string) (bool, error) { return true, nil }
func (second) check(_ context.Context, _ finance.User, _ string, given finance.Secret, _ Purpose) error {
	if given != "right" {
		return &ProofError{Method: "second"}
	}
	return nil
}

// TestAnotherWayInTakesBothProofs: where the person has a second factor, one proof alone changes no way to sign in.
func TestAnotherWayInTakesBothProofs(t *testing.T) {
	inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
		a := open()
		a.factors = append(a.factors, second{})
		_, signIn, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
		check(t, err)
		for _, purpose := range []Purpose{ForPasskeys, ForOpenID, ForPassword} {
			for _, alone := range []Evidence{{ByPassword: password}, {"second": "right"}} {
				_, err := a.StepUp(t.Context(), user, signIn.ID, purpose, alone)
				if missing, is := errors.AsType[*ProofError](err); !is || !missing.Missing {
					t.Errorf("%s: %v", purpose, err)
				}
			}
			_, err := a.StepUp(t.Context(), user, signIn.ID, purpose, Evidence{ByPassword: password, "second": "right"})
			check(t, err)
		}
	})
}

// TestOneProofBuysNoGuessesAtAnother: whoever knows the password gets no more tries at the second factor by giving the right password in between, and the other
// way round.
func TestOneProofBuysNoGuessesAtAnother(t *testing.T) {
	for name, c := range map[string]struct{ bad, good Evidence }{
		"second factor": {Evidence{ByPassword: password, "second": "wrong"}, Evidence{ByPassword: password}},
		"password":      {Evidence{ByPassword: wrong, "second": "right"}, Evidence{"second": "right"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, open func(...Option) *Auth, user finance.User) {
				a := open()
				a.factors = append(a.factors, second{})
				_, signIn, err := a.SignIn(t.Context(), user.Email, password, Browser{}, false)
				check(t, err)
				for range freeAccount {
					if _, err := a.StepUp(t.Context(), user, signIn.ID, ForPassword, c.bad); !isWrong(err) {
						t.Fatal("a guess:", err)
					}
					_, err := a.StepUp(t.Context(), user, signIn.ID, ForServices, c.good)
					check(t, err)
				}
				if _, err := a.StepUp(t.Context(), user, signIn.ID, ForPassword, c.bad); !isWait(err) {
					t.Error("the sixth guess:", err)
				}
			})
		})
	}
}
