package pages

import "florin/web/templates/layout"

// SimulatedView explains the simulated banks.
type SimulatedView struct {
	layout.Frame
	Embedded bool   // this server runs its own service with simulated banks
	Host     string // where it runs: "localhost:8081"; empty unless Embedded
}
