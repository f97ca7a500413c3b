package api

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/middleware"
	"florin/internal/openbanking"
)

// askForLink is POST /api/relyingparty/getOobConfirmationCode. The answer is the same for every address.
func (a *api) askForLink(r *request) (any, error) {
	var body struct {
		RequestType string  `json:"requestType"`
		Email       string  `json:"email"`
		ContinueURL string  `json:"continueUrl"`
		InApp       *bool   `json:"canHandleCodeInApp"`
		Language    *string `json:"language"`
	}
	if err := a.decode(r, &body); err != nil {
		return nil, err
	}
	switch {
	case body.RequestType != "EMAIL_SIGNIN":
		return nil, aggregator.InvalidParameter("requestType", "must be EMAIL_SIGNIN")
	case body.InApp != nil && !*body.InApp:
		return nil, aggregator.InvalidParameter("canHandleCodeInApp", "must be true")
	case body.ContinueURL == "":
		return nil, aggregator.InvalidParameter("continueUrl", "is empty")
	}
	err := a.registry.AskForLink(r.Context(), body.Email, middleware.ClientAddressFrom(r.Context()), body.ContinueURL)
	if errors.Is(err, registry.ErrTooSoon) {
		err = &openbanking.Error{Status: http.StatusTooManyRequests, Message: "Too many sign-in links; try again in 15 minutes"}
	}
	return struct {
		Kind  string `json:"kind"`
		Email string `json:"email"`
	}{"identitytoolkit#GetOobConfirmationCodeResponse", body.Email}, err
}

// exchangeLink is POST /api/relyingparty/emailLinkSignin.
func (a *api) exchangeLink(r *request) (any, error) {
	var body struct {
		Code  string `json:"oobCode"`
		Email string `json:"email"`
	}
	if err := a.decode(r, &body); err != nil {
		return nil, err
	}
	tokens, err := a.registry.ExchangeLink(r.Context(), body.Code, body.Email)
	if errors.Is(err, registry.ErrLink) {
		err = &openbanking.Error{Status: http.StatusBadRequest, Message: "The oobCode is used, too old, or not for this e-mail address"}
	}
	return struct {
		Kind         string `json:"kind"`
		IDToken      string `json:"idToken"`
		RefreshToken string `json:"refreshToken"`
		ExpiresIn    string `json:"expiresIn"`
		LocalID      string `json:"localId"`
		Email        string `json:"email"`
		IsNewUser    bool   `json:"isNewUser"`
	}{
		"identitytoolkit#EmailLinkSigninResponse", tokens.IDToken, tokens.RefreshToken, expiresIn,
		tokens.Developer.ID, tokens.Developer.Email, tokens.IsNew,
	}, err
}

// expiresIn is the lifetime of an id token in seconds, a string (api-notes 3).
var expiresIn = strconv.Itoa(int(registry.BearerLifetime / time.Second))

// refresh is POST /api/token, a form.
func (a *api) refresh(r *request) (any, error) {
	form, err := form(r)
	if err != nil {
		return nil, err
	}
	grant, err := form.take("grant_type")
	if err != nil {
		return nil, err
	}
	if grant != "refresh_token" {
		return nil, aggregator.InvalidParameter("grant_type", "must be refresh_token")
	}
	token, err := form.take("refresh_token")
	if err != nil {
		return nil, err
	}
	tokens, err := a.registry.Refresh(r.Context(), token)
	if errors.Is(err, registry.ErrSignedOut) {
		err = &openbanking.Error{Status: http.StatusBadRequest, Message: "The refresh_token is used, too old, or not one of ours"}
	}
	return struct {
		IDToken      string `json:"id_token"`
		RefreshToken string `json:"refresh_token"`
		ExpiresIn    string `json:"expires_in"`
		AccessToken  string `json:"access_token"`
		TokenType    string `json:"token_type"`
		UserID       string `json:"user_id"`
		ProjectID    string `json:"project_id"`
	}{tokens.IDToken, tokens.RefreshToken, expiresIn, tokens.IDToken, "Bearer", tokens.Developer.ID, "florin"}, err
}

// maxRequests is how many calls one answer of GET /api/requests lists.
const maxRequests = 200

// requestLine is a call in the log (api-notes 3: logs_id, timestamp.value and more).
type requestLine struct {
	LogsID       string    `json:"logs_id"`
	Timestamp    timestamp `json:"timestamp"`
	AppID        string    `json:"app_id"`
	Endpoint     string    `json:"endpoint"`
	ResourceID   *string   `json:"resource_id"`
	ResponseCode int       `json:"response_code"`
	Error        *string   `json:"error"`
	Country      *string   `json:"country"`
	Brand        *string   `json:"brand"`
	LatencyMS    float64   `json:"latency_ms"`

	AuthorizationID *string                    `json:"authorization_id"`
	SessionID       *string                    `json:"session_id"`
	SessionStatus   *string                    `json:"session_status"` // after the call
	PSUType         *string                    `json:"psu_type"`
	AuthApproach    *string                    `json:"auth_approach"`
	AuthMethod      *string                    `json:"auth_method"`
	BankRequests    openbanking.List[bankLine] `json:"aspsp_requests"`
}

// bankLine is a call to the bank that was made for a call of the API: never a parameter or an answer.
type bankLine struct {
	Name      string  `json:"name"`
	Error     *string `json:"error"`
	LatencyMS float64 `json:"latency_ms"`
}

type timestamp struct {
	Value string `json:"value"`
}

