package panel

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/site"
	"florin/web/templates/panel"
)

// requestsPerPage is how many calls a page of the log shows.
const requestsPerPage = 50

// statusRanges are the choices of the status field.
var statusRanges = []struct {
	value, text string
	from, to    int
}{
	{"", "All", 0, 0},
	{"ok", "Successful", 200, 299},
	{"4xx", "Refused (4xx)", 400, 499},
	{"5xx", "Failed (5xx)", 500, 599},
}

// endpoints are the choices of the endpoint field.
var endpoints = []string{
	"GET /application", "GET /aspsps", "POST /auth", "POST /sessions", "GET /sessions/{session_id}", "DELETE /sessions/{session_id}",
	"GET /accounts/{account_id}/details", "GET /accounts/{account_id}/balances", "GET /accounts/{account_id}/transactions",
	"GET /accounts/{account_id}/transactions/{transaction_id}",
	"POST /payments", "GET /payments/{payment_id}", "DELETE /payments/{payment_id}", "GET /payments/{payment_id}/transactions/{transaction_id}",
}

// requests shows the log of an application, the newest calls first. A filter that makes no sense finds nothing.
func (p *Panel) requests(w http.ResponseWriter, r *developerRequest) error {
	app, err := p.own(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	get := func(name string) string { return strings.TrimSpace(query.Get(name)) }
	filter := aggregator.RequestFilter{
		ApplicationIDs: []string{app.ID}, ID: get("request"), Endpoint: get("endpoint"), Error: strings.ToUpper(get("error")), Bank: get("bank"),
		Resource: strings.ToLower(get("resource")), Before: cursorOf(query.Get("before")), Limit: requestsPerPage + 1,
	}
	action := applicationPath(app.ID, "/requests")
	page := panel.RequestsPage{
		Frame: r.frame("Requests of "+app.Name, "applications"), Head: headOf(app, "/requests"), Action: action,
		Error:    panel.Field{Name: "error", Label: "Error code", Value: get("error"), Code: true},
		Bank:     panel.Field{Name: "bank", Label: "Bank", Value: get("bank")},
		Request:  panel.Field{Name: "request", Label: "Request ID", Value: get("request"), Code: true},
		Resource: panel.Field{Name: "resource", Label: "Id of authorisation, session, account or payment", Value: get("resource"), Code: true},
		Kept:     strconv.Itoa(int(registry.RequestsKept/(24*time.Hour))) + " days",
	}
	for _, s := range statusRanges {
		if s.value == get("status") {
			filter.StatusFrom, filter.StatusTo = s.from, s.to
		}
		page.Statuses = append(page.Statuses, panel.Option{Value: s.value, Text: s.text, Selected: s.value == get("status")})
	}
	page.Endpoints = []panel.Option{{Text: "All", Selected: filter.Endpoint == ""}}
	for _, e := range endpoints {
		page.Endpoints = append(page.Endpoints, panel.Option{Value: e, Text: e, Selected: e == filter.Endpoint})
	}
	chosen := url.Values{}
	for _, name := range []string{"endpoint", "status", "error", "bank", "request", "resource"} {
		if value := get(name); value != "" {
			chosen.Set(name, value)
		}
	}
	page.Filtered = len(chosen) > 0
	rows, err := p.registry.Requests(r.Context(), r.developer.ID, filter)
	if err != nil {
		return err
	}
	if !filter.Before.At.IsZero() {
		page.NewestURL = action + "?" + chosen.Encode()
	}
	if len(rows) > requestsPerPage {
		rows = rows[:requestsPerPage]
		last := rows[requestsPerPage-1]
		older := url.Values{"before": {cursorText(aggregator.RequestCursor{At: last.At, ID: last.ID})}}
		for name := range chosen {
			older.Set(name, chosen.Get(name))
		}
		page.OlderURL = action + "?" + older.Encode()
	}
	for _, row := range rows {
		page.Rows = append(page.Rows, requestRow(row))
	}
	return site.Write(w, r.Request, http.StatusOK, panel.Requests(page))
}

func requestRow(r aggregator.Request) panel.RequestRow {
	row := panel.RequestRow{
		Time: r.At.UTC().Format("2006-01-02 15:04:05.000"), Endpoint: r.Endpoint, Status: r.Status, Bad: r.Status >= 400, Error: string(r.Error),
		Latency: latencyText(r.Latency), RequestID: r.ID,
	}
	for _, c := range r.BankCalls {
		row.Calls = append(row.Calls, strings.TrimSpace(c.Name+", "+latencyText(c.Latency)+" "+string(c.Error)))
	}
	if r.ASPSP.Name != "" {
		row.Bank = r.ASPSP.Name + ", " + r.ASPSP.Country
	}
	return row
}

func latencyText(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// cursorText and cursorOf write and read a place in the log as one word of an address. A word that is none is the begin.
func cursorText(c aggregator.RequestCursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.At.UTC().Format(time.RFC3339Nano) + " " + c.ID))
}

func cursorOf(text string) aggregator.RequestCursor {
	data, err := base64.RawURLEncoding.DecodeString(text)
	parts := slices.Collect(strings.SplitSeq(string(data), " "))
	if err != nil || len(parts) != 2 {
		return aggregator.RequestCursor{}
	}
	at, err := time.Parse(time.RFC3339Nano, parts[0])
	if err != nil || at.Year() < 2000 || at.Year() > 9000 {
		return aggregator.RequestCursor{}
	}
	return aggregator.RequestCursor{At: at, ID: parts[1]}
}
