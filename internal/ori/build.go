package ori

import (
	"github.com/goptxas/goptxas/internal/ori/op"
)

// NewFunc returns an empty function of m, one of the program.
func (m *Module) NewFunc(name string) *Func { return m.NewRoutine(name, NoRoutine) }

// NewRoutine returns an empty function of m of a kind.
func (m *Module) NewRoutine(name string, kind Routine) *Func {
	f := &Func{Name: name, Routine: kind, Module: m}
	if m.Pool != nil {
		f.instrs.Bind(m.Pool)
		f.operands.Bind(m.Pool)
		f.blocks.Bind(m.Pool)
	}
	m.Funcs = append(m.Funcs, f)
	return f
}

// NewReg returns a new register of width words. Runs of two to four words
// are aligned as loads and stores of that size want them.
func (f *Func) NewReg(c Class, width int) Reg {
	align := 1
	for align < width && align < 4 {
		align *= 2
	}
	f.Regs = append(f.Regs, RegInfo{Class: c, Width: uint8(width), Align: uint8(align), Phys: -1})
	return Reg(len(f.Regs) - 1)
}

// NewBlock appends an empty block to the layout.
func (f *Func) NewBlock() *Block {
	b := f.blocks.New()
	b.ID, b.f = f.nextBlock, f
	f.nextBlock++
	f.Blocks = append(f.Blocks, b)
	f.cfg++
	return b
}

// NumInstrs bounds the instruction IDs in use.
func (f *Func) NumInstrs() int { return int(f.nextInstr) }

// NumBlocks bounds the block IDs in use.
func (f *Func) NumBlocks() int { return int(f.nextBlock) }

// CFGVersion changes whenever blocks or edges change.
func (f *Func) CFGVersion() uint32 { return f.cfg }

// CodeVersion changes whenever an instruction is added or removed, or a
// phase says it changed one with Touch.
func (f *Func) CodeVersion() uint32 { return f.code }

// Touch tells that instructions were changed in place.
func (f *Func) Touch() { f.code++ }

// Touched is Touch where changed says so; a phase ends with it.
func (f *Func) Touched(changed bool) bool {
	if changed {
		f.Touch()
	}
	return changed
}

// Should reports whether a phase may do the optional rewrite of i that it is
// about to do. Bisection says no to some. It knows rewrites by where in the
// text i comes from, which does not depend on what others were allowed.
func (f *Func) Should(kind string, i *Instr) bool {
	return f.Ask == nil || f.Ask(kind, int(i.Line)<<10|int(i.Op))
}

// AddEdge makes t a successor of b, after those it has.
func (b *Block) AddEdge(t *Block) {
	b.Succs = append(b.Succs, t)
	t.Preds = append(t.Preds, b)
	b.f.cfg++
}

// Tail returns the instruction that code added at the end of b must stand
// before: the first of its jumps, or a call, which returns to the block
// behind. nil: there is none.
func (b *Block) Tail() *Instr {
	i := b.last
	if i == nil || !i.Op.Has(op.Terminator) && i.Op != op.CALL {
		return nil
	}
	for i.prev != nil && i.prev.Op.Has(op.Terminator) {
		i = i.prev
	}
	return i
}

// Leaving yields the instructions by which threads leave b: its jumps, returns
// and exits, those too that only some threads take, or the call it ends with.
// Code added at the end of b stands before all of them.
func (b *Block) Leaving(yield func(*Instr) bool) {
	for i := b.Tail(); i != nil; i = i.next {
		if !yield(i) {
			return
		}
	}
}

// RemoveEdge takes one edge from b to t away.
func (b *Block) RemoveEdge(t *Block) {
	b.Succs = without(b.Succs, t)
	t.Preds = without(t.Preds, b)
	b.f.cfg++
}

func without(list []*Block, x *Block) []*Block {
	for n, y := range list {
		if y == x {
			return append(list[:n:n], list[n+1:]...)
		}
	}
	return list
}

