package apptoken

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// registry is the key function of the tests: the one application has ownKey.
func registry(_ context.Context, kid string) ([]*rsa.PublicKey, error) {
	if kid != app {
		return nil, ErrUnknownKey
	}
	return []*rsa.PublicKey{&ownKey().PublicKey}, nil
}

func newTestVerifier() *Verifier {
	return NewVerifier([]string{issuer, "also." + issuer}, []string{audience, "old." + audience}, registry)
}

// bubbleTime is what the clock of a synctest bubble shows, and there it stands
// still: a second more or less is a second more or less.
var bubbleTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// spec: Authentication; security T1, T2.
func TestForgedTokensAreRefused(t *testing.T) {
	ownKey, otherKey, weakKey, _ := ownKey(), otherKey(), weakKey(), curveKey()
	public, err := x509.MarshalPKIXPublicKey(&ownKey.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})

	now := bubbleTime
	good := payload(now, "")
	token := forge(t, ownKey, header, good)
	parts := strings.Split(token, ".")
	withHeader := func(more string) string {
		return forge(t, ownKey, strings.TrimSuffix(header, "}")+","+more+"}", good)
	}
	claim := func(payload string) string { return forge(t, ownKey, header, payload) }
	alg := func(name string) string { return strings.Replace(header, "RS256", name, 1) }

	for _, test := range []struct {
		name  string
		token string
		want  error
	}{
		// Algorithm.
		{"alg none", encode(alg("none")) + "." + encode(good) + ".", ErrAlgorithm},
		{"alg None", encode(alg("None")) + "." + encode(good) + ".", ErrAlgorithm},
		{"alg none with the signature", encode(alg("none")) + "." + encode(good) + "." + parts[2], ErrAlgorithm},
		{"HS256 with the public key", signed(encode(alg("HS256"))+"."+encode(good), func(in []byte) []byte { return hmacSign(publicPEM, in) }), ErrAlgorithm},
		{"RS384", signed(encode(alg("RS384"))+"."+encode(good), func(in []byte) []byte { return pkcs1(ownKey, crypto.SHA384, in) }), ErrAlgorithm},
		{"RS512", signed(encode(alg("RS512"))+"."+encode(good), func(in []byte) []byte { return pkcs1(ownKey, crypto.SHA512, in) }), ErrAlgorithm},
		{"PS256", signed(encode(alg("PS256"))+"."+encode(good), func(in []byte) []byte { return pss(ownKey, in) }), ErrAlgorithm},
		{"ES256", signed(encode(alg("ES256"))+"."+encode(good), ecdsaSign), ErrAlgorithm},
		{"rs256", forge(t, ownKey, alg("rs256"), good), ErrAlgorithm},
		{"alg missing", forge(t, ownKey, `{"typ":"JWT","kid":"`+app+`"}`, good), ErrAlgorithm},
		{"alg a list", forge(t, ownKey, `{"typ":"JWT","alg":["RS256"],"kid":"`+app+`"}`, good), ErrAlgorithm},
		{"says RS256, signed with PSS", signed(encode(header)+"."+encode(good), func(in []byte) []byte { return pss(ownKey, in) }), ErrSignature},
		{"says RS256, signed with HMAC of the public key", signed(encode(header)+"."+encode(good), func(in []byte) []byte { return hmacSign(publicPEM, in) }),
			ErrSignature},

		// Type.
		{"typ missing", forge(t, ownKey, `{"alg":"RS256","kid":"`+app+`"}`, good), ErrType},
		{"typ JWS", forge(t, ownKey, strings.Replace(header, "JWT", "JWS", 1), good), ErrType},
		{"typ at+jwt", forge(t, ownKey, strings.Replace(header, "JWT", "at+jwt", 1), good), ErrType},
		{"typ jwt", forge(t, ownKey, strings.Replace(header, "JWT", "jwt", 1), good), ErrType},
		{"typ a number", forge(t, ownKey, strings.Replace(header, `"JWT"`, "1", 1), good), ErrType},

		// Header fields that bring a key or change the reading.
		{"crit", withHeader(`"crit":["exp"]`), ErrHeader},
		{"crit of an extension", withHeader(`"crit":["x"],"x":1`), ErrHeader},
		{"b64", withHeader(`"b64":false`), ErrHeader},
		{"jwk", withHeader(`"jwk":{"kty":"RSA"}`), ErrHeader},
		{"jku", withHeader(`"jku":"https://evil.example/keys"`), ErrHeader},
		{"x5u", withHeader(`"x5u":"https://evil.example/cert"`), ErrHeader},
		{"X5U", withHeader(`"X5U":"https://evil.example/cert"`), ErrMalformed},
		{"x5c", withHeader(`"x5c":[]`), ErrHeader},
		{"x5t", withHeader(`"x5t":"a"`), ErrHeader},
		{"x5t#S256", withHeader(`"x5t#S256":"a"`), ErrHeader},
		{"zip", withHeader(`"zip":"DEF"`), ErrHeader},
		{"enc", withHeader(`"enc":"A256GCM"`), ErrHeader},
		{"cty", withHeader(`"cty":"JWT"`), ErrHeader},

		// Doubled and disguised names (security F6).
		{"kid twice", withHeader(`"kid":"other"`), ErrMalformed},
		{"kid and KID", withHeader(`"KID":"other"`), ErrMalformed},
		{"alg twice", withHeader(`"alg":"none"`), ErrMalformed},
		{"only Alg", forge(t, ownKey, strings.Replace(header, "alg", "Alg", 1), good), ErrMalformed},
		{"kid and kid escaped", withHeader(`"\u006bid":"other"`), ErrMalformed},
		{"kid with a Kelvin sign", withHeader("\"\u212aid\":\"other\""), ErrMalformed},
		{"unknown field twice", withHeader(`"x":1,"x":2`), ErrMalformed},
		{"iss twice", claim(payload(now, `,"iss":"`+issuer+`"`)), ErrMalformed},
		{"aud and AUD", claim(payload(now, `,"AUD":"`+audience+`"`)), ErrMalformed},
		{"iss with a long s", claim(payload(now, ",\"i\u017fs\":\"x\"")), ErrMalformed},
		{"only Exp", claim(strings.Replace(good, "exp", "Exp", 1)), ErrMalformed},
		{"unknown claim twice", claim(payload(now, `,"x":1,"X":2`)), ErrMalformed},

		// Application and key.
		{"kid missing", forge(t, ownKey, `{"typ":"JWT","alg":"RS256"}`, good), ErrUnknownKey},
		{"kid empty", forge(t, ownKey, strings.Replace(header, app, "", 1), good), ErrUnknownKey},
		{"kid unknown", forge(t, ownKey, strings.Replace(header, app, "a"+app[1:], 1), good), ErrUnknownKey},
		{"kid in upper case", forge(t, ownKey, strings.Replace(header, app, strings.ToUpper(app), 1), good), ErrUnknownKey},
		{"kid null", forge(t, ownKey, strings.Replace(header, `"`+app+`"`, "null", 1), good), ErrMalformed},
		{"kid a number", forge(t, ownKey, strings.Replace(header, `"`+app+`"`, "1", 1), good), ErrMalformed},
		{"another key", forge(t, otherKey, header, good), ErrSignature},
		{"a weak key", forge(t, weakKey, header, good), ErrSignature},

		// Claims.
		{"iss missing", claim(strings.Replace(good, `"iss":"`+issuer+`",`, "", 1)), ErrIssuer},
		{"iss empty", claim(strings.Replace(good, issuer, "", 1)), ErrIssuer},
		{"iss wrong", claim(strings.Replace(good, `"iss":"`, `"iss":"www.`, 1)), ErrIssuer},
		{"iss in upper case", claim(strings.Replace(good, issuer, strings.ToUpper(issuer), 1)), ErrIssuer},
		{"iss another application", claim(strings.Replace(good, issuer, "a"+app[1:], 1)), ErrIssuer},
		{"iss the own id in upper case", claim(strings.Replace(good, issuer, strings.ToUpper(app), 1)), ErrIssuer},
		{"iss the own id, signed by another key", forge(t, otherKey, header, strings.Replace(good, issuer, app, 1)), ErrSignature},
		{"iss the own id, and the issuer too", claim(strings.Replace(good, `"`+issuer+`"`, `["`+issuer+`","`+app+`"]`, 1)), ErrMalformed},
		{"iss a list", claim(strings.Replace(good, `"`+issuer+`"`, `["`+issuer+`"]`, 1)), ErrMalformed},
		{"aud missing", claim(strings.Replace(good, `"aud":"`+audience+`",`, "", 1)), ErrAudience},
		{"aud empty", claim(strings.Replace(good, audience, "", 1)), ErrAudience},
		{"aud an empty list", claim(strings.Replace(good, `"`+audience+`"`, "[]", 1)), ErrAudience},
		{"aud wrong", claim(strings.Replace(good, audience, "api.other.example", 1)), ErrAudience},
		{"aud a subdomain", claim(strings.Replace(good, audience, "x."+audience, 1)), ErrAudience},
		{"aud is the issuer", claim(strings.Replace(good, audience, issuer, 1)), ErrAudience},
		{"aud a number", claim(strings.Replace(good, `"`+audience+`"`, "1", 1)), ErrMalformed},
		{"iat missing", claim(fmt.Sprintf(`{"iss":%q,"aud":%q,"exp":%d}`, issuer, audience, now.Unix()+60)), ErrTimes},
		{"exp missing", claim(fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d}`, issuer, audience, now.Unix())), ErrTimes},
		{"iat null", claim(fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":null,"exp":%d}`, issuer, audience, now.Unix()+60)), ErrMalformed},
		{"exp a string", claim(fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d,"exp":"%d"}`, issuer, audience, now.Unix(), now.Unix()+60)), ErrMalformed},
		{"exp negative", claim(fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d,"exp":-1}`, issuer, audience, now.Unix())), ErrMalformed},
		{"exp beyond all calendars", claim(fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d,"exp":1e300}`, issuer, audience, now.Unix())), ErrMalformed},
		{"exp beyond all numbers", claim(fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d,"exp":1e999}`, issuer, audience, now.Unix())), ErrMalformed},
		{"expired a second ago", claim(times(now, -60, -1)), ErrExpired},
		{"expires now", claim(times(now, -60, 0)), ErrExpired},
		{"86401 seconds long", claim(times(now, 0, 86401)), ErrLifetime},
		{"86400.5 seconds long", claim(strings.Replace(times(now, 0, 86400), `}`, `.5}`, 1)), ErrLifetime},
		{"long, and almost over", claim(times(now, -86400, 1)), ErrLifetime},
		{"iat 61 seconds ahead", claim(times(now, 61, 3600)), ErrFromFuture},
		{"iat after exp, both ahead", claim(times(now, 7200, 3600)), ErrFromFuture},
		{"nbf 61 seconds ahead", claim(payload(now, fmt.Sprintf(`,"nbf":%d`, now.Unix()+61))), ErrNotYetValid},
		{"nbf a string", claim(payload(now, `,"nbf":"0"`)), ErrMalformed},

		// Form.
		{"empty", "", ErrMalformed},
		{"not a token", "Bearer", ErrMalformed},
		{"two parts", parts[0] + "." + parts[1], ErrMalformed},
		{"four parts", token + ".x", ErrMalformed},
		{"five parts, encrypted", token + ".x.y", ErrMalformed},
		{"no signature", parts[0] + "." + parts[1] + ".", ErrSignature},
		{"signature cut off", token[:len(token)-2], ErrSignature},
		{"payload altered", parts[0] + "." + encode(payload(now, `,"x":1`)) + "." + parts[2], ErrSignature},
		{"last character altered in bits that do not count",
			parts[0] + "." + parts[1] + "." + parts[2][:len(parts[2])-1] + nextInAlphabet(parts[2][len(parts[2])-1]), ErrMalformed},
		{"line break within", parts[0] + "." + parts[1] + "." + parts[2][:9] + "\n" + parts[2][9:], ErrMalformed},
		{"line break after", token + "\r\n", ErrMalformed},
		{"space before", " " + token, ErrMalformed},
		{"header is a list", forge(t, ownKey, `["RS256"]`, good), ErrMalformed},
		{"header is empty", forge(t, ownKey, ``, good), ErrMalformed},
		{"more after the header", forge(t, ownKey, header+"{}", good), ErrMalformed},
		{"header is not UTF-8", withHeader("\"x\":\"\xff\""), ErrMalformed},
		{"payload is null", claim("null"), ErrTimes},
		{"payload is a list", claim("[]"), ErrMalformed},
		{"payload is empty", claim(""), ErrMalformed},
		{"more after the payload", claim(good + " {}"), ErrMalformed},
		{"payload is not UTF-8", claim(payload(now, ",\"x\":\"\xff\"")), ErrMalformed},
		{"payload has no end", claim(strings.TrimSuffix(good, "}")), ErrMalformed},
		{"too long", claim(payload(now, `,"x":"`+strings.Repeat("x", maxToken)+`"`)), ErrMalformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				verifier := newTestVerifier()
				for range 2 { // a refusal stays a refusal
					kid, err := verifier.Verify(t.Context(), test.token)
					if kid != "" || !errors.Is(err, test.want) || !errors.Is(err, ErrInvalid) {
						t.Errorf("Verify = %q, %v; want %v", kid, err, test.want)
					}
				}
				if n := len(verifier.verified.entries); n != 0 {
					t.Errorf("%d refused tokens are remembered", n)
				}
			})
		})
	}
}

