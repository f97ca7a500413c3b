package config

import (
	"os"
	"slices"
	"strings"
	"time"
)

// lookUpIn is os.Getenv for an environment as os.Environ has it.
func lookUpIn(environ []string) func(string) string {
	return func(name string) string {
		for _, entry := range environ {
			if key, value, _ := strings.Cut(entry, "="); key == name {
				return value
			}
		}
		return ""
	}
}

// variable is the name of a setting in the environment.
func variable(name string) string {
	return "FLORIN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// environment sets what no flag has set, from variables. An empty variable counts as not set.
func (p *problems) environment(getenv func(string) string, settings []*setting) {
	for _, setting := range settings {
		if value := getenv(variable(setting.name)); value != "" && !setting.given {
			p.set(setting, value, variable(setting.name))
		}
	}
}

// set gives a setting the value that stands at a place.
func (p *problems) set(s *setting, value, place string) {
	p.origin[s.name] = place
	if err := s.Set(value); err != nil {
		p.add(place, "%s", err)
	}
}

// forTests are variables of the tests of this repository; a developer of Florin may have them set.
var forTests = []string{"FLORIN_CHROMIUM", "FLORIN_SCREENSHOTS", "FLORIN_BENCHMARKS", "FLORIN_CONTRACT_"}

// ofKubernetes are variables that Kubernetes sets in every container beside a service named florin: FLORIN_PORT_8080_TCP_ADDR and the like.
var ofKubernetes = []string{"FLORIN_PORT", "FLORIN_SERVICE_HOST", "FLORIN_SERVICE_PORT"}

// checkEnvironment notes variables that look like settings and are none, and a time zone that is not known: Go would take it for UTC without a word.
func (p *problems) checkEnvironment(environ []string, settings []*setting) {
	getenv := lookUpIn(environ)
	known := make([]string, len(settings))
	for i, setting := range settings {
		known[i] = variable(setting.name)
	}
	foreign := forTests
	if getenv("KUBERNETES_SERVICE_HOST") != "" {
		foreign = slices.Concat(forTests, ofKubernetes)
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(strings.ToUpper(name), "FLORIN_") || value == "" || slices.Contains(known, name) ||
			slices.ContainsFunc(foreign, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if nearest := nearest(name, known); nearest != "" {
			p.add(name, "there is no such setting; did you mean %s?", nearest)
			continue
		}
		p.add(name, "there is no such setting (see florin --help)")
	}
	if zone := getenv("TZ"); !knownZone(zone) {
		p.add("TZ", "there is no time zone %q; a name such as Europe/Berlin is one", zone)
	}
}

// knownZone reports whether the Go runtime finds the time zone that TZ names, as it looks for it: with or without a colon before it, a name or a file.
func knownZone(zone string) bool {
	zone = strings.TrimPrefix(zone, ":")
	if strings.HasPrefix(zone, "/") {
		data, err := os.ReadFile(zone)
		if err == nil {
			_, err = time.LoadLocationFromTZData(zone, data)
		}
		return err == nil
	}
	_, err := time.LoadLocation(zone)
	return err == nil
}

// nearest is the name that the misspelt one is most likely to mean, "" when none is near.
func nearest(name string, names []string) string {
	name = strings.ToUpper(name)
	best, least := "", len(name)/4+1
	for _, candidate := range names {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is how many letters have to be inserted, left out or exchanged to make one text of the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
