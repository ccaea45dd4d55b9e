// Command clib is the C library of goptxas, built with -buildmode=c-shared.
// It has the functions of NVIDIA's PTX compiler library; goptxas.h describes
// them.
package main

/*
#include <stdlib.h>
#include <string.h>
#include "goptxas.h"

typedef int (*goptxasFlow)(void *, void *);
static int goptxasAsk(goptxasFlow f, nvPTXCompilerHandle c, void *payload) { return f(payload, c); }
typedef const char goptxasText;
typedef const char *const goptxasOption;
*/
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"strings"
	"time"
	"unsafe"

	"github.com/goptxas/goptxas"
)

func main() {}

// The version of the interface that is followed.
const (
	major = 13
	minor = 0
)

// askEvery is how often a compilation asks whether it should go on.
const askEvery = 5 * time.Millisecond

// compiler is what a handle stands for.
type compiler struct {
	text    []byte
	flow    C.goptxasFlow
	payload unsafe.Pointer
	done    bool
	cubin   []byte
	errors  string
	infos   string
}

// find returns what a handle stands for. The memory it points to holds the
// number under which Go keeps it.
func find(h C.nvPTXCompilerHandle) *compiler {
	if h == nil {
		return nil
	}
	return cgo.Handle(*(*C.size_t)(unsafe.Pointer(h))).Value().(*compiler)
}

//export nvPTXCompilerGetVersion
func nvPTXCompilerGetVersion(high, low *C.uint) C.nvPTXCompileResult {
	if high == nil || low == nil {
		return C.NVPTXCOMPILE_ERROR_INVALID_INPUT
	}
	*high, *low = major, minor
	return C.NVPTXCOMPILE_SUCCESS
}

//export nvPTXCompilerCreate
func nvPTXCompilerCreate(h *C.nvPTXCompilerHandle, n C.size_t, text *C.goptxasText) C.nvPTXCompileResult {
	if h == nil || text == nil || n == 0 {
		return C.NVPTXCOMPILE_ERROR_INVALID_INPUT
	}
	c := &compiler{text: C.GoBytes(unsafe.Pointer(text), C.int(n))}
	if end := len(c.text) - 1; c.text[end] == 0 { // a length with the zero of a C text
		c.text = c.text[:end]
	}
	cell := (*C.size_t)(C.malloc(C.size_t(unsafe.Sizeof(C.size_t(0)))))
	*cell = C.size_t(cgo.NewHandle(c))
	*h = C.nvPTXCompilerHandle(unsafe.Pointer(cell))
	return C.NVPTXCOMPILE_SUCCESS
}

//export nvPTXCompilerDestroy
func nvPTXCompilerDestroy(h *C.nvPTXCompilerHandle) C.nvPTXCompileResult {
	if h == nil || *h == nil {
		return C.NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE
	}
	cell := unsafe.Pointer(*h)
	cgo.Handle(*(*C.size_t)(cell)).Delete()
	C.free(cell)
	*h = nil
	return C.NVPTXCOMPILE_SUCCESS
}

//export nvPTXCompilerSetFlowCallback
func nvPTXCompilerSetFlowCallback(h C.nvPTXCompilerHandle, flow C.goptxasFlow, payload unsafe.Pointer) C.nvPTXCompileResult {
	c := find(h)
	switch {
	case c == nil:
		return C.NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE
	case flow == nil:
		return C.NVPTXCOMPILE_ERROR_INVALID_INPUT
	}
	c.flow, c.payload = flow, payload
	return C.NVPTXCOMPILE_SUCCESS
}

//export nvPTXCompilerCompile
func nvPTXCompilerCompile(h C.nvPTXCompilerHandle, n C.int, options *C.goptxasOption) C.nvPTXCompileResult {
	c := find(h)
	if c == nil {
		return C.NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE
	}
	if n < 0 || n > 0 && options == nil {
		return C.NVPTXCOMPILE_ERROR_INVALID_INPUT
	}
	var args []string
	for _, o := range unsafe.Slice(options, n) {
		args = append(args, C.GoString((*C.char)(unsafe.Pointer(o))))
	}
	return c.compile(h, args)
}

