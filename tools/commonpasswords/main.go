// Program commonpasswords makes internal/auth/common.gz, the passwords that are tried first, from the npm package @zxcvbn-ts/language-common (MIT):
//
//	npm pack @zxcvbn-ts/language-common@4.1.3
//	tar xzf zxcvbn-ts-language-common-4.1.3.tgz
//	go -C tools run ./commonpasswords ../package ../internal/auth/common.gz
//
// The result is compressed text: the licence of the package in lines that begin with "# ", then one password a line, in lower case and sorted.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// least is how long a password is at least that the list is of use for: it is found within longer ones too.
const least = 4

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: commonpasswords PACKAGE OUTPUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "commonpasswords:", err)
		os.Exit(1)
	}
}

func run(folder, output string) error {
	var about struct{ Name, Version, License string }
	if err := read(filepath.Join(folder, "package.json"), &about); err != nil {
		return err
	}
	if about.License != "MIT" {
		return fmt.Errorf("the licence of %s %s is %q; it was MIT: see whether the list may still be in the program", about.Name, about.Version, about.License)
	}
	licence, err := os.ReadFile(filepath.Join(folder, "LICENSE.txt"))
	if err != nil {
		return err
	}
	var all []string
	if err := read(filepath.Join(folder, "src", "passwords.json"), &all); err != nil {
		return err
	}
	for i, password := range all {
		all[i] = strings.ToLower(strings.TrimSpace(password))
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(p string) bool {
		return len(p) < least || strings.ContainsAny(p, "\r\n") || strings.HasPrefix(p, "# ")
	})
	if len(all) < 10_000 {
		return errors.New("the list has less than ten thousand passwords")
	}

	var text strings.Builder
	fmt.Fprintf(&text, "# %s %s\n", about.Name, about.Version)
	for line := range strings.Lines(strings.TrimSpace(string(licence)) + "\n") {
		text.WriteString("# " + line)
	}
	for _, password := range all {
		text.WriteString(password + "\n")
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(text.String())); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%d passwords, %d bytes\n", len(all), packed.Len())
	return os.WriteFile(output, packed.Bytes(), 0o644)
}

func read(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
