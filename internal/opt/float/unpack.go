package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UnpackHalves lets conversions from two floats of eight bits read them where they are:
// the machine takes the low or the high half of a word.
//
//	PRMT y = x, 0x7732, rz               F2FP.F16.E4M3.UNPACK_B d = x.H1
//	F2FP.F16.E4M3.UNPACK_B d = y
//
// Of floats of four bits it takes any byte. Conversions of one float of 16 bits take
// a half as well (F2F.BF16.F16 d = x.H1).
//
// fits tells whether an instruction has a form.
func UnpackHalves(f *ori.Func, fits func(*ori.Instr) bool) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.NDst != 1 || len(i.Args) != 2 || !(i.Op == op.F2FP && i.Mods.Has(op.MUNPACK_B) || readsHalf(i, fits)) {
				continue
			}
			cut := halfOf
			if i.Mods.Has(op.ME2M1) {
				cut = byteOf
			}
			changed = unpack(v, i, cut, fits) || changed
		}
	}
	return f.Touched(changed)
}

// readsHalf reports whether i converts one float of 16 bits: the machine lets it
// take the high half of a word.
func readsHalf(i *ori.Instr, fits func(*ori.Instr) bool) bool {
	if i.Op != op.F2F && i.Op != op.F2I || !opt.Plain(i.Args[1]) {
		return false
	}
	i.Args[1].Flags |= ori.H1
	ok := fits(i)
	i.Args[1].Flags &^= ori.H1
	return ok
}

// unpack looks through what cuts out what conversion i reads, which cut tells.
func unpack(v *opt.Values, i *ori.Instr, cut func(*ori.Instr) (ori.Operand, bool), fits func(*ori.Instr) bool) bool {
	y := i.Args[1]
	if !opt.Plain(y) {
		return false
	}
	x, ok := cut(v.Once(y))
	if !ok || !v.Stable(x) {
		return false
	}
	v.Count(i, -1)
	i.Args[1] = x
	if !fits(i) {
		i.Args[1] = y
		ok = false
	}
	v.Count(i, 1)
	return ok
}

// halfOf returns the half of a word that j gives in its low half.
func halfOf(j *ori.Instr) (ori.Operand, bool) {
	if j == nil || j.Guard.Kind != ori.KNone || j.NDst != 1 || len(j.Args) < 4 || !opt.Plain(j.Args[1]) {
		return ori.Operand{}, false
	}
	low, high := j.Args[1], j.Args[1]
	high.Flags |= ori.H1
	by := j.Args[2]
	switch {
	case by.Kind != ori.KImm || !opt.IsZero(j.Args[3]):
	case j.Op == op.PRMT && by.Imm&0xff == 0x10:
		return low, true
	case j.Op == op.PRMT && by.Imm&0xff == 0x32:
		return high, true
	case opt.IsLogic(j) && by.Imm == 0xffff && j.Args[4].Imm&0xff == 0xc0:
		return low, true
	}
	return ori.Operand{}, false
}

// byteOf returns the byte of a word that j gives in its low byte.
func byteOf(j *ori.Instr) (ori.Operand, bool) {
	if j == nil || j.Guard.Kind != ori.KNone || j.NDst != 1 || len(j.Args) < 4 || j.Args[2].Kind != ori.KImm {
		return ori.Operand{}, false
	}
	by := j.Args[2].Imm
	from, n := 0, int64(0)
	switch {
	case j.Op == op.PRMT && by&15 < 8:
		from, n = 1+2*int(by>>2&1), by&3
	case j.Op == op.SHF && j.Mods == op.M(op.MR, op.MU32, op.MHI) && by&7 == 0 && by < 32:
		from, n = 3, by>>3
	default:
		return ori.Operand{}, false
	}
	x := j.Args[from]
	x.Flags |= [...]ori.Flags{0, ori.B1, ori.H1, ori.H1 | ori.B1}[n]
	return x, opt.Plain(j.Args[from])
}
