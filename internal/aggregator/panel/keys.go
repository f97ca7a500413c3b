package panel

import (
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/site"
	"florin/internal/apptoken"
	"florin/web/templates/panel"
)

// The ways to a key.
const (
	wayBrowser = "browser" // made with WebCrypto; only its public part arrives
	wayServer  = "server"
	wayUpload  = "upload"
)

const (
	certificateLife = 10 * 365 * 24 * time.Hour // of the certificates that the server makes
	tokenLife       = time.Hour                 // of the tokens of apptoken.Signer
)

// madeKey is a key that the server made.
type madeKey struct {
	key      *rsa.PrivateKey
	until    time.Time
	rotation bool // it is not the first key of its application
}

// How long a key that the server made can be saved, and how many are kept; the one that is to be forgotten first makes room.
const (
	keepMade = 10 * time.Minute
	maxMade  = 500
)

// madeKeys are the private keys that developers have not saved yet. They are in memory alone.
type madeKeys struct {
	mu   sync.Mutex
	keys map[[2]string]madeKey // by developer and application
}

func newMadeKeys() *madeKeys { return &madeKeys{keys: map[[2]string]madeKey{}} }

func (m *madeKeys) keep(developerID, applicationID string, key madeKey, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key.until = now.Add(keepMade)
	var first [2]string
	for id, other := range m.keys {
		if !now.Before(other.until) {
			delete(m.keys, id)
		} else if oldest, ok := m.keys[first]; !ok || other.until.Before(oldest.until) {
			first = id
		}
	}
	if len(m.keys) >= maxMade {
		delete(m.keys, first)
	}
	m.keys[[2]string{developerID, applicationID}] = key
}

func (m *madeKeys) find(developerID, applicationID string, now time.Time) (madeKey, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, ok := m.keys[[2]string{developerID, applicationID}]
	return key, ok && now.Before(key.until)
}

func (m *madeKeys) forget(developerID, applicationID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.keys, [2]string{developerID, applicationID})
}

// keyFor returns the certificate for the way to a key that a form chose. On the server it makes the key, once check finds
// nothing wrong with the rest of the form, and returns it too.
func (p *Panel) keyFor(fields url.Values, applicationID string, check func() error) (certificate string, made *madeKey, err error) {
	switch fields.Get("way") {
	case wayBrowser, wayUpload:
		return strings.TrimSpace(fields.Get("certificate")), nil, nil
	case wayServer:
	default:
		return "", nil, errBrokenForm
	}
	if err := check(); err != nil {
		return "", nil, err
	}
	if !p.making.Allow() {
		return "", nil, errBusy
	}
	key, err := apptoken.NewKey()
	if err != nil {
		return "", nil, err
	}
	text, err := apptoken.SelfSigned(key, applicationID, p.now(), certificateLife)
	return string(text), &madeKey{key: key}, err
}

// keyPage shows a key that the server made, with a token to try it out.
func (p *Panel) keyPage(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	made, ok := p.made.find(r.developer.ID, app.ID, p.now())
	if !ok {
		return errNoKey
	}
	text, err := apptoken.MarshalKey(made.key)
	if err != nil {
		return err
	}
	token, err := apptoken.NewSigner(made.key, app.ID, p.issuer, p.audience).Token(p.now())
	if err != nil {
		return err
	}
	return site.Write(w, r.Request, http.StatusOK, panel.Key(panel.KeyPage{
		Frame: r.frame("Save the private key", "applications"), Head: headOf(app, "/keys"),
		PEM: string(text), FileName: app.ID + ".pem", DownloadURL: applicationPath(app.ID, "/key.pem"), SavedURL: applicationPath(app.ID, "/key/saved"),
		Until: made.until.UTC().Format("15:04 UTC"), Token: token, TokenUntil: p.now().Add(tokenLife).UTC().Format("15:04 UTC"),
		Call: "curl -H 'Authorization: Bearer " + token + "' " + p.baseURL + "/application", Rotation: made.rotation,
	}))
}

// keyFile is the file with a key that the server made.
func (p *Panel) keyFile(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	made, ok := p.made.find(r.developer.ID, app.ID, p.now())
	if !ok {
		return errNoKey
	}
	text, err := apptoken.MarshalKey(made.key)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.Header().Set("Content-Disposition", `attachment; filename="`+app.ID+`.pem"`)
	_, _ = w.Write(text) // the browser went away: the key is still there
	return nil
}