func lineOf(r aggregator.Request) requestLine {
	line := requestLine{
		LogsID: r.ID, Timestamp: timestamp{r.At.UTC().Format(timestampLayout)}, AppID: r.ApplicationID, Endpoint: r.Endpoint,
		ResourceID: optional(r.Resource), ResponseCode: r.Status, Error: optional(string(r.Error)),
		Country: optional(r.ASPSP.Country), Brand: optional(r.ASPSP.Name), LatencyMS: milliseconds(r.Latency),
		AuthorizationID: optional(r.AuthorizationID), SessionID: optional(r.SessionID), SessionStatus: optional(string(r.SessionStatus)),
		PSUType: optional(string(r.PSUType)), AuthApproach: optional(string(r.AuthApproach)), AuthMethod: optional(r.AuthMethod),
	}
	for _, c := range r.BankCalls {
		line.BankRequests = append(line.BankRequests, bankLine{c.Name, optional(string(c.Error)), milliseconds(c.Latency)})
	}
	return line
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

const timestampLayout = "2006-01-02T15:04:05.000Z"

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// requests is GET /api/requests: the newest calls first.
func (a *api) requests(r *request) (any, error) {
	given, err := query(r)
	if err != nil {
		return nil, err
	}
	values := parameters{}
	for name := range given {
		if len(given[name]) == 1 && given[name][0] == "" { // an empty field of a form
			continue
		}
		if _, err := given.take(name); err != nil {
			return nil, err
		}
		values[name] = given[name]
	}
	get := func(name string) string { return strings.Join(values[name], "") } // there is at most one
	filter := aggregator.RequestFilter{
		Country: get("country"), Bank: get("brand"), Endpoint: get("endpoint"), AccountID: strings.ToLower(get("accountId")),
		PaymentID: strings.ToLower(get("paymentId")),
		Limit:     maxRequests,
	}
	filter.SessionID, filter.AuthMethod = strings.ToLower(get("sessionId")), get("authMethod")
	filter.AuthorizationID = strings.ToLower(cmp.Or(get("autorizationId"), get("authorizationId"))) // the first is how the public panel spells it
	if filter.AuthApproach, err = takeEnum[openbanking.AuthenticationApproach](values, "authApproach"); err != nil {
		return nil, err
	}
	if filter.PSUType, err = takeEnum[openbanking.PSUType](values, "psuType"); err != nil {
		return nil, err
	}
	if filter.SessionStatus, err = takeEnum[openbanking.SessionStatus](values, "sessionStatus"); err != nil {
		return nil, err
	}
	if id := get("appId"); id != "" {
		filter.ApplicationIDs = []string{id}
	}
	if code := get("responseCode"); code != "" {
		status, err := strconv.Atoi(code)
		if err != nil || status < 100 || status > 599 {
			return nil, aggregator.InvalidParameter("responseCode", "must be an HTTP status such as 200")
		}
		filter.StatusFrom, filter.StatusTo = status, status
	}
	return a.requestList(r, filter)
}

type requestList struct {
	Requests openbanking.List[requestLine] `json:"requests"`
}

func (a *api) requestList(r *request, filter aggregator.RequestFilter) (requestList, error) {
	list, err := a.ownRequests(r, filter)
	return requestList{Requests: list}, err
}

func (a *api) ownRequests(r *request, filter aggregator.RequestFilter) (openbanking.List[requestLine], error) {
	rows, err := a.registry.Requests(r.Context(), r.DeveloperID, filter)
	if errors.Is(err, aggregator.ErrNotFound) {
		return nil, &openbanking.Error{Status: http.StatusNotFound, Message: "You have no application with this appId"}
	}
	lines := make(openbanking.List[requestLine], len(rows))
	for i, row := range rows {
		lines[i] = lineOf(row)
	}
	return lines, err
}

// requestLogs is GET /api/requestLogs: the records of one call, at timestamp.value or on a day.
func (a *api) requestLogs(r *request) (any, error) {
	given, err := query(r)
	if err != nil {
		return nil, err
	}
	id, err := given.take("requestId")
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, aggregator.InvalidParameter("requestId", "is missing")
	}
	at, err := given.take("timestamp")
	if err != nil {
		return nil, err
	}
	lines, err := a.ownRequests(r, aggregator.RequestFilter{ID: id, Limit: maxRequests})
	if err != nil {
		return nil, err
	}
	if at != "" {
		day, dayErr := time.Parse(time.DateOnly, at)
		if moment, err := time.Parse(time.RFC3339Nano, at); err != nil && dayErr != nil {
			return nil, aggregator.InvalidParameter("timestamp", "must be a day such as 2026-01-31, or the timestamp.value of a request")
		} else if err == nil {
			day = moment
		}
		lines = slices.DeleteFunc(lines, func(l requestLine) bool {
			if dayErr == nil {
				return l.Timestamp.Value[:len(time.DateOnly)] != at
			}
			return l.Timestamp.Value != day.UTC().Format(timestampLayout)
		})
	}
	return struct {
		Logs openbanking.List[requestLine] `json:"logs"`
	}{lines}, nil
}

// todayStats is GET /api/get_today_stats: every bank for each type of its PSUs, and how it has answered today (UTC).
func (a *api) todayStats(r *request) (any, error) {
	banks, err := a.registry.Today(r.Context())
	type line struct {
		Country string              `json:"country"`
		Brand   string              `json:"brand"`
		PSUType openbanking.PSUType `json:"psu_type"`
		Status  registry.BankState  `json:"status"`
	}
	lines := make([]line, len(banks))
	for i, b := range banks {
		lines[i] = line{b.ASPSP.Country, b.ASPSP.Name, b.PSUType, b.State}
	}
	return lines, err
}