// nextInAlphabet returns the base64 character that differs in the lowest bit.
// The last of 342 characters carries two bits that count and four that do not.
func nextInAlphabet(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, c)^1])
}

func TestGoodTokensAreAccepted(t *testing.T) {
	key := ownKey()
	now := bubbleTime
	for _, test := range []struct{ name, header, payload string }{
		{"plain", header, payload(now, "")},
		{"fields in another order, with spaces", ` { "kid" : "` + app + `", "alg":"RS256","typ":"JWT"} `, payload(now, "")},
		{"unknown header field", strings.Replace(header, "{", `{"note":"x",`, 1), payload(now, "")},
		{"extra claims are ignored", header, payload(now, `,"sub":"someone","jti":"1","deep":{"a":[{"a":1}]}`)},
		{"audience in a list", header, strings.Replace(payload(now, ""), `"`+audience+`"`, `["other","`+audience+`"]`, 1)},
		{"deprecated audience", header, strings.Replace(payload(now, ""), `"`+audience, `"old.`+audience, 1)},
		{"86400 seconds long", header, times(now, 0, 86400)},
		{"long, and almost over", header, times(now, -86399, 1)},
		{"iat 60 seconds ahead", header, times(now, 60, 3600)},
		{"nbf 60 seconds ahead", header, payload(now, fmt.Sprintf(`,"nbf":%d`, now.Unix()+60))},
		{"nbf in the past", header, payload(now, `,"nbf":0`)},
		{"another issuer that is accepted", header, strings.Replace(payload(now, ""), issuer, "also."+issuer, 1)},
		{"the own id as issuer", header, strings.Replace(payload(now, ""), issuer, app, 1)},
		{"times with fractions", header, fmt.Sprintf(`{"iss":%q,"aud":%q,"iat":%d.25,"exp":%d.75}`, issuer, audience, now.Unix(), now.Unix()+60)},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				verifier := newTestVerifier()
				token := forge(t, key, test.header, test.payload)
				for range 2 { // the second answer comes from memory
					if kid, err := verifier.Verify(t.Context(), token); kid != app || err != nil {
						t.Errorf("Verify = %q, %v; want %q", kid, err, app)
					}
				}
			})
		})
	}
}

