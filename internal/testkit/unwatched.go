//go:build !race

package testkit

const watched = false // by the race detector
