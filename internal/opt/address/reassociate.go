package address

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Reassociate collects, in SSA form, the constants of 64-bit sums that become
// addresses: of (x + 64) + y and (x + 128) + y what is shared is x + y, and the
// rest is an offset of the access. Turns of a loop that were written out leave
// such sums.
//
//	a = x + 64;  s = a + y;  load [s]        t = x + y;  load [t+64]
//	b = x + 128; r = b + y;  load [r]                    load [t+128]
func Reassociate(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	r := &reassociator{Combiner: &opt.Combiner{F: f, V: opt.ValuesOf(f)}}
	if !r.collect() {
		return false
	}
	changed := false
	for n := range r.sums {
		if r.apply(n) {
			changed = true
		}
	}
	return f.Touched(changed)
}

// wide is a 64-bit value as an instruction reads it.
type wide [2]ori.Operand

// sum is a 64-bit sum of values without constants, and a constant.
type sum struct {
	lo, up *ori.Instr
	a, b   wide
	k      uint64
	of     ori.Reg // of a sum with a constant: what it is added to
	first  int     // number of the first sum of the same values
}

// reassociator finds sums of the same values.
type reassociator struct {
	*opt.Combiner
	dom       *flow.Dom
	from      map[ori.Reg]sum // sums with a constant: the other is in a
	sums      []sum
	addresses map[ori.Reg]bool
}

// collect lists the sums in the order in which they dominate each other, and
// reports whether there is something to do.
func (r *reassociator) collect() bool {
	found := false
	byKey := map[[2]wide]int{}
	for _, b := range flow.DomOf(r.F).Order.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op != op.IADD3 || i.Mods != op.M(op.MX) {
				continue
			}
			lo, up, ok := r.Sum64(i)
			if !ok || lo.Block() != b || lo.Args[2].Flags|lo.Args[3].Flags|up.Args[1].Flags|up.Args[2].Flags != 0 {
				continue
			}
			s := sum{lo: lo, up: up, a: wide{lo.Args[2], up.Args[1]}, b: wide{lo.Args[3], up.Args[2]}}
			if !r.isValue(s.a) || !r.isValue(s.b) || r.isConstant(&s) {
				continue
			}
			s.k = r.strip(&s.a) + r.strip(&s.b)
			at, known := byKey[[2]wide{s.a, s.b}]
			if !known {
				at, known = byKey[[2]wide{s.b, s.a}]
			}
			s.first = len(r.sums)
			if known {
				s.first = at
				found = true
			} else {
				byKey[[2]wide{s.a, s.b}] = s.first
			}
			r.sums = append(r.sums, s)
		}
	}
	return found
}

// isConstant notes a sum of a value and a constant.
func (r *reassociator) isConstant(s *sum) bool {
	for _, x := range [...][2]wide{{s.a, s.b}, {s.b, s.a}} {
		l, ok0 := opt.ConstantOf(x[1][0])
		h, ok1 := opt.ConstantOf(x[1][1])
		if !ok0 || !ok1 || x[0][0].Kind != ori.KReg || x[0][0].Class != ori.R {
			continue
		}
		c := sum{lo: s.lo, up: s.up, a: x[0], of: x[0][0].Reg, k: uint64(h)<<32 | uint64(l)}
		c.k += r.strip(&c.a)
		if r.from == nil {
			r.from = map[ori.Reg]sum{}
		}
		if s.lo.Args[0].Sub == 0 {
			r.from[s.lo.Args[0].Reg] = c
		}
		return true
	}
	return false
}

// isValue reports whether the words of x are the same wherever they are read.
func (r *reassociator) isValue(x wide) bool {
	return (!x[0].HasReg() || r.V.Stable(x[0])) && (!x[1].HasReg() || r.V.Stable(x[1]))
}

// strip takes the constant out of a value, and returns it.
func (r *reassociator) strip(x *wide) uint64 {
	if !opt.IsPair(x[0], x[1]) || x[0].Sub != 0 {
		return 0
	}
	c, ok := r.from[x[0].Reg]
	if !ok {
		return 0
	}
	*x = c.a
	return c.k
}

// apply makes sum n from the first one of the same values, which has them
// without a constant or with another one.
func (r *reassociator) apply(n int) bool {
	s := &r.sums[n]
	base := &r.sums[s.first]
	if s.first == n || !r.leadsToAddress(s) || !r.dominates(base.up, s.up) || !r.F.Should("reassociate", s.up) {
		return false
	}
	k := s.k - base.k
	if off := int64(k); off > maxOffset || off < -maxOffset-1 {
		return false
	}
	d := base.lo.Args[0]
	hi := d
	hi.Sub++
	r.F.SetArgs(s.lo, append([]ori.Operand(nil), s.lo.Dsts()...), []ori.Operand{d, opt.Word(uint32(k)), ori.Zero(ori.R)})
	srcs := append([]ori.Operand(nil), s.up.Srcs()...)
	srcs[0], srcs[1] = hi, opt.Word(uint32(k>>32))
	r.F.SetArgs(s.up, append([]ori.Operand(nil), s.up.Dsts()...), srcs)
	return true
}

// dominates reports whether i comes before j on every way to it.
func (r *reassociator) dominates(i, j *ori.Instr) bool {
	if r.dom == nil {
		r.dom = flow.DomOf(r.F)
	}
	if i.Block() != j.Block() {
		return r.dom.Dominates(i.Block(), j.Block())
	}
	return true // they were found in their order
}

// leadsToAddress reports whether a sum, or it and a constant, is an address.
func (r *reassociator) leadsToAddress(s *sum) bool {
	if r.addresses == nil {
		r.addresses = map[ori.Reg]bool{}
		for _, b := range r.F.Blocks {
			for i := b.First(); i != nil; i = i.Next() {
				for k := int(i.NDst); k < len(i.Args); k++ {
					if a := &i.Args[k]; a.Kind == ori.KAddr && a.N == 2 && a.HasReg() {
						r.mark(a.Reg)
					}
				}
			}
		}
	}
	return r.addresses[s.lo.Args[0].Reg]
}

// mark notes that a register is an address, and what it is with a constant
// less.
func (r *reassociator) mark(at ori.Reg) {
	for !r.addresses[at] {
		r.addresses[at] = true
		c, ok := r.from[at]
		if !ok {
			return
		}
		at = c.of
	}
}