// padded completes base64url with padding.
func padded(segment string) string {
	return segment + strings.Repeat("=", (4-len(segment)%4)%4)
}

// space returns a JSON object with as many blanks before its end as its encoding needs to be padded with so many signs.
func space(object string, signs int) string {
	for (3-len(object)%3)%3 != signs {
		object = strings.TrimSuffix(object, "}") + " }"
	}
	return object
}

// Some clients leave the padding of base64 in their tokens, in all segments or some, and sign what they send.
func TestPaddedTokensAreAccepted(t *testing.T) {
	key := ownKey()
	synctest.Test(t, func(t *testing.T) {
		verifier := newTestVerifier()
		sign := func(input []byte) []byte { return pkcs1(key, crypto.SHA256, input) }
		for headerSigns := range 3 {
			for payloadSigns := range 3 {
				head, body := encode(space(header, headerSigns)), encode(space(payload(time.Now(), ""), payloadSigns))
				for name, token := range map[string]string{
					"everywhere":       padPart(signed(padded(head)+"."+padded(body), sign), 2),
					"but in the end":   signed(padded(head)+"."+padded(body), sign),
					"in the end alone": padPart(signed(head+"."+body, sign), 2),
					"in the header":    signed(padded(head)+"."+body, sign),
					"in the payload":   signed(head+"."+padded(body), sign),
				} {
					for range 2 { // the second answer comes from memory
						if kid, err := verifier.Verify(t.Context(), token); kid != app || err != nil {
							t.Errorf("%d and %d signs, padding %s: %q, %v", headerSigns, payloadSigns, name, kid, err)
						}
					}
				}
			}
		}
	})
}

