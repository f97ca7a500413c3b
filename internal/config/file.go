package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// file resolves settings from the file at path; "" is no file. In it a line is
// "name = value", empty, or a comment that begins with "#". A value may stand in
// double quotes. A repeatable setting has one line for each value, or one line
// with commas.
func file(path string, settings []*kong.Flag, found *problems) kong.Resolver {
	type entry struct{ value, origin string }
	entries := make(map[string]entry)

	for number, line := range readLines(path, found) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		origin := fmt.Sprintf("%s line %d", path, number+1)
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			found.add(origin, "expected 'name = value'")
			continue
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		setting := lookUp(settings, name)
		if setting == nil {
			found.add(origin, "there is no setting %q", name)
			continue
		}
		if strings.HasPrefix(value, `"`) {
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				found.add(origin, "the quotes of the value do not match")
				continue
			}
			value = unquoted
		}
		if earlier, twice := entries[name]; twice {
			if !setting.IsSlice() {
				found.add(origin, "%s is already set (%s)", name, earlier.origin)
				continue
			}
			value = earlier.value + "," + value
		}
		entries[name] = entry{value, origin}
	}

	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		entry, ok := entries[flag.Name]
		if !ok || lookUp(settings, flag.Name) != flag {
			return nil, nil
		}
		found.origin[flag.Name] = entry.origin
		return entry.value, nil
	})
}

// lookUp finds the setting that a line of the file may set.
func lookUp(settings []*kong.Flag, name string) *kong.Flag {
	for _, setting := range settings {
		if setting.Name == name && name != "help" && name != configFlag {
			return setting
		}
	}
	return nil
}

func readLines(path string, found *problems) []string {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		found.add("--"+configFlag, "%s", unreadable(path, err))
		return nil
	}
	return strings.Split(string(text), "\n")
}

// unreadable says why a file cannot be read.
func unreadable(path string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no file %q", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("the file %q may not be read by this user", path)
	}
	return fmt.Sprintf("the file %q cannot be read: %v", path, err)
}
