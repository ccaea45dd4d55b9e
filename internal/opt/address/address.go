package address

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// AddressFold folds a constant added to an address register, or to the index
// of a constant bank, into the offset of the access.
func AddressFold(f *ori.Func) bool {
	c := &opt.Combiner{F: f, V: opt.ValuesOf(f)}
	s := &scatterer{c, opt.NewKnowledge(f, c.V)}
	var reads []read
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !f.Should("address", i) {
				continue
			}
			for k := range i.Args {
				if i.Args[k].Kind == ori.KConst && i.Args[k].Reg != ori.NoReg && i.Args[k].Class == ori.R {
					if n, ok := bankBase(c, i.Args[k]); ok {
						reads = append(reads, read{i.Args[k], n})
						i.Args[k] = n
					}
					continue
				}
				for i.Args[k].Kind == ori.KAddr && i.Args[k].Reg != ori.NoReg && i.Args[k].Class == ori.R {
					n, ok := base(c, i.Op, i.Args[k])
					if !ok {
						n, ok = s.scattered(i.Args[k])
					}
					if !ok || !reaches(i, n) {
						break
					}
					reads = append(reads, read{i.Args[k], n})
					i.Args[k] = n
				}
			}
		}
	}
	if f.Touched(len(reads) > 0) {
		count(c.V, reads)
	}
	return len(reads) > 0
}

// read is an operand and what is read instead.
type read struct{ was, is ori.Operand }

// count keeps values true, now that nobody asks how often something was read, if what is
// read instead is one value: it is written before what was.
func count(v *opt.Values, reads []read) {
	stable := true
	for k := range reads {
		x := &reads[k]
		v.CountRead(&x.was, -1)
		v.CountRead(&x.is, 1)
		stable = stable && v.Stable(x.is)
	}
	if stable {
		v.Keep()
	}
}

// maxOffset is the largest offset of an access: 24 bits, signed.
const maxOffset = 1<<23 - 1

// wideBytes are those of an access of 256 bits, whose offset counts such
// pieces: 17 bits of them, signed.
const wideBytes = 32

// reaches tells whether an address has its offset in reach.
func reaches(i *ori.Instr, a ori.Operand) bool {
	reach := reachOf(i.Op, a.N)
	if i.Mods.Has(op.M256) {
		if a.Imm%wideBytes != 0 {
			return false
		}
		reach = wideBytes<<16 - 1
	}
	return a.Imm <= reach && a.Imm >= -reach-1
}

// reachOf returns the largest offset of an address of n words. An
// asynchronous copy has two, of 20 bits in shared and 12 in global memory.
func reachOf(o op.Op, n uint8) int64 {
	switch {
	case o == op.LDGSTS && n == 2:
		return 1<<11 - 1
	case o == op.LDGSTS:
		return 1<<19 - 1
	}
	return maxOffset
}

// base returns the address of an access o with one addition of a constant less.
func base(c *opt.Combiner, o op.Op, a ori.Operand) (ori.Operand, bool) {
	var from ori.Operand
	var k int64
	if a.N == 2 {
		hi := a
		hi.Kind, hi.Sub, hi.N, hi.Flags = ori.KReg, a.Sub+1, 1, 0
		j := c.V.Once(hi)
		if j == nil {
			return a, false
		}
		lo, up, ok := c.Sum64(j)
		if !ok {
			// the carry may be read once only here, so sum64 is exact
			return a, false
		}
		if lo.Args[0].Reg != a.Reg || lo.Args[0].Sub != a.Sub {
			return a, false
		}
		x0, x1, y0, y1 := lo.Args[2], up.Args[1], lo.Args[3], up.Args[2]
		if x0.Kind != ori.KReg {
			x0, x1, y0, y1 = y0, y1, x0, x1
		}
		lw, ok0 := opt.ConstantOf(y0)
		hw, ok1 := opt.ConstantOf(y1)
		if !opt.IsPair(x0, x1) || !ok0 || !ok1 {
			return a, false
		}
		from, k = x0, int64(uint64(hw)<<32|uint64(lw))
	} else {
		r := a
		r.Kind, r.Flags = ori.KReg, 0
		j := c.V.Once(r)
		if j == nil || !opt.IsAdd(j) || j.Guard.Kind != ori.KNone || j.Args[0].Sub != a.Sub {
			return a, false
		}
		x, y := j.Args[1], j.Args[2]
		if x.Kind != ori.KReg {
			x, y = y, x
		}
		w, ok := opt.ConstantOf(y)
		if !ok || x.Kind != ori.KReg || x.Flags != 0 || x.Class != ori.R {
			return a, false
		}
		from, k = x, int64(int32(w))
	}
	off := a.Imm + k
	if !c.V.Stable(pairOf(from, a.N)) || off > maxOffset || off < -maxOffset-1 {
		return a, false
	}
	if a.N == 1 && off < 0 && !isSmall(o) { // 32-bit spaces: keep the sum where it cannot wrap
		return a, false
	}
	a.Reg, a.Sub, a.Imm = from.Reg, from.Sub, off
	return a, true
}

// isSmall reports whether an access is to memory that is small and begins at zero: a
// register from which less leads to some place there holds no more than that
// place and the distance, so no sum wraps.
func isSmall(o op.Op) bool { return o == op.LDS || o == op.STS || o == op.LDL || o == op.STL }

func pairOf(o ori.Operand, n uint8) ori.Operand {
	o.N = n
	return o
}
