package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// columns is the width of the help, in characters.
const columns = 80

// forEveryCommand are the settings that the help of every command shows.
var forEveryCommand = []string{configFlag, "data-dir"}

// printHelp prints what a command is for and takes: all settings of Florin, or for another command than serve its own, then those of
// forEveryCommand, and where the others are.
func printHelp(out io.Writer, c command, named int, settings, ofCommands []*setting) error {
	var text strings.Builder
	parts, own := c.parts(), c.flags(ofCommands)
	words := c.name
	switch {
	case named == 0:
		parts, words = commands, "<command>"
	case len(parts) > 0:
		words += " <command>"
	}
	fmt.Fprintf(&text, "Usage: florin %s", words)
	for _, flag := range own {
		if flag.required {
			text.WriteString(" " + flag.form())
		}
	}
	text.WriteString(" [flags]\n\n")
	if named == 0 {
		text.WriteString("All your European bank accounts on your own server.\n\n" +
			"Each setting is also an environment variable (--data-dir is FLORIN_DATA_DIR) and\na line in the file that --config names.\n")
	} else {
		text.WriteString(wrapped(c.help, columns) + "\n")
	}
	list := func(title string, shown []*setting) {
		if len(shown) == 0 {
			return
		}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		if shown[0].name == configFlag {
			flags.BoolP("help", "h", false, "Show this help.")
		}
		for _, s := range shown {
			flags.AddFlag(s.flag())
		}
		fmt.Fprintf(&text, "\n%s\n%s", title, flags.FlagUsagesWrapped(columns))
	}
	list("Flags of this command:", own)
	if c.name != Serve {
		every := make([]*setting, len(forEveryCommand))
		for i, name := range forEveryCommand {
			every[i] = find(settings, name)
		}
		list("Flags of every command:", every)
	} else {
		for _, group := range groups(settings) {
			list(group.title+":", group.settings)
		}
	}
	if len(parts) > 0 {
		text.WriteString("\nCommands:\n")
		for _, part := range parts {
			if len(part.parts()) == 0 {
				const indent = "                    "
				fmt.Fprintf(&text, "  %-17s %s\n", part.name, strings.ReplaceAll(wrapped(part.help, columns-len(indent)), "\n", "\n"+indent))
			}
		}
	}
	if c.name != Serve {
		text.WriteString("\nThe other settings of Florin, which may be given here too: florin --help\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// group is a heading of the settings with those below it.
type group struct {
	title    string
	settings []*setting
}

// groups puts the settings below their headings, in their order.
func groups(settings []*setting) []group {
	var all []group
	for _, s := range settings {
		title := s.group
		if title == "" {
			title = "General"
		}
		if len(all) == 0 || all[len(all)-1].title != title {
			all = append(all, group{title: title})
		}
		last := &all[len(all)-1]
		last.settings = append(last.settings, s)
	}
	return all
}

// wrapped breaks a text into lines of so many characters at most.
func wrapped(text string, width int) string {
	var lines strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case length+1+len(word) > width:
			lines.WriteByte('\n')
			length = 0
		default:
			lines.WriteByte(' ')
			length++
		}
		lines.WriteString(word)
		length += len(word)
	}
	return lines.String()
}
