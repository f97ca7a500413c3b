// Package testkit says which tests run when, for all packages alike, and has what their tests share. Only tests import it.
//
// There are three ways to run the tests:
//   - make test-go, the whole: with the race detector all but the tests that call Unwatched, and those without it, at once.
//   - make test-fast, while one works: go test -short leaves out the tests that call Long.
//   - go test of a package: all of its tests, once.
package testkit

import "testing"

// Unwatched makes a test run only without the race detector. It is for tests that make requests one after the other, look at a Florin in another process, or
// measure (ADR 0025). With the race detector the test is skipped; make test-go runs it in its second part, for which the Makefile finds the tests that make
// this call on a line of its own.
func Unwatched(t testing.TB) {
	t.Helper()
	if watched {
		t.Skip("it runs without the race detector, in the second part of make test-go")
	}
}

// Long excludes a test from make test-fast, for a reason.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out of the fast tests: " + why)
	}
}

// Reasons of Long.
const (
	Browser = "it walks through pages in a browser"
	Node    = "it has programs for Node judge pages"
	Process = "it starts Florin as a process of its own"
	Whole   = "it starts both halves of Florin"
	Tools   = "it runs programs of the machine"
	Each    = "it goes through every scenario, field or code, one after the other"
	Judge   = "it has programs of others judge files"
	Crashes = "it ends Florin again and again"
	Soak    = "it makes many thousand requests"
	Drawing = "it draws PDFs, each of which takes a second"
	Waits   = "it waits for time to pass"
	Figures = "it measures how good or how costly something is, on a lot of made-up data"
)