// ReplaceSucc makes every edge from b to old lead to t instead.
func (b *Block) ReplaceSucc(old, t *Block) {
	for n, s := range b.Succs {
		if s == old {
			b.Succs[n] = t
			old.Preds = without(old.Preds, b)
			t.Preds = append(t.Preds, b)
		}
	}
	b.f.cfg++
}

// Func returns the function of b.
func (b *Block) Func() *Func { return b.f }

// First returns the first instruction of b, or nil.
func (b *Block) First() *Instr { return b.first }

// Last returns the last instruction of b, or nil.
func (b *Block) Last() *Instr { return b.last }

// Len returns the number of instructions of b.
func (b *Block) Len() int { return b.n }

// Block returns the block of i, or nil when it is in none.
func (i *Instr) Block() *Block { return i.block }

// Next returns the instruction after i, or nil.
func (i *Instr) Next() *Instr { return i.next }

// Prev returns the instruction before i, or nil.
func (i *Instr) Prev() *Instr { return i.prev }

// Dsts returns the results of i.
func (i *Instr) Dsts() []Operand { return i.Args[:i.NDst] }

// Srcs returns the sources of i; the guard is not among them.
func (i *Instr) Srcs() []Operand { return i.Args[i.NDst:] }

// NewInstr makes an instruction that is in no block yet. dsts and srcs are
// copied.
func (f *Func) NewInstr(o op.Op, m op.Mods, dsts, srcs []Operand) *Instr {
	i := f.instrs.New()
	i.ID, i.Op, i.Mods, i.NDst, i.Sched, i.Loc = f.nextInstr, o, m, uint8(len(dsts)), NoSched, -1
	f.nextInstr++
	i.Args = f.operands.Slice(len(dsts) + len(srcs))
	copy(i.Args, dsts)
	copy(i.Args[len(dsts):], srcs)
	return i
}

// NewPhi makes a PHI that is in no block yet, with a key of its own, which its
// sources name.
func (f *Func) NewPhi(d Operand) *Instr {
	i := f.NewInstr(op.PHI, op.Mods{}, []Operand{d}, []Operand{Imm(f.nextPhi)})
	f.nextPhi++
	return i
}

// NumPhis bounds the keys of PHIs in use.
func (f *Func) NumPhis() int { return int(f.nextPhi) }

// maxPhis bounds the keys of PHIs that are read.
const maxPhis = 1 << 24

// countPhis makes sure that further PHIs get other keys than those there are.
func (f *Func) countPhis() {
	for _, b := range f.Blocks {
		for i := b.first; i != nil && i.Op == op.PHI; i = i.next {
			if len(i.Args) == 2 && i.Args[1].Imm < maxPhis {
				f.nextPhi = max(f.nextPhi, i.Args[1].Imm+1)
			}
		}
	}
}

// SetArgs replaces the operands of i.
func (f *Func) SetArgs(i *Instr, dsts, srcs []Operand) {
	a := f.operands.Slice(len(dsts) + len(srcs))
	copy(a, dsts)
	copy(a[len(dsts):], srcs)
	i.Args, i.NDst = a, uint8(len(dsts))
	f.code++
}

// Append adds i at the end of b.
func (b *Block) Append(i *Instr) *Instr { return b.insert(i, b.last, nil) }

// Prepend adds i at the start of b.
func (b *Block) Prepend(i *Instr) *Instr { return b.insert(i, nil, b.first) }

// InsertBefore adds i before at, which must be in b.
func (b *Block) InsertBefore(i, at *Instr) *Instr { return b.insert(i, at.prev, at) }

// InsertAfter adds i after at, which must be in b.
func (b *Block) InsertAfter(i, at *Instr) *Instr { return b.insert(i, at, at.next) }

func (b *Block) insert(i, prev, next *Instr) *Instr {
	i.block, i.prev, i.next = b, prev, next
	if prev != nil {
		prev.next = i
	} else {
		b.first = i
	}
	if next != nil {
		next.prev = i
	} else {
		b.last = i
	}
	b.n++
	b.f.code++
	return i
}

