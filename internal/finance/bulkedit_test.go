package finance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestBulkChangeApplies(t *testing.T) {
	yes, no := true, false
	noted := func(note string, tags ...string) RowEdits {
		return RowEdits{Annotation: Annotation{Note: note, Tags: tags}}
	}
	var many []string
	for i := range MaxTags {
		many = append(many, fmt.Sprintf("t%02d", i))
	}
	for name, c := range map[string]struct {
		change       BulkChange
		before, want RowEdits
		err          error
	}{
		"nothing":  {BulkChange{}, noted("x", "b"), noted("x", "b"), nil},
		"category": {BulkChange{Category: "rent"}, RowEdits{Category: "gifts", Reviewed: true}, RowEdits{Category: "rent", ByHand: true, Reviewed: true}, nil},
		"category of parts": {BulkChange{Category: "rent", Tags: []string{"a"}}, RowEdits{Category: "gifts", Split: true},
			RowEdits{Category: "gifts", Split: true, Annotation: Annotation{Tags: []string{"a"}}}, nil},
		"reviewed":               {BulkChange{Reviewed: &yes}, RowEdits{}, RowEdits{Reviewed: true}, nil},
		"to review":              {BulkChange{Reviewed: &no}, RowEdits{Reviewed: true}, RowEdits{}, nil},
		"tags":                   {BulkChange{Tags: []string{"c", "A"}, Untag: []string{"B"}}, noted("", "a", "b"), noted("", "a", "c"), nil},
		"a note":                 {BulkChange{Note: "two"}, noted("one"), noted("one\ntwo"), nil},
		"the first note":         {BulkChange{Note: "two"}, noted(""), noted("two"), nil},
		"a note that is there":   {BulkChange{Note: "two\nthree"}, noted("one\ntwo\nthree"), noted("one\ntwo\nthree"), nil},
		"a part of a line":       {BulkChange{Note: "tw"}, noted("two"), noted("two\ntw"), nil},
		"one tag for another":    {BulkChange{Tags: []string{"z"}, Untag: []string{"t00"}}, noted("", many...), noted("", append(slices.Clone(many[1:]), "z")...), nil},
		"no room for a tag":      {BulkChange{Tags: []string{"z"}}, noted("", many...), RowEdits{}, ErrTooManyTags},
		"no room for a note":     {BulkChange{Note: "ä"}, noted(strings.Repeat("ä", MaxNote-1)), RowEdits{}, ErrNoteTooLong},
		"just room for a note":   {BulkChange{Note: "ä"}, noted(strings.Repeat("ä", MaxNote-2)), noted(strings.Repeat("ä", MaxNote-2) + "\nä"), nil},
		"a tag in other letters": {BulkChange{Untag: []string{"ÄB"}}, noted("", "äb"), noted(""), nil},
	} {
		before := slices.Clone(c.before.Tags)
		got, err := c.change.Apply(c.before)
		if !errors.Is(err, c.err) || err == nil && !got.Equal(c.want) {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got, err, c.want, c.err)
		}
		if !slices.Equal(before, c.before.Tags) {
			t.Errorf("%s changes the tags that it was given", name)
		}
		if again, err := c.change.Apply(got); c.err == nil && (err != nil || !again.Equal(got)) {
			t.Errorf("%s changes more when it is done twice: %+v", name, again)
		}
		if c.change.Empty() != (name == "nothing") {
			t.Errorf("%s: empty is %t", name, c.change.Empty())
		}
	}
}
