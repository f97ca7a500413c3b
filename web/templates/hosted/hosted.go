// Package hosted contains the pages of the aggregation service and of the simulated banks: templates with view models in the form of the screen. They look
// nothing up and calculate nothing; all addresses are given.
package hosted

import "florin/internal/qrcode"

// Bank is a bank as a page shows it.
type Bank struct {
	Name    string
	Country string // in words, such as "Sweden"
	LogoURL string // of the own origin
	HomeURL string // the bank's own site
	CSSURL  string // style sheet with the brand colours of the bank
}

// Application is the requesting application as a page shows it.
type Application struct {
	Name        string
	Description string
	Initial     string // one letter for its mark
	PrivacyURL  string // may be empty
	TermsURL    string // may be empty
}

// SampleUser is a user of a simulated bank as whom anybody can sign in. Fields that the bank does not ask for are empty.
type SampleUser struct {
	Name     string
	Username string
	Password string
	Code     string // the one-time code
}

// Fact is one line of a list of facts.
type Fact struct {
	Label string
	Text  string
	Note  string // smaller, may be empty
}

// ConsentPage asks the person for the data sharing consent.
type ConsentPage struct {
	Application     Application
	Bank            Bank
	AuthorizationID string // comes back in both forms
	Shared          []Fact // what is shared, in words
	Until           string // "18 May 2027"
	UntilNote       string // "in 180 days"
	Linker          string // e-mail address of the developer who links own accounts to the application; else empty
	Business        bool   // the person acts for a business
	AtBank          bool   // everything else is asked at the bank itself
	AcceptURL       string
	CancelURL       string
}

// Button is a form with a single button.
type Button struct {
	Action, Text string
}

// MessagePage shows a message with links or buttons, if any.
type MessagePage struct {
	Title     string
	Text      []string // paragraphs
	Each      []string // a list after them, which may be long
	Bank      *Bank    // the page is of this bank's site; nil for the service
	LinkURL   string   // may be empty
	LinkText  string
	Buttons   []Button
	Tone      Tone
	RequestID string // shown for reports of a fault; may be empty
	Code      string // the error code of the API (spec: Errors); empty without one
}

// Tone is the mark of a message.
type Tone string

// The tones.
const (
	ToneInfo  Tone = "info"
	ToneDone  Tone = "done"
	ToneStop  Tone = "stop"
	ToneFault Tone = "fault"
)

// SignInPage is the first page of a visit at a simulated bank.
type SignInPage struct {
	Bank     Bank
	Visit    Visit
	Action   string
	Username string // as typed before
	Problem  string // what was wrong with the last attempt; empty at first
	Users    []SampleUser
}

// CodePage asks for the one-time code.
type CodePage struct {
	Bank    Bank
	Visit   Visit
	Action  string
	Holder  string // who signed in
	Problem string
	Users   []SampleUser
	Message string // of a payment: what the bank has sent to the phone, with the code
}

// ApprovalPage lets the person choose accounts and approve.
type ApprovalPage struct {
	Bank      Bank
	Visit     Visit
	Action    string
	Problem   string
	Holder    string // who signed in
	Accounts  []ApprovalAccount
	Fixed     bool // there is nothing to choose: the consent covers all of them
	Shared    []Fact
	Until     string
	UntilNote string
}

// ApprovalAccount is an account on offer.
type ApprovalAccount struct {
	ID        string // of the form field
	Reference string // value of the form field
	Name      string
	Detail    string // its kind, and what the bank calls it
	Number    string
	Currency  string
	Checked   bool
	Blocked   bool // only its details can be read, and nothing is paid from it
	Available *Sum // what can be spent; nil when it is not shown
}

// Visit is the frame of the pages of one visit: the application, the progress, and the way to cancel.
type Visit struct {
	Application string   // name of the application that asks
	Steps       []string // names of the pages of the visit; none when there is only one
	Step        int      // the present one, from 1
	DeclineURL  string   // form target
	Hosted      bool     // the service asks in the bank's stead
	Device      bool     // the person continues on another screen
	Check       string   // digits that the other screen shows, too; may be empty
	Order       *Order   // the payment to approve, if it is one
}

// MethodPage lets the person choose how to sign in at the bank.
type MethodPage struct {
	Bank    Bank
	Visit   Visit
	Action  string
	Problem string
	Methods []MethodChoice
}

// MethodChoice is a way to sign in at a bank.
type MethodChoice struct {
	ID      string // of the form field
	Name    string // value of the form field
	Title   string // in the language of the bank
	Detail  string
	Checked bool
}

// CredentialsPage asks for the credentials that a bank requires.
type CredentialsPage struct {
	Bank     Bank
	Visit    Visit
	Action   string
	Problem  string
	Supplied string // name of the application that filled in the form; empty when none did
	Fields   []CredentialField
	Device   bool // the person then continues on another device
	Users    []SampleUser
	AgainURL string // form target; empty when there is nothing else to choose
}

// CredentialField is a field of a credentials form. Its texts are in the language of the bank.
type CredentialField struct {
	ID       string
	Name     string
	Title    string
	Hint     string
	Value    string
	Secret   bool
	Required bool
	Problem  string
	Focus    bool // the first one to be mended
}

// DevicePage waits for the person's other device.
type DevicePage struct {
	Bank     Bank
	Visit    Visit
	LinkURL  string      // the address that the other device opens
	Code     qrcode.Code // the same as a QR code
	Seconds  int         // that are left
	Left     string      // the same in words
	StateURL string      // answers 204 until there is something new
	AgainURL string      // form target
	Users    []SampleUser
}

// HomePage presents the service.
type HomePage struct {
	Query     string
	Country   string // selected code, or empty
	Countries []Option
	Groups    []HomeGroup
	Shown     int // banks in the groups
	Total     int // banks in the catalogue
}

// Option is a choice of a select field.
type Option struct {
	Value, Text string
	Selected    bool
}

// HomeGroup are the banks of a country.
type HomeGroup struct {
	Code    string // two letters
	Country string
	Banks   []HomeBank
}

// HomeBank is a bank in the list of the home page.
type HomeBank struct {
	Bank          Bank
	BIC           string
	Note          string // "personal and business"
	Users         []SampleUser
	NoCredentials bool
}

// BankPage is the front page of a simulated bank's site.
type BankPage struct {
	Bank          Bank
	Facts         []Fact
	Users         []SampleUser
	NoCredentials bool
	ConsentsURL   string // where customers see the consents they have given
	AppURL        string // where they pay as in the bank's app
}

// DocsPage explains how to use this service.
type DocsPage struct {
	BaseURL         string
	RegistrationURL string
	AuthURL         string
	Issuer          string
	Audiences       string
	Command         string // that registers an application
	CodeLifetime    string // in words
	Endpoints       []Endpoint
	Returns         []Fact // the possible results of the person's visit
}

// Endpoint is one call of the API.
type Endpoint struct {
	Method, Path, Text string
}