// keySaved forgets a key that the server made.
func (p *Panel) keySaved(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	p.made.forget(r.developer.ID, app.ID)
	return site.Redirect(w, r.Request, applicationPath(app.ID, "?done=key-saved"))
}

func (p *Panel) keysPage(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	return p.showKeys(w, r, http.StatusOK, app, registration{values: url.Values{"way": {wayServer}}, fresh: true})
}

func (p *Panel) showKeys(w http.ResponseWriter, r *developerRequest, status int, app aggregator.Application, typed registration) error {
	keys, err := p.registry.Keys(r.Context(), r.developer.ID, app.ID)
	if err != nil {
		return err
	}
	good := 0
	for _, k := range keys {
		if k.Ended.IsZero() {
			good++
		}
	}
	frame := r.frame("Keys of "+app.Name, "applications")
	if status != http.StatusOK {
		frame.Title = "Please check: " + frame.Title
	}
	page := panel.KeysPage{
		Frame: frame, Head: headOf(app, "/keys"), Add: good < aggregator.MaxKeys, AddURL: applicationPath(app.ID, "/keys"),
		Key: panel.KeyChoice{Way: typed.values.Get("way"), Fresh: typed.fresh, Certificate: typed.fields()("certificate")},
	}
	for _, k := range keys {
		row := keyRow(k)
		if k.Ended.IsZero() && good > 1 {
			row.EndURL = applicationPath(app.ID, "/keys/"+url.PathEscape(k.ID)+"/end")
		}
		page.Rows = append(page.Rows, row)
	}
	return site.Write(w, r.Request, status, panel.Keys(page))
}

// keyRow shows a key by what was registered: a certificate or a bare public key, and the fingerprint of that.
func keyRow(k aggregator.ApplicationKey) panel.KeyRow {
	row := panel.KeyRow{Kind: "Public key", Created: moment(k.Created), State: "in use"}
	block, _ := pem.Decode([]byte(k.PEM))
	if block != nil {
		sum := sha256.Sum256(block.Bytes)
		row.Fingerprint = hex.EncodeToString(sum[:])
		if certificate, err := x509.ParseCertificate(block.Bytes); err == nil {
			row.Kind = "Certificate"
			row.State = "in use, made out until " + day(certificate.NotAfter)
		}
	}
	if !k.Ended.IsZero() {
		row.Ended, row.State = true, "ended "+moment(k.Ended)
	}
	return row
}

func (p *Panel) addKey(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	fields, err := form(r.Request)
	if err != nil {
		return err
	}
	certificate, made, err := p.keyFor(fields, app.ID, func() error { return p.registry.CheckRoomForKey(r.Context(), r.developer.ID, app.ID) })
	if err == nil {
		err = p.registry.AddKey(r.Context(), r.developer.ID, app.ID, certificate)
	}
	sent := registration{values: fields}
	if errors.As(err, &sent.problems) {
		return p.showKeys(w, r, http.StatusUnprocessableEntity, app, sent)
	}
	if err != nil {
		return err
	}
	if made != nil {
		made.rotation = true
		p.made.keep(r.developer.ID, app.ID, *made, p.now())
		return site.Redirect(w, r.Request, applicationPath(app.ID, "/key"))
	}
	return site.Redirect(w, r.Request, applicationPath(app.ID, "?done=key-added"))
}

func (p *Panel) endKey(w http.ResponseWriter, r *developerRequest) error {
	id := r.PathValue("id")
	if err := p.registry.EndKey(r.Context(), r.developer.ID, id, r.PathValue("key")); err != nil {
		return err
	}
	return site.Redirect(w, r.Request, applicationPath(id, "/keys?done=key-ended"))
}

// script is a shell script that makes a token with the key in the file and calls the API with it.
func script(applicationID, issuer, audience, baseURL string) string {
	return strings.Join([]string{
		"app=" + applicationID,
		`b64() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }`,
		`now=$(date +%s)`,
		`head=$(printf '{"typ":"JWT","alg":"RS256","kid":"%s"}' "$app" | b64)`,
		`body=$(printf '{"iss":%s,"aud":%s,"iat":%s,"exp":%s}' ` + quoted(issuer) + " " + quoted(audience) + ` "$now" "$((now + 3600))" | b64)`,
		`sign=$(printf '%s.%s' "$head" "$body" | openssl dgst -sha256 -sign "$app.pem" -binary | b64)`,
		`curl -sS -H "Authorization: Bearer $head.$body.$sign" ` + baseURL + "/application",
	}, "\n") + "\n"
}

// quoted is a text as JSON, as one word of a shell.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a form in JSON
	}
	return word(string(data))
}
