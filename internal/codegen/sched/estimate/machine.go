package estimate

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// What is guessed of a launch.
const (
	FewWarps = tuning.FewWarps // on each scheduler, when the grid is small
	MaxDepth = 3               // loops deeper than this count no more
	Turns    = 8               // of a loop
)

// What a multiprocessor has.
const (
	schedulers  = 4
	registers   = 1 << 16
	maxThreads  = 2048
	maxBlocks   = 32
	sharedBytes = 227 << 10
	usualBlock  = 256 // threads, when the source does not say
)

// Warps is how many warps of f share a scheduler, with so many registers.
func Warps(f *ori.Func, count int32) float64 {
	blocks, threads := Blocks(f, count)
	return float64(max(1, blocks)) * float64(threads) / (32 * schedulers)
}

// WarpsOfBlock is how many warps of one block of f share a scheduler.
func WarpsOfBlock(f *ori.Func) float64 {
	_, threads := Blocks(f, 1)
	return float64(threads) / (32 * schedulers)
}

// Blocks is how many blocks of f a multiprocessor takes, with so many
// registers, and how many threads they have.
func Blocks(f *ori.Func, count int32) (blocks, threads int32) {
	if threads = blockOf(f); threads == 0 {
		if threads = usualBlock; Guessed(f) {
			threads = groupThreads
		}
	}
	return min(fit(threads, count), sharedBlocks(f, threads)), threads
}

// Guessed reports whether the source does not say how large blocks of f are, which shared
// memory leaves room for some of.
func Guessed(f *ori.Func) bool { return blockOf(f) == 0 && ring(f, groupThreads) > 0 }

// sharedBlocks is for how many blocks of so many threads a multiprocessor has shared memory.
func sharedBlocks(f *ori.Func, threads int32) int32 {
	if n := max(f.Props.SharedBytes, reach(f, threads), ring(f, threads)); n > 0 {
		return sharedBytes / n
	}
	return maxBlocks
}

// blockOf counts the threads of the whole warps of a block of f: 0 where the source does
// not say, or names more than a multiprocessor holds, which is ignored.
func blockOf(f *ori.Func) int32 {
	threads := f.Props.Threads()
	if threads > maxThreads {
		return 0
	}
	return int32((threads + 31) / 32 * 32)
}

// fit is how many blocks of so many threads a multiprocessor has registers for.
func fit(threads, count int32) int32 {
	warps := schedulers * (registers / schedulers / ((count + 7) / 8 * 8 * 32)) // each has its own registers, and gives them out by the 256
	return min(min(warps*32, maxThreads)/threads, maxBlocks)
}

// reach is how much shared memory f has at least, with so many threads: up to the farthest
// constant that is added to an address there, and room for what all threads write in a
// row from one address on. Of memory that the launch asks for the source says no more.
func reach(f *ori.Func, threads int32) (n int32) {
	var row tile
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op.Space() != op.SpaceShared && i.Op != op.LDGSTS {
				continue
			}
			for _, s := range i.Srcs() {
				if s.Kind == ori.KAddr {
					if s.Imm < sharedBytes {
						n = max(n, int32(s.Imm), row.add(i, s, threads))
					}
					break // a copy reads another memory
				}
			}
		}
	}
	return n
}

// ring is how much shared memory loops take at least that copy several turns ahead, with so many
// threads: groups of copies that a wait leaves running, the next ones, and what is read
// while these are made lie in different places.
func ring(f *ori.Func, threads int32) (n int32) {
	for _, b := range f.Blocks {
		var t turn
		for i := range b.Instrs {
			t.add(i)
		}
		if t.groups > 0 && t.left > 0 {
			n = max(n, min(t.bytes*threads*((t.left-1)/t.groups+1+t.together), sharedBytes))
		}
	}
	return n
}

// turn is a block that makes groups of copies: how many bytes a thread copies in it, in how many groups,
// how many of these the last wait leaves running and one, 0 if there is none, and whether (1 or 0) it copies and
// reads between two barriers.
type turn struct {
	bytes, groups, left, together int32
	reads, copies                 bool
}

func (t *turn) add(i *ori.Instr) {
	switch {
	case i.Op == op.LDGSTS:
		t.bytes, t.copies = t.bytes+width(i), true
	case i.Op == op.LDS || i.Op == op.LDSM:
		t.reads = t.reads || i.NDst > 0
	case i.Op == op.LDGDEPBAR:
		t.groups++
	case i.Op == op.DEPBAR && i.Mods.Has(op.MLE):
		if s := i.Srcs(); len(s) > 0 {
			t.left = int32(s[len(s)-1].Imm) + 1
		}
	case i.Op == op.BAR:
		t.reads, t.copies = false, false
	}
	if t.reads && t.copies {
		t.together = 1
	}
}

// width is how many bytes an access moves for a thread.
func width(i *ori.Instr) int32 {
	switch {
	case i.Mods.Has(op.M128):
		return 16
	case i.Mods.Has(op.M64):
		return 8
	}
	return 4
}

// tile is a row of stores, or of copies to shared memory, by all threads with one address and several constants:
// they write to different places.
type tile struct {
	base     ori.Operand
	low, end int64
	bytes    int32 // written in all
}

// add adds an access to the row, or begins another one, and returns how far the row reaches.
func (t *tile) add(i *ori.Instr, at ori.Operand, threads int32) int32 {
	if i.Op != op.STS && i.Op != op.LDGSTS || i.Guard.Kind != ori.KNone {
		return 0
	}
	width, imm := int64(width(i)), at.Imm
	if at.Imm = 0; at != t.base {
		*t = tile{base: at, low: imm, end: imm}
	}
	if imm < t.end && imm+width > t.low && t.bytes > 0 { // perhaps a place that was written before
		return 0
	}
	t.low, t.end = min(t.low, imm), max(t.end, imm+width)
	t.bytes += threads * int32(width)
	return int32(min(t.low+int64(t.bytes), sharedBytes))
}

// BusyTable holds how long each class keeps each other from its unit.
type BusyTable [target.NumClasses][target.NumClasses]uint8

// NewBusyTable makes that of a generation.
func NewBusyTable(t *target.Timing) *BusyTable {
	b := &BusyTable{}
	t.BusyTable((*[target.NumClasses][target.NumClasses]uint8)(b))
	return b
}

// Typical is about how long operations of variable latency take on an idle
// machine, in cycles.
var Typical = [target.NumClasses]int32{
	target.ClassLdg: 220, target.ClassTex: 300, target.ClassTmem: 300, target.ClassLds: 29, target.ClassLdc: 40, target.ClassLdcu: 40,
	target.ClassXu: 20, target.ClassXu64: 26, target.ClassS2r: 20, target.ClassB2r: 20, target.ClassS2ur: 20,
	target.ClassRedux: 20, target.ClassMatch: 20, target.ClassFp64: 20, target.ClassDmma: 32, target.ClassSyncs: 30, target.ClassR2ur: 12,
	target.ClassMma1: 24, target.ClassMma2: 33, target.ClassImma88: 20, target.ClassQmma: 35, target.ClassBmovR: 12,
}
