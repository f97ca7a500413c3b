// Program pdfium makes internal/pdf/pdfium.wasm.gz of the Go module github.com/klippa-app/go-pdfium, which carries PDFium as WebAssembly:
//
//	go -C tools run ./pdfium ../internal/pdf/pdfium.wasm.gz
//
// Go fetches the module through its proxy and compares it with the public checksum database.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const module = "github.com/klippa-app/go-pdfium@v1.21.4"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pdfium OUTPUT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pdfium:", err)
		os.Exit(1)
	}
}

func run(output string) error {
	said, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var about struct{ Dir, Error string }
	if err := errors.Join(json.Unmarshal(said, &about), err); err != nil {
		return fmt.Errorf("%s %w", about.Error, err)
	}
	program, err := os.ReadFile(filepath.Join(about.Dir, "internal", "pdfium_wasm", "pdfium.wasm"))
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := writer.Write(program); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return os.WriteFile(output, packed.Bytes(), 0o644)
}
