package dis

import (
	"github.com/goptxas/goptxas/internal/sass"
)

// edge is what an instruction does to the flow of control.
type edge uint8

const (
	flowNone   edge = iota
	flowBranch      // goes to its target, and on if it has a guard
	flowMulti       // goes to one of several targets
	flowEnd         // leaves the function
)

// flowOps lists the instructions that end a block.
var flowOps = [...]struct {
	op   sass.Op
	kind edge
}{
	{sass.OpBRA, flowBranch},
	{sass.OpBRX, flowMulti},
	{sass.OpBRXU, flowMulti},
	{sass.OpEXIT, flowEnd},
	{sass.OpRET, flowEnd},
}

func flowOf(op sass.Op) edge {
	for _, f := range flowOps {
		if f.op == op {
			return f.kind
		}
	}
	return flowNone
}

// isControlFlow reports whether an instruction may leave the line.
func isControlFlow(op sass.Op) bool {
	return flowOf(op) != flowNone || op == sass.OpCALL
}

// block is a run of instructions with one entry and one exit, as numbers of
// instructions: from is the first, to the one behind the last.
type block struct {
	from, to int
	succs    []int
}

// graph is the control flow of a section.
type graph struct {
	insts  []sass.Inst
	blocks []block
	at     []int // block of each instruction
}

// flow decodes a section and finds its blocks.
func (t *textSection) flow(p *program) *graph {
	g := &graph{insts: make([]sass.Inst, t.words())}
	leader := make([]bool, len(g.insts)+1)
	mark := func(addr uint64) {
		if addr/sass.WordBytes < uint64(len(leader)) {
			leader[addr/sass.WordBytes] = true
		}
	}
	mark(0)
	for _, s := range t.syms {
		mark(s.Value)
	}
	for n := range g.insts {
		pc := uint64(n) * sass.WordBytes
		g.insts[n] = sass.Decode(p.arch, t.word(pc))
		i := &g.insts[n]
		switch flowOf(i.Op()) {
		case flowBranch:
			if to, ok := targetOf(i, pc); ok {
				mark(to)
			}
			mark(pc + sass.WordBytes)
		case flowMulti:
			for _, to := range t.multi[pc] {
				mark(to)
			}
			mark(pc + sass.WordBytes)
		case flowEnd:
			mark(pc + sass.WordBytes)
		}
	}
	g.cut(leader)
	g.link(t)
	return g
}

func (g *graph) cut(leader []bool) {
	g.at = make([]int, len(g.insts))
	for n := range g.insts {
		if leader[n] {
			g.blocks = append(g.blocks, block{from: n})
		}
		b := len(g.blocks) - 1
		g.at[n] = b
		g.blocks[b].to = n + 1
	}
}

func (g *graph) link(t *textSection) {
	for b := range g.blocks {
		last := g.blocks[b].to - 1
		i, pc := &g.insts[last], uint64(last)*sass.WordBytes
		add := func(addr uint64) {
			if n := addr / sass.WordBytes; n < uint64(len(g.insts)) {
				g.blocks[b].succs = append(g.blocks[b].succs, g.at[n])
			}
		}
		kind := flowOf(i.Op())
		if kind == flowBranch {
			if to, ok := targetOf(i, pc); ok {
				add(to)
			}
		}
		if kind == flowMulti {
			for _, to := range t.multi[pc] {
				add(to)
			}
		}
		if kind == flowNone || i.Guard() != sass.Always || conditional(i) {
			add(pc + sass.WordBytes)
		}
	}
}

// conditional reports whether a branch has a condition of its own beside the
// guard: BRA P1, target.
func conditional(i *sass.Inst) bool {
	for n := range i.NArg() {
		o := i.Arg(n)
		if (o.File == sass.FileP || o.File == sass.FileUP) && o.Kind == sass.KindReg && !o.Zero {
			return true
		}
	}
	return false
}
