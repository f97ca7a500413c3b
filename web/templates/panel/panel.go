// Package panel holds the pages of the control panel: templates with view models that are shaped like the screen. They
// look nothing up and calculate nothing; all addresses come in ready-made. The look is that of the hosted pages.
package panel

// Frame is what every page shows round its content.
type Frame struct {
	Title string
	Email string // of the developer who is signed in; empty for nobody
	Here  string // the part of the site: "applications", "account", "operator", or empty
	Done  string // what was just done, in words; may be empty
}

// Field is a field of a form.
type Field struct {
	Name         string
	Label        string
	Hint         string
	Value        string
	Problem      string // what is wrong with the value; empty when nothing is
	Type         string // of the input; empty: text
	Rows         int    // of a text area; zero for an input
	Autocomplete string // empty: off
	Optional     bool
	Code         bool // shown in a typewriter face
}

// SignInPage asks for the address to which the link goes.
type SignInPage struct {
	Frame
	Address Field
	Outbox  bool // the service has no mail server: mails lie on the operator's page
}

// SentPage says that the link is on its way.
type SentPage struct {
	Frame
	Minutes int // that a link is good for
	Links   int // that are sent to one address in this time
	Outbox  bool
}

// OpenPage opens the operator's pages on a press of its button.
type OpenPage struct {
	Frame
	Code  string
	Hours int // that the browser is the operator's
}

// ConfirmPage signs in on a press of its button: a link that is only looked at is not used up.
type ConfirmPage struct {
	Frame
	Address string
	Code    string
}

// Row is an application in a list.
type Row struct {
	Name        string
	URL         string
	ID          string
	Environment string
	State       State
	Created     string
}

// State is how an application stands.
type State struct {
	Kind string // "active", "pending" or "paused"
	Text string
	Note string // what to do about it; may be empty
}

// ApplicationsPage lists the applications of the developer.
type ApplicationsPage struct {
	Frame
	Rows   []Row
	NewURL string
}

// KeyChoice is the part of a form that asks for a key.
type KeyChoice struct {
	Way         string // "browser", "server" or "upload"
	Fresh       bool   // nobody has chosen yet: a browser that can make keys offers that
	Certificate Field
}

// NewPage registers an application.
type NewPage struct {
	Frame
	ID         string // that the application will have; it names the key file
	Ticket     string
	Production bool
	Fields     []Field // for every application
	More       []Field // needed in PRODUCTION
	Key        KeyChoice
	Problem    string // that belongs to no field
}

// Head is the top of every page of one application.
type Head struct {
	Up          Tab // to the list that the application is in
	Name        string
	ID          string
	Environment string
	State       State
	Tabs        []Tab
}

// Tab is a link to a page of an application.
type Tab struct {
	Text, URL string
	Current   bool
}

// Fact is one line of a list of facts.
type Fact struct {
	Label string
	Text  string
	Code  bool
}

// ApplicationPage shows an application and how to call the API with it.
type ApplicationPage struct {
	Frame
	Head
	Facts     []Fact
	PauseURL  string // form target; empty when it cannot be paused
	ResumeURL string
	KeyURL    string // of the page with the key that the server made, while there is one
	Issuer    string
	Audience  string
	BaseURL   string
	Script    string
}

// KeyPage shows a key that the server made, for as long as it keeps it.
type KeyPage struct {
	Frame
	Head
	PEM         string
	FileName    string
	DownloadURL string
	SavedURL    string // form target
	Until       string
	Token       string
	TokenUntil  string
	Call        string // command with the token
	Rotation    bool   // the key is the second one
}

// KeyRow is a key of an application.
type KeyRow struct {
	Fingerprint string
	Kind        string
	Created     string
	State       string
	EndURL      string // form target; empty when it cannot be ended
	Ended       bool
}

// KeysPage lists the keys of an application and adds one.
type KeysPage struct {
	Frame
	Head
	Rows   []KeyRow
	Add    bool // there is room for one more
	AddURL string
	Key    KeyChoice
}

// SettingsPage changes an application.
type SettingsPage struct {
	Frame
	Head
	Action           string
	Fields           []Field
	Restricted       bool
	RestrictedLocked bool // only the operator can lift it
	Problem          string
	DeleteURL        string
}

// DeletePage deletes an application once its name is typed.
type DeletePage struct {
	Frame
	Head
	Action string
	Typed  Field
}

