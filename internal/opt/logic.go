package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// logicOfLogic joins two three-input logic operations that together look
// at no more than three values.
func (c *Combiner) logicOfLogic(i *ori.Instr) bool {
	if !IsLogic(i) {
		return false
	}
	for n := 1; n <= 3; n++ {
		if i.Args[n].Flags != 0 {
			continue
		}
		j := c.inner(i, i.Args[n], op.LOP3)
		if j == nil || !IsLogic(j) {
			continue
		}
		ins, ok := inputs(i, j, n)
		if !ok {
			continue
		}
		lut := int64(0)
		for bit := range 8 {
			val := func(o ori.Operand) int {
				if IsZero(o) {
					return 0
				}
				for k, x := range ins {
					if x == o {
						return bit >> (2 - k) & 1
					}
				}
				return 0
			}
			in := pick(j.Args[4].Imm, val(j.Args[1]), val(j.Args[2]), val(j.Args[3]))
			v := [3]int{}
			for k := 1; k <= 3; k++ {
				v[k-1] = val(i.Args[k])
				if k == n {
					v[k-1] = in
				}
			}
			lut |= int64(pick(i.Args[4].Imm, v[0], v[1], v[2])) << bit
		}
		for len(ins) < 3 {
			ins = append(ins, ori.Zero(ori.R))
		}
		c.Rewrite(i, op.LOP3, i.Mods, append(ins, ori.Imm(lut)), j)
		return true
	}
	return false
}

// IsLogic reports whether i is a LOP3 with a plain result.
func IsLogic(i *ori.Instr) bool {
	return i.Op == op.LOP3 && i.NDst == 1 && len(i.Args) == 5 && i.Args[4].Kind == ori.KImm && i.Args[0].Class == ori.R
}

// pick returns the entry of a truth table for three inputs; the first is
// the most significant.
func pick(lut int64, a, b, c int) int { return int(lut>>(a<<2|b<<1|c)) & 1 }

// inputs lists the distinct values that i and j look at, j standing for
// source n of i. At most one may be no register.
func inputs(i, j *ori.Instr, n int) ([]ori.Operand, bool) {
	var list []ori.Operand
	others := 0
	add := func(o ori.Operand) bool {
		if IsZero(o) {
			return true
		}
		if o.Flags != 0 {
			return false
		}
		for _, x := range list {
			if x == o {
				return true
			}
		}
		if o.Kind != ori.KReg {
			others++
		}
		list = append(list, o)
		return len(list) <= 3 && others <= 1
	}
	for k := 1; k <= 3; k++ {
		if k != n && !add(i.Args[k]) || !add(j.Args[k]) {
			return nil, false
		}
	}
	// the machine takes an immediate as its second input
	for k := range list {
		if list[k].Kind != ori.KReg && k != 1 && len(list) > 1 {
			list[k], list[1] = list[1], list[k]
		}
	}
	return list, true
}
