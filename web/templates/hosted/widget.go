package hosted

// WidgetPage shows the element with which other sites let people choose a bank.
type WidgetPage struct {
	ServiceURL string // public address of the service
	ScriptURL  string // of the script, on this site
	Language   string // of the example
	Languages  []Option
	Attributes []Fact
}

// embedding is the code that a site adds to its page.
func (p WidgetPage) embedding() string {
	return `<script src="` + p.ServiceURL + `/widget/aspsp-list.js" defer></script>

<florin-aspsp-list application="your application ID" country="FI"></florin-aspsp-list>`
}

// listening is the code that a site adds to its script.
func (p WidgetPage) listening() string {
	return `document.querySelector("florin-aspsp-list").addEventListener("selected", (event) => {
  const { name, country, psuType, bic } = event.detail; // send them to your server, which calls POST /auth
});`
}

// policy is what a site adds to its content security policy.
func (p WidgetPage) policy() string {
	return "script-src " + p.ServiceURL + "; connect-src " + p.ServiceURL + "; img-src " + p.ServiceURL
}
