// Package gosass is the logic of the command of the same name: it prints,
// assembles and compares cubins, and lays PTX out. Commands is the table of
// what it does, for help, manual pages and completion. Printing (dis),
// assembling (asm) and comparing (report) have packages below this one; run,
// debug, check and view, which the table names too, are called by cmd/gosass,
// since they stand on witnesses or the compiler's page. docs/cubin.md describes
// the source that dis prints and asm reads.
package gosass

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/gosass/asm"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/gosass/report"
	"github.com/goptxas/goptxas/internal/target"
)

// Exit codes.
const (
	exitOK    = 0
	exitDiff  = 1
	exitUsage = 2
	exitFail  = 3
)

// Main runs one command and returns the exit code.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	c := &command{in: in, out: out, errs: errs}
	if len(args) == 0 {
		writeUsage(errs)
		return exitUsage
	}
	var err error
	code := exitOK
	switch args[0] {
	case "dis":
		err = c.dis(args[1:])
	case "asm":
		err = c.asm(args[1:])
	case "diff":
		code, err = c.diff(args[1:])
	case "info":
		err = c.info(args[1:])
	case "fmt":
		err = c.format(args[1:])
	case "ori":
		err = c.ori(args[1:])
	case "bisect":
		code, err = c.bisect(args[1:])
	case "completion", "man":
		err = c.page(args)
	case "help", "-h", "-help", "--help":
		err = c.help(args[1:])
	case "version", "-V", "-version", "--version":
		cli.WriteVersionOf(out, "gosass", "a disassembler and assembler of NVIDIA cubins")
	default:
		err = &usageError{"unknown command '" + args[0] + "'"}
	}
	if err == nil {
		return code
	}
	if errors.Is(err, flag.ErrHelp) {
		WriteCommand(out, args[0])
		return exitOK
	}
	if _, ok := err.(*usageError); ok {
		WriteWrong(errs, args[0], err.Error())
		return exitUsage
	}
	fmt.Fprintf(errs, "gosass: %v\n", err)
	return exitFail
}

type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// help lists the commands or explains one.
func (c *command) help(args []string) error {
	switch {
	case len(args) == 0:
		writeUsage(c.out)
	case len(args) > 1:
		return &usageError{"help takes one command"}
	case commandOf(args[0]) == nil:
		return &usageError{"unknown command '" + args[0] + "'"}
	default:
		WriteCommand(c.out, args[0])
	}
	return nil
}

type command struct {
	in        io.Reader
	out, errs io.Writer
}

func (c *command) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.in)
	}
	return os.ReadFile(name)
}

// parse reads flags before and behind the file names.
func parse(fs *flag.FlagSet, args []string) ([]string, error) {
	fs.SetOutput(io.Discard)
	var names []string
	for {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, &usageError{err.Error()}
		}
		if args = fs.Args(); len(args) == 0 {
			return names, nil
		}
		names, args = append(names, args[0]), args[1:]
	}
}

func findArch(name string) (*target.Arch, error) {
	if name == "" {
		return nil, nil
	}
	if a := target.Find(strings.ToLower(name)); a != nil {
		return a, nil
	}
	return nil, &usageError{"unknown architecture " + name}
}

func (c *command) dis(args []string) error {
	fs := flag.NewFlagSet("dis", flag.ContinueOnError)
	opt := &dis.Options{}
	fs.BoolVar(&opt.Code, "c", false, "")
	fs.BoolVar(&opt.Hex, "hex", false, "")
	fs.BoolVar(&opt.Ctrl, "ctrl", false, "")
	fs.BoolVar(&opt.Lines, "g", false, "")
	fs.BoolVar(&opt.Inlined, "gi", false, "")
	fs.BoolVar(&opt.JSON, "json", false, "")
	fs.BoolVar(&opt.CFG, "cfg", false, "")
	fs.BoolVar(&opt.Life, "lrm", false, "")
	fs.BoolVar(&opt.Raw, "raw", false, "")
	fs.BoolVar(&opt.Alone, "alone", false, "")
	fs.StringVar(&opt.Only, "f", "", "")
	fs.Uint64Var(&opt.Base, "base", 0, "")
	arch := fs.String("arch", "", "")
	names, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return &usageError{"dis takes one file"}
	}
	if opt.Arch, err = findArch(*arch); err != nil {
		return err
	}
	b, err := c.read(names[0])
	if err != nil {
		return err
	}
	if isPTX(b) && !opt.Raw {
		if b, err = compiled(names[0], b, opt.Arch); err != nil {
			return err
		}
	}
	text, err := Disassemble(b, opt)
	if err != nil {
		return fmt.Errorf("%s: %w", names[0], err)
	}
	_, err = c.out.Write(text)
	return err
}

