package contract

import (
	"slices"
	"time"

	"florin/internal/openbanking"
)

// sessions: the life of a session from its code to its end (spec: Session status; api-notes 5).
func (s *suite) sessions() {
	until := time.Now().Add(6 * time.Hour).UTC().Truncate(time.Second)
	code, started := s.approve(map[string]any{"psu_id": "anna", "access.valid_until": until.Format(time.RFC3339)})
	created := s.redeem(code)
	if !uuid.MatchString(created.SessionID) || created.SessionID == started.AuthorizationID {
		s.Errorf("session_id %q, authorization_id %q", created.SessionID, started.AuthorizationID)
	}
	if created.ASPSP != s.target.Bank || created.PSUType != openbanking.PSUTypePersonal {
		s.Errorf("aspsp %v, psu_type %s", created.ASPSP, created.PSUType)
	}
	if len(created.Accounts) == 0 {
		s.Fatal("the suite needs a bank whose user has accounts")
	}
	s.refused(s.call("POST", "/sessions", body(map[string]string{"code": code})), 422, openbanking.AlreadyAuthorized)

	session := s.session(created.SessionID)
	if session.Status != openbanking.SessionStatusAuthorized || session.Authorized == nil || session.Closed != nil {
		s.Errorf("status %s, authorized %v, closed %v", session.Status, session.Authorized, session.Closed)
	}
	if session.PSUIDHash != started.PSUIDHash {
		s.Error("psu_id_hash of GET /sessions and of POST /auth differ (spec: Session)")
	}
	for name, access := range map[string]openbanking.Access{"POST": created.Access, "GET": session.Access} {
		if !access.ValidUntil.Equal(until) {
			s.Errorf("%s /sessions: valid_until %v, want %v", name, access.ValidUntil, until)
		}
		if access.Balances == nil || !*access.Balances || access.Transactions == nil || !*access.Transactions {
			s.Errorf("%s /sessions: scopes do not default to true (api-notes 4)", name)
		}
	}
	s.sameAccounts(created, session)

	if got := get[openbanking.SuccessResponse](s, "DELETE", "/sessions/"+created.SessionID, ""); got.Message != "OK" {
		s.Errorf("DELETE answers %q", got.Message)
	}
	if closed := s.session(created.SessionID); closed.Status != openbanking.SessionStatusClosed || closed.Closed == nil {
		s.Errorf("status %s, closed %v", closed.Status, closed.Closed)
	}
	s.refused(s.call("DELETE", "/sessions/"+created.SessionID, ""), 400, openbanking.ClosedSession)
	for _, account := range created.Accounts {
		if account.UID == nil {
			continue
		}
		for _, path := range []string{"details", "balances", "transactions", "transactions/1"} {
			s.refused(s.call("GET", "/accounts/"+*account.UID+"/"+path, ""), 401, openbanking.ClosedSession)
		}
	}
	s.refused(s.call("POST", "/sessions", body(map[string]string{"code": code})), 422, openbanking.AlreadyAuthorized)
}

func (s *suite) session(id string) openbanking.Session {
	s.Helper()
	return get[openbanking.Session](s, "GET", "/sessions/"+id, "")
}

// sameAccounts compares the accounts of POST and GET /sessions, and checks hashes and uids.
func (s *suite) sameAccounts(created openbanking.AuthorizeSessionResponse, session openbanking.Session) {
	s.Helper()
	var uids []string
	main := map[string]bool{}
	for _, account := range created.Accounts {
		if account.IdentificationHash == "" || !slices.Contains(account.IdentificationHashes, account.IdentificationHash) {
			s.Errorf("identification_hashes %v are without the main one %q", account.IdentificationHashes, account.IdentificationHash)
		}
		if main[account.IdentificationHash] {
			s.Errorf("two accounts have the main hash %q", account.IdentificationHash)
		}
		main[account.IdentificationHash] = true
		if account.UID == nil {
			continue
		}
		if uids = append(uids, *account.UID); !uuid.MatchString(*account.UID) {
			s.Errorf("uid %q is no UUID", *account.UID)
		}
		i := slices.IndexFunc(session.AccountsData, func(d openbanking.SessionAccount) bool { return d.UID == *account.UID })
		if i < 0 || session.AccountsData[i].IdentificationHash != account.IdentificationHash ||
			!slices.Equal(session.AccountsData[i].IdentificationHashes, account.IdentificationHashes) {
			s.Errorf("accounts_data does not show account %s as it was", *account.UID)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(uids)), slices.Sorted(slices.Values(session.Accounts))) || len(session.AccountsData) != len(uids) {
		s.Errorf("GET /sessions lists %v, POST listed %v", session.Accounts, uids)
	}
}

