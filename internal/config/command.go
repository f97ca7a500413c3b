package config

import (
	"reflect"
	"slices"
	"strings"
)

// commandLine is the model of the whole command line: where its values are kept.
type commandLine struct {
	settings struct {
		Config string `placeholder:"FILE" help:"File with settings: one 'name = value' in a line, '#' begins a line that is a comment."`
		raw
	}
	application Application
	user        userFlags
}

// userFlags are what the commands of "florin user" take.
type userFlags struct {
	Email         string `required:"" placeholder:"EMAIL" help:"E-mail address that the person signs in with."`
	PasswordStdin bool   `required:"" help:"Read the password from standard input. It is never an argument: everybody on the machine can see those."`
	Role          string `enum:"owner,member,viewer" placeholder:"owner|member|viewer" help:"Role. A viewer only sees what others share. Without it, 'user add' makes the first user the owner and everybody after that a member."`
	Yes           bool   `help:"Do not ask: remove the person and all that is theirs. For scripts."`
}

// command is a command of Florin, or the first word of several.
type command struct {
	name  string // its words
	help  string
	takes []string // the names of what it takes beside the settings
}

// commands in the order of the help.
var commands = []command{
	{name: Serve, help: "Run the web app and the aggregation service. This is also what runs without a command."},
	{name: "application", help: "Applications of the embedded service."},
	{name: ApplicationAdd, help: "Register an application with the embedded service, as its operator, and print its id.", takes: []string{"name", "redirect-url",
		"certificate", "environment", "webhook-origin", "payments", "description", "gdpr-email", "privacy-url", "terms-url"}},
	{name: Operator, help: "Print a link that opens the operator's page of the service's control panel, once, within 15 minutes."},
	{name: "user", help: "People who use the web app. These commands work while Florin runs, and while it does not."},
	{name: UserAdd, help: "Add a person who can sign in to the web app.", takes: []string{"email", "password-stdin", "role"}},
	{name: UserList, help: "List the people who can sign in, with the name under which the log names each of them."},
	{name: UserPassword, help: "Set a new password for a person. All sign-ins of the person end, and so does the wait after wrong passwords.",
		takes: []string{"email", "password-stdin"}},
	{name: UserLink, help: "Print a one-time address with which a person sets a new password, within a day. All sign-ins of the person end when it is used.",
		takes: []string{"email"}},
	{name: UserRemove, help: "Remove a person with all that is theirs. It says what that is, and asks before.", takes: []string{"email", "yes"}},
	{name: UserRole, help: "Give a person another role: owner, member or viewer. The last owner stays one.", takes: []string{"email", "role"}},
	{name: UserSecond, help: "Remove the passkeys, authenticator apps and recovery codes of a person who has lost them. All sign-ins of the person end. The password stays.",
		takes: []string{"email"}},
	{name: Version, help: "Print the version."},
	{name: Healthcheck, help: "Ask the Florin that runs with the same settings whether it is alive. Exit status 0 means yes."},
}

// findCommand returns the command that the words begin with, the longest one, and how many words name it. Without words it is the one that serves.
func findCommand(words []string) (found command, named int) {
	found = commands[0]
	for i := range words {
		name := strings.Join(words[:i+1], " ")
		j := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
		if j < 0 {
			break
		}
		found, named = commands[j], i+1
	}
	return found, named
}

// parts are the commands that begin with the words of this one.
func (c command) parts() []command {
	var all []command
	for _, other := range commands {
		if strings.HasPrefix(other.name, c.name+" ") {
			all = append(all, other)
		}
	}
	return all
}

// flags lists what the command takes, those that it needs first.
func (c command) flags(all []*setting) []*setting {
	var own []*setting
	for _, name := range c.takes {
		own = append(own, find(all, name))
	}
	return own
}

// isWord reports whether the text is a word of a command.
func isWord(text string) bool {
	return slices.ContainsFunc(commands, func(c command) bool { return slices.Contains(strings.Fields(c.name), text) })
}

// newCommandLine returns the model with its standards, its settings, and what the commands take beside them.
func newCommandLine() (line *commandLine, settings, ofCommands []*setting) {
	line = &commandLine{}
	settings = settingsOf(reflect.ValueOf(&line.settings).Elem())
	ofCommands = append(settingsOf(reflect.ValueOf(&line.application).Elem()), settingsOf(reflect.ValueOf(&line.user).Elem())...)
	return line, settings, ofCommands
}
