// Package buildinfo tells which version of Florin is running.
package buildinfo

import "runtime/debug"

// version is set by release builds: -ldflags "-X florin/internal/buildinfo.version=1.2.3".
var version string

// Version returns the version set at the build, else the one that the Go tools
// took from version control, else "devel".
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return fromModule(info.Main.Version)
}

// UserAgent returns the User-Agent of every request that Florin sends.
func UserAgent() string { return "Florin/" + Version() }

// fromModule names the version of the main module; a build without version
// control has "" or "(devel)".
func fromModule(v string) string {
	if v == "" || v == "(devel)" {
		return "devel"
	}
	return v
}
