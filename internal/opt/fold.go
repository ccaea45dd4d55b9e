package opt

import (
	"github.com/goptxas/goptxas/internal/engine/alu"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Fold computes what is known at compile time: operations on constants, and
// operations that leave a source as it is.
func Fold(f *ori.Func) bool {
	changed := false
	v := ValuesOf(f)
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			value := folder(i.Op)
			if value == nil || i.NDst != 1 {
				continue
			}
			if m, srcs, ok := halves(i); ok {
				v.Change(i, op.SHF, m, srcs...)
				changed = true
			}
			if x, ok := value(i); ok && f.Should("fold", i) {
				o := op.MOV
				if x.Kind == ori.KReg && x.Flags == 0 {
					o = op.COPY
				}
				v.Change(i, o, op.Mods{}, x)
				changed = true
			}
		}
	}
	if changed {
		v.Keep()
	}
	return changed
}

// folder returns what finds the value of an instruction that a move would give as well.
func folder(o op.Op) func(i *ori.Instr) (ori.Operand, bool) {
	switch o {
	case op.IADD3:
		return foldAdd
	case op.IMAD:
		return foldProduct
	case op.LOP3:
		return foldLogic
	case op.SHF:
		return foldShift
	case op.SEL:
		return foldSelect
	}
	return nil
}

// FoldedConstant returns the constant that a move would give as well as i.
func FoldedConstant(i *ori.Instr) (uint32, bool) {
	if value := folder(i.Op); value != nil {
		if r, ok := value(i); ok && r.Kind != ori.KReg {
			return Known(r)
		}
	}
	return 0, false
}

// Known returns the value of a constant source, with its marks applied.
func Known(o ori.Operand) (uint32, bool) {
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

// Word is a constant operand.
func Word(v uint32) ori.Operand {
	if v == 0 {
		return ori.Zero(ori.R)
	}
	return ori.Imm32(v)
}

// Plain reports whether a move can give the value of an operand.
func Plain(o ori.Operand) bool {
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
		if v, ok := Known(s); ok {
			sum = alu.Add3(sum, v, 0)
		} else {
			reg = s
			regs++
		}
	}
	switch {
	case regs == 0:
		return Word(sum), true
	case regs == 1 && sum == 0 && Plain(reg):
		return reg, true
	}
	return ori.Operand{}, false
}

// foldProduct: constants, a factor of zero, or a factor of one and nothing
// to add.
func foldProduct(i *ori.Instr) (ori.Operand, bool) {
	if len(i.Args) != 4 {
		return ori.Operand{}, false
	}
	a, okA := Known(i.Args[1])
	b, okB := Known(i.Args[2])
	c, okC := Known(i.Args[3])
	switch {
	case i.Mods == op.M(op.MHI, op.MU32) && okA && okB && IsZero(i.Args[3]): // what is added is a pair
		return Word(uint32(uint64(a) * uint64(b) >> 32)), true
	case i.Mods == op.M(op.MHI) && okA && okB && IsZero(i.Args[3]):
		return Word(uint32(int64(int32(a)) * int64(int32(b)) >> 32)), true
	case i.Mods != (op.Mods{}):
		return ori.Operand{}, false
	case okA && okB && okC:
		return Word(alu.MulAdd(a, b, c)), true
	case (okA && a == 0 || okB && b == 0) && okC:
		return Word(c), true
	case (okA && a == 0 || okB && b == 0) && Plain(i.Args[3]):
		return i.Args[3], true
	case okA && a == 1 && okC && c == 0 && Plain(i.Args[2]):
		return i.Args[2], true
	case okB && b == 1 && okC && c == 0 && Plain(i.Args[1]):
		return i.Args[1], true
	}
	return ori.Operand{}, false
}

