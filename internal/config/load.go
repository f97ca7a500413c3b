package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// ErrHelp is returned after help was asked for and printed.
var ErrHelp = errors.New("help was printed")

// Problems are all the mistakes of a command line, its environment and its
// file: one sentence each, which names the place of the mistake.
type Problems []string

// Error lists the problems, one in a line.
func (p Problems) Error() string { return strings.Join(p, "\n") }

// commandLine is the model of the whole command line for kong.
type commandLine struct {
	Config string `placeholder:"FILE" help:"File with settings: one 'name = value' in a line, '#' begins a line that is a comment."`
	raw

	Serve struct{} `cmd:"" default:"1" help:"Run the web app and the aggregation service. This is also what runs without a command."`

	Application struct {
		Add Application `cmd:"" help:"Register an application with the embedded service, as its operator, and print its id."`
	} `cmd:"" help:"Applications of the embedded service."`

	Operator struct{} `cmd:"" help:"Print a link that opens the operator's page of the service's control panel, once, within 15 minutes."`

	User struct {
		Add      userAdd      `cmd:"" help:"Add a person who can sign in to the web app."`
		List     struct{}     `cmd:"" help:"List the people who can sign in, with the name under which the log names each of them."`
		Password userPassword `cmd:"" help:"Set a new password for a person. All sign-ins of the person end, and so does the wait after wrong passwords."`
		Link     userLink     `cmd:"" help:"Print a one-time address with which a person sets a new password, within a day. All sign-ins of the person end when it is used."`
		Remove   userRemove   `cmd:"" help:"Remove a person with all that is theirs. It says what that is, and asks before."`
	} `cmd:"" help:"People who use the web app. These commands work while Florin runs, and while it does not."`

	Version     struct{} `cmd:"" help:"Print the version."`
	Healthcheck struct{} `cmd:"" help:"Ask the Florin that runs with the same settings whether it is alive. Exit status 0 means yes."`
}

// Load reads the command line (without the name of the program), the
// environment (as os.Environ has it) and the file that --config names. It returns Problems when
// anything is wrong, and ErrHelp after it printed help to stdout.
func Load(args, environ []string, stdout io.Writer) (*Config, error) {
	getenv := lookUpIn(environ)
	found := &problems{origin: make(map[string]string)}
	args = found.knownFlags(args)

	line, command, err := parse(args, getenv, stdout, found)
	if errors.Is(err, ErrHelp) {
		return nil, ErrHelp
	}
	if err != nil {
		found.list = append(found.list, fmt.Sprintf("%s (see %s --help)", explain(err), commandOf(err)))
	}
	if line == nil { // the command line has no sense; look at the rest all the same
		if line, _, err = parse(nil, getenv, io.Discard, found); err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
	}
	settings := line.check(found)
	found.checkEnvironment(environ)
	if len(found.list) > 0 {
		return nil, Problems(found.list)
	}
	return &Config{
		Command:     command,
		Settings:    settings,
		Application: line.Application.Add,
		User:        line.user(command),
	}, nil
}

// explain is what kong says, in the words of people.
func explain(err error) string {
	if name, ok := strings.CutPrefix(err.Error(), "unexpected argument "); ok {
		return fmt.Sprintf("unexpected argument %s: it is no command", name)
	}
	if word, ok := strings.CutPrefix(err.Error(), "expected "); ok {
		return fmt.Sprintf("the command is not complete: expected %s", word)
	}
	return err.Error()
}

// commandOf is the command whose help shows how it is meant.
func commandOf(err error) string {
	wrong, ok := errors.AsType[*kong.ParseError](err)
	if !ok || wrong.Context == nil {
		return "florin"
	}
	if node := wrong.Context.Selected(); node != nil && node.Name != Serve {
		return node.FullPath()
	}
	return "florin"
}