// padPart completes one segment of a token with padding.
func padPart(token string, part int) string {
	parts := strings.Split(token, ".")
	parts[part] = padded(parts[part])
	return strings.Join(parts, ".")
}

// What is wrong with padding stays wrong, before and after the good token was seen: what is remembered is the text as sent.
func TestBadPaddingIsRefused(t *testing.T) {
	key := ownKey()
	now := bubbleTime
	sign := func(input []byte) []byte { return pkcs1(key, crypto.SHA256, input) }
	head, body := encode(space(header, 1)), encode(space(payload(now, ""), 2))
	plain := signed(head+"."+body, sign)
	whole := padPart(signed(padded(head)+"."+padded(body), sign), 2)
	end := strings.Split(plain, ".")[2] // 342 characters and two signs
	lastOf := func(segment string) string {
		return segment[:len(segment)-1] + nextInAlphabet(segment[len(segment)-1])
	}
	for _, test := range []struct {
		name, token string
		want        error
	}{
		// Added or taken away after the signature was made.
		{"header padded afterwards", padPart(plain, 0), ErrSignature},
		{"payload padded afterwards", padPart(plain, 1), ErrSignature},
		{"header stripped afterwards", strings.Replace(whole, "=.", ".", 1), ErrSignature},
		{"payload stripped afterwards", strings.Replace(whole, "==.", ".", 1), ErrSignature},

		// The wrong length, signed as it is.
		{"too short in the header", signed(encode(space(header, 2))+"=."+body, sign), ErrMalformed},
		{"too long in the header", signed(head+"==."+body, sign), ErrMalformed},
		{"four more in the header", signed(padded(head)+"====."+body, sign), ErrMalformed},
		{"too short in the payload", signed(head+"."+body+"=", sign), ErrMalformed},
		{"too long in the payload", signed(head+"."+body+"===", sign), ErrMalformed},
		{"where none is needed in the header", signed(encode(space(header, 0))+"="+"."+body, sign), ErrMalformed},
		{"four where none is needed in the header", signed(encode(space(header, 0))+"===="+"."+body, sign), ErrMalformed},
		{"four where none is needed in the payload", signed(head+"."+encode(space(payload(now, ""), 0))+"====", sign), ErrMalformed},
		{"too short in the signature", plain + "=", ErrMalformed},
		{"too long in the signature", plain + "===", ErrMalformed},
		{"six in the signature", plain + "======", ErrMalformed},
		{"padding alone for a signature", head + "." + body + ".====", ErrMalformed},
		{"padding alone for a header", "====." + body + "." + end, ErrMalformed},

		// The wrong place.
		{"in the middle of the header", signed(head[:8]+"=="+head[8:]+"."+body, sign), ErrMalformed},
		{"in the middle of the header, whole groups", signed(head[:10]+"=="+head[12:]+"."+body, sign), ErrMalformed},
		{"in the middle of the payload", signed(head+"."+body[:8]+"===="+body[8:], sign), ErrMalformed},
		{"in the middle of the signature", head + "." + body + "." + end[:100] + "==" + end[100:], ErrMalformed},
		{"before the header", signed("="+padded(head)+"."+body, sign), ErrMalformed},
		{"before the signature", head + "." + body + ".==" + end, ErrMalformed},
		{"something after it", padPart(plain, 2) + "A", ErrMalformed},
		{"escaped", plain + "%3D%3D", ErrMalformed},
		{"with a line break", padPart(plain, 2)[:len(padPart(plain, 2))-1] + "\n=", ErrMalformed},
		{"another alphabet's", head + "." + body + ".+" + padded(end)[1:], ErrMalformed},

		// Bits that do not count.
		{"last bits of the header, padded", signed(padded(lastOf(head))+"."+padded(body), sign), ErrMalformed},
		{"last bits of the payload, padded", signed(padded(head)+"."+padded(lastOf(body)), sign), ErrMalformed},
		{"last bits of the signature, padded", head + "." + body + "." + padded(lastOf(end)), ErrMalformed},

		// The signature itself.
		{"signature altered, padded", head + "." + body + "." + padded(nextInAlphabet(end[0])+end[1:]), ErrSignature},
		{"signature of the text without padding", padded(head) + "." + padded(body) + "." + padded(end), ErrSignature},
		{"no signature, padded", padded(head) + "." + padded(body) + ".", ErrSignature},
		{"alg none, padded", padded(encode(strings.Replace(header, "RS256", "none", 1))) + "." + padded(body) + ".", ErrAlgorithm},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				verifier := newTestVerifier()
				for _, good := range []string{"", plain, whole} {
					if good != "" {
						if kid, err := verifier.Verify(t.Context(), good); kid != app || err != nil {
							t.Fatalf("the good token: %q, %v", kid, err)
						}
					}
					if kid, err := verifier.Verify(t.Context(), test.token); kid != "" || !errors.Is(err, test.want) || !errors.Is(err, ErrInvalid) {
						t.Errorf("Verify = %q, %v; want %v", kid, err, test.want)
					}
				}
				if n := len(verifier.verified.entries); n != 2 {
					t.Errorf("%d tokens are remembered, want the two good ones", n)
				}
			})
		})
	}
}

