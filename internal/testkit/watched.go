//go:build race

package testkit

const watched = true // by the race detector
