package pipeline

import (
	"cmp"
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
// if what comes out is faster by estimate and has warps enough. Where somebody is shown how
// a kernel is compiled that is found out before: what is shown is what is kept.

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
	for _, text := range [...]string{"CheckAllocation=true", "BisectLog="} {
		if err := v.Knobs.Assign(text); err != nil {
			return nil, err
		}
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

// noneAhead is the setting without loads sent ahead. The phase still takes its place, so
// that phases have the same numbers in dumps.
const noneAhead = "AheadWords=0"

// isShown reports whether somebody is shown how kernels are compiled.
func isShown(o *Options, r *runner) bool {
	return o.Watch != nil || len(o.Phases) > 0 || r.knobs.String(knobs.DumpIR) != "" || r.knobs.String(knobs.BisectKnob) != "" || r.knobs.Bool(knobs.RegAllocTrace)
}

// compiled compiles a kernel, with loads sent ahead only if it is better so.
func compiled(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress) (*link.Kernel, error) {
	if !isShown(o, r) {
		k, err := compileBody(m, body, o, r, at)
		if err != nil {
			return nil, err
		}
		return cmp.Or(plainer(m, body, o, r, k), k), nil
	}
	v := *o
	v.priced = true
	if k, err := candidate(m, body, &v, ""); err != nil || plainer(m, body, o, r, k) == nil { // what goes wrong does so again
		return compileBody(m, body, o, r, at)
	}
	plain, err := o.Vary(noneAhead)
	if err != nil {
		return nil, err
	}
	if r, err = newRunner(plain); err != nil {
		return nil, err
	}
	k, err := compileBody(m, body, plain, r, at)
	o.spared = plain.spared
	return k, err
}

// plainer returns the kernel k without loads sent ahead where that is better, else nil.
func plainer(m *sema.Module, body *sema.Body, o *Options, r *runner, k *link.Kernel) *link.Kernel {
	least := int(r.knobs.Int(knobs.AheadWarps))
	if !k.Ahead || least == 0 || o.Limits != nil && o.Limits.Short() {
		return nil
	}
	v := *o
	v.priced = true
	plain, err := candidate(m, body, &v, noneAhead)
	if err != nil || pays(k, plain, float64(least)/100) {
		return nil
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
	case k.Occupancy >= plain.Occupancy:
		return true
	}
	return k.Occupancy >= least*plain.Occupancy && k.Latency*plain.Occupancy <= plain.Latency*k.Occupancy
}
