package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// file sets what neither a flag nor the environment has set, from the file at path; "" is no file. In it a line is
// "name = value", empty, or a comment that begins with "#". A value may stand in
// double quotes. A repeatable setting has one line for each value, or one line
// with commas.
func (p *problems) file(path string, settings []*setting) {
	type entry struct{ value, origin string }
	entries := make(map[string]entry)

	for number, line := range p.readLines(path) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		origin := fmt.Sprintf("%s line %d", path, number+1)
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			p.add(origin, "expected 'name = value'")
			continue
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		setting := find(settings, name)
		if setting == nil || name == configFlag {
			p.add(origin, "there is no setting %q", name)
			continue
		}
		if strings.HasPrefix(value, `"`) {
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				p.add(origin, "the quotes of the value do not match")
				continue
			}
			value = unquoted
		}
		if earlier, twice := entries[name]; twice {
			if !setting.repeatable() {
				p.add(origin, "%s is already set (%s)", name, earlier.origin)
				continue
			}
			value = earlier.value + "," + value
		}
		entries[name] = entry{value, origin}
	}

	for name, entry := range entries {
		if setting := find(settings, name); !setting.given {
			p.set(setting, entry.value, entry.origin)
		}
	}
}

func (p *problems) readLines(path string) []string {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		p.add("--"+configFlag, "%s", unreadable(path, err))
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
