// Package reloads takes loads of spilled words out of a problem that fits.
// What is spilled is decided round after round: when a register went to memory,
// with a temporary at each of its accesses, others were still in the way
// between them. Where these went to memory later, the temporary of one access
// can stay for the next one.
package reloads

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

// PerInst is how many points an instruction has; see Join.
const PerInst = 3

// mostHolders is how many temporaries are looked at behind each other.
const mostHolders = 64

// holder is a temporary that has what is in memory.
type holder struct {
	v       int32
	slot, n int32
}

// joiner joins the temporaries of one block after the other.
type joiner struct {
	p           *problem.Problem
	class       uint8
	least       uint8
	words, room []int32
	now         []int32 // of each virtual register, the one that it has become part of
	last        []int32 // of each virtual register, the last instruction that touches it
	holds       []bool  // of each virtual register, whether it may be among held
	held        []holder
	gone        []bool // of each instruction
	n           int
}

// Join lets temporaries of at least so many words of a class live on from one
// access to the next one in the block, where registers are free all the way. It
// is told how many words live at each point and how many registers there are:
// an instruction has three points, before it reads, while it runs, and when it
// has written. Temporaries are those that Keep says of they cannot be spilled
// and Of says of what they stand for; they live in one block. Join returns how
// many loads are gone; what is stored in between is not looked at.
func Join(p *problem.Problem, class, least uint8, words, room []int32) (*problem.Problem, int) {
	j := &joiner{
		p: p, class: class, least: least, words: words, room: room,
		now: make([]int32, len(p.VRegs)), last: make([]int32, len(p.VRegs)), holds: make([]bool, len(p.VRegs)), gone: make([]bool, len(p.Insts)),
	}
	for v := range j.now {
		j.now[v] = int32(v)
	}
	for n := range p.Insts {
		for _, o := range p.Operands(n) {
			j.last[o.V] = int32(n)
		}
	}
	for b := range p.Blocks {
		j.held = j.held[:0]
		blk := &p.Blocks[b]
		for n := blk.First; n < blk.First+blk.N; n++ {
			j.inst(n)
		}
	}
	if j.n == 0 {
		return p, 0
	}
	return j.joined(), j.n
}

// isTemp reports whether v is a temporary of enough words.
func (j *joiner) isTemp(v int32) bool {
	x := &j.p.VRegs[v]
	return x.Keep && x.Of >= 0 && x.Class == j.class && x.Width >= j.least && x.Fixed < 0
}

// inst follows what memory and registers hold over instruction n.
func (j *joiner) inst(n int32) {
	i := &j.p.Insts[n]
	if i.Slot >= 0 && (i.Kind == problem.Spill || i.Kind == problem.Reload) {
		o := j.p.Ops[i.First]
		x := holder{j.now[o.V], i.Slot, int32(o.N)}
		if i.Kind == problem.Reload {
			if from := j.find(x); from >= 0 && j.stays(from, o.V, n) {
				j.now[o.V], j.last[from] = from, j.last[o.V]
				j.gone[n] = true
				j.n++
				return
			}
			j.drop(func(h holder) bool { return h.v == x.v })
		} else {
			j.drop(func(h holder) bool { return h.v == x.v || h.slot < x.slot+x.n && x.slot < h.slot+h.n })
		}
		if j.isTemp(o.V) && o.Sub == 0 && o.N == j.p.VRegs[o.V].Width {
			if len(j.held) == mostHolders {
				j.held = slices.Delete(j.held, 0, 1)
			}
			j.held, j.holds[x.v] = append(j.held, x), true
		}
		return
	}
	for _, o := range j.p.Operands(int(n)) {
		if v := j.now[o.V]; o.Role.Writes() && j.holds[v] {
			j.drop(func(h holder) bool { return h.v == v })
		}
	}
}

// drop forgets what no longer holds.
func (j *joiner) drop(gone func(holder) bool) {
	j.held = slices.DeleteFunc(j.held, func(h holder) bool {
		if gone(h) {
			j.holds[h.v] = false
			return true
		}
		return false
	})
}

// find returns the temporary that has the same words, or -1.
func (j *joiner) find(x holder) int32 {
	for k := len(j.held) - 1; k >= 0; k-- {
		if h := j.held[k]; h.slot == x.slot && h.n == x.n {
			return h.v
		}
	}
	return -1
}

// stays reports whether temporary from can be v as well, which instruction n
// loads: nobody wants what it has apart from that, and registers are free until
// then, which are taken.
func (j *joiner) stays(from, v, n int32) bool {
	x, y := &j.p.VRegs[from], &j.p.VRegs[v]
	if !j.isTemp(v) || j.last[from] >= n || x.Width != y.Width || x.Align < y.Align || x.Lo != y.Lo || x.Hi != y.Hi || x.Of != y.Of {
		return false
	}
	words := int32(x.Width)
	first, end := PerInst*j.last[from]+1, PerInst*n+PerInst-1
	for k := first; k < end; k++ {
		if j.words[k]+words > j.room[k] {
			return false
		}
	}
	for k := first; k < end; k++ {
		j.words[k] += words
	}
	return true
}

// joined is the problem without the loads that are gone.
func (j *joiner) joined() *problem.Problem {
	p := j.p
	q := *p
	q.Blocks = slices.Clone(p.Blocks)
	q.Insts = make([]problem.Inst, 0, len(p.Insts)-j.n)
	q.Ops = slices.Clone(p.Ops)
	for k := range q.Ops {
		q.Ops[k].V = j.now[q.Ops[k].V]
	}
	for b := range q.Blocks {
		blk := &q.Blocks[b]
		first := int32(len(q.Insts))
		for n := blk.First; n < blk.First+blk.N; n++ {
			if !j.gone[n] {
				q.Insts = append(q.Insts, p.Insts[n])
			}
		}
		blk.First, blk.N = first, int32(len(q.Insts))-first
	}
	return &q
}
