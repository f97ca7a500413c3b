// Package pdf draws the first page of a PDF, with PDFium in a sandbox (ADR 0069).
package pdf

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // PDFium
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"runtime/debug"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// compressed is PDFium as a module of WebAssembly. tools/pdfium makes the file, NOTICE holds its licences.
//
//go:embed pdfium.wasm.gz
var compressed []byte

// memory limits the memory of PDFium in MB, including the file. A page that needs more cannot be drawn.
const memory = 192

// Errors of FirstPage.
var (
	ErrLocked     = errors.New("the PDF is locked with a password")
	ErrUnreadable = errors.New("the PDF has no first page that can be drawn")
)

// FirstPage draws the first page of a PDF in shades of grey on white, as a viewer shows it: turned and cropped. pixels is the largest number of pixels in the
// picture, however large the page is. Nothing in the file is executed, and other pages are ignored. It takes up to 400 MB of memory, which are returned to
// the system: callers must draw one page at a time. Errors: ErrLocked, ErrUnreadable, and the error of ctx, whose end stops the drawing.
func FirstPage(ctx context.Context, file []byte, pixels int) (*image.Gray, error) {
	defer debug.FreeOSMemory() // some 200 MB are used for a second, and then perhaps not for a month
	drawn, err := draw(ctx, file, pixels)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return drawn, err
}

// draw is FirstPage in its own sandbox.
func draw(ctx context.Context, file []byte, pixels int) (*image.Gray, error) {
	// Interpreted, because drawing a page takes less time than compiling PDFium, and no memory needs to be executable.
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(reserve))
	sandbox := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCloseOnContextDone(true).WithMemoryLimitPages(memory<<20/65536).
		WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesExceptionHandling))
	defer func() { _ = sandbox.Close(context.WithoutCancel(ctx)) }() // nothing is left to be written
	p, err := start(ctx, sandbox)
	if err != nil {
		return nil, err
	}
	at := p.call("malloc", uint64(len(file)))
	if p.err == nil && !p.Memory().Write(uint32(at), file) {
		return nil, ErrUnreadable
	}
	document := p.call("FPDF_LoadMemDocument", at, uint64(len(file)), 0)
	if p.err == nil && document == 0 {
		switch p.call("FPDF_GetLastError") {
		case wrongPassword, unknownLock:
			return nil, ErrLocked
		}
		return nil, ErrUnreadable
	}
	page := p.call("FPDF_LoadPage", document, 0)
	if p.err == nil && page == 0 {
		return nil, ErrUnreadable
	}
	width, height := float64(api.DecodeF32(p.call("FPDF_GetPageWidthF", page))), float64(api.DecodeF32(p.call("FPDF_GetPageHeightF", page)))
	if p.err != nil || !(width > 0 && height > 0 && max(width, height)/min(width, height) <= maxRatio) { // also true for NaN
		return nil, ErrUnreadable
	}
	scale := math.Sqrt(float64(pixels) / (width * height))
	grey := image.NewGray(image.Rect(0, 0, max(1, int(width*scale)), max(1, int(height*scale))))
	w, h := uint64(grey.Rect.Dx()), uint64(grey.Rect.Dy())
	bitmap := p.call("FPDFBitmap_CreateEx", w, h, shadesOfGrey, 0, 0)
	if p.err == nil && bitmap == 0 {
		return nil, ErrUnreadable
	}
	p.call("FPDFBitmap_FillRect", bitmap, 0, 0, w, h, white)
	p.call("FPDF_RenderPageBitmap", bitmap, page, 0, 0, w, h, 0, withAnnotations)
	from, stride := p.call("FPDFBitmap_GetBuffer", bitmap), p.call("FPDFBitmap_GetStride", bitmap)
	for y := range h {
		row, ok := p.Memory().Read(uint32(from+y*stride), uint32(w))
		if p.err != nil || !ok {
			return nil, ErrUnreadable
		}
		copy(grey.Pix[y*w:], row)
	}
	return grey, nil
}

// Numbers of PDFium's interface (fpdfview.h).
const (
	wrongPassword   = 4           // FPDF_ERR_PASSWORD
	unknownLock     = 5           // FPDF_ERR_SECURITY
	shadesOfGrey    = 1           // FPDFBitmap_Gray
	white           = 0xffff_ffff // opaque
	withAnnotations = 0x01        // FPDF_ANNOT: stamps and filled fields, as a viewer shows them
)

// maxRatio is the largest ratio of the longer to the shorter side of a page.
const maxRatio = 1000

// pdfium is PDFium inside its sandbox.
type pdfium struct {
	api.Module

	ctx context.Context
	err error // the error of the first failed call; later calls do nothing
}

// reserved is the memory of a sandbox, allocated at once: growing it would copy it repeatedly and take five times as much. Unused memory costs nothing.
type reserved []byte

func reserve(_, most uint64) experimental.LinearMemory { return make(reserved, most) }
func (r reserved) Reallocate(size uint64) []byte       { return r[:size] }
func (r reserved) Free()                               {}

// start starts PDFium without any access: the sandbox answers each request to the system with an error.
func start(ctx context.Context, sandbox wazero.Runtime) (*pdfium, error) {
	module, err := unpacked()
	if err != nil {
		return nil, err
	}
	compiled, err := sandbox.CompileModule(ctx, module)
	if err != nil {
		return nil, fmt.Errorf("compiling PDFium: %w", err)
	}
	spaces := make(map[string]wazero.HostModuleBuilder)
	for _, asked := range compiled.ImportedFunctions() {
		space, name, _ := asked.Import()
		if spaces[space] == nil {
			spaces[space] = sandbox.NewHostModuleBuilder(space)
		}
		refuse := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			if len(asked.ResultTypes()) > 0 {
				stack[0] = badDescriptor
			}
		})
		spaces[space].NewFunctionBuilder().WithGoModuleFunction(refuse, asked.ParamTypes(), asked.ResultTypes()).Export(name)
	}
	for _, space := range spaces {
		if _, err := space.Instantiate(ctx); err != nil {
			return nil, fmt.Errorf("starting PDFium: %w", err)
		}
	}
	running, err := sandbox.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("starting PDFium: %w", err)
	}
	p := &pdfium{Module: running, ctx: ctx}
	p.call("FPDF_InitLibrary")
	return p, p.err
}

// unpacked returns PDFium as a WebAssembly module.
func unpacked() ([]byte, error) {
	packed, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("unpacking PDFium: %w", err)
	}
	module, err := io.ReadAll(packed)
	if err != nil {
		return nil, fmt.Errorf("unpacking PDFium: %w", err)
	}
	return module, nil
}

// badDescriptor is the error of the system interface (WASI) for a file that is not open.
const badDescriptor = 8

// call calls a function of PDFium. When the file makes PDFium run out of memory or crash, err is set.
func (p *pdfium) call(name string, parameters ...uint64) uint64 {
	if p.err != nil {
		return 0
	}
	results, err := p.ExportedFunction(name).Call(p.ctx, parameters...)
	if err != nil {
		p.err = err
		return 0
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}
