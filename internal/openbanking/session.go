package openbanking

// Access is the access that is requested, or confirmed (spec: Access).
type Access struct {
	// accounts for which access is requested; when absent the behaviour depends on the bank (PSU chooses, all accounts, or only the account list)
	Accounts     []AccountIdentification `json:"accounts"`
	Balances     *bool                   `json:"balances"`     // request balances access
	Transactions *bool                   `json:"transactions"` // request transactions access
	ValidUntil   DateTime                `json:"valid_until"`  // RFC 3339 with timezone offset; until when the authorised session is valid
}

// StartAuthorizationRequest is the body of POST /auth.
type StartAuthorizationRequest struct {
	Access      Access   `json:"access"`
	ASPSP       ASPSP    `json:"aspsp"`
	State       string   `json:"state"`        // arbitrary; returned in the redirect query
	RedirectURL string   `json:"redirect_url"` // must be an allowed redirect url of the application (error REDIRECT_URI_NOT_ALLOWED)
	PSUType     *PSUType `json:"psu_type,omitempty"`
	AuthMethod  *string  `json:"auth_method,omitempty"` // a name from the ASPSP auth_methods
	// map of credential name to value; allowed only when auth_method is given, else error WRONG_REQUEST_PARAMETERS; when absent the PSU is asked during
	// authorisation
	Credentials           map[string]string `json:"credentials,omitempty"`
	CredentialsAutosubmit *bool             `json:"credentials_autosubmit,omitempty"` // when false the credentials form is prefilled instead of submitted
	Language              *string           `json:"language,omitempty"`               // two-letter lowercase language code
	PSUID                 *string           `json:"psu_id,omitempty"`                 // application's PSU identifier, stored hashed; random when absent
}

// StartAuthorizationResponse answers POST /auth.
type StartAuthorizationResponse struct {
	URL             string `json:"url"`              // redirect the PSU here
	AuthorizationID string `json:"authorization_id"` // UUID; not the session id
	PSUIDHash       string `json:"psu_id_hash"`
}

// AuthorizeSessionRequest is the body of POST /sessions.
type AuthorizeSessionRequest struct {
	Code string `json:"code"` // from the redirect
}

// AuthorizeSessionResponse answers POST /sessions: the only place with all account details.
type AuthorizeSessionResponse struct {
	SessionID string                `json:"session_id"` // UUID
	Accounts  List[AccountResource] `json:"accounts"`
	ASPSP     ASPSP                 `json:"aspsp"`
	PSUType   PSUType               `json:"psu_type"`
	Access    Access                `json:"access"`
}

// Session is the state of a session (spec: GetSessionResponse).
type Session struct {
	Status       SessionStatus        `json:"status"`
	Accounts     List[string]         `json:"accounts"` // account ids available in the session
	AccountsData List[SessionAccount] `json:"accounts_data"`
	ASPSP        ASPSP                `json:"aspsp"`
	PSUType      PSUType              `json:"psu_type"`
	// hash of the PSU id given by the application (random value when none was given); includes the application id, so the same PSU id yields different hashes
	// in different applications
	PSUIDHash  string    `json:"psu_id_hash"`
	Access     Access    `json:"access"` // access requested and confirmed
	Created    DateTime  `json:"created"`
	Authorized *DateTime `json:"authorized"`
	Closed     *DateTime `json:"closed"`
}

// SessionAccount identifies an account within a session.
type SessionAccount struct {
	UID                  string       `json:"uid"` // UUID, identifies the account within the session only
	IdentificationHash   string       `json:"identification_hash"`
	IdentificationHashes List[string] `json:"identification_hashes"`
}

// SuccessResponse answers a successful DELETE.
type SuccessResponse struct {
	Message string `json:"message"` // "OK"
}
