// Package cli is the people's door to the simulator: the commands run and
// debug of gosass.
package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/gosass"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// Exit codes, as gosass has them.
const (
	exitOK    = 0
	exitDiff  = 1
	exitUsage = 2
	exitFail  = 3
)

type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// options are the flags of both commands.
type options struct {
	desc, arch, kernel, as string
	grid, block            string
	smem                   uint
	args                   list
	show                   int
	trace, timed, lineinfo bool
	quick, cost, fill      bool
	async                  string
	paths                  uint64
	max                    uint64
	file                   string
	warp                   int
	cta                    string
}

type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// Main runs the command run or debug and returns the exit code.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	opt, err := parse(args[0], args[1:])
	if err == nil {
		if args[0] == "debug" {
			err = debug(opt, in, out)
		} else {
			err = run(opt, out)
		}
	}
	var u *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReports):
		return exitDiff
	case errors.Is(err, flag.ErrHelp):
		gosass.WriteCommand(out, args[0])
		return exitOK
	case errors.As(err, &u):
		gosass.WriteWrong(errs, args[0], err.Error())
		return exitUsage
	}
	fmt.Fprintf(errs, "gosass: %v\n", err)
	return exitFail
}

func parse(name string, args []string) (*options, error) {
	opt := &options{}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&opt.desc, "desc", "", "")
	fs.StringVar(&opt.arch, "arch", "sm_90a", "")
	fs.StringVar(&opt.kernel, "kernel", "", "")
	fs.StringVar(&opt.grid, "grid", "1", "")
	fs.StringVar(&opt.block, "block", "32", "")
	fs.UintVar(&opt.smem, "smem", 0, "")
	fs.Var(&opt.args, "arg", "")
	fs.StringVar(&opt.as, "as", "", "")
	fs.IntVar(&opt.show, "n", 8, "")
	fs.BoolVar(&opt.trace, "trace", false, "")
	fs.BoolVar(&opt.timed, "timed", false, "")
	fs.StringVar(&opt.async, "async", "", "")
	fs.Uint64Var(&opt.paths, "paths", 0, "")
	fs.BoolVar(&opt.quick, "quick", false, "")
	fs.BoolVar(&opt.cost, "cost", false, "")
	fs.BoolVar(&opt.fill, "fill", false, "")
	fs.BoolVar(&opt.lineinfo, "lineinfo", false, "")
	fs.Uint64Var(&opt.max, "max", 1<<32, "")
	fs.IntVar(&opt.warp, "warp", 0, "")
	fs.StringVar(&opt.cta, "cta", "0", "")
	var files []string
	for {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, &usageError{err.Error()}
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		files, args = append(files, args[0]), args[1:]
	}
	if len(files) != 1 {
		return nil, &usageError{name + " takes one file"}
	}
	opt.file = files[0]
	return opt, nil
}

// load reads the cubin, or compiles the PTX.
func (o *options) load() (*sim.Module, error) {
	b, err := os.ReadFile(o.file)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b, []byte("\x7fELF")) {
		opt := goptxas.Options{Arch: o.arch}
		if o.lineinfo {
			opt.Args = append(opt.Args, "-lineinfo")
		}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: o.file, Text: b}}, opt)
		if err != nil {
			return nil, err
		}
		if o.desc == "" && len(o.args) == 0 {
			o.desc = o.file
		}
		b = out.Cubin
	}
	m, err := sim.Load(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.file, err)
	}
	return m, nil
}

// launched gives the code and what runs it.
func (o *options) launched() (*sim.Module, []launch.Launch, error) {
	m, err := o.load()
	if err != nil {
		return nil, nil, err
	}
	list, err := o.launches(m)
	return m, list, err
}

// launches gives the launches that the flags or the description ask for.
func (o *options) launches(m *sim.Module) ([]launch.Launch, error) {
	text := ""
	if o.desc != "" {
		b, err := os.ReadFile(o.desc)
		if err != nil {
			return nil, err
		}
		text = string(b)
	} else {
		p, err := m.Kernel(o.kernel)
		if err != nil {
			return nil, err
		}
		if n := len(p.Function().Params); n != len(o.args) {
			return nil, &usageError{fmt.Sprintf("%s takes %d arguments, -arg gives %d; -desc FILE.ptx takes launches from a text", p.Function().Name, n, len(o.args))}
		}
		text = fmt.Sprintf("//: run %s grid=%s block=%s smem=%d\n", p.Function().Name, o.grid, o.block, o.smem)
		for _, a := range o.args {
			text += "//: " + strings.ReplaceAll(a, ":", " ") + "\n"
		}
	}
	all, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	var list []launch.Launch
	for _, l := range all {
		if o.desc == "" || o.kernel == "" || l.Kernel == o.kernel {
			list = append(list, l)
		}
	}
	if len(list) == 0 {
		return nil, &usageError{"no launch: give -desc, or -grid, -block and -arg"}
	}
	return list, nil
}
