// Package payments is everything about paying: the form, many payments at once, review and confirmation, the ways to the bank and back, the list, and the
// page of a payment with its receipt.
package payments

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"florin/internal/handlers/connections"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/linking"
	"florin/internal/live"
	"florin/internal/paymentfile"
	"florin/internal/payments"
	"florin/internal/qrcode"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Deps are what the area needs.
type Deps struct {
	*shell.Shell

	Store       *store.Store
	Payments    *payments.Payments
	Linking     *linking.Linking
	Offers      *offers.Offers
	Connections *connections.Area
	Syncer      *syncer.Syncer
	Hub         *live.Hub
	Log         *slog.Logger
}

// Area is this part of the web app.
type Area struct {
	Deps

	reading sync.Map // ids of the people of whom a file is being read
}

// New returns the area.
func New(d Deps) *Area { return &Area{Deps: d} }

// Routes are the pages and forms of the area, with who may use them.
func (a *Area) Routes() []shell.Route {
	upload := shell.Post(shell.Member, paths.PayBulk, a.bulk)
	upload.Files = &shell.Files{Max: maxUpload, TooLarge: fileTooLarge}
	picture := shell.Post(shell.Member, paths.PayCode, a.payCode)
	picture.Files = &shell.Files{Max: qrcode.MaxBytes + 1<<20, TooLarge: pictureTooLarge, Streamed: true}
	return slices.Concat(a.requestRoutes(), []shell.Route{
		shell.Get(shell.Member, paths.Pay, a.payPage),
		shell.Post(shell.Member, paths.Pay, a.pay),
		picture,
		shell.Post(shell.Member, paths.PayExplain, a.payExplain),
		shell.Get(shell.Member, paths.PayBulk, a.bulkPage),
		upload,
		shell.GetQueued(shell.Member, paths.Payments, a.payments),
		shell.Post(shell.Member, paths.PaymentsSeen, a.seePayments),
		shell.Get(shell.Member, paths.Payments+"/{payment}", a.payment),
		shell.Post(shell.Member, paths.Payments+"/{payment}/discard", a.discard),
		shell.Post(shell.Member, paths.Payments+"/{payment}/show", a.showPayment),
		shell.Post(shell.Member, paths.Payments+"/{payment}/check", a.checkPayment),
		shell.Post(shell.Member, paths.Payments+"/{payment}/payee", a.keepPayee),
		shell.Post(shell.Member, paths.Payments+"/{payment}/stopped", a.stopPayment),
		shell.Get(shell.Member, paths.Payments+"/{payment}/receipt", a.receipt),
		shell.Get(shell.Member, paths.Payments+"/{payment}/code.png", a.paymentCode),
		shell.Get(shell.Member, paths.Payments+"/{payment}/file", a.paymentFile),
		shell.Post(shell.Member, paths.Payments+"/{payment}/sent", a.saySent),
		shell.Post(shell.Member, paths.Payments+"/{payment}/booking", a.chooseBooking),
	}, shell.WhereMoneyIsSent(
		shell.Get(shell.Member, paths.PaymentsFile, a.filePage),
		shell.Post(shell.Member, paths.PaymentsFile, a.fileTogether),
		shell.Get(shell.Member, paths.Payments+"/{payment}/review", a.review),
		shell.Get(shell.Member, paths.Payments+"/{payment}/confirm", a.review), // where the address stands when something had to be corrected
		shell.Post(shell.Member, paths.Payments+"/{payment}/confirm", a.confirm),
		shell.Get(shell.Member, paths.Payments+"/{payment}/leave", a.paymentLeave),
		shell.Post(shell.Member, paths.Payments+"/{payment}/leave", a.paymentGo),
	))
}

// Views are what its pages follow while they are open.
func (a *Area) Views() map[string]shell.OpenView {
	return map[string]shell.OpenView{
		livePayment:  a.openPaymentView,
		livePayments: a.openPaymentsView,
		liveRequests: a.openRequestsView,
	}
}

// fileTooLarge says what to do instead of sending so large a file.
func fileTooLarge(ctx context.Context) *shell.Problem {
	return &shell.Problem{
		Status: http.StatusRequestEntityTooLarge, Title: words.Say(ctx, "The file is too large"),
		What: words.Say(ctx, "A file with payments may have %s KiB at most. Nothing was saved and nothing was sent.",
			words.In(ctx).Number(paymentfile.MaxBytes>>10)),
		Todo:   words.Say(ctx, "Split it into smaller files. When you go back in your browser, what you entered is still there."),
		Action: ui.Link{Text: words.Say(ctx, "Pay many at once"), Href: paths.PayBulk},
	}
}