// foldLogic: constants, or a table that gives one input back.
func foldLogic(i *ori.Instr) (ori.Operand, bool) {
	if !IsLogic(i) {
		return ori.Operand{}, false
	}
	lut := i.Args[4].Imm & 0xff
	var val [3]uint32
	all := true
	for k := range val {
		v, ok := Known(i.Args[1+k])
		all = all && ok
		val[k] = v
	}
	if all {
		return Word(alu.Lut(uint8(lut), val[0], val[1], val[2])), true
	}
	// constants of all zeros or ones select half of the table
	for k := range val {
		v, ok := Known(i.Args[1+k])
		if !ok || v != 0 && v != ^uint32(0) {
			continue
		}
		lut = Restrict(lut, k, int(v&1))
	}
	for k, pattern := range [...]int64{0xf0, 0xcc, 0xaa} {
		if lut == pattern && Plain(i.Args[1+k]) {
			return i.Args[1+k], true
		}
	}
	switch lut {
	case 0:
		return Word(0), true
	case 0xff:
		return Word(^uint32(0)), true
	}
	return ori.Operand{}, false
}

// Restrict makes a table independent of input k, which is always v.
func Restrict(lut int64, k, v int) int64 {
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
	n, ok := Known(i.Args[2])
	if !ok {
		return ori.Operand{}, false
	}
	lo, hi := i.Args[1], i.Args[3]
	for _, r := range &funnels {
		if r.mods != i.Mods {
			continue
		}
		from, other := lo, hi
		if r.f.High {
			from, other = hi, lo
		}
		switch v, ok := Known(from); {
		case n > 31 && !r.f.Signed: // nothing of the word is left
			return Word(0), true
		case !IsZero(other):
		case ok && r.f.High:
			return Word(r.f.Shift(0, n, v)), true
		case ok:
			return Word(r.f.Shift(v, n, 0)), true
		case n == 0 && Plain(from):
			return from, true
		}
	}
	return ori.Operand{}, false
}

// funnels are the shifts of one word.
var funnels = [...]struct {
	mods op.Mods
	f    alu.Funnel
}{
	{op.Mods{op.ML, op.MU32}, alu.Funnel{}},
	{op.Mods{op.MR, op.MU32, op.MHI}, alu.Funnel{Right: true, High: true}},
	{op.Mods{op.MR, op.MS32, op.MHI}, alu.Funnel{Right: true, High: true, Signed: true}},
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
	if w, ok := Known(v); ok {
		return Word(w), true
	}
	return v, Plain(v)
}

// halves turns a shift of a word pair by 32 to 63 into one of the word that
// stays: the other leaves the pair, or fills up with zeros or signs.
func halves(i *ori.Instr) (m op.Mods, srcs []ori.Operand, ok bool) {
	if i.Op != op.SHF || len(i.Args) != 4 {
		return m, nil, false
	}
	n, ok := Known(i.Args[2])
	if !ok || n < 32 || n > 63 {
		return m, nil, false
	}
	rz, by := ori.Zero(ori.R), Word(n-32)
	switch i.Mods {
	case op.M(op.ML, op.MU64, op.MHI):
		m, srcs = op.M(op.ML, op.MU32), []ori.Operand{i.Args[1], by, rz}
	case op.M(op.MR, op.MU64):
		m, srcs = op.M(op.MR, op.MU32, op.MHI), []ori.Operand{rz, by, i.Args[3]}
	case op.M(op.MR, op.MS64):
		m, srcs = op.M(op.MR, op.MS32, op.MHI), []ori.Operand{rz, by, i.Args[3]}
	case op.M(op.MR, op.MS32, op.MHI):
		if !IsZero(i.Args[1]) {
			return m, nil, false
		}
		m, srcs = i.Mods, []ori.Operand{rz, ori.Imm(31), i.Args[3]}
	default:
		return m, nil, false
	}
	return m, srcs, true
}

func ConstantOf(o ori.Operand) (uint32, bool) {
	switch {
	case o.Kind == ori.KImm && o.Flags == 0:
		return uint32(o.Imm), true
	case IsZero(o):
		return 0, true
	}
	return 0, false
}
