package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// ErrHelp is returned after help was asked for and printed.
var ErrHelp = errors.New("help was printed")

// Problems are all the mistakes of a command line, its environment and its
// file: one sentence each, which names the place of the mistake.
type Problems []string

// Error lists the problems, one in a line.
func (p Problems) Error() string { return strings.Join(p, "\n") }

// configFlag names the settings file.
const configFlag = "config"

// Load reads the command line (without the name of the program), the
// environment (as os.Environ has it) and the file that --config names. It returns Problems when
// anything is wrong, and ErrHelp after it printed help to stdout.
func Load(args, environ []string, stdout io.Writer) (*Config, error) {
	line, settings, ofCommands := newCommandLine()
	found := &problems{origin: make(map[string]string)}

	words, help := found.parse(args, slices.Concat(settings, ofCommands))
	command, named := findCommand(words)
	if help {
		if err := printHelp(stdout, command, named, settings, ofCommands); err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
		return nil, ErrHelp
	}
	found.checkCommand(command, words[named:], ofCommands)

	// A flag wins over the environment, and that over the file.
	getenv := lookUpIn(environ)
	found.environment(getenv, settings)
	found.file(line.settings.Config, settings)

	checked := line.settings.check(found)
	found.checkEnvironment(environ, settings)
	if len(found.list) > 0 {
		return nil, Problems(found.list)
	}
	return &Config{
		Command:     command.name,
		Settings:    checked,
		Application: line.application,
		User:        User{Email: line.user.Email, Role: line.user.Role, Yes: line.user.Yes},
	}, nil
}

// parse sets what the arguments give and returns the other words, and whether help was asked for. It notes each flag that nothing knows.
func (p *problems) parse(args []string, all []*setting) (words []string, help bool) {
	flags := pflag.NewFlagSet("florin", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVarP(&help, "help", "h", false, "")
	for _, s := range all {
		flags.AddFlag(s.flag())
	}
	var unknown *pflag.NotExistError
	for errors.As(flags.ParseAll(args, ignore), &unknown) { // pflag stops at the first
		args = p.withoutFlag(args, unknown)
	}
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	err := flags.Parse(args)
	switch {
	case errors.As(err, &valueless):
		p.add("--"+valueless.GetSpecifiedName(), "the value is missing")
	case errors.As(err, &invalid):
		p.add("--"+invalid.GetFlag().Name, "%s", invalid.Unwrap())
	case err != nil:
		p.list = append(p.list, err.Error()+" (see florin --help)")
	}
	return flags.Args(), help
}

// ignore is for a look at the flags that changes nothing.
func ignore(*pflag.Flag, string) error { return nil }

// withoutFlag notes an unknown flag and returns the arguments without it, and without its value.
func (p *problems) withoutFlag(args []string, unknown *pflag.NotExistError) []string {
	flag := "--" + unknown.GetSpecifiedName()
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		flag = "-" + short
	}
	at := slices.IndexFunc(args, func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") })
	p.unknown(flag, "")
	if at < 0 { // a letter among several; without the rest nothing can be said about it
		return nil
	}
	end := at + 1
	if args[at] == flag && end < len(args) && !strings.HasPrefix(args[end], "-") && !isWord(args[end]) {
		end++ // its value
	}
	return slices.Concat(args[:at], args[end:])
}

// unknown notes a flag that the command does not know; it is "" for florin itself.
func (p *problems) unknown(flag, command string) {
	p.list = append(p.list, fmt.Sprintf("unknown flag %s (see %s)", flag, helpOf(command)))
}

// helpOf is how the help of a command is asked for.
func helpOf(command string) string {
	if command == "" || command == Serve {
		return "florin --help"
	}
	return "florin " + command + " --help"
}

// checkCommand notes what is wrong with the command: words that are left over, flags of others, flags that are missing, and their values.
func (p *problems) checkCommand(c command, rest []string, ofCommands []*setting) {
	note := func(format string, args ...any) {
		p.list = append(p.list, fmt.Sprintf(format, args...)+" (see "+helpOf(c.name)+")")
	}
	parts := c.parts()
	switch {
	case len(rest) > 0:
		note("unexpected argument %s: it is no command", rest[0])
		return
	case len(parts) > 0:
		var last []string
		for _, part := range parts {
			last = append(last, fmt.Sprintf("%q", strings.TrimPrefix(part.name, c.name+" ")))
		}
		expected := strings.Join(last, ", ")
		if len(last) > 1 {
			expected = "one of " + expected
		}
		note("the command is not complete: expected %s", expected)
		return
	}
	own := c.flags(ofCommands)
	for _, flag := range ofCommands {
		if flag.given && !slices.Contains(own, flag) {
			p.unknown("--"+flag.name, c.name)
		}
	}
	var missing []string
	for _, flag := range own {
		if flag.required && !flag.given {
			missing = append(missing, flag.form())
		}
		if flag.given && flag.enum != nil && !slices.Contains(flag.enum, flag.field.String()) {
			note("--%s: %q is not one of %s", flag.name, flag.field, strings.Join(flag.enum, ", "))
		}
	}
	if len(missing) > 0 {
		note("missing flags: %s", strings.Join(missing, ", "))
	}
}