// parse runs kong once. The line is nil when kong did not come as far as the
// values of the settings.
func parse(args []string, getenv func(string) string, stdout io.Writer, found *problems) (line *commandLine, command string, err error) {
	var (
		model    commandLine
		helped   bool
		resolved bool
	)
	parser, err := newParser(&model,
		kong.Writers(stdout, stdout),
		kong.Exit(func(int) { helped = true }),
		kong.WithBeforeResolve(func(ctx *kong.Context) error {
			if resolved { // kong calls the hook for every step of the command line
				return nil
			}
			resolved = true
			environment := environment(getenv, ctx.Model.Flags, found)
			var path string
			for _, flag := range ctx.Model.Flags {
				if flag.Name == configFlag {
					path, _ = ctx.FlagValue(flag).(string)
				}
			}
			if path == "" {
				path = getenv(variable(configFlag))
			}
			// The last one that knows a value wins.
			ctx.AddResolver(file(path, ctx.Model.Flags, found))
			ctx.AddResolver(environment)
			return nil
		}),
	)
	if err != nil {
		return nil, "", err
	}
	ctx, err := parser.Parse(args)
	if helped {
		return nil, "", ErrHelp
	}
	if resolved {
		line = &model
	}
	if err != nil {
		return line, "", err
	}
	return line, ctx.Command(), nil
}

func newParser(model *commandLine, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(model, append(options,
		kong.Name("florin"),
		kong.Description("All your European bank accounts on your own server.\n\n"+
			"Each setting is also an environment variable (--data-dir is FLORIN_DATA_DIR) and a line in the file that --config names."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(printHelp),
		kong.ValueFormatter(func(value *kong.Value) string {
			if text := standIn(value); text != "" {
				return value.Help + " Default: " + text + "."
			}
			return value.Help
		}),
	)...)
}

// forEveryCommand are the settings that the help of every command shows.
var forEveryCommand = []string{"help", configFlag, "data-dir"}

// printHelp prints all settings of Florin, or for a command other than serve its own settings, then those of forEveryCommand, and
// says where the others are.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if node := ctx.Selected(); node == nil || node.Name == Serve {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	every := &kong.Group{Key: "every", Title: "Flags of every command:"} // kong prints flags without a group first
	for _, flag := range ctx.Model.Flags {
		flag.Group = every
		flag.Hidden = !slices.Contains(forEveryCommand, flag.Name)
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(ctx.Stdout, "\nThe other settings of Florin, which may be given here too: florin --help")
	return err
}

// standIn says what is used where the setting is not given, "" for nothing.
func standIn(setting *kong.Value) string {
	if setting.HasDefault && setting.Default != "" {
		return setting.Default
	}
	return setting.Tag.Get("derived")
}

// knownFlags reports every unknown flag and returns the arguments without
// them. kong by itself stops at the first.
func (p *problems) knownFlags(args []string) []string {
	parser, err := newParser(&commandLine{})
	if err != nil {
		return args // parse will say so
	}
	flags := map[string]bool{"--help": true}
	commands := map[string]bool{}
	_ = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		switch node := node.(type) {
		case *kong.Flag:
			flags["--"+node.Name] = true
		case *kong.Node:
			commands[node.Name] = true
		}
		return next(nil)
	})
	var known []string
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "--") || flags[name] {
			known = append(known, args[i])
			continue
		}
		if name == "--" {
			return append(known, args[i:]...)
		}
		p.list = append(p.list, fmt.Sprintf("unknown flag %s (see florin --help)", name))
		if !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !commands[args[i+1]] {
			i++ // its value
		}
	}
	return known
}

const configFlag = "config"

// variable is the name of a setting in the environment.
func variable(name string) string {
	return "FLORIN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// environment resolves settings from variables. An empty variable counts as not set.
func environment(getenv func(string) string, settings []*kong.Flag, found *problems) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if !slices.Contains(settings, flag) || flag.Name == "help" {
			return nil, nil
		}
		value := getenv(variable(flag.Name))
		if value == "" {
			return nil, nil
		}
		found.origin[flag.Name] = variable(flag.Name)
		return value, nil
	})
}
