package places

import "github.com/goptxas/goptxas/internal/ori"

// Reach says what runs of instructions that may change places go on behind.
type Reach uint8

const (
	UpToBarriers Reach = iota
	OverBarriers       // of the block
	OverFences         // and fences; products of matrices pass both
	NumReaches
)

// Regions calls do with every run of two or more instructions of b that may
// change places, and the one behind it, if any.
func Regions(b *ori.Block, far Reach, do func(instrs []*ori.Instr, end *ori.Instr)) {
	var run []*ori.Instr
	for i := range b.Instrs {
		if !Pinned(i) && (far >= OverBarriers || !IsBarrier(i) && !OfGroups(i)) || far == OverFences && IsFence(i) {
			run = append(run, i)
			continue
		}
		if len(run) > 1 {
			do(run, i)
		}
		run = run[:0]
	}
	if len(run) > 1 {
		do(run, nil)
	}
}

// Divided reports whether b has something that runs of some reach end at and others
// go on behind.
func Divided(b *ori.Block) bool {
	for i := b.First(); i != nil; i = i.Next() {
		if IsBarrier(i) || OfGroups(i) || IsFence(i) {
			return true
		}
	}
	return false
}
