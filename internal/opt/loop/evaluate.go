package loop

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// evaluator computes instructions on known words. A predicate is 0 or 1.
type evaluator struct {
	look func(r ori.Reg, sub uint8) (uint32, bool) // what a register word holds, marks aside
	copy ori.Instr
	args [8]ori.Operand
}

// evaluation is how an operation is computed. One that absorbs may be known
// although not all of its sources are.
type evaluation struct {
	run     func(e *evaluator, i *ori.Instr) ([2]uint32, bool)
	absorbs bool
}

// evaluated are the operations an evaluator knows.
var evaluated = [...]evaluation{
	op.MOV:   {(*evaluator).move, false},
	op.COPY:  {(*evaluator).move, false},
	op.ISETP: {(*evaluator).compare, false},
	op.IADD3: {(*evaluator).add, false},
	op.PLOP3: {(*evaluator).logic, true},
	op.SGXT:  {(*evaluator).extend, false},
	op.PRMT:  {(*evaluator).permute, false},
	op.IMAD:  {(*evaluator).fold, true},
	op.LOP3:  {(*evaluator).fold, true},
	op.SHF:   {(*evaluator).fold, true},
	op.SEL:   {(*evaluator).fold, true},

	op.FADD:   {(*evaluator).floatSum, false},
	op.FMUL:   {(*evaluator).floatProduct, false},
	op.FFMA:   {(*evaluator).fused, false},
	op.FSETP:  {(*evaluator).compareFloats, false},
	op.MUFU:   {(*evaluator).function, false},
	op.IMNMX:  {(*evaluator).choose, false},
	op.VIMNMX: {(*evaluator).choose, false},

	op.IABS: {(*evaluator).unary, false},
	op.POPC: {(*evaluator).unary, false},
	op.BREV: {(*evaluator).unary, false},
	op.I2FP: {(*evaluator).toFloat, false},

	op.HADD2: {(*evaluator).widen, false},

	op.I2F:  {(*evaluator).fromInteger, false},
	op.SHFL: {(*evaluator).shuffle, true},
}

// evaluationOf returns the row of an operation, nil if there is none.
func evaluationOf(o op.Op) *evaluation {
	if int(o) >= len(evaluated) || evaluated[o].run == nil {
		return nil
	}
	return &evaluated[o]
}

// run computes the results of i, whose guard is not asked.
func (e *evaluator) run(i *ori.Instr) ([2]uint32, bool) {
	r := evaluationOf(i.Op)
	if r == nil || i.NDst == 0 || i.NDst > 2 {
		return [2]uint32{}, false
	}
	return r.run(e, i)
}

// word returns the value of a source of one word.
func (e *evaluator) word(a ori.Operand) (uint32, bool) {
	if a.Class == ori.P && (a.Kind == ori.KZero || a.Kind == ori.KReg) {
		v, ok := uint32(1), true
		if a.Kind == ori.KReg {
			v, ok = e.look(a.Reg, a.Sub)
		}
		if a.Flags&ori.Inv != 0 {
			v ^= 1
		}
		return v, ok
	}
	if a.Kind == ori.KReg {
		if a.Class != ori.R || a.N > 1 {
			return 0, false
		}
		v, ok := e.look(a.Reg, a.Sub)
		if !ok {
			return 0, false
		}
		flags := a.Flags
		a = ori.Imm32(v)
		a.Flags = flags
	}
	return opt.Known(a)
}

// move: a copy of one word.
func (e *evaluator) move(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 2 || i.Args[0].N > 1 {
		return v, false
	}
	v[0], ok = e.word(i.Args[1])
	return v, ok
}

// shuffle: of a word that every lane brings, of which nobody asks where it came from.
func (e *evaluator) shuffle(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 2 || i.Args[0].HasReg() {
		return v, false
	}
	v[1], ok = e.word(i.Args[2])
	return v, ok
}

// extend: the lowest bits of a word, with zeros or their sign above.
func (e *evaluator) extend(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 3 || i.Mods != (op.Mods{}) && i.Mods != op.M(op.MU32) {
		return v, false
	}
	x, okX := e.word(i.Args[1])
	n, okN := e.word(i.Args[2])
	if !okX || !okN || n == 0 || n > 31 {
		return v, false
	}
	if i.Mods.Has(op.MU32) {
		v[0] = x << (32 - n) >> (32 - n)
	} else {
		v[0] = uint32(int32(x<<(32-n)) >> (32 - n))
	}
	return v, true
}

