package isel

import (
	"fmt"
	mbits "math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Fits reports whether the machine has a form for an instruction as it
// stands. The answer comes from the machine's own description.
type Fits func(i *ori.Instr) bool

// Legalize rewrites every instruction of f that has no form: sources change
// places where the operation allows it, and those that fit nowhere are
// computed into registers first, as few as possible.
func Legalize(f *ori.Func, a *target.Arch, fits Fits, most Waiting) error {
	l := &legalizer{f: f, a: a, fits: fits, writes: writesOf(f), hoist: newHoister(f, most), wanted: map[int64]int{}}
	for _, b := range f.Blocks {
		l.held = l.held[:0]
		l.want(b)
		for i := range b.Instrs {
			l.at++
			if !i.Op.Has(op.Pseudo) && !fits(i) {
				if err := l.instr(i); err != nil {
					return err
				}
			}
			l.forget(i)
		}
	}
	return nil
}

type legalizer struct {
	f    *ori.Func
	a    *target.Arch
	fits Fits

	held   []materialized // in registers of the block
	at     int            // instructions seen
	writes []int32        // of each register
	hoist  *hoister
	wanted map[int64]int // of the block
}

// materialized is a constant or a uniform value that was put into a register.
type materialized struct {
	value ori.Operand
	reg   ori.Operand
	at    int // when
}

func writesOf(f *ori.Func) []int32 {
	n := pool.Make[int32](f.Scratch(), len(f.Regs))
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, d := range i.Dsts() {
				if d.HasReg() {
					n[d.Reg] += int32(max(1, d.N))
				}
			}
		}
	}
	return n
}

// lasts reports whether s means the same all through a block, so that its
// copy can be shared: a constant, or a uniform register whose words are
// written once; forget knows where.
func (l *legalizer) lasts(s ori.Operand) bool {
	switch s.Kind {
	case ori.KImm:
		return s.Flags == 0 && s.N <= 1
	case ori.KConst:
		return s.Flags == 0 && s.Reg == ori.NoReg
	case ori.KReg:
		return s.Flags == 0 && s.Class == ori.UR && int(s.Reg) < len(l.writes) && l.writes[s.Reg] <= int32(l.f.Regs[s.Reg].Width)
	}
	return false
}

// forget drops the copies of what i writes: a loop may have led to a reader
// before the one write of a register.
func (l *legalizer) forget(i *ori.Instr) {
	for _, d := range i.Dsts() {
		if d.HasReg() && d.Class == ori.UR {
			l.held = slices.DeleteFunc(l.held, func(h materialized) bool { return h.value.HasReg() && h.value.Reg == d.Reg })
		}
	}
}

// shared returns the register of class c that already holds s, if any.
func (l *legalizer) shared(s ori.Operand, c ori.Class) (ori.Operand, bool) {
	if !l.lasts(s) {
		return s, false
	}
	for n := range l.held {
		if h := &l.held[n]; h.value == s && h.reg.Class == c && l.at-h.at <= l.hoist.most.Shared {
			h.at = l.at
			return h.reg, true
		}
	}
	return s, false
}

// instr tries ever more sources in registers, in all orders. A choice between
// neighbouring constants needs none.
func (l *legalizer) instr(i *ori.Instr) error {
	if i.Op == op.SEL {
		if p, ok := product(i); ok && replace(l.f, i, p, l.fits) {
			return nil
		}
	}
	srcs := append([]ori.Operand(nil), i.Srcs()...)
	movable := uint(0)
	for k, s := range srcs {
		if l.movable(s) {
			movable |= 1 << k
		}
	}
	orders := []arrangement{{srcs, i.Mods}}
	mods := i.Mods
	if s, ok := swapped(i, srcs); ok {
		orders = append(orders, s)
	}
	if i.Op == op.IADD3 && len(srcs) > 2 { // the third of a sum has no form but a register
		s := slices.Clone(srcs)
		s[1], s[2] = s[2], s[1]
		orders = append(orders, arrangement{s, i.Mods})
	}
	for n := 0; n <= mbits.OnesCount(movable); n++ {
		for _, constants := range [...]bool{true, false} { // others of the block share registers with constants
			for _, order := range orders {
				i.Mods = order.mods
				for mask := range uint(1) << len(order.srcs) {
					if mbits.OnesCount(mask) != n || mask&^l.mask(order.srcs) != 0 || constants != l.immediates(i, order.srcs, mask) {
						continue
					}
					if l.try(i, order.srcs, mask) {
						return nil
					}
				}
			}
		}
	}
	i.Mods = mods
	copy(i.Srcs(), srcs)
	return fmt.Errorf("%s: no form of %s on %s", l.f.Name, l.f.AppendInstr(nil, i), l.a.Name)
}

