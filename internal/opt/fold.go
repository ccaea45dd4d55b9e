package opt

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// Fold computes what is known at compile time: operations on constants, and
// operations that leave a source as it is.
func Fold(f *ori.Func) bool {
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, r := range folds {
				if r.op != i.Op || i.NDst != 1 {
					continue
				}
				if halves(f, i) {
					changed = true
				}
				if v, ok := r.value(i); ok {
					i.Op, i.Mods = op.MOV, op.Mods{}
					if v.Kind == ori.KReg && v.Flags == 0 {
						i.Op = op.COPY
					}
					f.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), []ori.Operand{v})
					changed = true
				}
				break
			}
		}
	}
	return changed
}

// folds returns the value of an instruction that a move would give as well.
var folds = [...]struct {
	op    op.Op
	value func(i *ori.Instr) (ori.Operand, bool)
}{
	{op.IADD3, foldAdd},
	{op.IMAD, foldProduct},
	{op.LOP3, foldLogic},
	{op.SHF, foldShift},
	{op.SEL, foldSelect},
}

// known returns the value of a constant source, with its marks applied.
func known(o ori.Operand) (uint32, bool) {
	var v uint32
	switch o.Kind {
	case ori.KImm:
		v = uint32(o.Imm)
	case ori.KZero:
		if o.Class != ori.R {
			return 0, false
		}
	default:
		return 0, false
	}
	if o.Flags&(ori.Abs|ori.H0|ori.H1) != 0 {
		return 0, false
	}
	if o.Flags&ori.Neg != 0 {
		v = -v
	}
	if o.Flags&ori.Inv != 0 {
		v = ^v
	}
	return v, true
}

// word is a constant operand.
func word(v uint32) ori.Operand {
	if v == 0 {
		return ori.Zero(ori.R)
	}
	return ori.Imm32(v)
}

// plain reports whether a move can give the value of an operand.
func plain(o ori.Operand) bool {
	return o.Kind == ori.KReg && o.Class == ori.R && o.N == 1 && o.Flags == 0
}

// foldAdd: a sum of constants, or of one register and zeros.
func foldAdd(i *ori.Instr) (ori.Operand, bool) {
	if i.Mods != (op.Mods{}) || len(i.Args) != 4 {
		return ori.Operand{}, false
	}
	sum, regs := uint32(0), 0
	var reg ori.Operand
	for _, s := range i.Srcs() {
		if v, ok := known(s); ok {
			sum += v
		} else {
			reg = s
			regs++
		}
	}
	switch {
	case regs == 0:
		return word(sum), true
	case regs == 1 && sum == 0 && plain(reg):
		return reg, true
	}
	return ori.Operand{}, false
}

// foldProduct: constants, a factor of zero, or a factor of one and nothing
// to add.
func foldProduct(i *ori.Instr) (ori.Operand, bool) {
	if i.Mods != (op.Mods{}) || len(i.Args) != 4 {
		return ori.Operand{}, false
	}
	a, okA := known(i.Args[1])
	b, okB := known(i.Args[2])
	c, okC := known(i.Args[3])
	switch {
	case okA && okB && okC:
		return word(a*b + c), true
	case (okA && a == 0 || okB && b == 0) && okC:
		return word(c), true
	case (okA && a == 0 || okB && b == 0) && plain(i.Args[3]):
		return i.Args[3], true
	case okA && a == 1 && okC && c == 0 && plain(i.Args[2]):
		return i.Args[2], true
	case okB && b == 1 && okC && c == 0 && plain(i.Args[1]):
		return i.Args[1], true
	}
	return ori.Operand{}, false
}

// foldLogic: constants, or a table that gives one input back.
func foldLogic(i *ori.Instr) (ori.Operand, bool) {
	if !isLogic(i) {
		return ori.Operand{}, false
	}
	lut := i.Args[4].Imm & 0xff
	var val [3]uint32
	all := true
	for k := range val {
		v, ok := known(i.Args[1+k])
		all = all && ok
		val[k] = v
	}
	if all {
		out := uint32(0)
		for bit := range 32 {
			out |= uint32(pick(lut, int(val[0]>>bit&1), int(val[1]>>bit&1), int(val[2]>>bit&1))) << bit
		}
		return word(out), true
	}
	// constants of all zeros or ones select half of the table
	for k := range val {
		v, ok := known(i.Args[1+k])
		if !ok || v != 0 && v != ^uint32(0) {
			continue
		}
		lut = restrict(lut, k, int(v&1))
	}
	for k, pattern := range [...]int64{0xf0, 0xcc, 0xaa} {
		if lut == pattern && plain(i.Args[1+k]) {
			return i.Args[1+k], true
		}
	}
	switch lut {
	case 0:
		return word(0), true
	case 0xff:
		return word(^uint32(0)), true
	}
	return ori.Operand{}, false
}

