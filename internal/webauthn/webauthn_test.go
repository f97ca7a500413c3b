package webauthn

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"florin/internal/webauthn/webauthntest"
)

var (
	site     = Site{ID: "florin.example", Origin: "https://florin.example:8443"}
	question = base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
)

func made(t *testing.T, d *webauthntest.Device) (Credential, error) {
	t.Helper()
	options, err := site.CreationOptions("Florin", User{Handle: []byte("mira"), Name: "mira@example.org"}, question, nil)
	if err != nil {
		t.Fatal(err)
	}
	return site.Register(parsed(t, d.Create(t, options)), question)
}

func parsed(t *testing.T, said string) Response {
	t.Helper()
	r, err := Parse([]byte(said))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func answered(t *testing.T, d *webauthntest.Device, c ...Credential) Response {
	t.Helper()
	options, err := site.RequestOptions(question, c)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, d.Get(t, options))
}

func TestAPasskeyIsMadeAndAnswers(t *testing.T) {
	d := &webauthntest.Device{Origin: site.Origin, Synced: true}
	c, err := made(t, d)
	if err != nil {
		t.Fatal(err)
	}
	if !c.BackupEligible || !c.BackedUp || c.Counter != 0 || !slices.Equal(c.Transports, []string{"internal"}) {
		t.Errorf("made: %+v", c)
	}
	r := answered(t, d)
	if r.Challenge() != question || string(r.UserHandle) != "mira" || !bytes.Equal(r.ID, c.ID) {
		t.Errorf("answered %q for %q", r.Challenge(), r.UserHandle)
	}
	used, err := site.Verify(c, r, question)
	if err != nil || used.Counter != 1 || !used.BackedUp || !bytes.Equal(used.Key, c.Key) {
		t.Errorf("used: %+v, %v", used, err)
	}
	other := &webauthntest.Device{Origin: site.Origin}
	foreign, err := made(t, other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := site.Verify(Credential{ID: c.ID, Key: foreign.Key, BackupEligible: true}, r, question); !errors.Is(err, ErrSignature) {
		t.Errorf("with another key: %v", err)
	}
	if _, err := site.Verify(foreign, r, question); !errors.Is(err, ErrSignature) {
		t.Errorf("of another passkey: %v", err)
	}
	c.BackupEligible = false
	if _, err := site.Verify(c, r, question); !errors.Is(err, ErrMalformed) {
		t.Errorf("a passkey that was bound to its device and is not any more: %v", err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	good := func() *webauthntest.Device { return &webauthntest.Device{Origin: site.Origin} }
	for name, c := range map[string]struct {
		change func(d *webauthntest.Device)
		want   error
	}{
		"another origin":             {func(d *webauthntest.Device) { d.Origin = "https://florin.example.evil.example:8443" }, ErrElsewhere},
		"another port":               {func(d *webauthntest.Device) { d.Origin = "https://florin.example" }, ErrElsewhere},
		"plain http":                 {func(d *webauthntest.Device) { d.Origin = "http://florin.example:8443" }, ErrElsewhere},
		"another RP ID":              {func(d *webauthntest.Device) { d.Site = "example" }, ErrElsewhere},
		"in a frame of another site": {func(d *webauthntest.Device) { d.Frame = true }, ErrElsewhere},
		"nobody verified":            {func(d *webauthntest.Device) { d.Unverified = true }, ErrUnverified},
	} {
		t.Run(name, func(t *testing.T) {
			bad := good()
			c.change(bad)
			if _, err := made(t, bad); !errors.Is(err, c.want) {
				t.Errorf("made: %v, want %v", err, c.want)
			}
			d := good()
			p, err := made(t, d)
			if err != nil {
				t.Fatal(err)
			}
			c.change(d)
			if _, err := site.Verify(p, answered(t, d, p), question); !errors.Is(err, c.want) {
				t.Errorf("answered: %v, want %v", err, c.want)
			}
		})
	}
	d := good()
	p, err := made(t, d)
	if err != nil {
		t.Fatal(err)
	}
	r := answered(t, d, p)
	for _, other := range []string{"", question[1:], strings.ToUpper(question)} {
		if _, err := site.Verify(p, r, other); !errors.Is(err, ErrChallenge) {
			t.Errorf("to the question %q: %v", other, err)
		}
	}
	if _, err := site.Register(r, question); !errors.Is(err, ErrMalformed) {
		t.Errorf("an answer in place of a new passkey: %v", err)
	}
	for i := range r.authenticatorData { // nothing of what is signed can be changed
		changed := r
		changed.authenticatorData = slices.Clone(r.authenticatorData)
		changed.authenticatorData[i] ^= 1
		if _, err := site.Verify(p, changed, question); err == nil {
			t.Errorf("byte %d of the data was changed", i)
		}
	}
	changed := r
	changed.clientData = bytes.Replace(r.clientData, []byte("{"), []byte("{ "), 1)
	if _, err := site.Verify(p, changed, question); !errors.Is(err, ErrSignature) {
		t.Errorf("a blank in the client data: %v", err)
	}
	for _, text := range []string{"", "{}", "[]", `{"type":"public-key","rawId":"","response":{}}`, `{"type":"public-key","rawId":"AA","response":{"clientDataJSON":"!"}}`,
		`{"type":"password","rawId":"AA","response":{"clientDataJSON":"e30"}}`, `{"type":"public-key","rawId":"AA","response":{"clientDataJSON":"W10"}}`} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// vector is what a device said, in hexadecimal.
type vector struct {
	Challenge         string `json:"challenge"`
	ClientDataJSON    string `json:"clientDataJSON"`
	AttestationObject string `json:"attestationObject"`
	AuthenticatorData string `json:"authenticatorData"`
	Signature         string `json:"signature"`
}

// TestVectors: the examples of the specification (WebAuthn 16). Some devices of theirs did not check who holds them; their keys and signatures are right all
// the same.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Section    string `json:"section"`
		Name       string `json:"name"`
		Credential string `json:"credential"`
		Create     vector `json:"create"`
		Get        vector `json:"get"`
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	raw := func(text string) []byte {
		t.Helper()
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString(raw(text)) }
	example := Site{ID: "example.org", Origin: "https://example.org"}
	verified := 0
	for _, v := range vectors {
		say := func(response map[string]string) Response {
			t.Helper()
			said, err := json.Marshal(map[string]any{"rawId": encode(v.Credential), "type": "public-key", "response": response})
			if err != nil {
				t.Fatal(err)
			}
			return parsed(t, string(said))
		}
		name := v.Section + " " + v.Name
		creation := say(map[string]string{"clientDataJSON": encode(v.Create.ClientDataJSON), "attestationObject": encode(v.Create.AttestationObject)})
		object, rest, err := decode(creation.attestation, 0)
		if err != nil || len(rest) > 0 {
			t.Errorf("%s: the attestation is not read: %v", name, err)
			continue
		}
		d, err := readData(object.(map[any]any)["authData"].([]byte))
		if err != nil || hex.EncodeToString(d.id) != v.Credential {
			t.Errorf("%s: the data is not read: %v", name, err)
			continue
		}
		want := error(nil)
		switch {
		case creation.crossOrigin:
			want = ErrElsewhere
		case !d.has(flagVerified):
			want = ErrUnverified
		case v.Name == "ES384":
			want = ErrMalformed // no algorithm that was asked for
		}
		c, err := example.Register(creation, encode(v.Create.Challenge))
		if !errors.Is(err, want) {
			t.Errorf("%s: registered: %v, want %v", name, err, want)
		}
		if v.Name == "ES384" {
			continue
		}
		answer := say(map[string]string{"clientDataJSON": encode(v.Get.ClientDataJSON), "authenticatorData": encode(v.Get.AuthenticatorData), "signature": encode(v.Get.Signature)})
		key, err := readKey(d.key)
		if err != nil {
			t.Errorf("%s: the key is not read: %v", name, err)
			continue
		}
		hash := sha256.Sum256(answer.clientData)
		if !key.verify(slices.Concat(answer.authenticatorData, hash[:]), answer.signature) {
			t.Errorf("%s: the signature is refused", name)
		}
		if key.verify(slices.Concat(answer.authenticatorData, hash[1:]), answer.signature) {
			t.Errorf("%s: the signature is taken for anything", name)
		}
		if now, err := readData(answer.authenticatorData); want == nil && err == nil && now.has(flagVerified) {
			verified++
			if _, err := example.Verify(c, answer, encode(v.Get.Challenge)); err != nil {
				t.Errorf("%s: answered: %v", name, err)
			}
		}
	}
	if len(vectors) < 8 || verified == 0 {
		t.Errorf("%d examples, of which %d are whole", len(vectors), verified)
	}
}

// TestNothingHostileIsRead: items that are too deep, too long, twice there, or of kinds that no device writes.
func TestNothingHostileIsRead(t *testing.T) {
	for name, item := range map[string]string{
		"nothing": "", "depth": "818181818100", "a length beyond the end": "5affffffff00", "a length beyond all numbers": "5bffffffffffffffff00", "many items": "9affffffff",
		"many names": "baffffffff", "the same name twice": "a201000100", "a name that is a list": "a18000", "no definite length": "5f4100ff", "a tag": "c000",
		"a fraction": "f93c00", "a broken text": "61ff", "a number beyond all": "1bffffffffffffffff", "half an argument": "19ff", "a reserved argument": "1c",
	} {
		data, err := hex.DecodeString(item)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := decode(data, 0); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func FuzzRegister(f *testing.F) {
	f.Add([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58\x25aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x45\x00\x00\x00\x00"))
	f.Add([]byte("\xa5\x01\x02\x03\x26\x20\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Response{ID: []byte{1}, kind: "webauthn.create", question: question, origin: site.Origin, attestation: data}
		if c, err := site.Register(r, question); err == nil && len(c.Key) == 0 {
			t.Error("a passkey without a key")
		}
		if d, err := readData(data); err == nil && d.key != nil {
			_, _ = readKey(d.key)
		}
		_, _ = readKey(data)
	})
}
