package contract

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"florin/internal/apptoken"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// FromEnvironment reads a target from environment variables; ok is false when there is none. All but the last group are
// needed:
//
//	FLORIN_CONTRACT_BASE_URL      the service, such as https://api.example
//	FLORIN_CONTRACT_APPLICATION   id of an active SANDBOX application
//	FLORIN_CONTRACT_KEY_FILE      its private key in PEM
//	FLORIN_CONTRACT_ISSUER        iss of its tokens
//	FLORIN_CONTRACT_AUDIENCE      aud of its tokens
//	FLORIN_CONTRACT_REDIRECT_URL  one of its redirect URLs; nobody has to listen there
//	FLORIN_CONTRACT_BANK          name of a bank
//	FLORIN_CONTRACT_COUNTRY       and its country
//
//	FLORIN_CONTRACT_HOSTED        "florin" when the hosted pages are those of Florin, so that the suite can walk through them
//	FLORIN_CONTRACT_USERNAME, FLORIN_CONTRACT_PASSWORD, FLORIN_CONTRACT_OTP  what the bank asks for, if it does
//
// Without FLORIN_CONTRACT_HOSTED nothing that needs a session is tested: no program can consent at an unknown bank.
func FromEnvironment() (target Target, ok bool, err error) {
	get := func(name string) string {
		value := os.Getenv("FLORIN_CONTRACT_" + name)
		if value == "" {
			err = errors.Join(err, fmt.Errorf("FLORIN_CONTRACT_%s is not set", name))
		}
		return value
	}
	if os.Getenv("FLORIN_CONTRACT_BASE_URL") == "" {
		return Target{}, false, nil
	}
	target = Target{
		BaseURL:     get("BASE_URL"),
		RedirectURL: get("REDIRECT_URL"),
		Bank:        openbanking.ASPSP{Name: get("BANK"), Country: get("COUNTRY")},
	}
	application, file, issuer, audience := get("APPLICATION"), get("KEY_FILE"), get("ISSUER"), get("AUDIENCE")
	if err != nil {
		return Target{}, true, err
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return Target{}, true, fmt.Errorf("read FLORIN_CONTRACT_KEY_FILE: %w", err)
	}
	key, err := apptoken.ParseKey(pem)
	if err != nil {
		return Target{}, true, fmt.Errorf("FLORIN_CONTRACT_KEY_FILE: %w", err)
	}
	signer := apptoken.NewSigner(key, application, issuer, audience)
	target.Token = func() (string, error) { return signer.Token(time.Now()) }
	switch hosted := os.Getenv("FLORIN_CONTRACT_HOSTED"); hosted {
	case "":
	case "florin":
		person := walk.Person{
			Username: os.Getenv("FLORIN_CONTRACT_USERNAME"),
			Password: os.Getenv("FLORIN_CONTRACT_PASSWORD"),
			Code:     os.Getenv("FLORIN_CONTRACT_OTP"),
		}
		target.Approve = func(ctx context.Context, start string) (*url.URL, error) {
			return walk.New(nil).Approve(ctx, start, person)
		}
		target.Cancel = func(ctx context.Context, start string) (*url.URL, error) { return walk.New(nil).Cancel(ctx, start) }
	default:
		return Target{}, true, fmt.Errorf(`FLORIN_CONTRACT_HOSTED is %q; it may be "florin" or empty`, hosted)
	}
	return target, true, nil
}
