package config

import (
	"net/mail"
	"net/url"
	"strconv"
	"strings"
)

// Mail are the settings of the mail server, for both halves.
type Mail struct {
	Host     string // "" for none: the app sends no mail, and the operator reads those of the service in the outbox
	Port     int
	User     string
	Password Secret
	From     string
	TLS      string // "starttls", "tls" or "none"
}

// panelSettings are the settings of the mail server and of the control panel, as text.
type panelSettings struct {
	SMTPHost         string   `name:"smtp-host" placeholder:"HOST" group:"Mail" help:"Mail server, for messages to the people of the web app (links for a new password, reminders, changes of their sign-in) and for sign-in links to the control panel. Without one the app tells people on its pages, and the sign-in links lie in an outbox on the operator's page, which the command operator opens."`
	SMTPPort         string   `name:"smtp-port" placeholder:"PORT" group:"Mail" derived:"587, with --smtp-tls=tls 465" help:"Port of the mail server."`
	SMTPUser         string   `name:"smtp-user" placeholder:"TEXT" group:"Mail" help:"Name to sign in with at the mail server."`
	SMTPPassword     Secret   `name:"smtp-password" placeholder:"TEXT" group:"Mail" help:"Secret: password to sign in with at the mail server."`
	SMTPPasswordFile string   `name:"smtp-password-file" placeholder:"FILE" group:"Mail" help:"File with the password, instead of the password itself."`
	SMTPFrom         string   `name:"smtp-from" placeholder:"EMAIL" group:"Mail" help:"Address that the mails come from. Needed with --smtp-host."`
	SMTPTLS          string   `name:"smtp-tls" default:"starttls" placeholder:"starttls|tls|none" group:"Mail" help:"Protection of the connection to the mail server; none is for a server on this machine."`
	PanelDomain      []string `placeholder:"DOMAIN" group:"Control panel" derived:"all" help:"Domain of the e-mail addresses that may sign in to the control panel, such as example.org. Repeatable."`
	PanelRedirectURL []string `name:"panel-redirect-url" default:"http://localhost:8888/" placeholder:"URL" group:"Control panel" help:"Address of a program that uses the control panel's API: sign-in links (continueUrl) and linked accounts (redirectUrl) may lead there. Repeatable."`
}

// redirectURLs returns the registered addresses. They get sign-in links, so they use https or stay on this machine.
func (m *panelSettings) redirectURLs(found *problems) []string {
	for _, text := range m.PanelRedirectURL {
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, "# \\") ||
			u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
			found.wrong("panel-redirect-url", "%q is not an address such as https://tool.example.org/signed-in or http://localhost:8888/, without user and fragment",
				text)
		}
	}
	return m.PanelRedirectURL
}

func (m *panelSettings) check(found *problems) (server Mail, domains []string) {
	for _, domain := range m.PanelDomain {
		domain = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(domain), "@"))
		if domain == "" || strings.ContainsAny(domain, "@/ ") {
			found.wrong("panel-domain", "%q is not a domain such as example.org", domain)
			continue
		}
		domains = append(domains, domain)
	}
	server = Mail{Host: m.SMTPHost, User: m.SMTPUser, From: m.SMTPFrom, TLS: m.SMTPTLS}
	server.Password, _ = found.secret("smtp-password", "the password", m.SMTPPassword, m.SMTPPasswordFile)
	switch server.TLS {
	case "starttls", "none":
		server.Port = 587
	case "tls":
		server.Port = 465
	default:
		found.wrong("smtp-tls", "%q is not one of starttls, tls, none", server.TLS)
	}
	if m.SMTPPort != "" {
		port, err := strconv.ParseUint(m.SMTPPort, 10, 16)
		if err != nil || port == 0 {
			found.wrong("smtp-port", "%q is not a port from 1 to 65535", m.SMTPPort)
		}
		server.Port = int(port)
	}
	if server.From != "" {
		if address, err := mail.ParseAddress(server.From); err != nil || address.Address != server.From {
			found.wrong("smtp-from", "%q is not an e-mail address", server.From)
		}
	}
	switch {
	case server.Host == "":
		if server.From != "" || server.User != "" || server.Password != "" {
			found.wrong("smtp-host", "the other settings of the mail server need it")
		}
	case strings.ContainsAny(server.Host, ":/@ "):
		found.wrong("smtp-host", "%q is not a host name; the port has a setting of its own", server.Host)
	case server.From == "":
		found.wrong("smtp-from", "a mail server needs the address that the mails come from")
	case (server.User == "") != (server.Password == ""):
		found.wrong("smtp-user", "user and password of the mail server go together")
	case server.TLS == "none" && (server.User != "" || !isLoopback(server.Host)):
		found.wrong("smtp-tls", "none is for a mail server on this machine that asks for no password: one-time links would cross the network in the open")
	}
	return server, domains
}
