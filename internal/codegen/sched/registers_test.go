package sched

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// streams makes a loop whose body loads n pairs from memory, one beside the
// other in the source, and stores the sum of each to shared memory.
func streams(n int) (*ori.Func, *ori.Block) {
	m := &ori.Module{}
	f := m.NewFunc("streams")
	f.Kernel = true
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	top, body, end := f.NewBlock(), f.NewBlock(), f.NewBlock()
	top.AddEdge(body)
	body.AddEdge(body)
	body.AddEdge(end)
	desc, base, at, p := f.NewReg(ori.UR, 2), f.NewReg(ori.R, 2), f.NewReg(ori.R, 1), f.NewReg(ori.P, 1)
	top.Append(f.NewInstr(op.ULDC, op.M(op.M64), ops(f.Words(desc)), ops(ori.Const(0, 0x208))))
	top.Append(f.NewInstr(op.LDC, op.M(op.M64), ops(f.Words(base)), ops(ori.Const(0, 0x210))))
	top.Append(f.NewInstr(op.S2R, op.Mods{}, ops(f.Words(at)), ops(ori.Special(op.SRTidX))))
	d := ori.Operand{Kind: ori.KDesc, Class: ori.UR, Reg: desc, N: 2}
	for k := range n {
		x, y, z := f.NewReg(ori.R, 1), f.NewReg(ori.R, 1), f.NewReg(ori.R, 1)
		for j, r := range []ori.Reg{x, y} {
			body.Append(f.NewInstr(op.LDG, op.M(op.ME), ops(f.Words(r)), ops(d, ori.Addr(f.Words(base), int64(64*k+32*j)))))
		}
		body.Append(f.NewInstr(op.FADD, op.Mods{}, ops(f.Words(z)), ops(f.Words(x), f.Words(y))))
		body.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(f.Words(at), int64(4*k)), f.Words(z))))
	}
	body.Append(f.NewInstr(op.ISETP, op.M(op.MNE, op.MAND), ops(f.Words(p)), ops(f.Words(at), ori.Zero(ori.R), ori.Zero(ori.P))))
	i := f.NewInstr(op.BRA, op.Mods{}, nil, ops(ori.Label(body)))
	i.Guard = f.Words(p)
	body.Append(i)
	end.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	return f, body
}

// TestLoadsTogether: loads of a loop are in flight together as far as
// registers go that cost no warp, with more where there are few warps anyway,
// and never with more than the budget has.
func TestLoadsTogether(t *testing.T) {
	for _, c := range []struct {
		pairs, budget, least, most int
		shared                     int32
	}{
		{8, 255, 16, 16, 0},
		{20, 255, 30, 40, 0},
		{20, 255, 30, 40, 100 << 10},
		{20, 32, 2, 28, 100 << 10},
	} {
		f, body := streams(c.pairs)
		f.Props.SharedBytes = c.shared
		Pre(f, target.Find("sm_90a"), Budget{Most: c.budget}, Usual(), nil)
		first := 0
		for i := range body.Instrs {
			if i.Op == op.FADD {
				break
			}
			if i.Op == op.LDG {
				first++
			}
		}
		t.Logf("%+v: %d loads before the first sum", c, first)
		if first < c.least || first > c.most {
			t.Errorf("want %d to %d", c.least, c.most)
		}
	}
}

// TestMaskedPairs: pairs of loads whose masks are more than there are predicates, with stores under the same masks that
// fill sectors, are in flight together with more registers, though with all of them an order by paths alone
// would have them take turns at the predicates.
func TestMaskedPairs(t *testing.T) {
	f := maskedPairs(t, "")
	Pre(f, target.Find("sm_90a"), Budget{Most: 255}, Usual(), nil)
	if n := loadsFirst(f); n < 20 {
		t.Errorf("%d loads before the first sum", n)
	}
}

// TestMeeting: what registers must gain that cost warps is told by another number where threads
// of a block wait for each other.
func TestMeeting(t *testing.T) {
	for _, end := range []string{"", "BAR.SYNC 0x0\n"} {
		var loads [2]int
		for n, tune := range [...]Tuning{Usual(), Usual()} {
			if tune.Fewer, tune.Meeting = 0, 100; n > 0 {
				tune.Fewer, tune.Meeting = 100, 0
			}
			tune.Worthwhile = 0
			f := maskedPairs(t, end)
			Pre(f, target.Find("sm_90a"), Budget{Most: 255}, tune, nil)
			loads[n] = loadsFirst(f)
		}
		if meets := end != ""; meets != (loads[0] > loads[1]) || meets == (loads[0] < loads[1]) {
			t.Errorf("with %q: %d loads before the first sum if only Meeting lets registers rise, %d if only Fewer does", end, loads[0], loads[1])
		}
	}
}

// maskedPairs is such a function; end stands behind all.
func maskedPairs(t *testing.T, end string) *ori.Func {
	const pairs = 16
	var s, b strings.Builder
	s.WriteString("func f kernel {\nreg u0 2/2\nreg r1 2/2\nreg r2 2/2\nreg r3 2/2\nreg r4 1/1\nreg u5 1/1\n")
	for k := range pairs {
		n := 6 + 5*k
		fmt.Fprintf(&s, "reg r%d 1/1\nreg p%d 1/1\nreg r%d 1/1\nreg r%d 1/1\nreg r%d 1/1\n", n, n+1, n+2, n+3, n+4)
		at := 2048*(k/4) + 4*(k%4)
		fmt.Fprintf(&b, "LOP3.LUT r%d = r4, %#x, rz, 0xfc, ~pt\nISETP.LT.AND p%d = r%d, u5, pt\n", n, 512*(k/4)+k%4, n+1, n)
		fmt.Fprintf(&b, "MOV r%d = rz\nMOV r%d = rz\n", n+2, n+3)
		fmt.Fprintf(&b, "@p%d LDG.E r%d = desc[u0], [r1.64+%#x]\n@p%d LDG.E r%d = desc[u0], [r2.64+%#x]\n", n+1, n+2, at, n+1, n+3, at)
	}
	for k := range pairs {
		n, at := 6+5*k, 2048*(k/4)+4*(k%4)
		fmt.Fprintf(&b, "FADD r%d = r%d, r%d\n@p%d STG.E desc[u0], [r3.64+%#x], r%d\n", n+4, n+2, n+3, n+1, at, n+4)
	}
	s.WriteString("b0:\nULDC.64 u0 = c[0x0][0x208]\nLDC.64 r1 = c[0x0][0x210]\nLDC.64 r2 = c[0x0][0x218]\nLDC.64 r3 = c[0x0][0x220]\nULDC u5 = c[0x0][0x228]\nS2R r4 = SR_TID.X\n" + b.String() + end + "EXIT\n}\n")
	m, err := ori.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	f.Props.ReqNTid = [3]int32{128, 1, 1}
	return f
}

// loadsFirst counts the loads before the first sum of a function of one block.
func loadsFirst(f *ori.Func) (n int) {
	for i := range f.Blocks[0].Instrs {
		switch i.Op {
		case op.LDG:
			n++
		case op.FADD:
			return n
		}
	}
	return n
}
