package driver

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// applyLaunchOptions gives kernels the block size and occupancy of the
// command line: those that have no directive of their own, or all of them
// where the options override directives.
func (j *Job) applyLaunchOptions(m *sema.Module) {
	s, o := j.Settings, &m.Opts
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.Entry || len(s.Entries) > 0 && !s.Relocatable && !slices.Contains(s.Entries, f.Name) {
			continue
		}
		l := &f.Launch
		if o.MaxNTid[0] != 0 && (s.Override || l.MaxNTid[0] == 0 && l.ReqNTid[0] == 0) {
			l.MaxNTid = o.MaxNTid
		}
		if o.MinNCTAPerSM != 0 && (s.Override || l.MinNCTAPerSM == 0) {
			l.MinNCTAPerSM = o.MinNCTAPerSM
		}
	}
}
