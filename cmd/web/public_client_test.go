package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
)

// publicClient is a client written for the public service. Only its base URL, key, application id, bank and redirect URL are changed. It shares no code with
// Florin.
type publicClient struct {
	t        *testing.T
	base     string
	key      *rsa.PrivateKey
	id       string
	issuer   string
	encoding *base64.Encoding
	ahead    time.Duration // how far its clock is ahead
}

func (c *publicClient) now() time.Time { return time.Now().Add(c.ahead) }

func (c *publicClient) token() string {
	segment := func(format string, values ...any) string {
		return c.encoding.EncodeToString(fmt.Appendf(nil, format, values...))
	}
	now := c.now().Unix()
	signed := segment(`{"typ": "JWT", "alg": "RS256", "kid": %q}`, c.id) + "." +
		segment(`{"iss": %q, "aud": "api.enablebanking.com", "iat": %d, "exp": %d}`, c.issuer, now, now+3600)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, c.key, crypto.SHA256, digest[:])
	if err != nil {
		c.t.Fatal(err)
	}
	return signed + "." + c.encoding.EncodeToString(signature)
}

// document is an object as the client reads and writes it.
type document = map[string]any

// call makes a request, without a Content-Type, and reads the answer, which must be a success.
func (c *publicClient) call(method, path string, body document, headers ...string) document {
	c.t.Helper()
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequest(method, c.base+path, content)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token())
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var answer document
	if err := json.Unmarshal(text, &answer); err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("%s %s answered %d: %s", method, path, response.StatusCode, text)
	}
	return answer
}

// back checks the address to which the browser was sent back, and returns the query.
func (c *publicClient) back(address *url.URL, err error) url.Values {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	query := address.Query()
	if !strings.HasPrefix(address.String(), redirectURL+"?") || query.Get("state") != "a state" || query.Has("error") {
		c.t.Fatalf("back at %s", address)
	}
	return query
}

// A client of the public service uses accounts and payments without being refused, whichever way it makes its tokens.
func TestClientOfThePublicService(t *testing.T) {
	f := begin(t)
	for name, change := range map[string]func(*publicClient){
		"padded tokens, its own id as issuer": func(c *publicClient) { c.encoding, c.issuer = base64.URLEncoding, c.id },
		"names of the public service":         func(c *publicClient) { c.encoding, c.issuer = base64.RawURLEncoding, "enablebanking.com" },
	} {
		t.Run(name, func(t *testing.T) {
			app := addApplicationNamed(t, f, name)
			c := &publicClient{t: t, base: f.service, key: app.key, id: app.id, ahead: 1234 * time.Millisecond}
			change(c)
			if about := c.call("GET", "/application", nil); about["kid"] != app.id || about["active"] != true {
				t.Fatalf("application %v", about)
			}
			bank := c.bank("Mock ASPSP", "DE")
			c.readsAccounts(bank)
			c.pays(bank)
		})
	}
}

// bank finds a bank in the list. The client expects no boolean of a bank to be null.
func (c *publicClient) bank(name, country string) document {
	c.t.Helper()
	for _, item := range c.call("GET", "/aspsps?country="+country+"&psu_type=personal&service=", nil)["aspsps"].([]any) {
		bank := item.(document)
		if bank["name"] != name {
			continue
		}
		for _, offer := range bank["payments"].([]any) {
			for field, value := range offer.(document) {
				if value == nil && (strings.HasSuffix(field, "_required") || strings.HasSuffix(field, "_supported")) {
					c.t.Errorf("%s is null", field)
				}
			}
		}
		return bank
	}
	c.t.Fatalf("there is no %s in %s", name, country)
	return nil
}

