package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// alive is the most general words alive in orders as they stand.
func alive(f *ori.Func) (words int32) {
	usual := Usual()
	v := analyse(f, target.Find("sm_90a"), &usual).view(places.UpToBarriers)
	words = v.most[general]
	for _, r := range v.stretches {
		words = max(words, r.most[general])
	}
	return words
}

// copies makes a block that loads vectors and stores each at an address of its own.
func copies(n int) *ori.Func {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	f := (&ori.Module{}).NewFunc("copies")
	f.Kernel = true
	b := f.NewBlock()
	base, from := f.NewReg(ori.R, 1), f.NewReg(ori.R, 2)
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(f.Words(base)), ops(ori.Special(op.SRTidX))))
	b.Append(f.NewInstr(op.IMAD, op.M(op.MWIDE), ops(f.Words(from)), ops(f.Words(base), ori.Imm(16), ori.Zero(ori.R))))
	for k := range n {
		v, w, to := f.NewReg(ori.R, 4), f.NewReg(ori.R, 4), f.NewReg(ori.R, 1)
		b.Append(f.NewInstr(op.LDG, op.M(op.ME, op.M128), ops(f.Words(v)), ops(ori.Addr(f.Words(from), int64(16*k)))))
		for e := range 4 {
			b.Append(f.NewInstr(op.FMUL, op.Mods{}, ops(f.Word(w, e)), ops(f.Word(v, e), f.Word(v, 3-e))))
		}
		b.Append(f.NewInstr(op.IMAD, op.Mods{}, ops(f.Words(to)), ops(f.Words(base), ori.Imm(int64(4*k+3)), f.Words(base))))
		b.Append(f.NewInstr(op.STS, op.M(op.M128), nil, ops(ori.Addr(f.Words(to), 0), f.Words(w))))
	}
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	return f
}

// TestKeepsStep: stores of vectors end five lives at once. What issues before
// such a store does not count on that: the words alive there stay below the
// step of occupancy, too.
func TestKeepsStep(t *testing.T) {
	for _, registers := range []int32{32, 40, 48, 56, 64, 72, 80, 96} {
		f := copies(60)
		tune := Usual()
		tune.Registers = int(registers)
		Pre(f, target.Find("sm_90a"), Budget{Most: 253}, tune, nil)
		n := alive(f)
		t.Logf("%d words alive with %d registers", n, registers)
		if n > registers-estimate.Tight {
			t.Errorf("%d words alive with %d registers", n, registers)
		}
	}
}

// TestLower: addresses that are computed before a barrier and used behind it
// go there, where that saves a step of occupancy.
func TestLower(t *testing.T) {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	f := (&ori.Module{}).NewFunc("addresses")
	f.Kernel = true
	f.Props.ReqNTid = [3]int32{128, 1, 1}
	b := f.NewBlock()
	reg := func() ori.Operand { return f.Words(f.NewReg(ori.R, 1)) }
	base := reg()
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	var to, sums [24]ori.Operand
	for n := range to {
		to[n] = reg()
		b.Append(f.NewInstr(op.IMAD, op.Mods{}, ops(to[n]), ops(base, ori.Imm(int64(4*n+3)), base)))
	}
	for n := range sums {
		sums[n] = reg()
		b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(sums[n]), ops(ori.Addr(base, int64(4*n)))))
	}
	b.Append(f.NewInstr(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ops(ori.Imm(0))))
	for n := range to {
		b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(to[n], 0), sums[n])))
	}
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	Pre(f, target.Find("sm_90a"), Budget{Most: 253}, Usual(), nil)
	if n := alive(f); n > estimate.CliffsOf(f, target.Find("sm_90a")).First() {
		t.Errorf("%d words alive", n)
	}
}

// TestFarther: what was loaded before each of several barriers is added up behind
// the last one. Orders over barriers do so at once, with fewer registers.
func TestFarther(t *testing.T) {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	f := (&ori.Module{}).NewFunc("rounds")
	f.Kernel = true
	b := f.NewBlock()
	reg := func() ori.Operand { return f.Words(f.NewReg(ori.R, 1)) }
	base := reg()
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	const rounds, width = 5, 14
	var loaded [rounds][width]ori.Operand
	for n := range loaded {
		for k := range loaded[n] {
			loaded[n][k] = reg()
			b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(loaded[n][k]), ops(ori.Addr(base, int64(4*(n*width+k))))))
		}
		b.Append(f.NewInstr(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ops(ori.Imm(0))))
	}
	for k := range width {
		sum := ori.Zero(ori.R)
		for n := range loaded {
			next := reg()
			b.Append(f.NewInstr(op.FFMA, op.Mods{}, ops(next), ops(loaded[n][k], loaded[n][(k+1)%width], sum)))
			sum = next
		}
		b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, int64(4*k)), sum)))
	}
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	Pre(f, target.Find("sm_90a"), Budget{Most: 253}, Usual(), nil)
	if n := alive(f); n > 3*width {
		t.Errorf("%d words alive", n)
	}
}

