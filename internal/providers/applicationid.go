package providers

import (
	"path"
	"regexp"
	"strings"
)

var (
	uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	idPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	inFileName  = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
)

// isUUID reports whether a text is a UUID, as the id of an application is (spec: Application, kid).
func isUUID(text string) bool { return uuidPattern.MatchString(text) }

// idForm reports whether a text can be the id of an application of any service.
func idForm(text string) bool { return idPattern.MatchString(text) }

// idOfFile guesses the application id from the name of the key's file, which the control panel names by it; "" when it is called otherwise.
// Browsers add to the name of a second copy: "… (1).pem".
func idOfFile(name string) string {
	return strings.ToLower(inFileName.FindString(path.Base(strings.ReplaceAll(name, `\`, "/"))))
}
