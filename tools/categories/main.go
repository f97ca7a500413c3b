// Program categories makes the lists by which Florin knows merchants from two npm packages:
//
//	npm pack name-suggestion-index@8.0.20260918 mcc@2.2.0
//	mkdir names codes
//	tar xzf name-suggestion-index-8.0.20260918.tgz -C names --strip-components 1
//	tar xzf mcc-2.2.0.tgz -C codes --strip-components 1
//	go -C tools run ./categories ../names ../codes ../internal/categories
//
// It writes merchants.txt and mcc.txt: a key and a category in each line, sorted, so that the program searches in them without reading them. What a tag of
// OpenStreetMap and a merchant category code stand for is decided in mapping.go.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: categories NAME-SUGGESTION-INDEX MCC OUTPUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "categories:", err)
		os.Exit(1)
	}
}

func run(names, codes, output string) error {
	if err := merchants(names, filepath.Join(output, "merchants.txt")); err != nil {
		return err
	}
	return merchantCodes(codes, filepath.Join(output, "mcc.txt"))
}

// about returns name and version of a package, and an error when its licence is another one than it was.
func about(folder, licence string) (string, error) {
	var p struct{ Name, Version, License string }
	if err := read(filepath.Join(folder, "package.json"), &p); err != nil {
		return "", err
	}
	if p.License != licence {
		return "", fmt.Errorf("the licence of %s %s is %q; it was %s: see whether the list may still be in the program", p.Name, p.Version, p.License, licence)
	}
	return p.Name + " " + p.Version, nil
}

// item is a brand or an operator.
type item struct {
	DisplayName string
	MatchNames  []string
	LocationSet struct{ Include []any }
	Tags        map[string]string
}

// merchants writes a line for each name: the key and the category, or one for each country where they differ: "migrol\tfuel", "spar\tch:home,*:groceries".
func merchants(folder, output string) error {
	source, err := about(folder, "BSD-3-Clause")
	if err != nil {
		return err
	}
	var index struct {
		NSI map[string]struct{ Items []item } `json:"nsi"`
	}
	if err := read(filepath.Join(folder, "dist", "json", "nsi.json"), &index); err != nil {
		return err
	}
	found, besides := map[string]map[string]string{}, map[string]map[string]string{} // category by country, by key: of the trade, and of what is beside it
	for _, path := range slices.Sorted(maps.Keys(index.NSI)) {
		category := categoryOf(path)
		if category == "" {
			continue
		}
		into := found
		if _, tag, _ := strings.Cut(path, "/"); beside[tag] {
			into = besides
		}
		for _, it := range index.NSI[path].Items {
			where := countries(it.LocationSet.Include)
			for _, name := range append(it.MatchNames, it.DisplayName, it.Tags["name"], it.Tags["brand"], it.Tags["operator"]) {
				k := key(name)
				if len([]rune(k)) < 2 || len(where) == 0 || generic[k] {
					continue
				}
				if into[k] == nil {
					into[k] = map[string]string{}
				}
				for _, country := range where {
					into[k][country] = stronger(into[k][country], category)
				}
			}
		}
	}
	for k, by := range besides {
		if found[k] == nil {
			found[k] = by
		}
	}
	var lines []string
	for k, by := range found {
		if value := compact(by); value != "" {
			lines = append(lines, k+"\t"+value)
		}
	}
	if len(lines) < 10_000 {
		return fmt.Errorf("%s has only %d names that tell a category", source, len(lines))
	}
	return write(output, lines)
}

// stronger is the category of a name that has two: a supermarket that also has a pharmacy is a supermarket.
func stronger(a, b string) string {
	for _, c := range strength {
		if a == c || b == c {
			return c
		}
	}
	return ""
}

// compact writes a category for each country, or one for all where they agree.
func compact(by map[string]string) string {
	countriesOf := map[string][]string{}
	for country, category := range by {
		countriesOf[category] = append(countriesOf[category], country)
	}
	if len(countriesOf) == 1 {
		for category := range countriesOf {
			return category
		}
	}
	var parts []string
	for category, countries := range countriesOf {
		for _, c := range countries {
			parts = append(parts, c+":"+category)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// countries are the European countries that a brand is in, "*" for the world or all of Europe; none when it is elsewhere.
func countries(include []any) []string {
	var all []string
	for _, place := range include {
		code, ok := place.(string)
		if !ok {
			continue // a circle on the map: one shop
		}
		code, _, _ = strings.Cut(strings.TrimSuffix(code, ".geojson"), "-")
		switch {
		case code == "001" || code == "150" || code == "q46" || code == "eu":
			return []string{"*"}
		case regions[code] != nil:
			all = append(all, regions[code]...)
		case slices.Contains(europe, code):
			all = append(all, code)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// merchantCodes writes a line for each merchant category code that tells a category: "5411\tgroceries".
func merchantCodes(folder, output string) error {
	source, err := about(folder, "MIT")
	if err != nil {
		return err
	}
	var all []struct{ MCC string }
	if err := read(filepath.Join(folder, "mcc_codes.json"), &all); err != nil {
		return err
	}
	var lines []string
	for _, c := range all {
		if category := categoryOfCode(c.MCC); category != "" {
			lines = append(lines, c.MCC+"\t"+category)
		}
	}
	if len(lines) < 500 {
		return fmt.Errorf("%s has only %d codes that tell a category", source, len(lines))
	}
	return write(output, lines)
}

// key writes a name as categories.Key does: a test of that package compares them.
func key(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFKD.String(name)) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' || r == '‘' || r == '`':
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			if plain, ok := plainLetters[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		default:
			gap = true
		}
	}
	return b.String()
}

var plainLetters = map[rune]string{'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}

func read(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func write(path string, lines []string) error {
	slices.Sort(lines)
	return os.WriteFile(path, []byte(strings.Join(slices.Compact(lines), "\n")+"\n"), 0o644) //nolint:gosec // a file of the repository
}
