package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// widened is a 64-bit value that is a word, extended and shifted left.
type widened struct {
	word   ori.Operand
	high   ori.Operand // the word above it before the shift, where nothing better is known
	shift  int64
	signed bool
	plain  bool // high is the extension of word
}

// extended: a word, extended to 64 bits and shifted, plus a 64-bit value.
// With a known extension that is one multiply-add, else a pair of shifted
// additions:
//
//	SHF.L.U32    t[0] = a[0], k, rz         LEA      d[0], p = a[0], x[0], k
//	SHF.L.U64.HI t[1] = a[0], k, a[1]       LEA.HI.X d[1] = a[0], x[1], a[1], k, p
//	IADD3   d[0], p = x[0], t[0], rz
//	IADD3.X d[1]    = x[1], t[1], rz, p, !pt
func (c *Combiner) extended(i *ori.Instr) bool {
	lo, hi, ok := c.Sum64(i)
	if !ok || !c.Undisturbed(lo, hi) {
		return false
	}
	for _, k := range [...]int{2, 3} {
		x0, x1 := lo.Args[5-k], hi.Args[4-k]
		w, ok := c.widenedOf(lo.Args[k], hi.Args[k-1])
		if !ok || !IsPair(x0, x1) || !c.V.Stable(Join(x0)) {
			continue
		}
		if w.plain {
			c.multiplyAdd(lo, hi, w, Join(x0))
		} else {
			c.shiftAdd(lo, hi, w, x0, x1)
		}
		return true
	}
	return false
}

// multiplyAdd makes the sum one product plus x.
func (c *Combiner) multiplyAdd(lo, hi *ori.Instr, w widened, x ori.Operand) {
	m := op.M(op.MWIDE)
	if !w.signed {
		m = op.M(op.MWIDE, op.MU32)
	}
	d := Join(lo.Args[0])
	c.V.Count(hi, -1)
	hi.Op, hi.Mods = op.IMAD, m
	c.F.SetArgs(hi, []ori.Operand{d}, []ori.Operand{w.word, ori.Imm32(1 << w.shift), x})
	c.V.Count(hi, 1)
	c.V.Remove(lo)
}

// shiftAdd makes the sum two shifted additions.
func (c *Combiner) shiftAdd(lo, hi *ori.Instr, w widened, x0, x1 ori.Operand) {
	p := hi.Args[4]
	c.Rewrite(lo, op.LEA, op.Mods{}, []ori.Operand{w.word, x0, ori.Imm(w.shift)})
	c.Rewrite(hi, op.LEA, op.M(op.MHI, op.MX), []ori.Operand{w.word, x1, w.high, ori.Imm(w.shift), p})
}

// Undisturbed reports whether nobody reads the low word of a sum before the
// high one is there.
func (c *Combiner) Undisturbed(lo, hi *ori.Instr) bool {
	d := lo.Args[0]
	n := 0
	for j := lo.Next(); j != hi; j = j.Next() {
		if n++; j == nil || n > MaxChain {
			return false
		}
		for _, a := range j.Args {
			if a.HasReg() && a.Reg == d.Reg {
				return false
			}
		}
	}
	return true
}

// maxFactor bounds the shift a signed factor can stand for.
const maxFactor = 30

// widenedOf recognises the words of an extended and shifted word.
func (c *Combiner) widenedOf(low, high ori.Operand) (widened, bool) {
	if !Plain(low) || !c.V.Stable(low) {
		return widened{}, false
	}
	if signed, ok := c.extends(low, high); ok {
		return widened{word: low, signed: signed, plain: true}, true
	}
	l, h := c.shiftOf(low, op.M(op.ML, op.MU32)), c.shiftOf(high, op.M(op.ML, op.MU64, op.MHI))
	if l == nil || h == nil || !IsZero(l.Args[3]) || l.Args[1] != h.Args[1] || l.Args[2] != h.Args[2] || !Plain(l.Args[1]) || !c.V.Stable(l.Args[1]) {
		return widened{}, false
	}
	k := l.Args[2]
	if k.Kind != ori.KImm || k.Imm < 1 || k.Imm > maxFactor {
		return widened{}, false
	}
	w := widened{word: l.Args[1], high: h.Args[3], shift: k.Imm}
	if signed, ok := c.extends(w.word, w.high); ok {
		w.signed, w.plain = signed, true
		return w, true
	}
	// two for two pays only if the shifts go
	ok := Plain(w.high) && c.V.Stable(w.high) && c.V.ReadsOf(low) == 1 && c.V.ReadsOf(high) == 1
	return w, ok
}

// shiftOf returns the unguarded shift with given modifiers that makes a.
func (c *Combiner) shiftOf(a ori.Operand, m op.Mods) *ori.Instr {
	if !Plain(a) {
		return nil
	}
	j := c.V.Once(a)
	if j == nil || j.Op != op.SHF || j.Mods != m || j.NDst != 1 || len(j.Args) != 4 || j.Guard.Kind != ori.KNone {
		return nil
	}
	return j
}

// extends reports whether high is the extension of low, and of which kind.
func (c *Combiner) extends(low, high ori.Operand) (signed, ok bool) {
	if high.Kind == ori.KZero && high.Flags == 0 {
		return false, true
	}
	j := c.shiftOf(high, op.M(op.MR, op.MS32, op.MHI))
	if j == nil || !IsZero(j.Args[1]) || !j.Args[2].Is(31) || j.Args[3] != low {
		return false, false
	}
	return true, true
}