// rounds makes a block of so many rounds that load two matrices and add their
// product to each of some sums.
func rounds(n, sums int) *ori.Func {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	f := (&ori.Module{}).NewFunc("rounds")
	f.Kernel = true
	b := f.NewBlock()
	base := f.NewReg(ori.R, 1)
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(f.Words(base)), ops(ori.Special(op.SRTidX))))
	acc := make([]ori.Reg, sums)
	for round := range n {
		x := f.NewReg(ori.R, 4)
		b.Append(f.NewInstr(op.LDS, op.M(op.M128), ops(f.Words(x)), ops(ori.Addr(f.Words(base), int64(1024*round)))))
		for k := range acc {
			y, sum := f.NewReg(ori.R, 2), f.NewReg(ori.R, 4)
			b.Append(f.NewInstr(op.LDS, op.M(op.M64), ops(f.Words(y)), ops(ori.Addr(f.Words(base), int64(1024*round+16+8*k)))))
			from := ori.Zero(ori.R)
			if round > 0 {
				from = f.Words(acc[k])
			}
			b.Append(f.NewInstr(op.HMMA, op.M(op.M16816, op.MF32), ops(f.Words(sum)), ops(f.Words(x), f.Words(y), from)))
			acc[k] = sum
		}
	}
	for k, r := range acc {
		b.Append(f.NewInstr(op.STS, op.M(op.M128), nil, ops(ori.Addr(f.Words(base), int64(16*k)), f.Words(r))))
	}
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	return f
}

// TestStrict: matrices of the next product take registers beyond a step of
// occupancy only where orders would else take longer by more than a little.
func TestStrict(t *testing.T) {
	kept := 0
	for sums := 2; sums < 16; sums++ {
		f := rounds(12, sums)
		usual := Usual()
		p := analyse(f, target.Find("sm_90a"), &usual).preScheduler(Budget{Most: 253}, strategy{})
		weights := []float64{1}
		if len(p.regions) != 1 {
			t.Fatalf("%d regions", len(p.regions))
		}
		latency := func(strict bool) (float64, int32) {
			p.strict = strict
			x := p.plan(&p.regions[0], 1<<30, 1<<30)
			p.strict = false
			return float64(x.cycles), x.words
		}
		loose, beyond := latency(false)
		strict, words := latency(true)
		plans, _ := p.within(f, weights)
		room := p.cliffs.Room(p.limit[general])
		t.Logf("%d sums: room for %d words: %d in %.0f cycles, or %d in %.0f", sums, room, words, strict, beyond, loose)
		if plans[0].words > room && strict <= loose {
			t.Errorf("%d sums: %d words where %d are as good", sums, plans[0].words, words)
		}
		if plans[0].words < beyond {
			kept++
			if strict*100 > loose*float64(usual.Strict) {
				t.Errorf("%d sums: %.0f cycles instead of %.0f", sums, strict, loose)
			}
		}
	}
	if kept == 0 {
		t.Error("no order stayed within its step for it")
	}
}

// TestRematStep: rows that a loop of many sums reads are made again in it, where
// that saves a step of occupancy, and only as many as that takes.
func TestRematStep(t *testing.T) {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	for _, c := range []struct {
		again, rows int
		some        bool // rows are made again
	}{{12, 14, true}, {0, 14, false}, {12, 40, false}} {
		f := (&ori.Module{}).NewFunc("rows")
		f.Kernel = true
		b0, b1, b2 := f.NewBlock(), f.NewBlock(), f.NewBlock()
		b0.AddEdge(b1)
		b1.AddEdge(b1)
		b1.AddEdge(b2)
		reg := func() ori.Operand { return f.Words(f.NewReg(ori.R, 1)) }
		base := reg()
		b0.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
		rows, sums := make([]ori.Operand, c.rows), make([]ori.Operand, 84)
		for n := range rows {
			rows[n] = reg()
			b0.Append(f.NewInstr(op.LOP3, op.M(op.MLUT), ops(rows[n]), ops(base, ori.Imm(int64(n+1)), ori.Zero(ori.R), ori.Imm(0xfc))))
		}
		for n := range sums {
			sums[n] = reg()
			b0.Append(f.NewInstr(op.LDS, op.Mods{}, ops(sums[n]), ops(ori.Addr(base, int64(4*n)))))
			b2.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, int64(4*n)), sums[n])))
		}
		b2.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
		for n, r := range rows {
			v := reg()
			b1.Append(f.NewInstr(op.LDS, op.Mods{}, ops(v), ops(ori.Addr(r, 0))))
			b1.Append(f.NewInstr(op.FFMA, op.Mods{}, ops(sums[n]), ops(v, sums[n], sums[n])))
		}
		p := f.Words(f.NewReg(ori.P, 1))
		b1.Append(f.NewInstr(op.FSETP, op.M(op.MLT, op.MAND), ops(p), ops(sums[0], sums[1], ori.Zero(ori.P))))
		b1.Append(f.NewInstr(op.BRA, op.Mods{}, nil, ops(ori.Label(b1)))).Guard = p
		tune := Usual()
		tune.Again = c.again
		Pre(f, target.Find("sm_90a"), Budget{Most: 253}, tune, nil)
		made := 0
		for i := range b1.Instrs {
			if i.Op == op.LOP3 {
				made++
			}
		}
		if made > 0 != c.some || made == c.rows {
			t.Errorf("%d rows: %d words alive, %d of them made again", c.rows, alive(f), made)
		}
	}
}

