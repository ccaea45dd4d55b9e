package address

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// NarrowLoads reads only the words of a wide load that somebody uses:
//
//	LDG.E.128 r9 = [r0.64+0x10]        LDG.E.64 r12 = [r0.64+0x18]
//	   (r9[2], r9[3] are read)         COPY r9[2] = r12[0]
//	                                   COPY r9[3] = r12[1]
//
// One word or an aligned pair is one load, two other words are two; three of
// four stay as they are. A load that others could see is not touched.
func NarrowLoads(f *ori.Func) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; {
			next := i.Next()
			if list := narrower(v, i); list != nil && f.Should("narrow", i) {
				narrow(f, i, list)
				changed = true
			}
			i = next
		}
	}
	return f.Touched(changed)
}

// span are words of a wide load.
type span struct{ first, words int }

// narrower returns the loads that do in place of i, or nothing.
func narrower(v *opt.Values, i *ori.Instr) []span {
	if !isPlainLoad(i) || i.Args[0].N < 2 || i.Args[0].N > 4 || !v.Stable(i.Args[0]) {
		return nil
	}
	used, w := uint(0), v.Word(&i.Args[0])
	for k := range int(i.Args[0].N) {
		if v.Words[w+int32(k)].Reads != 0 {
			used |= 1 << k
		}
	}
	low := bits.TrailingZeros(used)
	switch {
	case bits.OnesCount(used) == 1:
		return []span{{low, 1}}
	case i.Args[0].N == 4 && (used == 0b0011 || used == 0b1100):
		return []span{{low, 2}}
	case i.Args[0].N == 4 && bits.OnesCount(used) == 2:
		return []span{{low, 1}, {bits.Len(used) - 1, 1}}
	}
	return nil
}

// narrow puts narrower loads in the place of i.
func narrow(f *ori.Func, i *ori.Instr, list []span) {
	for _, s := range list {
		mods := withWidth(i.Mods, int64(4*s.words))
		srcs := append([]ori.Operand(nil), i.Srcs()...)
		srcs[len(srcs)-1].Imm += int64(4 * s.first)
		r := f.NewReg(ori.R, s.words)
		part := f.NewInstr(i.Op, mods, []ori.Operand{f.Words(r)}, srcs)
		part.Line, part.Loc = i.Line, i.Loc
		i.Block().InsertBefore(part, i)
		for k := range s.words {
			d := i.Args[0]
			d.Sub, d.N = d.Sub+uint8(s.first+k), 1
			c := f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{f.Word(r, k)})
			c.Line, c.Loc = i.Line, i.Loc
			i.Block().InsertBefore(c, i)
		}
	}
	i.Remove()
}
