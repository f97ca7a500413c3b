// Package widget holds the element <florin-aspsp-list>, with which other sites let people choose a bank: one script that
// needs nothing else.
package widget

import (
	"bytes"
	_ "embed"
	"encoding/json"
)

//go:embed aspsp-list.js
var source []byte

// placeholder stands in the source for the address of the service.
const placeholder = `"https://service.example"`

// Script returns the script for a service at this address, which has no slash at the end.
func Script(address string) []byte {
	text, err := json.Marshal(address)
	if err != nil {
		panic(err) // a text
	}
	return bytes.Replace(source, []byte(placeholder), text, 1)
}