// TestRematLater: masks of a thread's number that live through regions which
// need the most are made again behind them, where that saves a step of occupancy
// and is little beside the rest.
func TestRematLater(t *testing.T) {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	for _, c := range []struct {
		later, turns int
		some         bool // masks are made again
	}{{10, 1, true}, {10, 8, true}, {5, 8, false}, {0, 1, false}} {
		f := (&ori.Module{}).NewFunc("masks")
		f.Kernel = true
		b := f.NewBlock()
		reg := func() ori.Operand { return f.Words(f.NewReg(ori.R, 1)) }
		base, thread := reg(), reg()
		b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(base), ops(ori.Addr(ori.Zero(ori.R), 0))))
		b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(thread), ops(ori.Special(op.SRTidX))))
		masks := make([]ori.Operand, 8)
		for n := range masks {
			masks[n] = reg()
			b.Append(f.NewInstr(op.LOP3, op.M(op.MLUT), ops(masks[n]), ops(thread, ori.Imm(int64(n+1)), ori.Zero(ori.R), ori.Imm(0xc0))))
		}
		barrier := func() { b.Append(f.NewInstr(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ops(ori.Imm(0)))) }
		for range c.turns {
			for _, r := range masks {
				b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(r, 0), base)))
			}
			barrier()
			values := make([]ori.Operand, 60)
			for n := range values {
				values[n] = reg()
				b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(values[n]), ops(ori.Addr(base, int64(4*n)))))
			}
			for n := range values { // all live at once
				b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(values[(n+59)%60], 0), values[n])))
			}
			barrier()
		}
		for n := range 300 / c.turns {
			b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, int64(4*n)), base)))
		}
		for _, r := range masks {
			b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(r, 4), base)))
		}
		b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
		tune := Usual()
		tune.Later = c.later
		Pre(f, target.Find("sm_90a"), Budget{Most: 253}, tune, nil)
		made := -len(masks)
		for i := range b.Instrs {
			if i.Op == op.LOP3 {
				made++
			}
		}
		if made > 0 != c.some {
			t.Errorf("%d turns, at most %d percent more: %d words alive, %d masks made again", c.turns, c.later, alive(f), made)
		}
	}
}

// TestRematBetween: addresses that live over a barrier at which too many words
// live, as many as before and behind it, are made again behind it where few words are
// too many for a step of occupancy, and not where they all fit the first.
func TestRematBetween(t *testing.T) {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	for _, c := range []struct {
		values int
		some   bool // addresses are made again
	}{{84, true}, {56, true}, {10, false}, {96, false}} {
		f := (&ori.Module{}).NewFunc("addresses")
		f.Kernel = true
		f.Props.ReqNTid = [3]int32{128, 1, 1}
		b := f.NewBlock()
		reg := func() ori.Operand { return f.Words(f.NewReg(ori.R, 1)) }
		base := reg()
		b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(base), ops(ori.Addr(ori.Zero(ori.R), 0))))
		at := make([]ori.Operand, 16)
		for n := range at {
			at[n] = reg()
			b.Append(f.NewInstr(op.LOP3, op.M(op.MLUT), ops(at[n]), ops(base, ori.Imm(int64(n+1)), ori.Zero(ori.R), ori.Imm(0x3c))))
		}
		use := func(offset int64) {
			for _, r := range at {
				b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(r, offset), base)))
			}
		}
		barrier := func() { b.Append(f.NewInstr(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ops(ori.Imm(0)))) }
		use(0)
		barrier()
		values := make([]ori.Operand, c.values)
		for n := range values {
			values[n] = reg()
			b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(values[n]), ops(ori.Addr(base, int64(4*n)))))
		}
		for range 2 { // behind the first all live at what keeps its place
			barrier()
			b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(values[0], 0), values[1])))
			b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(values[1], 0), values[0])))
		}
		for n := range values { // every thread writes one word: shared memory bounds no blocks
			b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, 0), values[n])))
		}
		barrier()
		use(4)
		for range 200 {
			b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, 0), base)))
		}
		b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
		Pre(f, target.Find("sm_90a"), Budget{Most: 253}, Usual(), nil)
		made := -len(at)
		for i := range b.Instrs {
			if i.Op == op.LOP3 {
				made++
			}
		}
		if made > 0 != c.some {
			t.Errorf("%d values over barriers: %d words alive, %d addresses made again", c.values, alive(f), made)
		}
	}
}
