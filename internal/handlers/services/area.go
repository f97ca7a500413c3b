// Package services is where the owner connects banking services, and examines those that are connected.
package services

import (
	"context"
	"net/http"

	"net/url"

	"florin/internal/auth"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/providers"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Providers *providers.Providers
	Offers    *offers.Offers
	PublicURL *url.URL
	Signed    bool // whether the privacy notice and the terms of use say who runs Florin
}

// Area is this part of the web app.
type Area struct{ Deps }

// New returns the area.
func New(d Deps) *Area { return &Area{d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	upload := shell.PostProven(shell.Owner, paths.Services+"/{service}", auth.ForServices, a.changeService)
	upload.Files = &shell.Files{Max: shell.MaxBody, TooLarge: fileTooLarge}
	return []shell.Route{
		shell.Get(shell.Owner, paths.Services, a.services),
		shell.PostProven(shell.Owner, paths.Services, auth.ForServices, a.beginService),
		shell.Get(shell.Owner, paths.NewService, a.newService),
		shell.Get(shell.Owner, paths.Services+"/{service}", a.service),
		upload,
		shell.Get(shell.Owner, paths.Services+"/{service}/certificate", a.serviceCertificate),
		shell.Post(shell.Owner, paths.Services+"/{service}/examine", a.examineService),
		shell.PostProven(shell.Owner, paths.Services+"/{service}/key", auth.ForServices, a.newServiceKey),
		shell.Post(shell.Owner, paths.Services+"/{service}/discard", a.discardService),
		shell.PostProven(shell.Owner, paths.Services+"/{service}/remove", auth.ForServices, a.removeService),
	}
}

// fileTooLarge says what to do instead of sending so large a file.
func fileTooLarge(ctx context.Context) *shell.Problem {
	return &shell.Problem{
		Status: http.StatusRequestEntityTooLarge, Title: words.Say(ctx, "The file is too large"),
		What:   words.Say(ctx, "A private key has only a few KiB, so this must be another file. Nothing was saved."),
		Todo:   words.Say(ctx, "Choose the file with the private key. Its name often ends in .pem."),
		Action: ui.Link{Text: words.Say(ctx, "Banking services"), Href: paths.Services},
	}
}