// permute: a word of bytes of two others, each by a number of four bits of
// which the last asks for its sign alone.
func (e *evaluator) permute(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 4 || i.Mods != (op.Mods{}) || i.Args[1].Flags|i.Args[2].Flags|i.Args[3].Flags != 0 {
		return v, false
	}
	var in [3]uint32
	for k := range in {
		if in[k], ok = e.word(i.Args[1+k]); !ok {
			return v, false
		}
	}
	bytes := uint64(in[2])<<32 | uint64(in[0])
	for k := range 4 {
		n := in[1] >> (4 * k) & 0xf
		b := uint32(uint8(bytes >> (8 * (n & 7))))
		if n > 7 {
			b = uint32(uint8(int8(b) >> 7))
		}
		v[0] |= b << (8 * k)
	}
	return v, true
}

// unary: the size of a word, the number of its ones, its bits the other way around.
func (e *evaluator) unary(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 2 || i.Mods != (op.Mods{}) || i.Args[1].Flags != 0 {
		return v, false
	}
	x, ok := e.word(i.Args[1])
	switch i.Op {
	case op.POPC:
		v[0] = uint32(bits.OnesCount32(x))
	case op.BREV:
		v[0] = bits.Reverse32(x)
	default:
		if v[0] = x; int32(x) < 0 {
			v[0] = -x
		}
	}
	return v, ok
}

// fold: what Fold knows, with known words in their places.
func (e *evaluator) fold(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) > len(e.args) {
		return v, false
	}
	e.copy = ori.Instr{Op: i.Op, NDst: 1, Mods: i.Mods, Args: append(e.args[:0], i.Args...)}
	for k := 1; k < len(e.copy.Args); k++ {
		a := &e.copy.Args[k]
		if a.Kind != ori.KReg {
			continue
		}
		p := a.Class == ori.P
		x, ok := e.word(*a)
		switch {
		case !ok:
		case p:
			if *a = ori.Zero(ori.P); x == 0 {
				*a = a.Not()
			}
		default:
			*a = opt.Word(x)
		}
	}
	v[0], ok = opt.FoldedConstant(&e.copy)
	return v, ok
}

// compare: words, or high words whose low ones were compared before.
func (e *evaluator) compare(i *ori.Instr) (v [2]uint32, ok bool) {
	s := i.Srcs()
	ex := i.Mods.Has(op.MEX)
	if i.NDst != 1 || ex && len(s) != 4 || !ex && len(s) != 3 {
		return v, false
	}
	var in [4]uint32
	for k := range s {
		if in[k], ok = e.word(s[k]); !ok {
			return v, false
		}
	}
	holds, ok := opt.Outcome(i.Mods, in[0], in[1])
	if !ok {
		return v, false
	}
	if ex && in[0] == in[1] { // the low words decide
		holds = in[3] != 0
	}
	lut, ok := opt.Combining(i.Mods)
	if !ok {
		return v, false
	}
	at := in[2] << 2
	if holds {
		at |= 2
	}
	v[0] = uint32(lut >> at & 1)
	return v, true
}

// add: a sum of words, with one carry out of it or carries into it.
func (e *evaluator) add(i *ori.Instr) (v [2]uint32, ok bool) {
	s := i.Srcs()
	x := i.Mods.Has(op.MX)
	if x && (i.Mods != op.M(op.MX) || len(s) != 5 || i.NDst != 1) || !x && (i.Mods != op.Mods{} || len(s) != 3) {
		return v, false
	}
	sum := uint64(0)
	for k, a := range s {
		neg := a.Flags&ori.Neg != 0
		if a.Flags &^= ori.Neg; neg && x {
			return v, false
		}
		w, ok := e.word(a)
		if !ok || k >= 3 && a.Class != ori.P {
			return v, false
		}
		sum += uint64(w)
		if neg { // of a difference the carry says that nothing was borrowed
			sum += uint64(^w) + 1 - uint64(w)
		}
	}
	if i.NDst == 2 && (sum>>32 > 1 || i.Args[1].Class != ori.P) {
		return v, false
	}
	return [2]uint32{uint32(sum), uint32(sum >> 32)}, true
}

// logic: a function of three predicates of which enough are known.
func (e *evaluator) logic(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 6 || i.Args[4].Kind != ori.KImm || !i.Args[5].Is(0) {
		return v, false
	}
	lut := i.Args[4].Imm & 0xff
	for k := range 3 {
		if w, ok := e.word(i.Args[1+k]); ok {
			lut = opt.Restrict(lut, k, int(w))
		}
	}
	if lut != 0 && lut != 0xff {
		return v, false
	}
	v[0] = uint32(lut & 1)
	return v, true
}
