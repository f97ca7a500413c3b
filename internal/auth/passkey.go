package auth

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/store"
	"florin/internal/webauthn"
)

// PasskeyError says why a passkey is refused.
type PasskeyError struct{ Fault PasskeyFault }

func (e *PasskeyError) Error() string { return "the passkey is refused: " + string(e.Fault) }

// PasskeyFault is why a passkey is refused.
type PasskeyFault string

// Values of PasskeyFault.
const (
	PasskeyLate       PasskeyFault = "its question was answered before, is too old, or was put to another browser or for something else"
	PasskeyElsewhere  PasskeyFault = "it was used at another address"
	PasskeyUnknown    PasskeyFault = "nobody has it here"
	PasskeyUnverified PasskeyFault = "the device did not check who holds it"
	PasskeyCopied     PasskeyFault = "there is a copy of it"
	PasskeyExists     PasskeyFault = "it is registered already"
	PasskeyTooMany    PasskeyFault = "the person has too many"
	PasskeyName       PasskeyFault = "its name"
	PasskeyWrong      PasskeyFault = "it proves nothing"
)

// Address is the address at which passkeys of this Florin work.
type Address struct {
	Origin string // "https://florin.example.org:8443"
	Host   string // with the port: "florin.example.org:8443"
	Site   string // the host name: the RP ID of WebAuthn
	Fault  AddressFault
}

// AddressFault is why passkeys do not work at an address.
type AddressFault string

// Values of AddressFault.
const (
	AddressGood    AddressFault = ""
	AddressNumber  AddressFault = "browsers give no passkeys to IP addresses"
	AddressPlain   AddressFault = "browsers give no passkeys to plain http"
	AddressUnknown AddressFault = "there is no public address"
)

// addressOf returns where passkeys work for a public address. Browsers allow them for names over https and for localhost (WebAuthn level 3, 5.1.3; Secure
// Contexts, 3.1).
func addressOf(public *url.URL) Address {
	if public == nil {
		return Address{Fault: AddressUnknown}
	}
	a := Address{Host: strings.ToLower(public.Host), Site: strings.ToLower(public.Hostname())}
	if port := public.Port(); public.Scheme == "https" && port == "443" || public.Scheme == "http" && port == "80" {
		a.Host = strings.TrimSuffix(a.Host, ":"+port) // in the form of browsers
	}
	a.Origin = public.Scheme + "://" + a.Host
	_, number := netip.ParseAddr(a.Site)
	switch {
	case number == nil:
		a.Fault = AddressNumber
	case public.Scheme != "https" && a.Site != "localhost" && !strings.HasSuffix(a.Site, ".localhost"):
		a.Fault = AddressPlain
	}
	return a
}

func (a Address) site() webauthn.Site { return webauthn.Site{ID: a.Site, Origin: a.Origin} }

// At enables passkeys for the public address of this Florin.
func At(public *url.URL) Option { return func(a *Auth) { a.address = addressOf(public) } }

// PasskeyAddress returns the address at which passkeys of this Florin work.
func (a *Auth) PasskeyAddress() Address { return a.address }

// Purposes of challenges in addition to those of step-up.
const (
	toRegister = "register"
	toSignIn   = "sign-in"
	toProve    = "prove " // followed by the purpose
)

