package api

import (
	"log/slog"

	"florin/internal/middleware"
	"florin/internal/openbanking"
)

// startAuthorization is POST /auth.
func (a *api) startAuthorization(r *request) (any, error) {
	var body openbanking.StartAuthorizationRequest
	if err := a.decode(r, &body); err != nil {
		return nil, err
	}
	answer, err := a.engine.StartAuthorization(r.Context(), r.App, body)
	if err == nil { // the name of a bank that there is not is whatever the caller likes
		noteBank(r, body.ASPSP)
	}
	return answer, err
}

// redeem is POST /sessions.
func (a *api) redeem(r *request) (any, error) {
	var body openbanking.AuthorizeSessionRequest
	if err := a.decode(r, &body); err != nil {
		return nil, err
	}
	answer, err := a.engine.Redeem(r.Context(), r.App, body.Code)
	if err == nil {
		noteBank(r, answer.ASPSP)
	}
	return answer, err
}

// session is GET /sessions/{session_id}.
func (a *api) session(r *request) (any, error) {
	id, err := pathUUID(r, "session_id")
	if err != nil {
		return nil, err
	}
	answer, err := a.engine.Session(r.Context(), r.App, id)
	if err == nil {
		noteBank(r, answer.ASPSP)
	}
	return answer, err
}

// closeSession is DELETE /sessions/{session_id}.
func (a *api) closeSession(r *request) (any, error) {
	id, err := pathUUID(r, "session_id")
	if err != nil {
		return nil, err
	}
	psu, err := psu(r)
	if err != nil {
		return nil, err
	}
	bank, err := a.engine.CloseSession(r.Context(), r.App, id, psu)
	if bank.Name != "" {
		noteBank(r, bank)
	}
	return openbanking.SuccessResponse{Message: "OK"}, err
}

// noteBank tells the logs which bank the request is about.
func noteBank(r *request, bank openbanking.ASPSP) {
	r.bank = bank
	middleware.Annotate(r.Context(), slog.String("bank", bank.Name), slog.String("country", bank.Country))
}
