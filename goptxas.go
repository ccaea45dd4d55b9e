// Package goptxas compiles PTX to cubins that the CUDA driver loads. It is
// the compiler behind the goptxas command, as a library: no global state, so
// any number of compilations may run at once in one process.
package goptxas

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/goptxas/goptxas/internal/driver"
)

// Input is one PTX text. Several inputs become one module.
type Input struct {
	Name string // shown in messages
	Text []byte
}

// Options say what to compile for. Args takes any option of the command
// line, spelled as there, such as "-O1" or "--maxrregcount=64"; options that
// name files to write have no effect.
type Options struct {
	Arch string // sm_90a; empty means the command's default
	Args []string
}

// Output is the result of a compilation.
type Output struct {
	Cubin []byte // nil where only checking was asked for
	Log   string // warnings and reports, one a line, as the command prints them
}

// Error is a compilation that failed: what the command would have printed.
type Error struct {
	Log string
}

// Error returns the first line that tells of an error.
func (e *Error) Error() string {
	for line := range strings.Lines(e.Log) {
		if strings.Contains(line, "error   :") || strings.Contains(line, "fatal   :") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(e.Log)
}

// Compile compiles the inputs. The error is an *Error when the PTX or the
// options are at fault, and ctx.Err() when the context ended first.
func Compile(ctx context.Context, inputs []Input, opts Options) (*Output, error) {
	if len(inputs) == 0 {
		return nil, errors.New("goptxas: no input")
	}
	args := opts.Args
	if opts.Arch != "" {
		args = append([]string{"--gpu-name=" + opts.Arch}, args...)
	}
	texts := make([]driver.Text, len(inputs))
	for i, in := range inputs {
		texts[i] = driver.Text(in)
	}
	var log bytes.Buffer
	cubin, ok := driver.CompileTexts(ctx, args, texts, &log)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !ok:
		return nil, &Error{log.String()}
	}
	return &Output{Cubin: cubin, Log: log.String()}, nil
}
