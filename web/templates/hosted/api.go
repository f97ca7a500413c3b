package hosted

// APIPage describes the API for people who read.
type APIPage struct {
	Overview string
	Facts    []Fact // addresses and tokens
	Sections []APISection
	Redirect []APIField

	PSUHeaders []APIField
	Webhook    string      // in words; the body is a schema
	Body       string      // name of the schema of the webhook
	Claims     []APIClaims // of the tokens of applications
	Limits     []APILimit
	Errors     []APIError
	Schemas    []APISchema // structures
	Enums      []APISchema // enumerations

	WebhookClaims []APIClaims
}

// APISection is a group of related operations.
type APISection struct {
	ID, Name   string
	Operations []APIOperation
}

// APIOperation is one call.
type APIOperation struct {
	ID, Method, Path     string
	Summary, Description string
	Token                string // whose token it requires, when it is not the application's
	Parameters           []APIField
	PSUHeaders           bool   // it takes them too
	Request              string // name of a schema, or empty
	Example              string // of a request, or empty
	Response             string // name of a schema
	Failures             []APIFailure
}

// APIField is a parameter or a field of a structure.
type APIField struct {
	Name   string
	In     string // where a parameter is; empty for a field
	Type   string
	Schema string // name of the schema in Type, for a link; or empty
	Need   string // "required", "optional" or a condition
	Text   string
}

// APIFailure is a status with its codes.
type APIFailure struct {
	Status, Text string
	Codes        []string
}

// APIClaims is a part of a token.
type APIClaims struct {
	Name   string
	Fields []Fact
}

// APILimit is a limit.
type APILimit struct{ Name, Value, AppliesTo string }

// APIError is an error code.
type APIError struct{ Code, Status, Message, Meaning string }

// APISchema is a structure or an enumeration.
type APISchema struct {
	Name, Text string
	Fields     []APIField
	Values     []Fact
}