// restrict makes a table independent of input k, which is always v.
func restrict(lut int64, k, v int) int64 {
	out := int64(0)
	shift := 2 - k
	for n := range 8 {
		from := n&^(1<<shift) | v<<shift
		out |= lut >> from & 1 << n
	}
	return out
}

// foldShift: shifts by a constant of a constant, and shifts by nothing.
func foldShift(i *ori.Instr) (ori.Operand, bool) {
	if len(i.Args) != 4 {
		return ori.Operand{}, false
	}
	n, ok := known(i.Args[2])
	if !ok {
		return ori.Operand{}, false
	}
	switch i.Mods {
	case op.M(op.ML, op.MU32):
		if n > 31 {
			return word(0), true // of a 64-bit shift, the low word
		}
		if !isZero(i.Args[3]) {
			return ori.Operand{}, false
		}
		return shifted(i.Args[1], n, func(v uint32) uint32 {
			if n > 31 {
				return 0
			}
			return v << n
		})
	case op.M(op.MR, op.MU32, op.MHI):
		if n > 31 {
			return word(0), true
		}
		if !isZero(i.Args[1]) {
			return ori.Operand{}, false
		}
		return shifted(i.Args[3], n, func(v uint32) uint32 {
			if n > 31 {
				return 0
			}
			return v >> n
		})
	case op.M(op.MR, op.MS32, op.MHI):
		if !isZero(i.Args[1]) {
			return ori.Operand{}, false
		}
		return shifted(i.Args[3], n, func(v uint32) uint32 { return uint32(int32(v) >> min(n, 31)) })
	}
	return ori.Operand{}, false
}

func shifted(o ori.Operand, n uint32, shift func(uint32) uint32) (ori.Operand, bool) {
	if v, ok := known(o); ok {
		return word(shift(v)), true
	}
	return o, n == 0 && plain(o)
}

// foldSelect: a choice between equal values, or with a known condition.
func foldSelect(i *ori.Instr) (ori.Operand, bool) {
	if len(i.Args) != 4 || i.Mods != (op.Mods{}) {
		return ori.Operand{}, false
	}
	a, b, p := i.Args[1], i.Args[2], i.Args[3]
	v := a
	switch {
	case p.Kind == ori.KZero && p.Flags&ori.Inv != 0:
		v = b
	case p.Kind == ori.KZero, a == b:
	default:
		return ori.Operand{}, false
	}
	if w, ok := known(v); ok {
		return word(w), true
	}
	return v, plain(v)
}

// halves turns a shift of a word pair by 32 to 63 into one of the word that
// stays: the other leaves the pair, or fills up with zeros or signs.
func halves(f *ori.Func, i *ori.Instr) bool {
	if i.Op != op.SHF || len(i.Args) != 4 {
		return false
	}
	n, ok := known(i.Args[2])
	if !ok || n < 32 || n > 63 {
		return false
	}
	rz, by := ori.Zero(ori.R), word(n-32)
	var m op.Mods
	var srcs []ori.Operand
	switch i.Mods {
	case op.M(op.ML, op.MU64, op.MHI):
		m, srcs = op.M(op.ML, op.MU32), []ori.Operand{i.Args[1], by, rz}
	case op.M(op.MR, op.MU64):
		m, srcs = op.M(op.MR, op.MU32, op.MHI), []ori.Operand{rz, by, i.Args[3]}
	case op.M(op.MR, op.MS64):
		m, srcs = op.M(op.MR, op.MS32, op.MHI), []ori.Operand{rz, by, i.Args[3]}
	case op.M(op.MR, op.MS32, op.MHI):
		if !isZero(i.Args[1]) {
			return false
		}
		m, srcs = i.Mods, []ori.Operand{rz, ori.Imm(31), i.Args[3]}
	default:
		return false
	}
	i.Mods = m
	f.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), srcs)
	return true
}