func (c *publicClient) readsAccounts(bank document) {
	c.t.Helper()
	maximum := time.Duration(bank["maximum_consent_validity"].(float64) * float64(time.Second))
	latest := time.Now().Add(maximum + time.Minute)
	asked := c.now().Add(maximum)
	started := c.call("POST", "/auth", document{
		"access":       document{"valid_until": asked.UTC().Format("2006-01-02T15:04:05.000Z"), "balances": true, "transactions": true, "accounts": nil},
		"aspsp":        document{"name": bank["name"], "country": bank["country"]},
		"redirect_url": redirectURL,
		"state":        "a state",
		"psu_type":     "personal",
		"psu_id":       "", "language": "", "auth_method": "", "credentials": []string{}, "credentials_autosubmit": nil,
	})
	query := c.back(walk.New(nil).Approve(context.Background(), started["url"].(string), walk.Person{}))
	session := c.call("POST", "/sessions", document{"code": query.Get("code")})
	granted, err := time.Parse(time.RFC3339, session["access"].(document)["valid_until"].(string))
	if err != nil || granted.After(asked) || granted.After(latest) || granted.Before(asked.Add(-time.Minute)) {
		c.t.Errorf("asked for %v, granted %v, %v", asked, granted, err)
	}
	path := "/sessions/" + session["session_id"].(string)
	if status := c.call("GET", path, nil)["status"]; status != "AUTHORIZED" {
		c.t.Errorf("the session is %v", status)
	}
	rows := 0
	for _, item := range session["accounts"].([]any) {
		account := "/accounts/" + item.(document)["uid"].(string)
		c.call("GET", account+"/details", nil)
		if balances := c.call("GET", account+"/balances", nil, "Psu-Ip-Address", "192.0.2.1", "Psu-User-Agent",
			"Mozilla/5.0")["balances"].([]any); len(balances) == 0 {
			c.t.Error("an account without balances")
		}
		key := ""
		for page := 0; page == 0 || key != ""; page++ {
			if page == 1000 {
				c.t.Fatal("the listing has no end")
			}
			answer := c.call("GET", account+"/transactions?"+url.Values{"date_from": {""}, "date_to": {""}, "transaction_status": {"BOOK"},
				"continuation_key": {key}}.Encode(), nil)
			rows += len(answer["transactions"].([]any))
			key, _ = answer["continuation_key"].(string)
		}
	}
	if rows == 0 {
		c.t.Error("no transactions")
	}
	c.call("DELETE", path, nil)
}

func (c *publicClient) pays(bank document) {
	c.t.Helper()
	created := c.call("POST", "/payments", document{
		"payment_type": "SEPA",
		"payment_request": document{
			"debtor":         document{"name": "Anna Virtanen", "contact_details": document{"email_address": "", "phone_number": "00358 40 123 4567"}},
			"debtor_account": nil, "debtor_currency": "", "purpose": "", "charge_bearer": "",
			"payment_type_information": document{"service_level": "", "category_purpose": "", "local_instrument": "", "instruction_priority": ""},
			"credit_transfer_transaction": []any{document{
				"instructed_amount": document{"amount": "12.30", "currency": "EUR"},
				"beneficiary": document{
					"creditor":          document{"name": "Verein Lindenhof", "postal_address": document{"country": "", "address_line": []string{}}},
					"creditor_account":  document{"scheme_name": "IBAN", "identification": "de89 3704 0044 0532 0130 00", "issuer": ""},
					"creditor_agent":    document{"bic_fi": ""},
					"creditor_currency": "",
				},
				"reference_number": "123", "requested_execution_date": "", "remittance_information": []string{""}, "payment_id": document{"end_to_end_id": ""},
			}},
		},
		"aspsp":        document{"name": bank["name"], "country": bank["country"]},
		"redirect_url": redirectURL,
		"state":        "a state",
		"psu_type":     "personal",
		"psu_id":       "", "language": "", "auth_method": "", "credentials": []string{}, "webhook_url": "",
	})
	c.back(walk.New(nil).Pay(context.Background(), created["url"].(string), walk.Person{}))
	path := "/payments/" + created["payment_id"].(string)
	payment := c.call("GET", path, nil)
	transaction := payment["payment_details"].(document)["credit_transfer_transaction"].([]any)[0].(document)
	if account := transaction["beneficiary"].(document)["creditor_account"].(document)["identification"]; account != "DE89370400440532013000" ||
		transaction["reference_number"] != "123" {
		c.t.Errorf("read back as %v", transaction)
	}
	c.call("GET", path+"/transactions/"+transaction["transaction_id"].(string), nil)
}
