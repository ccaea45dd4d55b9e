package pool

import "fmt"

// Snapshot is the state of a pool's counters at one moment; Since turns two
// moments into a Delta. The counters cover the pool itself and all below it.
type Snapshot struct {
	total    int64 // bytes handed out, ever
	freeable int64 // the part that can be given back one by one
	freed    int64 // what was given back one by one
	Reserved int64 // bytes of pages held
}

// Delta is what happened between two snapshots, as in a phase's memory line.
type Delta struct {
	Total    int64 // bytes handed out
	Freeable int64 // bytes handed out as blocks that can be freed
	Leaked   int64 // freeable bytes not freed again
	Reserved int64 // growth of the pages held
}

// Snapshot returns the counters of p and of all pools below it. The owners of
// their typed pages must not allocate meanwhile.
func (p *Pool) Snapshot() Snapshot {
	s := Snapshot{Reserved: p.reserved.Load()}
	p.count(&s)
	return s
}

func (p *Pool) count(s *Snapshot) {
	p.mu.Lock()
	s.total += p.counts.blocks + p.counts.typed
	s.freeable += p.counts.blocks
	s.freed += p.counts.freed
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
	d := Delta{
		Total:    s.total - old.total,
		Freeable: s.freeable - old.freeable,
		Reserved: s.Reserved - old.Reserved,
	}
	d.Leaked = d.Freeable - (s.freed - old.freed)
	return d
}

// PhaseLine returns the memory line of a phase as the reference's phase-wise
// statistics print it. The percentage is there only when both freeable and
// leaked bytes are positive.
func (d Delta) PhaseLine(phase string) string {
	line := fmt.Sprintf("  %s  ::  [Total %d KB]  [Freeable %d KB]  [Freeable Leaked %d KB]",
		phase, d.Total/1024, d.Freeable/1024, d.Leaked/1024)
	if d.Freeable > 0 && d.Leaked > 0 {
		line += fmt.Sprintf(" (%d%%)", 100*d.Leaked/d.Freeable)
	}
	return line
}

// Consumption returns the line with the bytes of pages p holds.
func (p *Pool) Consumption() string {
	return "[Pool Consumption = " + Size(p.Reserved()) + "]"
}

// Size formats a number of bytes as the reference does: bytes under 1024, KB
// up to 10 MB, then MB.
func Size(n int64) string {
	switch {
	case n < 1024:
		return fmt.Sprintf("%d B", n)
	case n <= 10<<20:
		return fmt.Sprintf("%.3f KB", float64(n)/1024)
	default:
		return fmt.Sprintf("%.3f MB", float64(n)/(1<<20))
	}
}
