package link

import (
	"maps"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// A debugger goes from a function to its caller by the rules of .debug_frame:
// how far the stack pointer is below the caller's, and where the registers are
// that the function keeps for it, the return address among them. The rules
// follow from the code: who holds what a register held when the function began.

// unwound is what is known before an instruction.
type unwound struct {
	depth int64         // how far the stack pointer, or its copy, is below the caller's
	copy  bool          // the frame register has the pointer's place, which moves as data tell
	moved bool          // and it has
	lost  bool          // nothing is known of it
	regs  map[int]int   // what each register holds that held a kept register's value at the start
	slots map[int64]int // and each word of the stack, by its distance from the caller's pointer
}

func (u *unwound) clone() *unwound {
	x := *u
	x.regs, x.slots = maps.Clone(u.regs), maps.Clone(u.slots)
	return &x
}

// Unwind returns the rules of a function with code c.
func Unwind(f *ori.Func, c *emit.Code) dwarf.Program {
	x := &unwinder{f: f, kept: keptBy(f), in: map[*ori.Block]*unwound{}, seen: map[int]dwarf.Place{}}
	start := &unwound{regs: map[int]int{}, slots: map[int64]int{}}
	for _, r := range x.kept {
		start.regs[r] = r
	}
	if len(f.Blocks) == 0 {
		return nil
	}
	x.in[f.Blocks[0]] = start
	x.reach()
	for _, b := range f.Blocks {
		u := x.in[b]
		if u == nil {
			continue // nobody comes here
		}
		u, at := u.clone(), c.Starts[b.ID]
		for i := range b.Instrs {
			x.say(u, at)
			x.step(u, i)
			at += emit.InstSize
		}
	}
	return x.rules
}

// FrameMade says where a kernel's frame is made: the offset behind the
// instruction that moves the stack pointer, and how far it does.
type FrameMade struct {
	Behind uint32
	Size   uint64
}

// FrameOf finds where the first block of a kernel makes its frame.
func FrameOf(f *ori.Func, c *emit.Code) (m FrameMade) {
	if len(f.Blocks) == 0 || f.Props.MovesStack || f.Props.LocalBytes+f.Props.SpillBytes == 0 {
		return m
	}
	x, b := &unwinder{f: f}, f.Blocks[0]
	at := c.Starts[b.ID]
	for i := range b.Instrs {
		at += emit.InstSize
		if by, ok := x.moved(i); ok && by < 0 && slices.Contains(written(f, i), abi.StackReg) {
			return FrameMade{uint32(at), uint64(-by)}
		}
	}
	return m
}

// unwinder makes the rules of one function.
type unwinder struct {
	f     *ori.Func
	kept  []int // registers whose values at the start the caller wants back
	in    map[*ori.Block]*unwound
	rules dwarf.Program
	at    int64 // where the rules have come to
	depth int64
	copy  bool
	seen  map[int]dwarf.Place // the rules of registers as they are
}

// keptBy lists the registers of a function whose values the caller wants back:
// the return address, and those a call keeps that the function writes.
func keptBy(f *ori.Func) []int {
	list := []int{abi.ReturnReg, abi.ReturnReg + 1}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, n := range written(f, i) {
				if n != abi.StackReg && abi.Saved(n) && !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// written lists the registers that i writes.
func written(f *ori.Func, i *ori.Instr) (list []int) {
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && d.Class == ori.R {
			for k := range max(1, int(d.N)) {
				list = append(list, int(f.Regs[d.Reg].Phys)+int(d.Sub)+k)
			}
		}
	}
	return list
}

// reach finds what is known at the start of each block: frames are made at the
// start of functions and undone where they return, so all paths agree.
func (x *unwinder) reach() {
	work := []*ori.Block{x.f.Blocks[0]}
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		u := x.in[b].clone()
		for i := range b.Instrs {
			x.step(u, i)
		}
		for _, s := range b.Succs {
			if x.in[s] == nil {
				x.in[s] = u
				work = append(work, s)
			}
		}
	}
}

// step goes over an instruction.
func (x *unwinder) step(u *unwound, i *ori.Instr) {
	held := x.moves(u, i)
	for k, n := range written(x.f, i) {
		if n == abi.StackReg {
			x.stack(u, i)
			continue
		}
		if n == abi.FrameReg {
			u.copy = x.f.Props.MovesStack && x.copies(i, abi.StackReg)
		}
		delete(u.regs, n)
		if r, ok := held[k]; ok {
			u.regs[n] = r
		}
	}
	if i.Op == op.CALL {
		maps.DeleteFunc(u.regs, func(n, _ int) bool { return !abi.Saved(n) })
	}
	if i.Op == op.STL {
		x.store(u, i)
	}
}

// moves returns what the results of i hold of what is followed.
func (x *unwinder) moves(u *unwound, i *ori.Instr) map[int]int {
	if i.Guard.Kind != ori.KNone || len(i.Args) < 2 {
		return nil
	}
	held := map[int]int{}
	s := i.Args[1]
	if isCopy(i) {
		s = i.Args[len(i.Args)-1]
	}
	switch {
	case isCopy(i) && s.Kind == ori.KReg && s.Class == ori.R && s.Flags&^ori.Reuse == 0:
		if r, ok := u.regs[x.number(s)]; ok {
			held[0] = r
		}
	case i.Op == op.LDL && !u.moved && x.onStack(s):
		for k := range max(1, int(i.Args[0].N)) {
			if r, ok := u.slots[s.Imm-u.depth+4*int64(k)]; ok {
				held[k] = r
			}
		}
	}
	return held
}

// isCopy reports whether the result of i is its last source.
func isCopy(i *ori.Instr) bool {
	switch s := i.Srcs(); i.Op {
	case op.MOV:
		return len(s) == 1
	case op.IMAD:
		return len(s) == 3 && s[0].Kind == ori.KZero && s[1].Kind == ori.KZero
	}
	return false
}

// store follows a store to the stack.
func (x *unwinder) store(u *unwound, i *ori.Instr) {
	if u.moved || !x.onStack(i.Args[0]) || len(i.Args) < 2 {
		return
	}
	s := i.Args[1]
	for k := range max(1, int(s.N)) {
		at := i.Args[0].Imm - u.depth + 4*int64(k)
		delete(u.slots, at)
		if r, ok := u.regs[x.number(s)+k]; ok && s.Kind == ori.KReg && i.Guard.Kind == ori.KNone {
			u.slots[at] = r
		}
	}
}

// stack follows a change of the stack pointer.
func (x *unwinder) stack(u *unwound, i *ori.Instr) {
	if u.copy {
		u.moved = !x.copies(i, abi.FrameReg)
		return
	}
	by, ok := x.moved(i)
	u.depth -= by
	u.lost, u.moved = u.lost || !ok, false
}

// copies reports whether i copies register n.
func (x *unwinder) copies(i *ori.Instr, n int) bool {
	s := i.Args[len(i.Args)-1]
	return isCopy(i) && i.Guard.Kind == ori.KNone && s.Kind == ori.KReg && s.Class == ori.R && x.number(s) == n
}

// moved returns what i adds to the stack pointer, if it is a constant.
func (x *unwinder) moved(i *ori.Instr) (by int64, ok bool) {
	s := i.Srcs()
	if i.Op != op.IADD3 || i.Guard.Kind != ori.KNone || len(s) != 3 || s[0].Kind != ori.KReg || s[0].Class != ori.R || x.number(s[0]) != abi.StackReg || s[1].Kind != ori.KImm || s[2].Kind != ori.KZero {
		return 0, false
	}
	return s[1].Imm, true
}

func (x *unwinder) number(o ori.Operand) int {
	return int(x.f.Regs[o.Reg].Phys) + int(o.Sub)
}

// onStack reports whether o is a place at a distance from the stack pointer.
func (x *unwinder) onStack(o ori.Operand) bool {
	return o.Kind == ori.KAddr && o.Reg != ori.NoReg && o.Class == ori.R && x.number(o) == abi.StackReg
}

// say adds the rules that change before the instruction at a place.
func (x *unwinder) say(u *unwound, at int64) {
	if u.lost {
		return
	}
	var p dwarf.Program
	if u.depth != x.depth || u.copy != x.copy {
		from := abi.StackReg
		if u.copy {
			from = abi.FrameReg
		}
		p = p.DefCFA(dwarf.Number(from), uint64(u.depth))
		x.depth, x.copy = u.depth, u.copy
	}
	for _, r := range x.kept {
		if now := u.place(r); now != x.seen[r] {
			p, x.seen[r] = p.Keep(dwarf.Number(r), now), now
		}
	}
	if len(p) > 0 {
		if at > x.at {
			x.rules = x.rules.AdvanceRaw(uint32(at-x.at) / 4)
		}
		x.rules, x.at = append(x.rules, p...), at
	}
}

// place says where the value of a register at the start is: in itself, on the
// stack, in another register, or nowhere.
func (u *unwound) place(r int) dwarf.Place {
	if u.regs[r] == r {
		return dwarf.Place{}
	}
	best := dwarf.Place{Kind: dwarf.Nowhere}
	for at, v := range u.slots {
		if v == r && (best.Kind != dwarf.OnStack || at < best.At) {
			best = dwarf.Place{Kind: dwarf.OnStack, At: at}
		}
	}
	for n, v := range u.regs {
		if v == r && best.Kind != dwarf.OnStack && (best.Kind != dwarf.InRegister || int64(dwarf.Number(n)) < best.At) {
			best = dwarf.Place{Kind: dwarf.InRegister, At: int64(dwarf.Number(n))}
		}
	}
	return best
}