// OwnAccount is an account that is linked to an application.
type OwnAccount struct {
	Bank, Label, Linked string
	Hash                string
}

// Group are the banks of a country.
type Group struct {
	Country string
	Banks   []Option
}

// Option is a choice of a select field.
type Option struct {
	Value, Text string
	Selected    bool
}

// AccountsPage links own accounts to an application.
type AccountsPage struct {
	Frame
	Head
	Restricted bool
	Pending    bool
	Accounts   []OwnAccount
	UnlinkURL  string
	LinkURL    string
	Groups     []Group
	Problem    string
}

// RequestRow is a call in the log.
type RequestRow struct {
	Time      string
	Endpoint  string
	Status    int
	Bad       bool
	Error     string
	Bank      string
	Latency   string
	RequestID string
	Calls     []string // to the bank, in words
}

// RequestsPage is the request log of an application.
type RequestsPage struct {
	Frame
	Head
	Action    string
	Endpoints []Option
	Statuses  []Option
	Error     Field
	Bank      Field
	Request   Field
	Resource  Field
	Rows      []RequestRow
	Filtered  bool
	NewestURL string // empty on the newest page
	OlderURL  string // empty on the oldest page
	Kept      string // how long calls are kept
}

// WebhookRow is an event in the delivery log.
type WebhookRow struct {
	URL                       string // of its page
	Created                   string
	Status                    string // of the payment, as it is told
	PaymentStart, PaymentRest string // the id in two parts
	PaymentURL                string // of the events of the payment
	State                     State
	Attempts                  string
	Next                      string // when it is tried again; empty when it is not
	Last                      string // outcome of the last attempt; empty before the first one
	Bad                       bool   // the last attempt failed
}

// WebhooksPage is the delivery log of an application.
type WebhooksPage struct {
	Frame
	Head
	Action    string
	States    []Option
	Payment   Field
	Rows      []WebhookRow
	Filtered  bool
	NewestURL string // empty on the newest page
	OlderURL  string // empty on the oldest page
	VerifyURL string
	Origins   string // to which webhooks may be sent; empty for none
}

// AttemptRow is one try to deliver an event.
type AttemptRow struct {
	Number, Time, Status, Outcome, Latency string
	Bad                                    bool
}

// WebhookPage is one event with all that was tried.
type WebhookPage struct {
	Frame
	Head
	ListURL    string
	Heading    string
	Event      State
	Facts      []Fact
	Attempts   []AttemptRow
	AgainURL   string // form target
	Again      string // what the button does
	Body       string
	Headers    string // of a request, without the token
	TokenHead  string // JSON
	Claims     string // JSON
	VerifyURL  string
	RequestURL string // the calls about the payment; empty where there is no log of them
}

// VerifyPage explains how a webhook is verified.
type VerifyPage struct {
	Frame
	Head
	ListURL    string
	Facts      []Fact
	Domain     string
	RootURL    string // of the root certificate; empty where it is one that systems trust
	Invented   bool   // the example is not a real delivery
	Of         string // what the example is, in words
	Body       string
	Token      string
	Call       string // command that sends the example to the application
	Script     string // that verifies the example
	Program    string // in Go, that receives webhooks
	RunProgram string // command
}

// Device is a browser that is signed in.
type Device struct {
	Name, Since, Seen string
	ID                string
	Current           bool
}

// AccountPage shows where the developer is signed in.
type AccountPage struct {
	Frame
	Address string
	Devices []Device
}

// Letter is a mail in the outbox.
type Letter struct {
	To, Subject, Text, Written string
	Link                       string
}

// Waiting is an application that the operator may approve.
type Waiting struct {
	Row
	Owner      string
	Restricted bool
	ApproveURL string
}

// Owned is an application with its owner.
type Owned struct {
	Row
	Owner    string
	Services string
	Payments bool   // it may initiate payments
	GrantURL string // form target: the other of what Payments says
}

// OperatorPage is for the operator, on the machine of the service.
type OperatorPage struct {
	Frame
	MailServer bool // mails leave by a mail server
	Letters    []Letter
	Waiting    []Waiting
	Production []Owned // whose payments the operator decides on
	Own        []Row   // applications of the operator; their addresses are those of their webhooks
}

// MessagePage says one thing.
type MessagePage struct {
	Frame
	Text      []string
	LinkURL   string
	LinkText  string
	RequestID string // for reports of a fault; may be empty
}
