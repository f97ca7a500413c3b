package engine

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// continuation is what a continuation key holds: the cursor of the bank and the parameters of the listing.
// The key is encrypted and authenticated, and bound to the uid of the account, which is of one session only. The same page
// has the same key, as the nonce is a function of all that is sealed: a client can tell that a bank repeats itself.
type continuation struct {
	Cursor   string                                `json:"c"`
	DateFrom openbanking.Date                      `json:"f"`
	DateTo   openbanking.Date                      `json:"t"`
	Status   openbanking.TransactionStatus         `json:"s"`
	Strategy openbanking.TransactionsFetchStrategy `json:"g"`
}

func (e *Engine) sealContinuation(uid string, req openbanking.TransactionsQuery, cursor string) string {
	plain := mustJSON(continuation{Cursor: cursor, DateFrom: req.DateFrom, DateTo: req.DateTo, Status: req.TransactionStatus, Strategy: req.Strategy})
	bound := continuationFor(uid)
	nonce := aggregator.MAC(e.secrets.Continuation, "nonce|"+string(bound)+"|"+string(plain))[:12]
	return base64.RawURLEncoding.EncodeToString(e.continuationCipher().Seal(nonce, nonce, plain, bound))
}

// openContinuation returns the cursor of the bank. A key that this service did not make for this account of this session
// gives WRONG_CONTINUATION_KEY, another parameter than on the page before WRONG_REQUEST_PARAMETERS with its name (api-notes 7).
func (e *Engine) openContinuation(uid string, req openbanking.TransactionsQuery) (cursor string, err error) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(req.ContinuationKey)
	if err != nil {
		return "", openbanking.WrongContinuationKey
	}
	if len(sealed) < 12 {
		return "", openbanking.WrongContinuationKey
	}
	plain, err := e.continuationCipher().Open(nil, sealed[:12], sealed[12:], continuationFor(uid))
	if err != nil {
		return "", openbanking.WrongContinuationKey
	}
	var k continuation
	if err := json.Unmarshal(plain, &k); err != nil {
		return "", openbanking.WrongContinuationKey
	}
	for _, parameter := range []struct {
		name string
		same bool
	}{
		{"date_from", k.DateFrom == req.DateFrom},
		{"date_to", k.DateTo == req.DateTo},
		{"transaction_status", k.Status == req.TransactionStatus},
		{"strategy", k.Strategy == req.Strategy},
	} {
		if !parameter.same {
			return "", aggregator.InvalidParameter(parameter.name, "differs from the request that gave the continuation_key")
		}
	}
	return k.Cursor, nil
}

func continuationFor(uid string) []byte { return []byte("continuation key of account " + uid) }

func (e *Engine) continuationCipher() cipher.AEAD {
	block, err := aes.NewCipher(e.secrets.Continuation[:])
	if err != nil {
		panic(err) // only for a wrong length of the key
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for a cipher of another block size
	}
	return aead
}
