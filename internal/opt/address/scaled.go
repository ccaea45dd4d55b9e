package address

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// ScaledProducts shifts, in SSA form, a factor that the launch gives instead of
// the 64-bit product: rows times strides, times the size of an element. The
// multiplications can then take in what the product is added to, and the
// shift, of a value that all threads share, is done once.
//
//	IMAD.WIDE.U32 w = s[0], x0, rz           SHF.L.U32     t[0] = s[0], 2, rz
//	IMAD          h = s[0], x1, w[1]         SHF.L.U64.HI  t[1] = s[0], 2, s[1]
//	IMAD          g = s[1], x0, h            IMAD.WIDE.U32 w = t[0], x0, rz
//	SHF.L.U32     y[0] = w[0], 2, rz         IMAD          h = t[0], x1, w[1]
//	SHF.L.U64.HI  y[1] = w[0], 2, g          IMAD          g = t[1], x0, h
//	                                         COPY          y[0] = w[0]
//	                                         COPY          y[1] = g
func ScaledProducts(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	s := &scaler{Combiner: &opt.Combiner{F: f, V: opt.ValuesOf(f)}}
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.SHF && i.Mods == op.M(op.ML, op.MU64, op.MHI) && s.apply(i) {
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

// scaler keeps the factors that were shifted.
type scaler struct {
	*opt.Combiner
	done map[scaledFactor]ori.Reg
	dom  *flow.Dom
}

// scaledFactor is a pair of words and a distance.
type scaledFactor struct {
	lo, hi ori.Operand
	by     int64
}

// shifted is a product that is shifted: both shifts, the product of the low
// words, and those that are added to its high word, last first.
type shifted struct {
	lo, hi, w *ori.Instr
	terms     []*ori.Instr
}

// apply shifts a factor instead of the product whose high word hi makes.
func (s *scaler) apply(hi *ori.Instr) bool {
	p, ok := s.product(hi)
	if !ok {
		return false
	}
	for k := 1; k <= 2; k++ {
		if q, ok := s.factor(&p, k); ok && s.F.Should("scale", hi) {
			s.rewrite(&p, k, s.scaled(q))
			return true
		}
	}
	return false
}

// product finds what is shifted for one sum alone.
func (s *scaler) product(hi *ori.Instr) (p shifted, ok bool) {
	y := hi.Args[0]
	if len(hi.Args) != 4 || hi.Guard.Kind != ori.KNone || y.Sub != 1 || hi.Args[2].Kind != ori.KImm || s.V.ReadsOf(y) != 1 {
		return p, false
	}
	y.Sub = 0
	p.hi, p.lo = hi, s.V.Once(y)
	low, up := hi.Args[1], hi.Args[3]
	if p.lo == nil || p.lo.Op != op.SHF || p.lo.Mods != op.M(op.ML, op.MU32) || p.lo.Guard.Kind != ori.KNone || s.V.ReadsOf(y) != 1 ||
		p.lo.Args[1] != low || p.lo.Args[2] != hi.Args[2] || !opt.IsZero(p.lo.Args[3]) || !opt.Plain(low) || !opt.Plain(up) {
		return p, false
	}
	p.w = s.V.Once(low)
	if p.w == nil || p.w.Op != op.IMAD || p.w.Mods != op.M(op.MWIDE, op.MU32) || p.w.NDst != 1 || len(p.w.Args) != 4 || !opt.IsZero(p.w.Args[3]) || p.w.Guard.Kind != ori.KNone ||
		s.V.ReadsOf(low) != 2 || p.w.Args[0].Sub != low.Sub {
		return p, false
	}
	last := low
	last.Sub++
	for up != last {
		j := s.V.Once(up)
		if len(p.terms) == 2 || j == nil || j.Op != op.IMAD || j.Mods != (op.Mods{}) || j.NDst != 1 || len(j.Args) != 4 || j.Guard.Kind != ori.KNone || s.V.ReadsOf(up) != 1 || !opt.Plain(j.Args[3]) {
			return p, false
		}
		p.terms = append(p.terms, j)
		up = j.Args[3]
	}
	return p, s.V.ReadsOf(last) == 1
}

// factor returns factor k of a product with its high word, if the launch gives
// both and all other products are of them.
func (s *scaler) factor(p *shifted, k int) (q scaledFactor, ok bool) {
	q = scaledFactor{lo: p.w.Args[k], by: p.hi.Args[2].Imm}
	x := p.w.Args[3-k]
	if q.lo == x || !opt.Plain(q.lo) || !s.given(q.lo, givenDepth) {
		return q, false
	}
	for _, j := range p.terms {
		for n := 1; n <= 2; n++ {
			if a, other := j.Args[n], j.Args[3-n]; a == x && other != q.lo && q.hi.Kind == ori.KNone && opt.Plain(other) && s.given(other, givenDepth) {
				q.hi = other
				break
			} else if n == 2 && j.Args[1] != q.lo && j.Args[2] != q.lo {
				return q, false
			}
		}
	}
	return q, q.hi.Kind != ori.KNone
}

// givenDepth is how many instructions a factor may be made of.
const givenDepth = 4

// given reports whether a word is made of parameters and the block's place.
func (s *scaler) given(a ori.Operand, depth int) bool {
	if !opt.Plain(a) {
		return a.Kind == ori.KConst && !a.HasReg() || a.Kind == ori.KImm
	}
	j := s.V.Once(a)
	if j == nil || depth == 0 || j.Guard.Kind != ori.KNone || len(j.Old) > 0 {
		return false
	}
	switch j.Op {
	case op.LDC:
		return !j.Srcs()[0].HasReg()
	case op.S2R:
		switch op.Special(j.Srcs()[0].Imm) {
		case op.SRCtaidX, op.SRCtaidY, op.SRCtaidZ:
			return true
		}
		return false
	case op.MOV, op.SHF, op.IMAD, op.LEA, op.IADD3:
	default:
		return false
	}
	for _, x := range j.Srcs() {
		x.Flags, x.N = 0, min(x.N, 1)
		if x.Kind != ori.KZero && !s.given(x, depth-1) {
			return false
		}
	}
	return true
}

// scaled returns a factor, shifted. It stands behind what the factor is made
// of, outside of the loops that multiply by it.
func (s *scaler) scaled(q scaledFactor) ori.Reg {
	if r, ok := s.done[q]; ok {
		return r
	}
	f := s.F
	r := f.NewReg(ori.R, 2)
	s.V.Grow()
	at := s.later(s.V.Once(q.lo), s.V.Once(q.hi))
	by := ori.Imm(q.by)
	for _, i := range [...]*ori.Instr{
		f.NewInstr(op.SHF, op.M(op.ML, op.MU64, op.MHI), []ori.Operand{f.Word(r, 1)}, []ori.Operand{q.lo, by, q.hi}),
		f.NewInstr(op.SHF, op.M(op.ML, op.MU32), []ori.Operand{f.Word(r, 0)}, []ori.Operand{q.lo, by, ori.Zero(ori.R)}),
	} {
		i.Line, i.Loc = at.Line, at.Loc
		at.Block().InsertAfter(i, at)
		s.V.Count(i, 1)
	}
	if s.done == nil {
		s.done = map[scaledFactor]ori.Reg{}
	}
	s.done[q] = r
	return r
}

// later returns which of two instructions, one of which dominates the other,
// comes last.
func (s *scaler) later(i, j *ori.Instr) *ori.Instr {
	if i.Block() != j.Block() {
		if s.dom == nil {
			s.dom = flow.DomOf(s.F)
		}
		if s.dom.Dominates(i.Block(), j.Block()) {
			return j
		}
		return i
	}
	for k := i.Next(); k != nil; k = k.Next() {
		if k == j {
			return j
		}
	}
	return i
}

// rewrite multiplies by the words of r instead of factor k and its high word,
// and shifts no longer.
func (s *scaler) rewrite(p *shifted, k int, r ori.Reg) {
	lo := p.w.Args[k]
	put := func(i *ori.Instr, n int, a ori.Operand) {
		srcs := append([]ori.Operand(nil), i.Srcs()...)
		srcs[n-1] = a
		s.V.Change(i, i.Op, i.Mods, srcs...)
	}
	for _, j := range p.terms {
		switch {
		case j.Args[1] == lo:
			put(j, 1, s.F.Word(r, 0))
		case j.Args[2] == lo:
			put(j, 2, s.F.Word(r, 0))
		case j.Args[1] == p.w.Args[3-k]:
			put(j, 2, s.F.Word(r, 1))
		default:
			put(j, 1, s.F.Word(r, 1))
		}
	}
	put(p.w, k, s.F.Word(r, 0))
	low, up := p.hi.Args[1], p.hi.Args[3]
	s.V.Change(p.lo, op.COPY, op.Mods{}, low)
	s.V.Change(p.hi, op.COPY, op.Mods{}, up)
}
