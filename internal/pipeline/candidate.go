package pipeline

import (
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// A kernel with other settings than asked for, to compare it with what they make.
//
// Loads that are sent a turn ahead keep registers for it, and what that costs
// is only known when they are assigned: orders with more of them may promise
// more. So a kernel with such loads is compiled without them too, and keeps them
// if what comes out is faster by estimate and has warps enough.

// Vary returns the options with the settings of a candidate.
func (o *Options) Vary(text string) (*Options, error) {
	v := *o
	if v.Knobs == nil {
		v.Knobs = knobs.New()
	} else {
		v.Knobs = v.Knobs.Clone()
	}
	v.Phases = slices.Clone(v.Phases)
	for s := range strings.FieldsSeq(text) {
		if strings.Contains(s, "/") {
			v.Phases = append(v.Phases, s)
		} else if err := v.Knobs.Assign(s); err != nil {
			return nil, err
		}
	}
	return &v, nil
}

// candidate compiles a kernel with other settings. Its registers and waits are
// always checked, and what goes wrong with it ends nothing.
func candidate(m *sema.Module, body *sema.Body, o *Options, text string) (k *link.Kernel, err error) {
	v, err := o.Vary(text)
	if err != nil {
		return nil, err
	}
	if err := v.Knobs.Assign("CheckAllocation=true"); err != nil {
		return nil, err
	}
	v.Watch, v.Follow, v.Limits, v.Trace, v.Create = nil, nil, nil, nil, nil
	v.scratch = new(pool.Scratch) // others may be compiled at the same time
	r, err := newRunner(v)
	if err != nil {
		return nil, err
	}
	var at phase.Progress
	guard := diag.Guard{Level: diag.Kernel}
	err = guard.Run(func() (err error) {
		k, err = compileBody(m, body, v, r, &at)
		return err
	})
	return k, err
}

// judgedAhead returns k, or the kernel without loads sent ahead where that is better.
// What was read from a dump, or is looked for by a search, is left as it is.
func judgedAhead(m *sema.Module, body *sema.Body, o *Options, r *runner, k *link.Kernel) *link.Kernel {
	least := int(r.knobs.Int(knobs.AheadWarps))
	if !k.Ahead || o.Resume != nil || least == 0 {
		return k
	}
	v := *o
	v.priced = true
	plain, err := candidate(m, body, &v, "PipelineLoops/off")
	if err != nil || pays(k, plain, float64(least)/100) {
		return k
	}
	return plain
}

// pays reports whether k is better than the kernel without its loads ahead. Warps
// that it has less must be some of many, and those that are left hide what
// is left to hide as well. What warps hide from each other is not counted on otherwise: three
// products of matrices that two warps should have hidden it for gained 13 to 15 %.
func pays(k, plain *link.Kernel, least float64) bool {
	switch {
	case k.Spills.Stores > plain.Spills.Stores || k.Spills.Loads > plain.Spills.Loads || k.Latency > plain.Latency:
		return false
	case k.Company >= plain.Company:
		return true
	}
	return k.Company >= least*plain.Company && k.Latency*plain.Company <= plain.Latency*k.Company
}
