package driver

import (
	"fmt"
	"os"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// unhonoured are the options that change the meaning or the form of the
// code and that code generation does not know how to honour. Ignoring one
// would be a wrong answer, so they end the run. A row goes when the code that
// reads its option comes.
var unhonoured = [...]cli.ID{
	cli.ToolsPatch, cli.Sanitize, cli.PreserveRelocs,
}

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

// honours reports whether code can be generated the way the options ask.
func (j *Job) honours(m *sema.Module) bool {
	line := j.Settings.Line
	ok := true
	for _, id := range unhonoured {
		o := &cli.Table[id]
		if !line.Has(id) || o.Kind == cli.Bool && !line.Bool(id, false) {
			continue
		}
		if id == cli.Sanitize && line.Text(id, "") == steering {
			continue
		}
		if id == cli.PreserveRelocs && target.Find(j.Settings.Arch).Has(target.NewFiles) { // the reference leaves none there either
			j.warnf("'--preserve-relocs' option is not fully implemented for '%s' and may not work as expected", j.Settings.Arch)
			continue
		}
		if id == cli.PreserveRelocs && (m.Opts.Relocatable || len(m.Vars) == 0) { // an object keeps them anyway, and code without variables has none
			continue
		}
		j.Sink.Say(diag.Error, fmt.Sprintf("Code generation for '%s' does not know option '--%s'", j.Settings.Arch, o.Long))
		ok = false
	}
	return ok
}