// Remove takes i out of its block.
func (i *Instr) Remove() {
	b := i.block
	if i.prev != nil {
		i.prev.next = i.next
	} else {
		b.first = i.next
	}
	if i.next != nil {
		i.next.prev = i.prev
	} else {
		b.last = i.prev
	}
	b.n--
	b.f.code++
	i.block, i.prev, i.next = nil, nil, nil
}

// Instrs calls yield with every instruction of b. The current one may be
// removed, and others added before or after it.
func (b *Block) Instrs(yield func(*Instr) bool) {
	for i := b.first; i != nil; {
		next := i.next
		if !yield(i) {
			return
		}
		i = next
	}
}

// Words returns the operand that names all words of r.
func (f *Func) Words(r Reg) Operand {
	info := &f.Regs[r]
	return Operand{Kind: KReg, Class: info.Class, Reg: r, N: info.Width}
}

// Word returns the operand that names word n of r.
func (f *Func) Word(r Reg, n int) Operand {
	return Operand{Kind: KReg, Class: f.Regs[r].Class, Reg: r, Sub: uint8(n), N: 1}
}

// Imm returns an immediate operand.
func Imm(v int64) Operand { return Operand{Kind: KImm, Imm: v} }

// Imm32 returns an immediate of 32 bits, kept sign-extended.
func Imm32(v uint32) Operand { return Operand{Kind: KImm, Imm: int64(int32(v))} }

// Zero returns the zero register of a file: RZ or URZ, or the true
// predicate PT or UPT.
func Zero(c Class) Operand { return Operand{Kind: KZero, Class: c, N: 1} }

// Const returns a constant bank operand.
func Const(bank uint8, offset int64) Operand {
	return Operand{Kind: KConst, Sub: bank, Reg: NoReg, Imm: offset, N: 1}
}

// LiteralBank is the constant bank that the compiler fills.
const LiteralBank = 2

// Literal returns the operand of two words that the kernel's own constant bank
// holds; where is known once all functions of the kernel are.
func Literal(v uint64) Operand { return Operand{Kind: KLiteral, Reg: NoReg, Imm: int64(v), N: 2} }

// Special returns a special register operand.
func Special(s op.Special) Operand { return Operand{Kind: KSpecial, Imm: int64(s)} }

// Label returns the operand that names block b.
func Label(b *Block) Operand { return Operand{Kind: KLabel, Reg: Reg(b.ID)} }

// Addr returns the memory operand at base plus offset; base is a register
// operand of one or two words, or none.
func Addr(base Operand, offset int64) Operand {
	o := Operand{Kind: KAddr, Class: base.Class, Reg: base.Reg, Sub: base.Sub, N: base.N, Imm: offset}
	if base.Kind != KReg {
		o.Reg, o.N = NoReg, 0
	}
	if base.N == 2 {
		o.Flags = Wide
	}
	return o
}

// Part returns which words of its register an operand names. That of a constant
// is an index of one word, since the bank stands where others have the first.
func (o Operand) Part() (first, n uint8) {
	if o.Kind == KConst {
		return 0, 1
	}
	return o.Sub, max(1, o.N)
}

// HasReg reports whether the operand reads or writes a register.
func (o *Operand) HasReg() bool { return uint32(naming)>>(o.Kind&31)&1 != 0 && o.Reg != NoReg }

// naming are the kinds of operands that may name a register.
const naming = 1<<KReg | 1<<KConst | 1<<KAddr | 1<<KUAddr | 1<<KDesc | 1<<KGdesc | 1<<KTmem

// Negate returns the operand with its sign turned.
func (o Operand) Negate() Operand { o.Flags ^= Neg; return o }

// Not returns the operand inverted.
func (o Operand) Not() Operand { o.Flags ^= Inv; return o }

// Is reports whether o is the immediate v.
func (o Operand) Is(v int64) bool { return o.Kind == KImm && o.Imm == v }
