package driver

import (
	"context"
	"io"

	"goptxas/internal/engine/diag"
	"goptxas/internal/engine/src"
	"goptxas/internal/ptx/syntax"
)

// program is what the driver knows of the checked input.
type program struct {
	target    string // the .target in force: sm_75
	entries   []string
	functions []string
	trees     []*syntax.Tree
}

// check reads every input and reports what is wrong with it.
func (j *Job) check(ctx context.Context) *program {
	p := &program{}
	for _, f := range j.Files {
		if ctx.Err() != nil {
			return p
		}
		u := j.Sink.Open(f.File)
		if f.Err != "" {
			u.Report(diag.Fatal, src.NoPos, f.Err)
			u.Close()
			continue
		}
		t := syntax.Scan(f.File)
		if t.Err != nil {
			u.Report(diag.Fatal, t.Err.Pos, t.Err.Msg)
		}
		p.trees = append(p.trees, t)
		u.Close()
	}
	return p
}

// hasTensorMemory reports whether the program's own target has tcgen05.
func (p *program) hasTensorMemory() bool { return false }

// print writes the program in normal form.
func (p *program) print(io.Writer) error { return nil }

// judgeProgram makes the checks that need the whole program.
func (j *Job) judgeProgram(p *program) bool { return j.selectEntries(p) }
