package pages

import "florin/web/templates/layout"

// KeyboardView is the page about keys.
type KeyboardView struct {
	layout.Frame
	KeysOff bool // on this device
}