// compile runs the compiler on this thread's behalf and asks in between
// whether to go on.
func (c *compiler) compile(h C.nvPTXCompilerHandle, args []string) C.nvPTXCompileResult {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type result struct {
		out *goptxas.Output
		err error
	}
	ended := make(chan result, 1)
	go func() {
		out, err := goptxas.Compile(ctx, []goptxas.Input{{Name: "application ptx input", Text: c.text}}, goptxas.Options{Args: args})
		ended <- result{out, err}
	}()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		select {
		case r := <-ended:
			return c.finish(r.out, r.err)
		case <-tick.C:
			if c.flow != nil && C.goptxasAsk(c.flow, h, c.payload) == 1 {
				return C.NVPTXCOMPILE_ERROR_CANCELLED
			}
		}
	}
}

// finish keeps what a compilation came to.
func (c *compiler) finish(out *goptxas.Output, err error) C.nvPTXCompileResult {
	c.done, c.cubin, c.errors, c.infos = true, nil, "", ""
	var e *goptxas.Error
	switch {
	case err == nil:
		c.cubin, c.infos = out.Cubin, out.Log
		return C.NVPTXCOMPILE_SUCCESS
	case errors.As(err, &e):
		c.errors = e.Log
		for _, m := range e.Messages {
			if strings.HasPrefix(m.Text, "Unsupported .version") {
				return C.NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION
			}
		}
		return C.NVPTXCOMPILE_ERROR_COMPILATION_FAILURE
	}
	c.errors = err.Error()
	return C.NVPTXCOMPILE_ERROR_INTERNAL
}

// put copies bytes to C memory.
func put(to unsafe.Pointer, from []byte) {
	copy(unsafe.Slice((*byte)(to), len(from)), from)
}

// size answers one of the questions for a length.
func size(h C.nvPTXCompilerHandle, to *C.size_t, of func(*compiler) int) C.nvPTXCompileResult {
	c := find(h)
	switch {
	case c == nil:
		return C.NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE
	case to == nil:
		return C.NVPTXCOMPILE_ERROR_INVALID_INPUT
	}
	*to = C.size_t(of(c))
	return C.NVPTXCOMPILE_SUCCESS
}

// contents answers one of the questions for bytes.
func contents(h C.nvPTXCompilerHandle, to unsafe.Pointer, of func(*compiler) []byte) C.nvPTXCompileResult {
	c := find(h)
	switch {
	case c == nil:
		return C.NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE
	case to == nil:
		return C.NVPTXCOMPILE_ERROR_INVALID_INPUT
	}
	put(to, of(c))
	return C.NVPTXCOMPILE_SUCCESS
}

// compiled reports whether there is a program to ask for.
func compiled(h C.nvPTXCompilerHandle) C.nvPTXCompileResult {
	if c := find(h); c != nil && !c.done {
		return C.NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE
	}
	return C.NVPTXCOMPILE_SUCCESS
}

//export nvPTXCompilerGetCompiledProgramSize
func nvPTXCompilerGetCompiledProgramSize(h C.nvPTXCompilerHandle, to *C.size_t) C.nvPTXCompileResult {
	if r := compiled(h); r != C.NVPTXCOMPILE_SUCCESS {
		return r
	}
	return size(h, to, func(c *compiler) int { return len(c.cubin) })
}

//export nvPTXCompilerGetCompiledProgram
func nvPTXCompilerGetCompiledProgram(h C.nvPTXCompilerHandle, to unsafe.Pointer) C.nvPTXCompileResult {
	if r := compiled(h); r != C.NVPTXCOMPILE_SUCCESS {
		return r
	}
	return contents(h, to, func(c *compiler) []byte { return c.cubin })
}

//export nvPTXCompilerGetErrorLogSize
func nvPTXCompilerGetErrorLogSize(h C.nvPTXCompilerHandle, to *C.size_t) C.nvPTXCompileResult {
	return size(h, to, func(c *compiler) int { return len(c.errors) })
}

//export nvPTXCompilerGetErrorLog
func nvPTXCompilerGetErrorLog(h C.nvPTXCompilerHandle, to *C.char) C.nvPTXCompileResult {
	return contents(h, unsafe.Pointer(to), func(c *compiler) []byte { return append([]byte(c.errors), 0) })
}

//export nvPTXCompilerGetInfoLogSize
func nvPTXCompilerGetInfoLogSize(h C.nvPTXCompilerHandle, to *C.size_t) C.nvPTXCompileResult {
	return size(h, to, func(c *compiler) int { return len(c.infos) })
}

//export nvPTXCompilerGetInfoLog
func nvPTXCompilerGetInfoLog(h C.nvPTXCompilerHandle, to *C.char) C.nvPTXCompileResult {
	return contents(h, unsafe.Pointer(to), func(c *compiler) []byte { return append([]byte(c.infos), 0) })
}
