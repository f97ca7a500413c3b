package panel

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"florin/internal/aggregator"
	"florin/web/templates/panel"
)

const operatorPath = Path + "operator"

// forwarded are the headers that a proxy adds.
var forwarded = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// isOperator reports whether the request comes straight from the machine of the service: from a loopback address, not
// through a proxy, and for an address that is this machine's. The last keeps out a web site whose name was made to
// point here. Where the public address is not this machine's there is a proxy, and unless it is a trusted one, its
// requests could look like the operator's: then nobody is.
func (p *Panel) isOperator(r *http.Request) bool {
	public, err := url.Parse(p.registrationURL)
	if err != nil || !isLoopback(public.Hostname()) && !p.behindProxy {
		return false
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, name := range forwarded {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	return isLoopback(host)
}

func isLoopback(host string) bool {
	if host = strings.ToLower(host); host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// operatorPage shows the outbox and the applications that wait. For everybody else there is no such page.
func (p *Panel) operatorPage(w http.ResponseWriter, r *http.Request) error {
	if !p.isOperator(r) {
		return errNoPage
	}
	page := panel.OperatorPage{
		Frame:      panel.Frame{Title: "Operator", Here: "operator", Done: done[r.URL.Query().Get("done")]},
		MailServer: p.outbox == nil,
	}
	if p.outbox != nil {
		for _, m := range p.outbox.Mails(p.now()) {
			page.Letters = append(page.Letters, panel.Letter{To: m.To, Subject: m.Subject, Text: m.Text, Written: moment(m.Written), Link: link.FindString(m.Text)})
		}
	}
	waiting, err := p.engine.Unapproved(r.Context())
	if err != nil {
		return err
	}
	for _, app := range waiting {
		owner := "the operator"
		if app.OwnerID != "" {
			developer, err := p.engine.Developer(r.Context(), app.OwnerID)
			if err != nil {
				return err
			}
			owner = developer.Email
		}
		page.Waiting = append(page.Waiting, panel.Waiting{
			Row: rowOf(app), Owner: owner, Restricted: app.Restricted && app.Status != aggregator.ApplicationPending,
			ApproveURL: operatorPath + "/applications/" + url.PathEscape(app.ID) + "/approve",
		})
	}
	return p.render(w, r, http.StatusOK, panel.Operator(page))
}

// link finds the address in a mail.
var link = regexp.MustCompile(`https?://\S+`)

func (p *Panel) approve(w http.ResponseWriter, r *http.Request) error {
	if !p.isOperator(r) {
		return errNoPage
	}
	if err := p.engine.Approve(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return redirect(w, r, operatorPath+"?done=approved")
}
