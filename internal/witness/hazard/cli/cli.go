// Package cli is the command gosass check.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/hazard"
)

// Main runs it.
func Main(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	arch := flags.String("arch", "", "")
	limit := flags.Int("max", 20, "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		gosass.WriteCommand(out, "check")
		return 0
	case err != nil:
		gosass.WriteWrong(errs, "check", err.Error())
		return 2
	case flags.NArg() == 0:
		gosass.WriteWrong(errs, "check", "check takes files")
		return 2
	}
	code := 0
	for _, name := range flags.Args() {
		found, err := one(name, *arch, *limit, out)
		switch {
		case err != nil:
			fmt.Fprintf(errs, "gosass: %s: %v\n", name, err)
			return 3
		case found:
			code = 1
		}
	}
	return code
}

func one(name, arch string, limit int, out io.Writer) (bool, error) {
	file, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	a := target.Find(arch)
	if a == nil {
		f, err := cubin.Read(file)
		if err != nil {
			return false, err
		}
		if a, err = f.Arch(); err != nil {
			return false, err
		}
	}
	r, err := hazard.CheckCubin(a, file, limit)
	if err != nil {
		return false, err
	}
	for _, l := range r.Found {
		fmt.Fprintf(out, "%s: %s\n", name, l)
	}
	fmt.Fprintf(out, "%s: %d instructions for %s, %d findings\n", name, r.Insts, a.Name, len(r.Found))
	return len(r.Found) > 0, nil
}