func TestEmptySettingsAcceptNothing(t *testing.T) {
	key := ownKey()
	synctest.Test(t, func(t *testing.T) {
		token := forge(t, key, header, strings.NewReplacer(issuer, "", audience, "").Replace(payload(time.Now(), "")))
		if _, err := NewVerifier([]string{""}, nil, registry).Verify(t.Context(), token); !errors.Is(err, ErrIssuer) {
			t.Errorf("no issuer: %v, want %v", err, ErrIssuer)
		}
		token = forge(t, key, header, strings.Replace(payload(time.Now(), ""), audience, "", 1))
		if _, err := NewVerifier([]string{issuer}, []string{""}, registry).Verify(t.Context(), token); !errors.Is(err, ErrAudience) {
			t.Errorf("an empty audience: %v, want %v", err, ErrAudience)
		}
		token = forge(t, key, header, payload(time.Now(), ""))
		if _, err := NewVerifier([]string{issuer}, nil, registry).Verify(t.Context(), token); !errors.Is(err, ErrAudience) {
			t.Errorf("no audience: %v, want %v", err, ErrAudience)
		}
	})
}

func TestKeysOfTheKeyFunction(t *testing.T) {
	broken := errors.New("database is locked")
	for _, test := range []struct {
		name    string
		key     *rsa.PublicKey
		err     error
		want    error
		invalid bool
	}{
		{"weak key", &weakKey().PublicKey, nil, ErrWeakKey, true},
		{"no key", nil, nil, ErrWeakKey, true},
		{"unknown", nil, fmt.Errorf("storage: %w", ErrUnknownKey), ErrUnknownKey, true},
		{"a failure is not the token's fault", nil, broken, broken, false},
		{"cancelled", nil, context.Canceled, context.Canceled, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			verifier := NewVerifier([]string{issuer}, []string{audience}, func(_ context.Context, kid string) ([]*rsa.PublicKey, error) {
				if kid != app {
					t.Errorf("asked for the key of %q", kid)
				}
				return []*rsa.PublicKey{test.key}, test.err
			})
			kid, err := verifier.Verify(t.Context(), forge(t, weakKey(), header, payload(time.Now(), "")))
			if kid != "" || !errors.Is(err, test.want) || errors.Is(err, ErrInvalid) != test.invalid {
				t.Errorf("Verify = %q, %v; want %v, which is the token's fault: %v", kid, err, test.want, test.invalid)
			}
		})
	}
}

