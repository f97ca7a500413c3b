package finance

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Annotation is what a person keeps with a transaction.
type Annotation struct {
	Note string   // lines of text; "" for none
	Tags []string // each once
}

// How much a person can keep with a transaction, in characters but for MaxTags.
const (
	MaxNote = 2000
	MaxTag  = 40
	MaxTags = 20
)

// What is wrong with what a person wants to keep.
var (
	ErrNoteTooLong = errors.New("the note is longer than MaxNote")
	ErrTagTooLong  = errors.New("a tag is longer than MaxTag")
	ErrTooManyTags = errors.New("there are more tags than MaxTags")
)

// ReadNote returns a typed note as it is kept: each line cleaned, without empty lines around it. ErrNoteTooLong when it is too long.
func ReadNote(typed string) (string, error) {
	var lines []string
	for line := range strings.Lines(typed) {
		lines = append(lines, Clean(line))
	}
	note := strings.Trim(strings.Join(lines, "\n"), "\n")
	if utf8.RuneCountInString(note) > MaxNote {
		return "", ErrNoteTooLong
	}
	return note, nil
}

// ReadTags returns the tags of a typed list, which has commas between them: each once, whatever its capitals, and without a # before it.
// ErrTagTooLong or ErrTooManyTags when they cannot be kept.
func ReadTags(typed string) ([]string, error) {
	var tags []string
	for text := range strings.FieldsFuncSeq(typed, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		tag := strings.TrimLeft(Clean(text), "# ")
		switch {
		case tag == "" || slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, tag) }):
			continue
		case utf8.RuneCountInString(tag) > MaxTag:
			return nil, ErrTagTooLong
		case len(tags) == MaxTags:
			return nil, ErrTooManyTags
		}
		tags = append(tags, tag)
	}
	return tags, nil
}