// immediates reports whether all sources in mask are immediates that several
// instructions of the block want in registers, or that can wait in one before
// a loop.
func (l *legalizer) immediates(i *ori.Instr, srcs []ori.Operand, mask uint) bool {
	for k := range srcs {
		if mask>>k&1 == 0 {
			continue
		}
		if srcs[k].Kind != ori.KImm || l.wanted[srcs[k].Imm] < 4 && (i.Op.Has(op.Uniform) || !l.hoist.takes(i.Block(), srcs[k])) {
			return false
		}
	}
	return true
}

// want counts immediates beside uniform registers in products of b: such
// an instruction has a place for one of the two only.
func (l *legalizer) want(b *ori.Block) {
	clear(l.wanted)
	for i := range b.Instrs {
		if i.Op != op.IMAD || !slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool { return s.Kind == ori.KReg && s.Class == ori.UR }) {
			continue
		}
		for _, s := range i.Srcs() {
			if s.Kind == ori.KImm {
				l.wanted[s.Imm]++
			}
		}
	}
}

func (l *legalizer) mask(srcs []ori.Operand) uint {
	m := uint(0)
	for k, s := range srcs {
		if l.movable(s) {
			m |= 1 << k
		}
	}
	return m
}

// movable reports whether a source can be computed into a register.
func (l *legalizer) movable(o ori.Operand) bool {
	switch o.Kind {
	case ori.KImm, ori.KConst, ori.KLiteral, ori.KSymbol:
		return true
	case ori.KReg:
		return o.Class == ori.UR || o.Class == ori.R && o.Flags&(ori.Neg|ori.Inv|ori.Abs) != 0 && o.N == 1
	case ori.KZero:
		return o.Class == ori.UR || o.Class == ori.R && o.Flags != 0
	}
	return false
}

// try puts the sources in mask into registers and looks whether a form
// fits; if none does, nothing is changed.
func (l *legalizer) try(i *ori.Instr, order []ori.Operand, mask uint) bool {
	save := append([]ori.Operand(nil), i.Srcs()...)
	copy(i.Srcs(), order)
	n := len(l.f.Regs)
	class := ori.R
	if i.Op.Has(op.Uniform) && i.Op != op.R2UR && i.Op != op.REDUX && i.Op != op.CREDUX {
		class = ori.UR
	}
	for k := range order {
		if mask>>k&1 != 0 {
			w := max(1, int(order[k].N))
			if isDouble(i, order[k]) {
				w = 2
			}
			i.Srcs()[k] = l.f.Words(l.f.NewReg(class, w))
			i.Srcs()[k].Flags = marks(order[k])
		}
	}
	if !l.fits(i) {
		l.f.Regs = l.f.Regs[:n]
		copy(i.Srcs(), save)
		return false
	}
	for k := range order {
		if mask>>k&1 == 0 {
			continue
		}
		if isDouble(i, order[k]) {
			l.double(i, i.Srcs()[k], order[k])
			continue
		}
		s := order[k]
		s.Flags &^= marks(s)
		i.Srcs()[k].Flags = 0
		i.Srcs()[k] = l.register(i, i.Srcs()[k], s)
		i.Srcs()[k].Flags = marks(order[k])
	}
	l.f.Touch()
	return true
}

// register returns a register that holds s at i: d, or one that held it
// already.
func (l *legalizer) register(i *ori.Instr, d, s ori.Operand) ori.Operand {
	if r, ok := l.shared(s, d.Class); ok {
		return r
	}
	if r, ok := l.before(i, s, d.Class); ok {
		return r
	}
	l.compute(i, d, s)
	if l.lasts(s) {
		l.held = append(l.held, materialized{s, d, l.at})
	}
	return d
}

// before returns the register of class c that holds constant s in the whole
// loop around i, if there can be one.
func (l *legalizer) before(i *ori.Instr, s ori.Operand, c ori.Class) (ori.Operand, bool) {
	if c != ori.R {
		return s, false
	}
	return l.hoist.before(i.Block(), s)
}

// marks are those of a source that stay on the register it is moved to; the
// others are computed into it.
func marks(s ori.Operand) ori.Flags {
	if s.Kind == ori.KConst || s.Kind == ori.KReg && s.Class == ori.UR {
		return s.Flags
	}
	return 0
}