// AskNewPasskey returns the options with which a browser makes a passkey for the user (webauthn.Site.CreationOptions). The answer is accepted only in this
// sign-in.
func (a *Auth) AskNewPasskey(ctx context.Context, user finance.User, signInID string) ([]byte, error) {
	has, err := a.store.Passkeys(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	return a.address.site().CreationOptions("Florin", webauthn.User{Handle: []byte(user.ID), Name: user.Email}, a.asked.ask(signInID, toRegister), a.here(has))
}

// AddPasskey adds the passkey that the browser has made to the user. Errors: *PasskeyError.
func (a *Auth) AddPasskey(ctx context.Context, user finance.User, signInID, name string, answer finance.Secret) (finance.Passkey, error) {
	name, err := passkeyName(name)
	if err != nil {
		return finance.Passkey{}, err
	}
	said, err := webauthn.Parse([]byte(answer.Reveal()))
	if err != nil {
		return finance.Passkey{}, passkeyFault(err)
	}
	if !a.asked.use(said.Challenge(), signInID, toRegister) {
		return finance.Passkey{}, &PasskeyError{PasskeyLate}
	}
	c, err := a.address.site().Register(said, said.Challenge())
	if err != nil {
		return finance.Passkey{}, passkeyFault(err)
	}
	p, err := a.store.AddPasskey(ctx, finance.Passkey{UserID: user.ID, Site: a.address.Site, Name: name, Credential: c.ID, PublicKey: c.Key,
		Transports: transports(c),
		Counter:    c.Counter, BackupEligible: c.BackupEligible, BackedUp: c.BackedUp})
	return p, passkeyFault(err)
}

// transports returns the known transports that a device names. They are stored and given to browsers later.
func transports(c webauthn.Credential) []string {
	known := []string{"ble", "hybrid", "internal", "nfc", "smart-card", "usb"} // WebAuthn 5.8.4
	return slices.DeleteFunc(known, func(word string) bool { return !slices.Contains(c.Transports, word) })
}

// RenamePasskey renames a passkey of the user. Errors: *PasskeyError, finance.ErrNotFound.
func (a *Auth) RenamePasskey(ctx context.Context, userID, id, name string) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	return a.store.RenamePasskey(ctx, userID, id, name)
}

func passkeyName(typed string) (string, error) {
	name := finance.Clean(typed)
	if name == "" || utf8.RuneCountInString(name) > finance.MaxPasskeyName {
		return "", &PasskeyError{PasskeyName}
	}
	return name, nil
}

// AskPasskey returns the options with which a browser signs somebody in with any passkey of this site (webauthn.Site.RequestOptions). browser is a secret of
// the browser; the answer is accepted only from there.
func (a *Auth) AskPasskey(browser finance.Secret) ([]byte, error) {
	return a.address.site().RequestOptions(a.strangersAsked.ask(browser.Reveal(), toSignIn), nil)
}

// AskPasskeyFor returns the options with which a passkey of the user proves their identity for a purpose (Purpose.String, webauthn.Site.RequestOptions). The
// challenge includes the purpose, so the passkey signs it: for a payment with its amount, payee, account and day (RTS 2018/389 art. 5). The answer is
// accepted only in this sign-in.
func (a *Auth) AskPasskeyFor(ctx context.Context, userID, signInID, purpose string) ([]byte, error) {
	has, err := a.store.Passkeys(ctx, userID)
	if err != nil {
		return nil, err
	}
	return a.address.site().RequestOptions(a.asked.ask(signInID, toProve+purpose), a.here(has))
}

// passkeys is the factor of passkeys.
type passkeys struct{ *Auth }

func (passkeys) method() Method { return ByPasskey }

func (a passkeys) has(ctx context.Context, userID string) (bool, error) {
	f, err := a.SecondFactors(ctx, userID)
	return f.Passkeys > 0, err
}

func (a passkeys) check(ctx context.Context, user finance.User, signInID string, given finance.Secret, purpose Purpose) error {
	err := func() error {
		said, err := webauthn.Parse([]byte(given.Reveal()))
		if err != nil {
			return passkeyFault(err)
		}
		if !a.asked.use(said.Challenge(), signInID, toProve+purpose.String()) {
			return &PasskeyError{PasskeyLate}
		}
		used, err := a.verify(ctx, user.ID, said)
		if err != nil {
			return err
		}
		return passkeyFault(a.store.UsePasskey(ctx, used))
	}()
	if refused, is := errors.AsType[*PasskeyError](err); is {
		return &ProofError{Method: ByPasskey, Why: refused}
	}
	return err
}