// While a key is rotated both pass; when the old one is taken away its tokens end with Forget.
func TestAnyKeyOfTheApplicationVerifies(t *testing.T) {
	keys := []*rsa.PublicKey{&weakKey().PublicKey, &ownKey().PublicKey, &otherKey().PublicKey}
	verifier := NewVerifier([]string{issuer}, []string{audience}, func(context.Context, string) ([]*rsa.PublicKey, error) { return keys, nil })
	now := time.Now()
	old, renewed := forge(t, ownKey(), header, payload(now, "")), forge(t, otherKey(), header, payload(now, ""))
	for name, token := range map[string]string{"old": old, "new": renewed} {
		if kid, err := verifier.Verify(t.Context(), token); kid != app || err != nil {
			t.Errorf("the %s key: %q, %v", name, kid, err)
		}
	}
	if _, err := verifier.Verify(t.Context(), forge(t, weakKey(), header, payload(now, ""))); !errors.Is(err, ErrSignature) {
		t.Errorf("the weak key: %v, want %v", err, ErrSignature)
	}
	keys = keys[2:]
	verifier.Forget(app)
	if _, err := verifier.Verify(t.Context(), old); !errors.Is(err, ErrSignature) {
		t.Errorf("the old key after its end: %v, want %v", err, ErrSignature)
	}
	if _, err := verifier.Verify(t.Context(), renewed); err != nil {
		t.Errorf("the new key: %v", err)
	}
}

