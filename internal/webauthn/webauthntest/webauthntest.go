// Package webauthntest simulates a device with passkeys for tests. It behaves correctly, or in one of the wrong ways that a test chooses.
package webauthntest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"
)

// Device makes passkeys and answers challenges with them, together with a browser at Origin.
type Device struct {
	Origin string // the address of the page in the browser

	// Wrong behaviour of a device or a page.
	Site       string // replaces the requested RP ID; "" keeps it
	Unverified bool   // it does not verify its user
	NotCount   bool   // its counter stays 0, like that of passkeys on several devices
	Synced     bool   // its passkeys are backed up
	Frame      bool   // the page is in a frame of another site
	Handle     []byte // replaces the user handle; nil keeps it

	keys []*passkey
}

type passkey struct {
	site       string
	id, handle []byte
	key        *ecdsa.PrivateKey
	counter    uint32
}

// Copy returns another device with copies of the present passkeys.
func (d *Device) Copy() *Device {
	c := *d
	c.keys = nil
	for _, k := range d.keys {
		other := *k
		c.keys = append(c.keys, &other)
	}
	return &c
}

// options are the options that the page gives to the browser.
type options struct {
	Challenge string `json:"challenge"`
	SiteID    string `json:"rpId"`
	Site      struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
	Exclude []struct {
		ID string `json:"id"`
	} `json:"excludeCredentials"`
	Allow []struct {
		ID string `json:"id"`
	} `json:"allowCredentials"`
}

func read(t testing.TB, asked []byte) options {
	t.Helper()
	var o options
	if err := json.Unmarshal(asked, &o); err != nil {
		t.Fatalf("the options are no JSON: %v: %s", err, asked)
	}
	return o
}

// Create makes a passkey for the options and returns the answer of the browser; "" when the device has an excluded one.
func (d *Device) Create(t testing.TB, asked []byte) string {
	t.Helper()
	o := read(t, asked)
	for _, k := range d.keys {
		for _, out := range o.Exclude {
			if out.ID == encode(k.id) {
				return ""
			}
		}
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	handle, err := base64.RawURLEncoding.DecodeString(o.User.ID)
	if err != nil {
		t.Fatal(err)
	}
	k := &passkey{site: o.Site.ID, id: make([]byte, 32), handle: handle, key: private}
	_, _ = rand.Read(k.id)
	d.keys = append(d.keys, k)
	point, err := private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	public := slices.Concat([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, point[1:33], []byte{0x22, 0x58, 32}, point[33:]) // a COSE key: ES256 on P-256
	data := slices.Concat(d.data(k, 1<<6), make([]byte, 16), binary.BigEndian.AppendUint16(nil, uint16(len(k.id))), k.id, public)
	object := slices.Concat([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), binary.BigEndian.AppendUint16(nil, uint16(len(data))), data)
	return d.say(t, k, map[string]any{"clientDataJSON": encode(d.client(t, "webauthn.create", o.Challenge)), "attestationObject": encode(object), "transports": []string{"internal"}})
}

// Get answers with the newest passkey that the options allow; "" when there is none.
func (d *Device) Get(t testing.TB, asked []byte) string {
	t.Helper()
	o := read(t, asked)
	for _, k := range slices.Backward(d.keys) {
		allowed := len(o.Allow) == 0
		for _, one := range o.Allow {
			allowed = allowed || one.ID == encode(k.id)
		}
		if !allowed || k.site != o.SiteID {
			continue
		}
		if !d.NotCount {
			k.counter++
		}
		data, client := d.data(k, 0), d.client(t, "webauthn.get", o.Challenge)
		hash := sha256.Sum256(client)
		message := sha256.Sum256(slices.Concat(data, hash[:]))
		signature, err := ecdsa.SignASN1(rand.Reader, k.key, message[:])
		if err != nil {
			t.Fatal(err)
		}
		handle := k.handle
		if d.Handle != nil {
			handle = d.Handle
		}
		return d.say(t, k, map[string]any{"clientDataJSON": encode(client), "authenticatorData": encode(data), "signature": encode(signature), "userHandle": encode(handle)})
	}
	return ""
}

func (d *Device) say(t testing.TB, k *passkey, response map[string]any) string {
	t.Helper()
	said, err := json.Marshal(map[string]any{"id": encode(k.id), "rawId": encode(k.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

func (d *Device) client(t testing.TB, kind, challenge string) []byte {
	t.Helper()
	client, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": d.Frame})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// data is the fixed part of authenticator data (WebAuthn 6.1).
func (d *Device) data(k *passkey, flags byte) []byte {
	site := k.site
	if d.Site != "" {
		site = d.Site
	}
	flags |= 1 // the user is present
	if !d.Unverified {
		flags |= 1 << 2
	}
	if d.Synced {
		flags |= 1<<3 | 1<<4
	}
	hash := sha256.Sum256([]byte(site))
	return binary.BigEndian.AppendUint32(append(hash[:], flags), k.counter)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
