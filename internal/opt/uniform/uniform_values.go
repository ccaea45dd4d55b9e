package uniform

import (
	mbits "math/bits"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformValues moves what is the same for all threads of a warp to the
// uniform datapath: kernel parameters, block numbers, and what is computed
// from them. Uniform registers cost no general ones, and most instructions
// take one as operand.
//
// A register moves when each of its writes can. A write can when it stands
// where all threads of the warp are together and all it reads is uniform
// too: then it is executed by all of them at once, and one register for the
// warp holds what one for each thread would. It may be read anywhere: the
// register allocator keeps it while threads are apart.
//
// fits tells whether the machine has a form for an instruction; f has its
// convergence instructions.
func UniformValues(f *ori.Func, fits func(*ori.Instr) bool, constants op.Op, room Room) bool {
	if !f.Kernel {
		return false
	}
	u := &uniformer{f: f, fits: fits, constants: constants, room: room, apart: flow.DivergenceOf(f, flow.UniformityOf(f))}
	u.scratch = f.NewReg(ori.UR, 1)
	u.pick(u.splitTests())
	u.joinTests(false)
	u.weigh()
	u.joinTests(true)
	u.addCopies()
	changed := u.rewrite()
	return f.Touched(changed || len(u.splits) > 0)
}

type uniformer struct {
	f         *ori.Func
	fits      func(*ori.Instr) bool
	constants op.Op // loads constants into uniform registers
	room      Room
	apart     *flow.Divergence
	scratch   ori.Reg
	loops     *flow.Loops
	rich      bool // general registers are not scarce
	wanted    map[wanted]int

	moves []bool // by register: goes to the uniform file
	can   []bool // by instruction: becomes one of the uniform datapath
	defs  [][]*ori.Instr
	uses  [][]*ori.Instr

	splits []split // see splitTests
}

// pick finds the registers that can move: it assumes that all can, and
// takes back what does not hold until nothing changes.
func (u *uniformer) pick(x flow.Index) {
	f := u.f
	u.moves, u.can = pool.Make[bool](f.Scratch(), len(f.Regs)), pool.Make[bool](f.Scratch(), f.NumInstrs())
	u.defs, u.uses = x.Defs, x.Uses
	for r := range f.Regs {
		c := f.Regs[r].Class
		u.moves[r] = (c == ori.R || c == ori.P) && !f.Regs[r].Fixed
	}
	var lost []*ori.Instr
	for _, b := range f.Blocks {
		apart := u.apart.Is(b)
		for i := range b.Instrs {
			if !apart && u.possible(i) {
				u.can[i.ID] = true
			} else {
				lost = append(lost, i)
			}
		}
	}
	for r := range f.Regs {
		if c := f.Regs[r].Class; (c == ori.R || c == ori.P) && (f.Regs[r].Fixed || len(u.defs[r]) == 0) {
			lost = u.drop(ori.Reg(r), lost)
		}
	}
	u.settle(lost)
}

// settle takes back what depends on instructions that cannot move.
func (u *uniformer) settle(lost []*ori.Instr) {
	for len(lost) > 0 {
		i := lost[len(lost)-1]
		lost = lost[:len(lost)-1]
		for _, d := range i.Dsts() {
			if d.HasReg() && u.moves[d.Reg] {
				lost = u.drop(d.Reg, lost)
			}
		}
		// predicates move only where all readers do
		for _, s := range i.Srcs() {
			if s.HasReg() && s.Class == ori.P && u.moves[s.Reg] {
				lost = u.drop(s.Reg, lost)
			}
		}
		if i.Guard.HasReg() && u.moves[i.Guard.Reg] {
			lost = u.drop(i.Guard.Reg, lost)
		}
	}
}

// drop says that r stays, and adds to lost the instructions that stay with
// it.
func (u *uniformer) drop(r ori.Reg, lost []*ori.Instr) []*ori.Instr {
	u.moves[r] = false
	for _, list := range [...][]*ori.Instr{u.defs[r], u.uses[r]} {
		for _, i := range list {
			if u.can[i.ID] {
				u.can[i.ID] = false
				lost = append(lost, i)
			}
		}
	}
	return lost
}

// possible reports whether i can run on the uniform datapath if all its
// registers are there.
func (u *uniformer) possible(i *ori.Instr) bool {
	if i.NDst == 0 || !u.guarded(i) {
		return false
	}
	for k := range i.Args {
		a := &i.Args[k]
		switch a.Kind {
		case ori.KReg:
			if a.Class == ori.B || a.Class == ori.UP || k < int(i.NDst) && a.Class == ori.UR {
				return false
			}
		case ori.KZero, ori.KImm:
		case ori.KConst:
			if a.Reg != ori.NoReg {
				return false
			}
		case ori.KSymbol: // the address of a variable
			if i.Op != op.LDC && i.Op != op.MOV {
				return false
			}
		case ori.KSpecial:
			if !flow.IsUniformSpecial(op.Special(a.Imm)) {
				return false
			}
		default:
			return false
		}
	}
	switch i.Op {
	case op.UNDEF:
		return true
	case op.COPY:
		return i.Args[0].Class == ori.R && i.Args[1].Class != ori.P
	case op.R2UR:
		return false
	}
	return u.hasForm(i)
}

// guarded reports whether the guard of i, if it has one, can move along: the
// uniform datapath has guards of its own.
func (u *uniformer) guarded(i *ori.Instr) bool {
	g := &i.Guard
	return g.Kind == ori.KNone || g.Kind == ori.KReg && g.Class == ori.P && len(i.Old) == 0 && i.Op != op.UNDEF
}

// hasForm reports whether the machine has i on the uniform datapath,
// immediates and constants in registers where need be.
func (u *uniformer) hasForm(i *ori.Instr) bool {
	var room [8]ori.Operand
	save := append(room[:0], i.Args...)
	o, guard := i.Op, i.Guard
	defer func() {
		i.Op, i.Guard = o, guard
		copy(i.Args, save)
	}()
	if !u.convert(i) {
		return false
	}
	for k := range i.Args {
		if i.Args[k].HasReg() {
			i.Args[k].Class = uniformClass(i.Args[k].Class)
		}
	}
	i.Guard.Class = uniformClass(i.Guard.Class)
	if u.fits(i) {
		return true
	}
	for k := range i.Srcs() {
		if s := &i.Srcs()[k]; s.Kind == ori.KConst || s.Kind == ori.KImm && k < 2 {
			n := s.N
			*s = u.f.Words(u.scratch)
			s.N = n
		}
	}
	return u.fits(i)
}

// convert gives i the operation of the uniform datapath, and its zero
// operands the other file.
func (u *uniformer) convert(i *ori.Instr) bool {
	to := i.Op.Counterpart()
	if i.Op == op.LDC || i.Op == op.MOV && i.Args[1].Kind == ori.KConst {
		to = u.constants
	}
	if to == op.None {
		return false
	}
	i.Op = to
	for k := range i.Args {
		if i.Args[k].Kind == ori.KZero {
			i.Args[k].Class = uniformClass(i.Args[k].Class)
		}
	}
	return true
}

func uniformClass(c ori.Class) ori.Class {
	switch c {
	case ori.R:
		return ori.UR
	case ori.P:
		return ori.UP
	}
	return c
}

// rewrite moves the registers and the instructions that write them.
func (u *uniformer) rewrite() bool {
	changed := false
	for r, yes := range u.moves {
		if yes {
			u.f.Regs[r].Class = uniformClass(u.f.Regs[r].Class)
			changed = true
		}
	}
	if !changed {
		return false
	}
	for _, b := range u.f.Blocks {
		for i := range b.Instrs {
			if int(i.ID) < len(u.can) && u.can[i.ID] {
				u.convert(i)
			}
			for k := range i.Args {
				if a := &i.Args[k]; a.HasReg() && u.moves[a.Reg] {
					a.Class = uniformClass(a.Class)
				}
			}
			if i.Guard.HasReg() && u.moves[i.Guard.Reg] {
				i.Guard.Class = ori.UP
			}
			u.reader(i)
		}
	}
	return true
}

// takesBase gives i, whose address is the moved pair that operand k names, the
// uniform pair alone, if it has a form for that.
func (u *uniformer) takesBase(i *ori.Instr, k int) bool {
	i.Args[k].Class = ori.R // as it was
	if !u.isBase(i, k) {
		i.Args[k].Class = ori.UR
		return false
	}
	uni := i.Args[k]
	uni.Kind, uni.Class, uni.Imm, uni.Flags = ori.KReg, ori.UR, 0, 0
	i.Args = (&baseSum{uni: uni}).with(i)
	return true
}

// reader makes an instruction of the general datapath read its moved
// operands in a way that exists: what was moved for a uniform register
// becomes a copy, and addresses are read from general registers.
func (u *uniformer) reader(i *ori.Instr) {
	f := u.f
	if i.Op == op.R2UR && i.Mods == (op.Mods{}) && i.NDst == 1 && len(i.Args) == 2 && i.Args[1].Class == ori.UR && i.Args[1].Kind == ori.KReg {
		i.Op, i.Guard = op.COPY, ori.Operand{} // all threads have it, and the copy may vanish
		return
	}
	if u.scales(i) {
		i.Op = op.LEA
		i.Srcs()[1], i.Srcs()[2] = i.Srcs()[2], ori.Imm(int64(mbits.TrailingZeros64(uint64(i.Srcs()[1].Imm))))
	}
	for k := range i.Srcs() {
		s := &i.Srcs()[k]
		if s.Kind != ori.KAddr && s.Kind != ori.KConst || !s.HasReg() || !u.moves[s.Reg] {
			continue
		}
		n := int(max(1, s.N))
		if k := int(i.NDst) + k; n == 2 && s.Kind == ori.KAddr && u.takesBase(i, k) {
			break
		}
		r := f.NewReg(ori.R, n)
		u.moves = append(u.moves, false)
		from := s.Sub
		if s.Kind == ori.KConst {
			from = 0
		} else {
			s.Sub = 0
		}
		for w := range n {
			src := ori.Operand{Kind: ori.KReg, Class: ori.UR, Reg: s.Reg, Sub: from + uint8(w), N: 1}
			m := f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{f.Word(r, w)}, []ori.Operand{src})
			m.Line, m.Loc = i.Line, i.Loc
			i.Block().InsertBefore(m, i)
		}
		s.Reg, s.Class = r, ori.R
	}
}