func TestRefusalsHoldNoPartOfTheToken(t *testing.T) {
	const canary = "canary5d1"
	for _, token := range []string{
		canary, canary + "." + canary + "." + canary,
		forge(t, ownKey(), strings.Replace(header, app, canary, 1), payload(time.Now(), "")),
		forge(t, ownKey(), strings.Replace(header, "RS256", canary, 1), payload(time.Now(), "")),
		forge(t, ownKey(), header, strings.Replace(payload(time.Now(), ""), issuer, canary, 1)),
	} {
		if _, err := newTestVerifier().Verify(t.Context(), token); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("error %v", err)
		}
	}
}

func TestVerifiedTokensAreRememberedUntilTheyExpire(t *testing.T) {
	key := ownKey()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		verifier := NewVerifier([]string{issuer}, []string{audience}, func(ctx context.Context, kid string) ([]*rsa.PublicKey, error) {
			asked.Add(1)
			return registry(ctx, kid)
		})
		token := forge(t, key, header, payload(time.Now(), ""))
		verify := func() error {
			_, err := verifier.Verify(t.Context(), token)
			return err
		}
		for range 3 {
			if err := verify(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour - time.Millisecond)
		if err := verify(); err != nil || asked.Load() != 1 {
			t.Errorf("just before the end: %v, key asked for %d times; want once", err, asked.Load())
		}
		time.Sleep(time.Millisecond)
		if err := verify(); !errors.Is(err, ErrExpired) {
			t.Errorf("at its end: %v, want %v", err, ErrExpired)
		}
	})
}