// SignInWithPasskey checks the answer of a passkey to the challenge for this browser, and records a sign-in; remember says that the person chose to stay
// signed in there. When the answer is right but refused for another reason, it returns the user with the error. Errors: *PasskeyError, *WaitError.
//
// A passkey is two factors at once, the device and what the device has checked (ASVS 6.3.3), so no other factor is required.
func (a *Auth) SignInWithPasskey(ctx context.Context, answer, browser finance.Secret, from Browser, remember bool) (finance.User, finance.SignIn, error) {
	said, err := webauthn.Parse([]byte(answer.Reveal()))
	if err != nil {
		return finance.User{}, finance.SignIn{}, passkeyFault(err)
	}
	counters := passkeyCounters(said.ID, from.Address)
	if err := a.try(ctx, counters); err != nil {
		return finance.User{}, finance.SignIn{}, err
	}
	if !a.strangersAsked.use(said.Challenge(), browser.Reveal(), toSignIn) {
		return finance.User{}, finance.SignIn{}, &PasskeyError{PasskeyLate}
	}
	user, err := a.store.User(ctx, string(said.UserHandle))
	if err != nil {
		return finance.User{}, finance.SignIn{}, passkeyFault(err)
	}
	used, err := a.verify(ctx, user.ID, said)
	if err != nil {
		return finance.User{}, finance.SignIn{}, err
	}
	signIn, err := a.store.CreatePasskeySignIn(ctx, used, from.signIn(user.ID, finance.SignInPasskey, "", remember))
	if err != nil {
		return user, finance.SignIn{}, passkeyFault(err)
	}
	return user, signIn, a.forgive(ctx, counters)
}

// verify checks an answer to a valid challenge with the passkey of the user that it names. It returns the passkey with the new values from the device.
func (a *Auth) verify(ctx context.Context, userID string, said webauthn.Response) (finance.Passkey, error) {
	has, err := a.store.Passkeys(ctx, userID)
	if err != nil {
		return finance.Passkey{}, err
	}
	i := slices.IndexFunc(has, func(p finance.Passkey) bool { return bytes.Equal(p.Credential, said.ID) })
	if i < 0 {
		return finance.Passkey{}, &PasskeyError{PasskeyUnknown}
	}
	used := has[i]
	c, err := a.address.site().Verify(credentialOf(used), said, said.Challenge())
	used.Counter, used.BackedUp = c.Counter, c.BackedUp
	return used, passkeyFault(err)
}

// here returns the passkeys that work at the present address, in the form for browsers.
func (a *Auth) here(has []finance.Passkey) []webauthn.Credential {
	var all []webauthn.Credential
	for _, p := range has {
		if p.Site == a.address.Site && p.Copied.IsZero() {
			all = append(all, credentialOf(p))
		}
	}
	return all
}

func credentialOf(p finance.Passkey) webauthn.Credential {
	return webauthn.Credential{ID: p.Credential, Key: p.PublicKey, Transports: p.Transports, Counter: p.Counter, BackupEligible: p.BackupEligible,
		BackedUp: p.BackedUp}
}

// passkeyFault turns errors about a passkey into a *PasskeyError, and returns other errors unchanged.
func passkeyFault(err error) error {
	for wrong, fault := range map[error]PasskeyFault{
		webauthn.ErrMalformed: PasskeyWrong, webauthn.ErrSignature: PasskeyWrong, webauthn.ErrChallenge: PasskeyLate, webauthn.ErrElsewhere: PasskeyElsewhere,
		webauthn.ErrUnverified: PasskeyUnverified, store.ErrPasskeyCopied: PasskeyCopied, store.ErrPasskeyExists: PasskeyExists,
		store.ErrTooManyPasskeys: PasskeyTooMany, finance.ErrNotFound: PasskeyUnknown, // it never existed, or was removed meanwhile
	} {
		if errors.Is(err, wrong) {
			return &PasskeyError{fault}
		}
	}
	return err
}
