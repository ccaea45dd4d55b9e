package ori

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// Stage says how far a function has come: later stages promise more.
type Stage uint8

const (
	Built     Stage = iota // as lowering leaves it
	Allocated              // registers are physical, no pseudo-operations
	Scheduled              // every instruction says when it issues
)

// Verify reports the first invariant of the representation that f breaks.
func (f *Func) Verify(s Stage) error {
	v := &verifier{f: f, stage: s, block: make([]*Block, f.nextBlock), seen: make([]bool, f.nextInstr)}
	for _, step := range [...]func() error{v.registers, v.graph, v.code, v.facts} {
		if err := step(); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	return nil
}

type verifier struct {
	f     *Func
	stage Stage
	block []*Block
	seen  []bool
}

// registers: known classes, at least one word, a place where one is due.
func (v *verifier) registers() error {
	for n := range v.f.Regs {
		r := &v.f.Regs[n]
		switch {
		case r.Class >= NumClasses:
			return fmt.Errorf("register %d has class %d", n, r.Class)
		case r.Width == 0 || r.Align == 0:
			return fmt.Errorf("register %d has width %d, alignment %d", n, r.Width, r.Align)
		case (r.Class == P || r.Class == UP || r.Class == B) && r.Width != 1:
			return fmt.Errorf("register %d of file %s is %d wide", n, r.Class, r.Width)
		case r.Fixed && r.Phys < 0:
			return fmt.Errorf("register %d is fixed to nothing", n)
		case r.Phys >= 0 && int(r.Phys)%int(r.Align) != 0:
			return fmt.Errorf("register %d is in %d, alignment %d", n, r.Phys, r.Align)
		}
	}
	return nil
}

// graph: unique block numbers, edges that both ends know, an entry nobody
// jumps over.
func (v *verifier) graph() error {
	if len(v.f.Blocks) == 0 {
		return fmt.Errorf("no blocks")
	}
	for _, b := range v.f.Blocks {
		if b.f != v.f || b.ID < 0 || b.ID >= v.f.nextBlock || v.block[b.ID] != nil {
			return fmt.Errorf("block number %d", b.ID)
		}
		v.block[b.ID] = b
	}
	for _, b := range v.f.Blocks {
		for _, s := range b.Succs {
			if s.ID >= v.f.nextBlock || v.block[s.ID] != s {
				return fmt.Errorf("b%d leads to a block outside the function", b.ID)
			}
			if edges(b.Succs, s) != edges(s.Preds, b) {
				return fmt.Errorf("the edge from b%d to b%d is known to one end only", b.ID, s.ID)
			}
		}
		for _, p := range b.Preds {
			if edges(p.Succs, b) != edges(b.Preds, p) {
				return fmt.Errorf("the edge from b%d to b%d is known to one end only", p.ID, b.ID)
			}
		}
	}
	return nil
}

func edges(list []*Block, b *Block) int {
	n := 0
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

// code: a sound list of instructions in every block, jumps at its end that
// lead to its successors, operands that exist.
func (v *verifier) code() error {
	for _, b := range v.f.Blocks {
		n := 0
		var prev *Instr
		for i := b.first; i != nil; prev, i = i, i.next {
			if i.prev != prev || i.block != b {
				return fmt.Errorf("b%d: instruction %d is linked wrongly", b.ID, i.ID)
			}
			if i.ID < 0 || i.ID >= v.f.nextInstr || v.seen[i.ID] {
				return fmt.Errorf("b%d: instruction number %d", b.ID, i.ID)
			}
			v.seen[i.ID] = true
			if err := v.instr(b, i); err != nil {
				return fmt.Errorf("b%d: %s: %w", b.ID, v.f.AppendInstr(nil, i), err)
			}
			n++
		}
		if b.last != prev || b.n != n {
			return fmt.Errorf("b%d: the end of the list is wrong", b.ID)
		}
		if err := v.end(b); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) instr(b *Block, i *Instr) error {
	if i.Op == op.None || int(i.NDst) > len(i.Args) {
		return fmt.Errorf("operation %d, %d results of %d operands", i.Op, i.NDst, len(i.Args))
	}
	if v.stage >= Allocated && i.Op.Has(op.Pseudo) {
		return fmt.Errorf("a pseudo-operation is left")
	}
	if g := i.Guard; g.Kind != KNone && g.Kind != KZero && (g.Kind != KReg || g.Class != P && g.Class != UP || g.Flags&^Inv != 0) {
		return fmt.Errorf("the guard is no predicate")
	}
	if err := v.operand(i.Guard); err != nil {
		return err
	}
	for k, o := range i.Args {
		if err := v.operand(o); err != nil {
			return err
		}
		if k < int(i.NDst) && o.Kind != KReg && o.Kind != KZero {
			return fmt.Errorf("result %d is no register", k)
		}
		if o.Kind == KLabel && (o.Reg < 0 || int32(o.Reg) >= v.f.nextBlock || v.block[o.Reg] == nil) {
			return fmt.Errorf("label of a block that is gone")
		}
	}
	if i.Op == op.PHI && !v.key(i, 2, 1) || i.Op == op.PHISRC && !v.key(i, 3, 0) {
		return fmt.Errorf("the key of a PHI is none")
	}
	if err := v.old(i); err != nil {
		return err
	}
	if v.stage >= Scheduled && (i.Sched.Stall > 15 || i.Sched.Wait > 0x3f || i.Sched.WrBar > 5 || i.Sched.RdBar > 5) {
		return fmt.Errorf("schedule out of range")
	}
	return nil
}

// key: a PHI and its sources have as many operands, and a key among them.
func (v *verifier) key(i *Instr, args int, results uint8) bool {
	return len(i.Args) == args && i.NDst == results && i.Args[1].Kind == KImm && i.Args[1].Imm >= 0 && i.Args[1].Imm < v.f.nextPhi
}

// old: in SSA form a guarded instruction says what each of its results is if
// it does not run: words of a register as many as it writes, or anything.
func (v *verifier) old(i *Instr) error {
	if len(i.Old) == 0 {
		return nil
	}
	if !v.f.Props.SSA || i.Guard.Kind == KNone || len(i.Old) != int(i.NDst) {
		return fmt.Errorf("%d old values of %d results", len(i.Old), i.NDst)
	}
	for k, o := range i.Old {
		if err := v.operand(o); err != nil {
			return err
		}
		if o.Kind != KNone && (o.Kind != KReg || o.Flags != 0 || i.Args[k].Kind != KReg || o.N != i.Args[k].N || o.Class != i.Args[k].Class) {
			return fmt.Errorf("old value %d is not like the result", k)
		}
	}
	return nil
}

// operand: registers that exist, of the class the operand says, with the
// words it names, and with a place after allocation.
func (v *verifier) operand(o Operand) error {
	if !o.HasReg() {
		return nil
	}
	if o.Reg < 0 || int(o.Reg) >= len(v.f.Regs) {
		return fmt.Errorf("register %d does not exist", o.Reg)
	}
	r := &v.f.Regs[o.Reg]
	if r.Class != o.Class {
		return fmt.Errorf("register %d is of file %s, named as %s", o.Reg, r.Class, o.Class)
	}
	if o.Kind != KConst && (o.N == 0 || int(o.Sub)+int(o.N) > int(r.Width)) {
		return fmt.Errorf("words %d to %d of register %d, which has %d", o.Sub, o.Sub+o.N, o.Reg, r.Width)
	}
	if v.stage >= Allocated && r.Phys < 0 {
		return fmt.Errorf("register %d has no place", o.Reg)
	}
	return nil
}

// end: calls and jumps may stand only at the end of their block, guarded ones before
// one that is not; what they name must be a successor; a block that goes
// nowhere must say so.
func (v *verifier) end(b *Block) error {
	for i := b.first; i != nil; i = i.next {
		if i.Op == op.CALL && i != b.last && v.stage < Scheduled {
			return fmt.Errorf("b%d: code behind a call that returns to the next block", b.ID)
		}
		if !i.Op.Has(op.Terminator) {
			continue
		}
		if i != b.last && (!i.next.Op.Has(op.Terminator) || i.Guard.Kind == KNone) {
			return fmt.Errorf("b%d: %s in the middle of a block", b.ID, i.Op)
		}
		for _, o := range i.Args {
			if o.Kind == KLabel && edges(b.Succs, v.block[o.Reg]) == 0 {
				return fmt.Errorf("b%d jumps to b%d without an edge", b.ID, o.Reg)
			}
		}
		if i.Guard.Kind != KNone && len(b.Succs) == 0 {
			return fmt.Errorf("b%d: nothing follows a guarded %s", b.ID, i.Op)
		}
	}
	if len(b.Succs) > 1 && (b.last == nil || !b.last.Op.Has(op.Terminator)) {
		return fmt.Errorf("b%d has %d successors and no jump", b.ID, len(b.Succs))
	}
	return nil
}
