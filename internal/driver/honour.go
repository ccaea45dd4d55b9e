package driver

import (
	"fmt"
	"os"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/target"
)

// steering is the tool of --sanitize that needs no routines.
const steering = "threadsteer"

// guards are the checks that the options ask for. Stacks are checked in code
// for debuggers too.
func guards(s *cli.Settings) build.Guards {
	return build.Guards{
		Stack:  s.Line.Has(cli.SPBoundsCheck) || s.Opt == 0 || s.Debug,
		Canary: s.Line.Bool(cli.StackProtector, false),
		Steer:  s.Line.Text(cli.Sanitize, "") == steering,
	}
}

// hostFile reads what --nv-host puts into the cubin.
func (j *Job) hostFile() (data []byte, ok bool) {
	if !j.Settings.Hosted {
		return nil, true
	}
	data, err := os.ReadFile(j.Settings.HostFile)
	switch {
	case err != nil:
		j.Sink.Say(diag.Fatal, fmt.Sprintf("Could not open input file '%s'", j.Settings.HostFile))
	case len(data) == 0:
		j.Sink.Say(diag.Fatal, fmt.Sprintf("Input file '%s' could not be opened", j.Settings.HostFile))
	}
	return data, len(data) > 0
}

// honours reports whether code can be generated the way the options ask. An
// option that changes the meaning or the form of the code and that code
// generation does not know how to honour ends the run: ignoring one would be a
// wrong answer.
func (j *Job) honours() bool {
	line := j.Settings.Line
	// What checks accesses is code of the reference's own; a file without its
	// mark is instrumented when the tool loads it. So nothing that the option is
	// for is lost, and only who wants to know all is told.
	if tool := line.Text(cli.Sanitize, ""); tool != "" && tool != steering && !j.Settings.ToolsPatch && j.Settings.Verbose {
		j.Sink.Say(diag.Info, fmt.Sprintf("'--%s=%s' instruments nothing here: compute-sanitizer instruments the code when it loads it", cli.Table[cli.Sanitize].Long, tool))
	}
	if line.Bool(cli.PreserveRelocs, false) && !hasNewFiles(j.Settings) && j.Resume != nil {
		j.Sink.Say(diag.Error, "A dump does not say where variables lie: '--preserve-relocs' is not possible with '--start-at'")
		return false
	}
	return true
}

// warnRelocs warns of --preserve-relocs where the reference leaves none.
func (j *Job) warnRelocs() {
	if j.Settings.Line.Bool(cli.PreserveRelocs, false) && hasNewFiles(j.Settings) {
		j.warnf("'--preserve-relocs' option is not fully implemented for '%s' and may not work as expected", j.Settings.Arch)
	}
}

func hasNewFiles(s *cli.Settings) bool {
	arch := target.Find(s.Arch)
	return arch != nil && arch.Has(target.NewFiles)
}
