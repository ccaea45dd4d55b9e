package pool

import "fmt"

// Snapshot is the state of a pool's counters at one moment; Since turns two
// moments into a Delta. The counters cover the pool itself and all below it.
type Snapshot struct {
	total    int64 // bytes handed out, ever
	reserved int64 // bytes of pages held
}

// Delta is what happened between two snapshots, as in a phase's memory line.
type Delta struct {
	Total    int64 // bytes handed out
	Reserved int64 // growth of the pages held
}

// Snapshot returns the counters of p and of all pools below it. The owners of
// their pages must not allocate meanwhile.
func (p *Pool) Snapshot() Snapshot {
	s := Snapshot{reserved: p.reserved.Load()}
	p.count(&s)
	return s
}

func (p *Pool) count(s *Snapshot) {
	p.mu.Lock()
	s.total += p.past
	for _, x := range p.sections {
		s.total += x.allocated()
	}
	kids := append([]*Pool(nil), p.children...)
	p.mu.Unlock()
	for _, k := range kids {
		k.count(s)
	}
}

// Since returns what happened between the snapshot old and s.
func (s Snapshot) Since(old Snapshot) Delta {
	return Delta{Total: s.total - old.total, Reserved: s.reserved - old.reserved}
}

// PhaseLine returns the memory line of a phase.
func (d Delta) PhaseLine(phase string) string {
	return fmt.Sprintf("  %s  ::  [Total %d KB]  [Pages %d KB]", phase, d.Total/1024, d.Reserved/1024)
}