// Disassemble prints a file in the way the options choose.
func Disassemble(b []byte, opt *dis.Options) ([]byte, error) {
	if opt.Raw {
		return dis.Raw(b, opt)
	}
	f, err := open(b, opt)
	if err != nil {
		return nil, err
	}
	switch {
	case opt.JSON:
		return dis.JSON(f, opt)
	case opt.CFG:
		return dis.CFG(f, opt)
	case opt.Life:
		return dis.Life(f, opt)
	case opt.Code || opt.Hex || opt.Ctrl || opt.Lines || opt.Inlined || opt.Only != "":
		return dis.List(f, opt)
	}
	return dis.Source(f, opt)
}

func (c *command) asm(args []string) error {
	fs := flag.NewFlagSet("asm", flag.ContinueOnError)
	arch := fs.String("arch", "", "")
	out := fs.String("o", "", "")
	names, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(names) != 1 || *out == "" {
		return &usageError{"asm takes one file and -o"}
	}
	a, err := findArch(*arch)
	if err != nil {
		return err
	}
	src, err := c.read(names[0])
	if err != nil {
		return err
	}
	var b []byte
	if filepath.Ext(*out) == ".bin" {
		b, err = asm.Raw(names[0], src, a)
	} else {
		b, err = assembleFile(names[0], src, a)
	}
	if errors.Is(err, asm.NoArch{}) {
		return &usageError{err.Error()}
	}
	if err != nil {
		return err
	}
	return writeFile(*out, b)
}

func assembleFile(name string, src []byte, a *target.Arch) ([]byte, error) {
	f, err := asm.Assemble(name, src, a)
	if err != nil {
		return nil, err
	}
	return f.Write()
}

// writeFile replaces a file whole or not at all.
func writeFile(name string, b []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".gosass-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

func (c *command) open(name string) (*cubin.File, error) {
	b, err := c.read(name)
	if err != nil {
		return nil, err
	}
	f, err := open(b, &dis.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func (c *command) diff(args []string) (int, error) {
	fs := flag.NewFlagSet("diff", flag.ContinueOnError)
	beside := fs.Bool("a", false, "")
	args, err := parse(fs, args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) != 2 {
		return exitUsage, &usageError{"diff takes two files"}
	}
	a, err := c.open(args[0])
	if err != nil {
		return exitFail, err
	}
	b, err := c.open(args[1])
	if err != nil {
		return exitFail, err
	}
	out, same, err := report.Diff(a, b)
	if err != nil {
		return exitFail, err
	}
	if *beside && !same {
		text, err := report.Align(a, b)
		if err != nil {
			return exitFail, err
		}
		out = append(out, text...)
	}
	if _, err = c.out.Write(out); err != nil || same {
		return exitOK, err
	}
	return exitDiff, nil
}

func (c *command) info(args []string) error {
	fs := flag.NewFlagSet("info", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "")
	args, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return &usageError{"info takes one file"}
	}
	f, err := c.open(args[0])
	if err != nil {
		return err
	}
	show := report.Info
	if *asJSON {
		show = report.InfoJSON
	}
	out, err := show(f)
	if err != nil {
		return err
	}
	_, err = c.out.Write(out)
	return err
}

// page prints a manual page or a completion script.
func (c *command) page(args []string) error {
	if len(args) != 2 {
		return &usageError{args[0] + " takes one word"}
	}
	show := Man
	if args[0] == "completion" {
		show = Completion
	}
	text, err := show(args[1])
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.out, text)
	return err
}
