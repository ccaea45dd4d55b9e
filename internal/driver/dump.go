package driver

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/pipeline"
)

// dumpEnding is how the names of dumps end.
const dumpEnding = ".ori"

// takeDump takes a dump out of the inputs: a function that --phase NAME/dump
// wrote, and that goes on from there. The text that it was made of may stand
// beside it; else its head names it.
func takeDump(line *cli.Line, files []Source) ([]Source, *pipeline.Resume, *cli.Fault) {
	isDump := func(s Source) bool { return s.File != nil && strings.HasSuffix(s.File.Name, dumpEnding) }
	n := slices.IndexFunc(files, isDump)
	if n < 0 {
		if line.Has(cli.StartAt) {
			return nil, nil, cli.Faultf("Option '--start-at' needs a dump (%s) among the inputs", dumpEnding)
		}
		return files, nil, nil
	}
	dump := files[n]
	rest := slices.Delete(slices.Clone(files), n, n+1)
	switch {
	case dump.Err != "":
		return nil, nil, cli.Faultf("%s", dump.Err)
	case slices.ContainsFunc(rest, isDump):
		return nil, nil, cli.Faultf("More than one dump among the inputs")
	}
	fail := func(err error) ([]Source, *pipeline.Resume, *cli.Fault) {
		return nil, nil, cli.Faultf("Input file '%s': %v", dump.File.Name, err)
	}
	m, err := ori.Read(dump.File.Text)
	if err != nil {
		return fail(err)
	}
	if len(m.Funcs) != 1 {
		return fail(fmt.Errorf("%d functions, one is expected", len(m.Funcs)))
	}
	head, err := pipeline.ReadHead(m.Head)
	if err != nil {
		return fail(err)
	}
	if rest, err = dumpText(rest, dump, &head); err != nil {
		return fail(err)
	}
	if head.Target != "" && !line.Has(cli.GPUName) {
		*line.Value(cli.GPUName) = cli.Value{Set: true, Text: head.Target}
	}
	r := &pipeline.Resume{Func: m.Funcs[0].Name, Step: head.Step, At: line.Text(cli.StartAt, "")}
	if head.Step == 0 && r.At == "" {
		return fail(fmt.Errorf("it does not say after which phase it was written: --start-at must name one"))
	}
	r.Read = func() (*ori.Func, error) {
		m, err := ori.Read(dump.File.Text)
		if err != nil {
			return nil, err
		}
		return m.Funcs[0], nil
	}
	return rest, r, nil
}

// dumpText finds the text of a dump among the other inputs or by its name,
// from here or from the folder of the dump, and proves that it is the same.
func dumpText(rest []Source, dump Source, head *pipeline.Head) ([]Source, error) {
	if len(rest) == 0 {
		if head.Text == "" {
			return nil, fmt.Errorf("it does not name the text that it was made of, which must be an input too")
		}
		s := readFile(head.Text)
		if s.Err != "" && !filepath.IsAbs(head.Text) {
			s = readFile(filepath.Join(filepath.Dir(dump.File.Name), head.Text))
		}
		if s.Err != "" {
			return nil, fmt.Errorf("the text that it was made of, '%s', could not be opened", head.Text)
		}
		rest = []Source{s}
	}
	same := func(s Source) bool { return s.Err == "" && pipeline.Sum(s.File) == head.Sum }
	if head.Sum != 0 && !slices.ContainsFunc(rest, same) {
		return nil, fmt.Errorf("'%s' is not the text that it was made of", rest[0].File.Name)
	}
	return rest, nil
}

// judgeDump reports a dump of a function that the program does not have.
func (j *Job) judgeDump(names func(string) bool) bool {
	if j.Resume == nil || names(j.Resume.Func) {
		return true
	}
	j.Sink.Say(diag.Fatal, fmt.Sprintf("The dump is of function '%s', which the program does not have", j.Resume.Func))
	return false
}
