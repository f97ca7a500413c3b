package sandbox

import (
	"hash/fnv"
	"strings"
	"unicode"
)

// Group is a group of banks.
type Group struct {
	Name     string
	Colour   string // of its brand, such as #1a4d8f
	Initials string // one or two letters for its logo
}

// groupColours are the colours of groups. They are dark, to differ from the brighter colours of banks.
var groupColours = []string{"#16324f", "#2a2f5b", "#3b2351", "#4a1f3d", "#5a2320", "#4b3412", "#2f3e14", "#12402f", "#0f3f46", "#33363d"}

// Group finds a group by its exact name. It exists while a bank belongs to it.
func (s *Sandbox) Group(name string) (Group, bool) {
	for _, b := range s.banks {
		if name != "" && b.data.Group == name {
			sum := fnv.New32a()
			_, _ = sum.Write([]byte(name)) // never fails
			return Group{Name: name, Colour: groupColours[sum.Sum32()%uint32(len(groupColours))], Initials: initials(name)}, true
		}
	}
	return Group{}, false
}

// initials returns the first letters of the first two words of a name.
func initials(name string) string {
	var letters []rune
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(letters) < 2 {
			letters = append(letters, unicode.ToUpper([]rune(word)[0]))
		}
	}
	return string(letters)
}
