package regalloc_test

import (
	"math/rand/v2"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// randomProblem makes a program of random shape: loops and joins, values of
// several widths in four files, copies, guarded writes, partial writes,
// results tied in place, calls that destroy registers, fixed registers.
func randomProblem(r *rand.Rand, budget int) *regalloc.Problem {
	p := &regalloc.Problem{Files: []regalloc.File{
		{Name: "P", Size: 7, Budget: 7, SpillTo: 2},
		{Name: "UR", Size: 63, Budget: 2 + r.IntN(62), SpillTo: 2},
		{Name: "R", Size: 255, Budget: budget, SpillTo: regalloc.Memory, Banks: 2},
	}}
	if r.IntN(4) == 0 {
		p.Files[2].Taken = []int{1}
	}
	if r.IntN(2) == 0 {
		p.Files[1].Steps, p.Files[2].Steps = []int{32, 63}, []int{16, 30, 62, 126}
	}
	nv := 4 + r.IntN(60)
	wide := 0
	for range nv {
		v := regalloc.VReg{Class: 2, Width: 1, Align: 1, Fixed: -1, Remat: -1}
		switch k := r.IntN(20); {
		case k < 3:
			v.Class = 0
		case k < 6:
			v.Class = 1
		case k < 10 && budget >= 8:
			v.Width, v.Align = 2, 2
		case k < 11 && budget >= 24:
			v.Width, v.Align = 4, 4
		case k < 12 && budget >= 32:
			v.Width = 3
		case k == 12 && budget >= 64 && wide < 2:
			wide++
			v.Width, v.Align = uint8(8<<r.IntN(2)), 8
			if budget == 255 {
				v.Width = uint8(16 << r.IntN(4)) // an accumulator of a matrix product
			}
		}
		p.VRegs = append(p.VRegs, v)
	}
	blocks := 1 + r.IntN(9)
	p.Loops = []int32{0}
	for l := range r.IntN(4) {
		p.Loops = append(p.Loops, int32(r.IntN(l+1)))
	}
	for b := range blocks {
		blk := regalloc.Block{First: int32(len(p.Insts)), Loop: int32(r.IntN(len(p.Loops)))}
		for l := blk.Loop; l != 0; l = p.Loops[l] {
			blk.Depth++
		}
		for range r.IntN(14) {
			randomInst(r, p, budget)
		}
		if r.IntN(6) == 0 { // a call that returns to the next block
			i := regalloc.Inst{First: int32(len(p.Ops))}
			if budget >= 16 {
				i.Clobbers = []regalloc.Clobber{{Class: 0, Lo: 0, Hi: 7}, {Class: 2, Lo: 0, Hi: int16(budget / 4)}}
			}
			p.Insts = append(p.Insts, i)
			blk.Closed = true
		} else {
			p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), Last: true})
		}
		blk.N = int32(len(p.Insts)) - blk.First
		if b+1 < blocks {
			blk.Succs = append(blk.Succs, int32(b+1))
		}
		if r.IntN(2) == 0 {
			blk.Succs = append(blk.Succs, int32(r.IntN(blocks)))
		}
		p.Blocks = append(p.Blocks, blk)
	}
	writes := make([]int, len(p.VRegs))
	for _, o := range p.Ops {
		if o.Role.Writes() {
			writes[o.V]++
		}
	}
	for v := range p.VRegs { // another value cannot be made again by the first one's instruction
		if writes[v] > 1 {
			p.VRegs[v].Remat = -1
		}
	}
	return p
}

func randomInst(r *rand.Rand, p *regalloc.Problem, budget int) {
	i := regalloc.Inst{First: int32(len(p.Ops))}
	if r.IntN(3) == 0 {
		i.Late, i.Queue, i.Behind = uint8(r.IntN(8)), 1<<r.IntN(3), uint8(r.IntN(8))
	}
	pick := func() int32 { return int32(r.IntN(len(p.VRegs))) }
	add := func(v int32, role regalloc.Role) {
		w := p.VRegs[v].Width
		o := regalloc.Operand{V: v, N: w, Role: role}
		if w > 1 && r.IntN(3) == 0 {
			o.Sub = uint8(r.IntN(int(w)))
			o.N = 1
		}
		p.Ops = append(p.Ops, o)
	}
	switch k := r.IntN(20); {
	case k < 4: // copy
		a := pick()
		for range 8 {
			b := pick()
			if p.VRegs[a].Class == p.VRegs[b].Class && p.VRegs[a].Width == p.VRegs[b].Width && a != b {
				w := p.VRegs[a].Width
				i.Kind = regalloc.Move
				p.Ops = append(p.Ops, regalloc.Operand{V: a, Sub: 0, N: w, Role: regalloc.Def}, regalloc.Operand{V: b, Sub: 0, N: w, Role: regalloc.Use})
				break
			}
		}
	case k == 4 && budget >= 16: // call
		i.Clobbers = []regalloc.Clobber{{Class: 2, Lo: 0, Hi: int16(budget / 4)}}
	case k == 5 || k == 6: // a value that can be made again, from others or from nothing
		v := regalloc.VReg{Class: uint8(2 * r.IntN(2)), Width: 1, Align: 1, Fixed: -1, Remat: int32(len(p.Insts))}
		p.VRegs = append(p.VRegs, v)
		p.Ops = append(p.Ops, regalloc.Operand{V: int32(len(p.VRegs) - 1), Sub: 0, N: 1, Role: regalloc.Def})
		i.Constant = k == 5
		for range r.IntN(3) {
			if u := pick(); k == 6 && u != int32(len(p.VRegs)-1) && p.VRegs[u].Class > 0 && p.VRegs[u].Width <= 2 {
				add(u, regalloc.Use)
			}
		}
	case k == 7: // a constant in some words
		v := pick()
		add(v, regalloc.Def)
		i.Constant = true
	default:
		v := pick()
		role := []regalloc.Role{regalloc.Def, regalloc.Def, regalloc.Def, regalloc.DefMay, regalloc.UseDef, regalloc.DefEarly}[r.IntN(6)]
		add(v, role)
		for range r.IntN(4) {
			u := pick()
			if u == v || p.VRegs[u].Width >= 4 {
				continue
			}
			add(u, []regalloc.Role{regalloc.Use, regalloc.Use, regalloc.Use, regalloc.UseLate}[r.IntN(4)])
		}
	}
	i.N = int32(len(p.Ops)) - i.First
	p.Insts = append(p.Insts, i)
}
