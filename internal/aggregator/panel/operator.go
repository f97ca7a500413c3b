package panel

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/middleware"
	"florin/internal/openbanking"
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
	if err != nil || !middleware.ThisMachine(public.Host) && !p.behindProxy {
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
	return middleware.ThisMachine(r.Host)
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
		owner, err := p.ownerOf(r.Context(), app)
		if err != nil {
			return err
		}
		page.Waiting = append(page.Waiting, panel.Waiting{
			Row: rowOf(app), Owner: owner, Restricted: app.Restricted && app.Status != aggregator.ApplicationPending,
			ApproveURL: operatedPath(app.ID, "/approve"),
		})
	}
	production, err := p.engine.ProductionApplications(r.Context())
	if err != nil {
		return err
	}
	for _, app := range production {
		owner, err := p.ownerOf(r.Context(), app)
		if err != nil {
			return err
		}
		row := panel.Owned{Row: rowOf(app), Owner: owner, Services: services(app), Payments: slices.Contains(app.Services, openbanking.ServicePIS)}
		row.GrantURL = operatedPath(app.ID, "/payments/grant")
		if row.Payments {
			row.GrantURL = operatedPath(app.ID, "/payments/withdraw")
		}
		page.Production = append(page.Production, row)
	}
	own, err := p.engine.OperatorApplications(r.Context())
	if err != nil {
		return err
	}
	for _, app := range own {
		row := rowOf(app)
		row.URL = operatedPath(app.ID, "/webhooks")
		page.Own = append(page.Own, row)
	}
	return p.render(w, r, http.StatusOK, panel.Operator(page))
}

// operatedPath is the page of an application for the operator.
func operatedPath(id, rest string) string {
	return operatorPath + "/applications/" + url.PathEscape(id) + rest
}

// ownerOf is the owner of an application in words.
func (p *Panel) ownerOf(ctx context.Context, app aggregator.Application) (string, error) {
	if app.OwnerID == "" {
		return "the operator", nil
	}
	developer, err := p.engine.Developer(ctx, app.OwnerID)
	return developer.Email, err
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

// grantPayments lets an application of PRODUCTION initiate payments.
func (p *Panel) grantPayments(w http.ResponseWriter, r *http.Request) error {
	return p.setPayments(w, r, p.engine.GrantPayments, "granted")
}

// withdrawPayments ends that.
func (p *Panel) withdrawPayments(w http.ResponseWriter, r *http.Request) error {
	return p.setPayments(w, r, p.engine.WithdrawPayments, "withdrawn")
}

func (p *Panel) setPayments(w http.ResponseWriter, r *http.Request, set func(ctx context.Context, id string) error, word string) error {
	if !p.isOperator(r) {
		return errNoPage
	}
	if err := set(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return redirect(w, r, operatorPath+"?done="+word)
}
