package isel

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Zeros clears pairs of neighbouring registers at once. Masked loads and
// sums start with zeros, which stand side by side where vectors are:
//
//	MOV r4 = rz              CS2R r4:r5 = SRZ
//	MOV r5 = rz
//
// It runs when registers have their places. A move of a register that was
// just cleared clears, too.
func Zeros(f *ori.Func, fits Fits) bool {
	z := &zeros{f: f, fits: fits}
	for _, b := range f.Blocks {
		z.block(b)
	}
	return f.Touched(z.changed)
}

// zeroWindow is how many instructions apart the two halves may stand.
const zeroWindow = 32

// zeros is what is known of the general registers in a block.
type zeros struct {
	f       *ori.Func
	fits    Fits
	at      int32           // instructions seen
	cleared [256]*ori.Instr // clears the register, which nobody touched since
	since   [256]int32      // when that was
	touched [256]int32      // when the register was read or written last
	zero    [256]bool       // it holds zero
	changed bool
}

func (z *zeros) block(b *ori.Block) {
	z.forget()
	for i := range b.Instrs {
		z.at++
		if i.Op.Has(op.Effect | op.Terminator) { // a call writes what it does not name
			z.forget()
			continue
		}
		p, ok := z.clears(i)
		if ok && z.pair(b, i, p) {
			continue
		}
		for _, a := range i.Args {
			z.touch(a)
		}
		for _, d := range i.Dsts() {
			z.write(d)
		}
		if ok {
			z.cleared[p], z.since[p], z.zero[p] = i, z.at, true
		}
	}
}

// forget drops what is known.
func (z *zeros) forget() {
	z.at += zeroWindow + 1
	clear(z.cleared[:])
	clear(z.zero[:])
}

// clears returns the register that i sets to zero.
func (z *zeros) clears(i *ori.Instr) (int, bool) {
	if i.Op != op.MOV || i.Mods != (op.Mods{}) || i.NDst != 1 || len(i.Args) != 2 || i.Guard.Kind != ori.KNone || !isWord(i.Args[0]) {
		return 0, false
	}
	s := i.Args[1]
	if isWord(s) && s.Flags == 0 && z.zero[z.place(s)] {
		i.Args[1] = ori.Zero(ori.R)
		z.changed = true
		s = i.Args[1]
	}
	return z.place(i.Args[0]), s.Kind == ori.KZero && s.Class == ori.R && s.Flags == 0
}

func (z *zeros) place(o ori.Operand) int { return int(z.f.Regs[o.Reg].Phys) + int(o.Sub) }

// pair joins i, which clears register p, with what cleared the other of the
// pair, and reports whether it did. The two become one where the first
// stands, or where the second does.
func (z *zeros) pair(b *ori.Block, i *ori.Instr, p int) bool {
	q := p ^ 1
	first := z.cleared[q]
	if first == nil || z.at-z.since[q] > zeroWindow {
		return false
	}
	r := z.f.NewReg(ori.R, 2)
	z.f.Regs[r].Phys = int16(p &^ 1)
	both := z.f.NewInstr(op.CS2R, op.Mods{}, []ori.Operand{z.f.Words(r)}, []ori.Operand{ori.Special(op.SRZero)})
	both.Line, both.Loc = i.Line, i.Loc
	if !z.fits(both) {
		return false
	}
	switch {
	case z.touched[q] <= z.since[q]:
		b.InsertBefore(both, i)
	case z.touched[p] < z.since[q]:
		b.InsertBefore(both, first)
	default:
		return false
	}
	first.Remove()
	i.Remove()
	z.cleared[p], z.cleared[q] = nil, nil
	z.zero[p], z.zero[q] = true, true
	z.touched[p], z.touched[q] = z.at, z.at
	z.changed = true
	return true
}

// touch notes that an operand's registers are read or written now.
func (z *zeros) touch(o ori.Operand) {
	if !o.HasReg() || z.f.Regs[o.Reg].Class != ori.R {
		return
	}
	if o.Kind == ori.KConst {
		o.Sub, o.N = 0, 1
	}
	for n := range int(max(1, o.N)) {
		if p := z.place(o) + n; p < len(z.touched) {
			z.touched[p] = z.at
		}
	}
}

// write notes that result registers hold something else.
func (z *zeros) write(o ori.Operand) {
	if o.Kind != ori.KReg || o.Class != ori.R {
		return
	}
	for n := range int(max(1, o.N)) {
		if p := z.place(o) + n; p < len(z.zero) {
			z.zero[p], z.cleared[p] = false, nil
		}
	}
}
