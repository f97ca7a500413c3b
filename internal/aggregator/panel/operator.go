package panel

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/panel"
)

const operatorPath = Path + "operator"

// isOperator reports whether the browser has used a link of the operator's terminal.
func (p *Panel) isOperator(r *http.Request) (bool, error) {
	return p.registry.IsOperator(r.Context(), p.operatorCookie.secret(r))
}

// operatorAlone runs the handler for the operator, and tells everybody else how to become it.
func (p *Panel) operatorAlone(handler func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		ok, err := p.isOperator(r)
		if err != nil {
			return err
		}
		if !ok {
			return errNotOperator
		}
		return handler(w, r)
	}
}

// openPage waits for a press of its button: a link that is only looked at is not used up.
func (p *Panel) openPage(w http.ResponseWriter, r *http.Request) error {
	return site.Write(w, r, http.StatusOK, panel.OpenOperator(panel.OpenPage{
		Frame: panel.Frame{Title: "Operator"}, Code: r.URL.Query().Get("code"), Hours: int(registry.OperatorLifetime / time.Hour),
	}))
}

// open uses a link of the operator's terminal.
func (p *Panel) open(w http.ResponseWriter, r *http.Request) error {
	fields, err := form(r)
	if err != nil {
		return err
	}
	secret, err := p.registry.OpenOperator(r.Context(), fields.Get("code"))
	if errors.Is(err, registry.ErrLink) {
		return errOldOperatorLink
	}
	if err != nil {
		return err
	}
	if err := p.operatorCookie.set(w, r, secret); err != nil {
		return err
	}
	return site.Redirect(w, r, operatorPath)
}

// close ends what open began, in this browser.
func (p *Panel) close(w http.ResponseWriter, r *http.Request) error {
	if err := p.registry.CloseOperator(r.Context(), p.operatorCookie.secret(r)); err != nil {
		return err
	}
	if err := p.operatorCookie.set(w, r, ""); err != nil {
		return err
	}
	return site.Redirect(w, r, registry.SignInPath)
}

// operatorPage shows the outbox and the applications that wait.
func (p *Panel) operatorPage(w http.ResponseWriter, r *http.Request) error {
	page := panel.OperatorPage{
		Frame:      panel.Frame{Title: "Operator", Here: "operator", Done: done[r.URL.Query().Get("done")]},
		MailServer: p.outbox == nil,
	}
	if p.outbox != nil {
		for _, m := range p.outbox.Mails(p.now()) {
			page.Letters = append(page.Letters, panel.Letter{To: m.To, Subject: m.Subject, Text: m.Text, Written: moment(m.Written),
				Link: link.FindString(m.Text)})
		}
	}
	waiting, err := p.registry.Unapproved(r.Context())
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
	production, err := p.registry.ProductionApplications(r.Context())
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
	own, err := p.registry.OperatorApplications(r.Context())
	if err != nil {
		return err
	}
	for _, app := range own {
		row := rowOf(app)
		row.URL = operatedPath(app.ID, "/webhooks")
		page.Own = append(page.Own, row)
	}
	return site.Write(w, r, http.StatusOK, panel.Operator(page))
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
	developer, err := p.registry.Developer(ctx, app.OwnerID)
	return developer.Email, err
}

// link finds the address in a mail.
var link = regexp.MustCompile(`https?://\S+`)

func (p *Panel) approve(w http.ResponseWriter, r *http.Request) error {
	if err := p.registry.Approve(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return site.Redirect(w, r, operatorPath+"?done=approved")
}

// grantPayments lets an application of PRODUCTION initiate payments.
func (p *Panel) grantPayments(w http.ResponseWriter, r *http.Request) error {
	return p.setPayments(w, r, p.registry.GrantPayments, "granted")
}

// withdrawPayments ends that.
func (p *Panel) withdrawPayments(w http.ResponseWriter, r *http.Request) error {
	return p.setPayments(w, r, p.registry.WithdrawPayments, "withdrawn")
}

func (p *Panel) setPayments(w http.ResponseWriter, r *http.Request, set func(ctx context.Context, id string) error, word string) error {
	if err := set(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return site.Redirect(w, r, operatorPath+"?done="+word)
}
