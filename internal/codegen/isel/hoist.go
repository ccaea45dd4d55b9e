package isel

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// A constant that has no place in an instruction of a loop is put into its
// register before the loop, once, unless registers are scarce there.

// Waiting says how many constants wait in registers for one loop, and how
// many words of general registers may live at the start of a loop that they
// are added to.
type Waiting struct{ Constants, Alive, Shared int }

// hoister puts constants before loops.
type hoister struct {
	f     *ori.Func
	most  Waiting
	dom   *flow.Dom
	loops *flow.Loops
	byID  []*ori.Block
	live  *flow.Live // at first
	lists []hoisted  // of loops that have some or may not
}

type hoisted struct {
	loop *flow.Loop
	pre  *ori.Block // the block before the loop, nil if there may be none
	held []materialized
}

func newHoister(f *ori.Func, most Waiting) *hoister {
	dom := flow.DomOf(f)
	h := &hoister{f: f, most: most, dom: dom, loops: flow.LoopsOf(f, dom), byID: make([]*ori.Block, f.NumBlocks())}
	for _, b := range f.Blocks {
		h.byID[b.ID] = b
	}
	return h
}

// around returns what is known about the outermost loop around b, and the
// register that holds constant s all through it.
func (h *hoister) around(b *ori.Block, s ori.Operand) (x *hoisted, reg ori.Operand) {
	l := h.loops.Of(b)
	if l == nil || s.Kind != ori.KImm || s.Flags != 0 || s.N > 1 {
		return nil, reg
	}
	for l.Parent != nil {
		l = l.Parent
	}
	x = h.list(l)
	for _, c := range x.held {
		if c.value == s {
			return x, c.reg
		}
	}
	return x, reg
}

// takes reports whether constant s has a register before the outermost loop
// around b, or may get one.
func (h *hoister) takes(b *ori.Block, s ori.Operand) bool {
	x, reg := h.around(b, s)
	return x != nil && (reg.Kind == ori.KReg || x.pre != nil && len(x.held) < h.most.Constants)
}

// before returns the register that holds constant s all through the
// outermost loop around b.
func (h *hoister) before(b *ori.Block, s ori.Operand) (ori.Operand, bool) {
	x, r := h.around(b, s)
	if x == nil || r.Kind == ori.KReg {
		return r, x != nil
	}
	if x.pre == nil || len(x.held) >= h.most.Constants {
		return s, false
	}
	r = h.f.Words(h.f.NewReg(ori.R, 1))
	m := h.f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{r}, []ori.Operand{s})
	if at := x.pre.Tail(); at != nil {
		m.Line, m.Loc = at.Line, at.Loc
		x.pre.InsertBefore(m, at)
	} else {
		x.pre.Append(m)
	}
	x.held = append(x.held, materialized{value: s, reg: r})
	return r, true
}

// list returns what is known about a loop.
func (h *hoister) list(l *flow.Loop) *hoisted {
	for n := range h.lists {
		if h.lists[n].loop == l {
			return &h.lists[n]
		}
	}
	x := hoisted{loop: l}
	if d := h.dom.Idom[l.Header.ID]; d >= 0 && h.byID[d] != nil && h.loops.Of(h.byID[d]) == nil && h.alive(l.Header) <= h.most.Alive {
		x.pre = h.byID[d]
	}
	h.lists = append(h.lists, x)
	return &h.lists[len(h.lists)-1]
}

// alive counts the words of general registers that live at the start of b.
func (h *hoister) alive(b *ori.Block) int {
	if h.live == nil {
		h.live = flow.LiveAmong(h.f, func(r ori.Reg) bool { return h.f.Regs[r].Class == ori.R })
	}
	return h.live.Start(b).Len()
}