func TestForgetDropsOneApplication(t *testing.T) {
	keys := map[string]*rsa.PublicKey{"a": &ownKey().PublicKey, "b": &ownKey().PublicKey}
	verifier := NewVerifier([]string{issuer}, []string{audience}, func(_ context.Context, kid string) ([]*rsa.PublicKey, error) {
		if key := keys[kid]; key != nil {
			return []*rsa.PublicKey{key}, nil
		}
		return nil, ErrUnknownKey
	})
	token := func(kid string) string {
		return forge(t, ownKey(), strings.Replace(header, app, kid, 1), payload(time.Now(), ""))
	}
	a, b := token("a"), token("b")
	for _, token := range []string{a, b} {
		if _, err := verifier.Verify(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	clear(keys)
	verifier.Forget("a")
	if _, err := verifier.Verify(t.Context(), a); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("the forgotten one: %v, want %v", err, ErrUnknownKey)
	}
	if kid, err := verifier.Verify(t.Context(), b); kid != "b" || err != nil {
		t.Errorf("the other one: %q, %v", kid, err)
	}
}

// A verification that read the key before the change must not bring the token
// back after Forget.
func TestForgetHoldsAgainstAVerificationUnderWay(t *testing.T) {
	key := ownKey()
	synctest.Test(t, func(t *testing.T) {
		var gone atomic.Bool
		slow := make(chan struct{})
		verifier := NewVerifier([]string{issuer}, []string{audience}, func(ctx context.Context, kid string) ([]*rsa.PublicKey, error) {
			if gone.Load() {
				return nil, ErrUnknownKey
			}
			<-slow // the key is read, the answer is late
			return registry(ctx, kid)
		})
		token := forge(t, key, header, payload(time.Now(), ""))
		first := make(chan error)
		go func() {
			_, err := verifier.Verify(t.Context(), token)
			first <- err
		}()
		synctest.Wait() // until it has read the key
		gone.Store(true)
		verifier.Forget(app)
		close(slow)
		if err := <-first; err != nil {
			t.Errorf("the one under way: %v; it began before the change and may pass", err)
		}
		if _, err := verifier.Verify(t.Context(), token); !errors.Is(err, ErrUnknownKey) {
			t.Errorf("the next one: %v, want %v", err, ErrUnknownKey)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	remembered := newVerified()
	expires := time.Now().Add(time.Hour)
	for i := range maxVerified + 100 {
		var hash [32]byte
		hash[0], hash[1], hash[2] = byte(i), byte(i>>8), byte(i>>16)
		remembered.add(hash, app, expires, 0)
		if kid, ok := remembered.find(hash, time.Now()); !ok || kid != app {
			t.Fatalf("token %d is not remembered", i)
		}
	}
	if n := len(remembered.entries); n != maxVerified {
		t.Errorf("%d tokens are remembered, want %d", n, maxVerified)
	}
	remembered.forget(app)
	if n := len(remembered.entries); n != 0 {
		t.Errorf("%d tokens are left, want none", n)
	}
}

// FuzzVerify changes signed tokens: whatever passes has to be the signed
// header and payload, letter by letter, and the signature with or without its padding.
func FuzzVerify(f *testing.F) {
	now := time.Now()
	token := forge(f, ownKey(), header, payload(now, ""))
	f.Add(token)
	f.Add(token + "==")
	f.Add(token + "=")
	f.Add(strings.Replace(token, ".", "=.", 1))
	f.Add(forge(f, ownKey(), strings.Replace(header, "RS256", "none", 1), payload(now, "")))
	f.Add(forge(f, ownKey(), header, payload(now, `,"EXP":1`)))
	f.Add(strings.Replace(token, ".", "..", 1))
	f.Add("e30.e30.")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		kid, err := newTestVerifier().Verify(t.Context(), text)
		if err == nil && (text != token && text != token+"==" || kid != app) {
			t.Errorf("%q was accepted for %q", text, kid)
		}
		if err != nil && (!errors.Is(err, ErrInvalid) || kid != "") {
			t.Errorf("%q: kid %q, error %v", text, kid, err)
		}
	})
}

// FuzzClaims signs any header and payload: what passes has to obey the rules,
// read by a reader of its own.
func FuzzClaims(f *testing.F) {
	now := time.Now()
	f.Add(header, payload(now, ""))
	f.Add(header, times(now, 61, 3600))
	f.Add(header, times(now, 0, 86401))
	f.Add(header, payload(now, `,"iss":"x"`))
	f.Add(strings.Replace(header, "{", `{"KID":"x",`, 1), payload(now, ""))
	f.Fuzz(func(t *testing.T, header, payload string) {
		kid, err := newTestVerifier().Verify(t.Context(), forge(t, ownKey(), header, payload))
		if err != nil {
			if !errors.Is(err, ErrInvalid) || kid != "" {
				t.Errorf("kid %q, error %v", kid, err)
			}
			return
		}
		for _, need := range []string{"RS256", "JWT", app} {
			if n := strings.Count(header, need); n == 0 && !strings.Contains(header, `\u`) {
				t.Errorf("accepted without %s: %s", need, header)
			}
		}
		if !strings.Contains(payload, issuer) && !strings.Contains(payload, app) && !strings.Contains(payload, `\u`) {
			t.Errorf("accepted without an issuer: %s", payload)
		}
		for _, need := range []string{audience, "iat", "exp"} {
			if !strings.Contains(payload, need) && !strings.Contains(payload, `\u`) {
				t.Errorf("accepted without %s: %s", need, payload)
			}
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	token := forge(b, ownKey(), header, payload(time.Now(), ""))
	b.Run("first", func(b *testing.B) {
		verifier := newTestVerifier()
		for b.Loop() {
			verifier.Forget(app)
			if _, err := verifier.Verify(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		verifier := newTestVerifier()
		for b.Loop() {
			if _, err := verifier.Verify(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
}
