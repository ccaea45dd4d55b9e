package scoreboard

import (
	"math/rand/v2"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// maker makes random functions with physical registers.
type maker struct {
	r    *rand.Rand
	m    *ori.Module
	f    *ori.Func
	regs [ori.NumClasses][5][]ori.Reg // by class and width
}

// wordsUsed keeps the register files small, so that instructions collide.
var wordsUsed = [ori.NumClasses]int{ori.R: 24, ori.UR: 8, ori.P: 4, ori.UP: 3, ori.B: 2}

func newMaker(seed uint64) *maker {
	m := &maker{r: rand.New(rand.NewPCG(seed, 7)), m: &ori.Module{}}
	m.f = m.m.NewFunc("random")
	for c := range ori.NumClasses {
		for _, w := range []int{1, 2, 4} {
			if w > 1 && c != ori.R && c != ori.UR {
				continue
			}
			for p := 0; p+w <= wordsUsed[c]; p += w {
				r := m.f.NewReg(c, w)
				m.f.Regs[r].Phys = int16(p)
				m.regs[c][w] = append(m.regs[c][w], r)
			}
		}
	}
	return m
}

func (m *maker) reg(c ori.Class, w int) ori.Operand {
	l := m.regs[c][w]
	return m.f.Words(l[m.r.IntN(len(l))])
}

// recipe is one kind of instruction: a letter and a width for each operand.
// r R, u UR, p P, q UP, a address, d descriptor, i immediate, c indexed
// constant.
type recipe struct {
	op   op.Op
	mods op.Mods
	dsts string
	srcs string
}

var recipes = []recipe{
	{op.IADD3, op.Mods{}, "r1", "r1r1r1"},
	{op.IADD3, op.Mods{}, "r1p1", "r1r1r1"},
	{op.LOP3, op.M(op.MLUT), "r1", "r1r1r1i1"},
	{op.MOV, op.Mods{}, "r1", "r1"},
	{op.MOV, op.Mods{}, "r1", "u1"},
	{op.SEL, op.Mods{}, "r1", "r1r1p1"},
	{op.ISETP, op.M(op.MGE, op.MAND), "p1", "r1r1p1"},
	{op.FFMA, op.Mods{}, "r1", "r1r1r1"},
	{op.FADD, op.Mods{}, "r1", "r1r1"},
	{op.IMAD, op.Mods{}, "r1", "r1r1r1"},
	{op.IMAD, op.M(op.MHI), "r1", "r1r1r1"},
	{op.IMAD, op.M(op.MWIDE), "r2", "r1r1r2"},
	{op.IMAD, op.M(op.MX), "r1", "r1r1r1p1"},
	{op.HADD2, op.Mods{}, "r1", "r1r1"},
	{op.HADD2, op.M(op.MF32), "r1", "r1r1"},
	{op.DFMA, op.Mods{}, "r2", "r2r2r2"},
	{op.DSETP, op.M(op.MGE, op.MAND), "p1", "r2r2p1"},
	{op.HMMA, op.M(op.M16816, op.MF32), "r4", "r4r2r4"},
	{op.HMMA, op.M(op.M1688, op.MF32), "r4", "r2r1r4"},
	{op.MUFU, op.M(op.MRCP), "r1", "r1"},
	{op.MUFU, op.M(op.MRCP64H), "r1", "r1"},
	{op.F2F, op.M(op.MF64, op.MF32), "r2", "r1"},
	{op.POPC, op.Mods{}, "r1", "r1"},
	{op.LDG, op.M(op.ME), "r1", "d2a2"},
	{op.LDG, op.M(op.ME, op.M128), "r4", "d2a2"},
	{op.STG, op.M(op.ME), "", "d2a2r1"},
	{op.STG, op.M(op.ME, op.M64), "", "d2a2r2"},
	{op.LDS, op.Mods{}, "r1", "a1"},
	{op.LDS, op.M(op.M64), "r2", "a1"},
	{op.STS, op.Mods{}, "", "a1r1"},
	{op.ATOMG, op.M(op.ME, op.MADD), "r1", "d2a2r1"},
	{op.SHFL, op.M(op.MBFLY), "p1r1", "r1r1r1"},
	{op.LDC, op.Mods{}, "r1", "c1"},
	{op.S2R, op.Mods{}, "r1", ""},
	{op.S2UR, op.Mods{}, "u1", ""},
	{op.CS2R, op.Mods{}, "r2", ""},
	{op.VOTE, op.M(op.MANY), "r1", "p1"},
	{op.ULDC, op.Mods{}, "u1", ""},
	{op.ULDC, op.M(op.M64), "u2", ""},
	{op.UMOV, op.Mods{}, "u1", "u1"},
	{op.UIADD3, op.Mods{}, "u1", "u1u1u1"},
	{op.UISETP, op.M(op.MGE, op.MAND), "q1", "u1u1"},
	{op.UIMAD, op.M(op.MWIDE), "u2", "u1u1u2"},
	{op.R2UR, op.Mods{}, "u1", "r1"},
	{op.REDUX, op.Mods{}, "u1", "r1"},
	{op.BMOV, op.Mods{}, "r1", "b1"},
	{op.BMOV, op.Mods{}, "b1", "r1"},
	{op.BAR, op.M(op.MSYNC), "", "i1"},
	{op.MEMBAR, op.M(op.MSC, op.MCTA), "", ""},
	{op.NOP, op.Mods{}, "", ""},
}

func (m *maker) operands(spec string) []ori.Operand {
	var list []ori.Operand
	for ; spec != ""; spec = spec[2:] {
		w := int(spec[1] - '0')
		switch spec[0] {
		case 'r':
			list = append(list, m.reg(ori.R, w))
		case 'u':
			list = append(list, m.reg(ori.UR, w))
		case 'p':
			list = append(list, m.reg(ori.P, w))
		case 'q':
			list = append(list, m.reg(ori.UP, w))
		case 'b':
			list = append(list, m.reg(ori.B, w))
		case 'a':
			list = append(list, ori.Addr(m.reg(ori.R, w), 16))
		case 'd':
			d := m.reg(ori.UR, w)
			d.Kind = ori.KDesc
			list = append(list, d)
		case 'i':
			list = append(list, ori.Imm(0))
		case 'c':
			c := ori.Const(0, 16)
			c.Reg, c.Class = m.reg(ori.R, 1).Reg, ori.R
			list = append(list, c)
		}
	}
	return list
}

// instr makes a random instruction.
func (m *maker) instr() *ori.Instr {
	x := recipes[m.r.IntN(len(recipes))]
	i := m.f.NewInstr(x.op, x.mods, m.operands(x.dsts), m.operands(x.srcs))
	if m.r.IntN(6) == 0 && !x.op.Has(op.Uniform) {
		i.Guard = m.reg(ori.P, 1)
	}
	return i
}

// function makes a function of some blocks: straight lines, branches
// forward and loops.
func (m *maker) function(blocks, length int) *ori.Func {
	f := m.f
	for range blocks {
		f.NewBlock()
	}
	for n, b := range f.Blocks {
		for range m.r.IntN(length + 1) {
			b.Append(m.instr())
		}
		if n == blocks-1 {
			b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
			continue
		}
		if m.r.IntN(3) > 0 {
			t := f.Blocks[m.r.IntN(blocks)]
			j := f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(t)})
			j.Guard = m.reg(ori.P, 1)
			b.Append(j)
			b.AddEdge(t)
		}
		b.AddEdge(f.Blocks[n+1])
	}
	return f
}
