package gosass

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/phase"
)

// bisect runs a command again and again, each time with other optional
// rewrites allowed in whatever it compiles, until those that make it fail are
// known. The compiler is told by its environment, so the command may be a
// build and a test of any kind.
func (c *command) bisect(args []string) (int, error) {
	fs := flag.NewFlagSet("bisect", flag.ContinueOnError)
	loud := fs.Bool("v", false, "")
	fs.SetOutput(c.errs)
	if err := fs.Parse(args); err != nil {
		return exitUsage, &usageError{err.Error()}
	}
	if fs.NArg() == 0 {
		return exitUsage, &usageError{"bisect takes a command"}
	}
	dir, err := os.MkdirTemp("", "bisect")
	if err != nil {
		return exitFail, err
	}
	defer os.RemoveAll(dir)
	tries := 0
	found, err := phase.FindChanges(func(pattern string) ([]phase.Change, bool, error) {
		tries++
		log := filepath.Join(dir, strconv.Itoa(tries))
		cmd := exec.Command(fs.Arg(0), fs.Args()[1:]...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s Bisect=%s \"BisectLog=%s\"", knobs.EnvName, os.Getenv(knobs.EnvName), pattern, log))
		if *loud {
			cmd.Stdout, cmd.Stderr = c.errs, c.errs
		}
		err := cmd.Run()
		if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
			return nil, false, err
		}
		text, failed := os.ReadFile(log)
		if failed != nil {
			return nil, false, fmt.Errorf("the command compiled nothing: %w", failed)
		}
		list, failed := phase.ReadChanges(string(text))
		if *loud {
			fmt.Fprintf(c.errs, "%s: %d rewrites, %v\n", pattern, len(list), outcomeOf(err))
		}
		return list, err != nil, failed
	})
	if err != nil {
		return exitFail, err
	}
	for _, x := range found {
		fmt.Fprintf(c.out, "%v Bisect=%064b\n", x, x.Hash)
	}
	return exitDiff, nil
}

// outcomeOf says how a try ended.
func outcomeOf(err error) string {
	if err == nil {
		return "right"
	}
	return "wrong: " + err.Error()
}