// compute adds the instructions that put source s into register d before i.
func (l *legalizer) compute(i *ori.Instr, d, s ori.Operand) {
	add := func(o op.Op, m op.Mods, d ori.Operand, srcs ...ori.Operand) {
		made := l.f.NewInstr(o, m, []ori.Operand{d}, srcs)
		made.Line, made.Loc = i.Line, i.Loc
		i.Block().InsertBefore(made, i)
	}
	o := &vector
	if d.Class == ori.UR {
		o = &uniform
	}
	zero := ori.Zero(d.Class)
	if s.Kind == ori.KImm && !isFloat(i.Op) {
		s = unmarked(s)
	}
	plain := s
	plain.Flags = 0
	switch {
	case s.Kind == ori.KConst && d.Class == ori.UR && l.a.Has(target.UniformLoads):
		add(op.LDCU, width(d.N), d, plain)
	case s.Kind == ori.KConst && (l.a.Has(target.ConstantLoads) || d.Class == ori.UR) || s.Kind == ori.KSymbol:
		add(o.load, width(d.N), d, plain)
	case s.Flags&ori.Abs != 0 || s.Flags&ori.Neg != 0 && isFloat(i.Op):
		add(op.FADD, op.Mods{}, d, s, zero.Negate())
	case s.Flags&ori.Neg != 0:
		add(o.add, op.Mods{}, d, zero, s, zero)
	case s.Flags&ori.Inv != 0:
		add(o.logic, op.M(op.MLUT), d, plain, zero, zero, ori.Imm(0x0f))
	case s.Kind == ori.KReg && s.N > 1:
		for w := range s.N {
			dw, sw := d, s
			dw.Sub, sw.Sub, dw.N, sw.N = d.Sub+w, s.Sub+w, 1, 1
			add(o.move, op.Mods{}, dw, sw)
		}
	default:
		add(o.move, op.Mods{}, d, s)
	}
}

// unmarked is the number that an integer constant with marks stands for.
func unmarked(s ori.Operand) ori.Operand {
	v := int32(s.Imm)
	if s.Flags&ori.Neg != 0 {
		v = -v
	}
	if s.Flags&ori.Inv != 0 {
		v = ^v
	}
	s.Flags &^= ori.Neg | ori.Inv
	s.Imm = int64(v)
	return s
}

// datapath holds the operations that prepare operands.
type datapath struct{ move, load, add, logic op.Op }

var (
	vector  = datapath{op.MOV, op.LDC, op.IADD3, op.LOP3}
	uniform = datapath{op.UMOV, op.ULDC, op.UIADD3, op.ULOP3}
)

// isDouble reports whether source s of i is an f64 constant.
func isDouble(i *ori.Instr, s ori.Operand) bool {
	return s.Kind == ori.KLiteral || s.Kind == ori.KImm && i.Op.IsDouble()
}

// double puts the f64 constant s, or the one with high word s, into register d
// before i.
func (l *legalizer) double(i *ori.Instr, d, s ori.Operand) {
	lo, hi := d, d
	lo.N, hi.N = 1, 1
	hi.Sub++
	low := ori.Zero(ori.R)
	if s.Kind == ori.KLiteral {
		low, s = ori.Imm32(uint32(s.Imm)), ori.Imm32(uint32(uint64(s.Imm)>>32))
	}
	l.compute(i, lo, low)
	l.compute(i, hi, s)
}

func width(n uint8) op.Mods {
	if n == 2 {
		return op.M(op.M64)
	}
	return op.Mods{}
}

func isFloat(o op.Op) bool { return o.Has(op.Single) }

// arrangement is a way to write the sources of an instruction.
type arrangement struct {
	srcs []ori.Operand
	mods op.Mods
}

// swapped returns the sources with the first two exchanged, when that means
// the same. The table of LOP3 is permuted with them, and a comparison turns
// round.
func swapped(i *ori.Instr, srcs []ori.Operand) (a arrangement, ok bool) {
	if !i.Op.Has(op.Commutes|op.Turns) || len(srcs) < 2 {
		return a, false
	}
	a = arrangement{append([]ori.Operand(nil), srcs...), i.Mods}
	s := a.srcs
	s[0], s[1] = s[1], s[0]
	if i.Op.Has(op.Turns) {
		if a.mods[0], ok = turned(a.mods[0]); !ok {
			return a, false
		}
	}
	if i.Op.Has(op.Lut) {
		if len(s) < 4 || s[3].Kind != ori.KImm {
			return a, false
		}
		s[3].Imm = swapLut(s[3].Imm)
	}
	return a, true
}

// turns pairs comparisons that say the same of exchanged operands.
var turns = [...][2]op.Mod{
	{op.MLT, op.MGT},
	{op.MLE, op.MGE},
	{op.MLTU, op.MGTU},
	{op.MLEU, op.MGEU},
	{op.MEQ, op.MEQ},
	{op.MNE, op.MNE},
	{op.MEQU, op.MEQU},
	{op.MNEU, op.MNEU},
	{op.MNUM, op.MNUM},
	{op.MNAN, op.MNAN},
}

func turned(m op.Mod) (op.Mod, bool) {
	for _, t := range turns {
		switch m {
		case t[0]:
			return t[1], true
		case t[1]:
			return t[0], true
		}
	}
	return m, false
}

// swapLut exchanges the first two inputs of a three-input truth table: the
// inputs' patterns are 0xf0, 0xcc and 0xaa, so bit abc becomes bit bac.
func swapLut(t int64) int64 {
	return t&0xc3 | t&0x0c<<2 | t&0x30>>2
}
