package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"florin/internal/attachments"
	"florin/internal/buildinfo"
	"florin/internal/config"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/store"
)

// stdio are the standard streams of a run: results go to out, the log to err.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// run is the whole program: it reads the settings and does what the command asks. It returns when the work is done or
// ctx ends; the error is a sentence for the operator.
func run(ctx context.Context, args []string, environ []string, std stdio) error {
	cfg, err := config.Load(args, environ, std.out)
	if err != nil {
		return err
	}
	log, flush := logger(cfg.Settings, std.err)
	defer flush()
	switch cfg.Command {
	case config.Serve:
		return serve(ctx, cfg.Settings, std.out, log)
	case config.UserList, config.UserPassword, config.UserLink, config.UserRemove, config.UserRole, config.UserSecond:
		return manageUser(ctx, cfg.Command, cfg.Settings, cfg.User, std)
	case config.Version:
		_, err := fmt.Fprintln(std.out, "florin", buildinfo.Version())
		return err
	case config.Healthcheck:
		return healthcheck(ctx, cfg.Settings)
	}
	if err := beside(ctx, cfg.Settings); err != nil {
		return err
	}
	switch cfg.Command {
	case config.ApplicationAdd:
		return applicationAdd(ctx, cfg.Settings, cfg.Application, std.out, log)
	case config.UserAdd:
		return userAdd(ctx, cfg.Settings, cfg.User, std)
	case config.Operator:
		return operatorLink(ctx, cfg.Settings, std.out, log)
	default:
		return fmt.Errorf("there is no command %q", cfg.Command)
	}
}

// applicationAdd registers an application with the embedded service as its operator, also while the service runs.
func applicationAdd(ctx context.Context, s config.Settings, a config.Application, out io.Writer, log *slog.Logger) error {
	certificate, err := os.ReadFile(a.Certificate)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	service, err := newService(ctx, s, log, newTrouble(s))
	if err != nil {
		return err
	}
	application, err := service.Register(ctx, openbanking.RegisterApplicationRequest{
		Certificate:  string(certificate),
		Environment:  openbanking.Environment(a.Environment),
		Name:         a.Name,
		RedirectURLs: a.RedirectURLs,
		Description:  optional(a.Description),
		GDPREmail:    optional(a.GDPREmail),
		PrivacyURL:   optional(a.PrivacyURL),
		TermsURL:     optional(a.TermsURL),
	}, a.WebhookOrigins)
	if err == nil && a.Payments && application.Environment == openbanking.EnvironmentProduction {
		err = service.GrantPayments(ctx, application.ID)
	}
	if err := errors.Join(refusal(err), service.Stop(ctx)); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(openbanking.RegisterApplicationResponse{AppID: application.ID})
}

// operatorLink prints a link that opens the operator's page of the service, also while the service runs.
func operatorLink(ctx context.Context, s config.Settings, out io.Writer, log *slog.Logger) error {
	if !s.Service {
		return errors.New("the aggregation service is off (--service), and with it the operator's page")
	}
	service, err := newService(ctx, s, log, newTrouble(s))
	if err != nil {
		return err
	}
	link, err := service.OperatorLink(ctx)
	if err := errors.Join(err, service.Stop(ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, link)
	return err
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// refusal returns an error with the reason that the service gives for refusing a registration. err.Error() has only its code.
func refusal(err error) error {
	refused, ok := errors.AsType[*openbanking.Error](err)
	if !ok {
		return err
	}
	answer := refused.Response()
	var detail string
	if json.Unmarshal(answer.Detail, &detail) != nil {
		detail = string(answer.Detail)
	}
	return fmt.Errorf("the application was not registered: %s: %s", answer.Message, detail)
}

// openStore opens the web app's database in a prepared data directory.
func openStore(ctx context.Context, s config.Settings) (*store.Store, error) {
	key, err := store.LoadKey(filepath.Join(s.DataDir, "secrets"))
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, filepath.Join(s.DataDir, appHalf.database), key)
}

// openAttachments opens the folder of the data directory with the files that people attach to transactions.
func openAttachments(s config.Settings, db *store.Store) (*attachments.Folder, error) {
	room := func() error { return sqlite.CheckSpace(s.DataDir, s.DiskReserve) }
	return attachments.Open(filepath.Join(s.DataDir, "attachments"), db, room)
}

// healthcheck asks a running Florin whether it is alive.
func healthcheck(ctx context.Context, s config.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.HealthURL(), nil) //nolint:gosec // the operator's own address
	if err != nil {
		return err
	}
	var client http.Client
	answer, err := client.Do(request) //nolint:gosec // the operator's own address
	if err != nil {
		return fmt.Errorf("no answer from Florin: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the answer of Florin has status %d", answer.StatusCode)
	}
	return nil
}