// renewal: a later session of the same PSU has new uids and the same hashes (spec: Account).
func (s *suite) renewal() {
	first, second := s.link(nil), s.link(nil)
	if first.SessionID == second.SessionID {
		s.Error("two sessions have one id")
	}
	uids := map[string]bool{}
	var hashes [2][]string
	for i, session := range []openbanking.AuthorizeSessionResponse{first, second} {
		for _, account := range session.Accounts {
			hashes[i] = append(hashes[i], account.IdentificationHash)
			if account.UID == nil {
				continue
			}
			if uids[*account.UID] {
				s.Errorf("the uid %s is of two sessions", *account.UID)
			}
			uids[*account.UID] = true
		}
		slices.Sort(hashes[i])
	}
	if !slices.Equal(hashes[0], hashes[1]) {
		s.Errorf("identification hashes changed from %v to %v", hashes[0], hashes[1])
	}
}

// otherApplication: sessions, accounts and codes of one application do not exist for another one; hashes are equal, those
// of PSU ids are not.
func (s *suite) otherApplication() {
	token, err := s.target.OtherToken()
	if err != nil {
		s.Fatal(err)
	}
	other := s.with(s.T)
	other.token = token
	code, started := s.approve(map[string]any{"psu_id": "anna"})
	other.refused(other.call("POST", "/sessions", body(map[string]string{"code": code})), 422, openbanking.WrongAuthorizationCode)
	session := s.redeem(code)
	other.refused(other.call("GET", "/sessions/"+session.SessionID, ""), 404, openbanking.SessionDoesNotExist)
	other.refused(other.call("DELETE", "/sessions/"+session.SessionID, ""), 404, openbanking.SessionDoesNotExist)
	uid := *s.readable(session).UID
	for _, path := range []string{"details", "balances", "transactions", "transactions/1"} {
		other.refused(other.call("GET", "/accounts/"+uid+"/"+path, ""), 404, openbanking.AccountDoesNotExist)
	}
	theirCode, theirs := other.approve(map[string]any{"psu_id": "anna"})
	if theirs.PSUIDHash == started.PSUIDHash {
		s.Error("psu_id_hash is the same in two applications (spec: Session)")
	}
	hash := s.readable(session).IdentificationHash
	if !slices.ContainsFunc(other.redeem(theirCode).Accounts, func(a openbanking.AccountResource) bool { return a.IdentificationHash == hash }) {
		s.Error("identification hashes differ between applications (spec: Account)")
	}
	if got := s.session(session.SessionID); got.Status != openbanking.SessionStatusAuthorized {
		s.Errorf("another application made the session %s", got.Status)
	}
}

// scopes: what was not asked for is not given (spec: Access).
func (s *suite) scopes() {
	session := s.link(map[string]any{"access.balances": false, "access.transactions": false})
	if session.Access.Balances == nil || *session.Access.Balances || session.Access.Transactions == nil || *session.Access.Transactions {
		s.Errorf("confirmed access is %+v", session.Access)
	}
	uid := *s.readable(session).UID
	get[openbanking.AccountResource](s, "GET", "/accounts/"+uid+"/details", "")
	for _, path := range []string{"balances", "transactions", "transactions/1"} {
		s.refused(s.call("GET", "/accounts/"+uid+"/"+path, ""), 403, openbanking.AccessDenied)
	}
}
