package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestLookAhead: in a tree of sums of loads that some threads
// do and that have an address each, an address is made and forgotten before the next one is.
func TestLookAhead(t *testing.T) {
	f := (&ori.Module{}).NewFunc("tree")
	f.Kernel = true
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	b := f.NewBlock()
	desc, base := f.NewReg(ori.UR, 2), f.NewReg(ori.R, 2)
	b.Append(f.NewInstr(op.ULDC, op.M(op.M64), ops(f.Words(desc)), ops(ori.Const(0, 0x208))))
	b.Append(f.NewInstr(op.LDC, op.M(op.M64), ops(f.Words(base)), ops(ori.Const(0, 0x210))))
	d := ori.Operand{Kind: ori.KDesc, Class: ori.UR, Reg: desc, N: 2}
	some := f.NewReg(ori.P, 1)
	b.Append(f.NewInstr(op.ISETP, op.M(op.MNE, op.MAND), ops(f.Words(some)), ops(f.Word(base, 0), ori.Zero(ori.R), ori.Zero(ori.P))))
	var level []ori.Reg
	for k := range 32 {
		at, x, p := f.NewReg(ori.R, 2), f.NewReg(ori.R, 1), f.NewReg(ori.P, 1)
		b.Append(f.NewInstr(op.IADD3, op.Mods{}, ops(f.Word(at, 0), f.Words(p)), ops(f.Word(base, 0), ori.Imm(int64(k+1)<<24), ori.Zero(ori.R))))
		b.Append(f.NewInstr(op.IADD3, op.M(op.MX), ops(f.Word(at, 1)), ops(f.Word(base, 1), ori.Zero(ori.R), ori.Zero(ori.R), f.Words(p))))
		b.Append(f.NewInstr(op.MOV, op.Mods{}, ops(f.Words(x)), ops(ori.Zero(ori.R))))
		i := f.NewInstr(op.LDG, op.M(op.ME), ops(f.Words(x)), ops(d, ori.Addr(f.Words(at), 0)))
		i.Guard = f.Words(some)
		b.Append(i)
		level = append(level, x)
	}
	for len(level) > 1 {
		z := f.NewReg(ori.R, 1)
		b.Append(f.NewInstr(op.FADD, op.Mods{}, ops(f.Words(z)), ops(f.Words(level[0]), f.Words(level[1]))))
		level = append(level[2:], z)
	}
	b.Append(f.NewInstr(op.STG, op.M(op.ME), nil, ops(d, ori.Addr(f.Words(base), 0), f.Words(level[0]))))
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	usual := Usual()
	s := analyse(f, target.Find("sm_90a"), &usual)
	r := s.view(places.UpToBarriers).stretches[0]
	plain, deep := s.bottomUpWithin(r, way{}, anyOrder).most[general], s.bottomUpWithin(r, way{deep: true}, anyOrder).most[general]
	if deep > 12 || deep > plain/2 {
		t.Errorf("%d words alive, %d without looking ahead", deep, plain)
	}
}

// TestTightPredicates: four sums of products share half of their factors, and
// the end of each waits for a predicate of its own while five others live.
// The sums are made step by step all the same, and not one after the other with
// all factors alive.
func TestTightPredicates(t *testing.T) {
	const sums, steps = 4, 32
	f := (&ori.Module{}).NewFunc("sums")
	f.Kernel = true
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	b := f.NewBlock()
	reg := func(c ori.Class) ori.Operand { return f.Words(f.NewReg(c, 1)) }
	base := reg(ori.R)
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	test := func(n int64) ori.Operand {
		p := reg(ori.P)
		b.Append(f.NewInstr(op.ISETP, op.M(op.MNE, op.MAND), ops(p), ops(base, ori.Imm(n), ori.Zero(ori.P))))
		return p
	}
	var through []ori.Operand
	for n := range int64(tightPredicates) {
		through = append(through, test(n))
	}
	next := f.NewBlock()
	b.AddEdge(next)
	b = next
	load := func(at int64) ori.Operand {
		x := reg(ori.R)
		b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(x), ops(ori.Addr(base, at))))
		return x
	}
	var shared []ori.Operand
	for k := range int64(steps) {
		shared = append(shared, load(4*k))
	}
	all := reg(ori.R)
	b.Append(f.NewInstr(op.MOV, op.Mods{}, ops(all), ops(ori.Zero(ori.R))))
	for n := range int64(sums) {
		sum := reg(ori.R)
		b.Append(f.NewInstr(op.MOV, op.Mods{}, ops(sum), ops(ori.Zero(ori.R))))
		for k := range int64(steps) {
			next := reg(ori.R)
			b.Append(f.NewInstr(op.FFMA, op.Mods{}, ops(next), ops(shared[k], load(4*(steps*(n+1)+k)), sum)))
			sum = next
		}
		chosen, next := reg(ori.R), reg(ori.R)
		b.Append(f.NewInstr(op.SEL, op.Mods{}, ops(chosen), ops(sum, ori.Imm(1), test(100+n))))
		b.Append(f.NewInstr(op.FADD, op.Mods{}, ops(next), ops(all, chosen)))
		all = next
	}
	for _, p := range through {
		next := reg(ori.R)
		b.Append(f.NewInstr(op.SEL, op.Mods{}, ops(next), ops(all, ori.Imm(2), p)))
		all = next
	}
	b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, 0), all)))
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	usual := Usual()
	s := analyse(f, target.Find("sm_90a"), &usual)
	list := s.view(places.UpToBarriers).stretches
	if n := s.bottomUpWithin(list[len(list)-1], way{deep: true}, anyOrder).most[general]; n > 4*sums {
		t.Errorf("%d words alive", n)
	}
}

// TestShares: products of every row with every column end in four sums each. Taken
// upwards one product would bring in row after row with one column; what a row
// counts for is its share of one product, so all rows are brought in and then
// column after column, and with them the sums that one product feeds.
func TestShares(t *testing.T) {
	const rows, columns = 2, 16
	f := (&ori.Module{}).NewFunc("products")
	f.Kernel = true
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	b := f.NewBlock()
	base := f.Words(f.NewReg(ori.R, 1))
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	var sums [rows * columns * 4]ori.Operand
	for n := range sums {
		sums[n] = f.Words(f.NewReg(ori.R, 1))
		b.Append(f.NewInstr(op.MOV, op.Mods{}, ops(sums[n]), ops(ori.Zero(ori.R))))
	}
	loop, end := f.NewBlock(), f.NewBlock()
	b.AddEdge(loop)
	load := func(n int, at int64) ori.Operand {
		x := f.Words(f.NewReg(ori.R, n))
		loop.Append(f.NewInstr(op.LDS, op.Mods{}, ops(x), ops(ori.Addr(base, at))))
		return x
	}
	var row, column []ori.Operand
	for k := range int64(rows) {
		row = append(row, load(4, 16*k))
	}
	for k := range int64(columns) {
		column = append(column, load(2, 0x1000+8*k))
	}
	var made []ori.Operand
	for k := range rows {
		for n := range columns {
			x := f.Words(f.NewReg(ori.R, 4))
			loop.Append(f.NewInstr(op.HMMA, op.M(op.M16816, op.MF32), ops(x), ops(row[k], column[n], ori.Zero(ori.R))))
			made = append(made, x)
		}
	}
	for n, x := range made {
		for k := range 4 {
			s := sums[4*n+k]
			loop.Append(f.NewInstr(op.FADD, op.Mods{}, ops(s), ops(f.Word(x.Reg, k), s)))
		}
	}
	loop.AddEdge(loop)
	loop.AddEdge(end)
	for n := range sums {
		end.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, int64(4*n)), sums[n])))
	}
	end.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	usual := Usual()
	s := analyse(f, target.Find("sm_90a"), &usual)
	r := s.view(places.UpToBarriers).stretches[1]
	without, with := r.most[general], s.bottomUpWithin(r, way{deep: true, whole: true, shares: true}, anyOrder).most[general]
	for _, w := range ways {
		if !w.shares {
			without = min(without, s.bottomUpWithin(r, w, anyOrder).most[general])
		}
	}
	if all := int32(len(sums) + 1 + 4*rows + 2 + 4); with > all || with >= without {
		t.Errorf("%d words alive, %d in other orders, %d are enough", with, without, all)
	}
}

// TestHigher: all factors are loaded before a barrier, and half of the sums of
// their products are stored behind another. Sums that moved down to their
// stores would keep the factors alive; made between the loads they need none
// but themselves.
func TestHigher(t *testing.T) {
	const rows, columns, steps = 12, 4, 16
	f := (&ori.Module{}).NewFunc("products")
	f.Kernel = true
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	b := f.NewBlock()
	reg := func() ori.Operand { return f.Words(f.NewReg(ori.R, 1)) }
	base := reg()
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	load := func(at int) ori.Operand {
		x := reg()
		b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(x), ops(ori.Addr(base, int64(4*at)))))
		return x
	}
	barrier := func() {
		b.Append(f.NewInstr(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ops(ori.Imm(0))))
	}
	var left [rows][steps]ori.Operand
	var right [steps][columns]ori.Operand
	for r := range left {
		for k := range left[r] {
			left[r][k] = load(steps*r + k)
		}
	}
	for k := range right {
		for c := range right[k] {
			right[k][c] = load(4096 + columns*k + c)
		}
	}
	barrier()
	var sums []ori.Operand
	for r := range left {
		for c := range columns {
			sum := reg()
			b.Append(f.NewInstr(op.MOV, op.Mods{}, ops(sum), ops(ori.Zero(ori.R))))
			for k := range right {
				next := reg()
				b.Append(f.NewInstr(op.FFMA, op.Mods{}, ops(next), ops(left[r][k], right[k][c], sum)))
				sum = next
			}
			sums = append(sums, sum)
		}
	}
	for n, x := range sums {
		if n == len(sums)/2 {
			barrier()
			b.Append(f.NewInstr(op.WARPSYNC, op.M(op.MALL), nil, nil))
		}
		b.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, int64(4*n)), x)))
	}
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	Pre(f, target.Find("sm_90a"), Budget{Most: 96}, Usual(), nil)
	usual := Usual()
	words := analyse(f, target.Find("sm_90a"), &usual).preScheduler(Budget{Most: 96}, strategy{}).most[general]
	for _, r := range analyse(f, target.Find("sm_90a"), &usual).view(places.UpToBarriers).stretches {
		words = max(words, r.most[general])
	}
	if words > 96 {
		t.Errorf("%d words alive", words)
	}
}

// TestStoresFirst: rows of two loads each whose results are stored into memory that
// may be what is loaded: all of them are computed before the first store, and
// each needs no more than its own words then, not both of its sources.
func TestStoresFirst(t *testing.T) {
	const rows = 10
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	f := (&ori.Module{}).NewFunc("rows")
	f.Kernel = true
	b := f.NewBlock()
	reg := func(n int) ori.Operand { return f.Words(f.NewReg(ori.R, n)) }
	base := reg(1)
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	var from [4]ori.Operand // the first row of both, the others of both
	for k := range from {
		from[k] = reg(2)
		b.Append(f.NewInstr(op.IMAD, op.M(op.MWIDE), ops(from[k]), ops(base, ori.Imm(16), ori.Const(0, int64(0x210+8*k)))))
	}
	var masks [rows]ori.Operand
	for n := range rows {
		column := reg(1)
		masks[n] = f.Words(f.NewReg(ori.P, 1))
		b.Append(f.NewInstr(op.IADD3, op.Mods{}, ops(column), ops(base, ori.Imm(int64(4*n+4)), ori.Zero(ori.R))))
		b.Append(f.NewInstr(op.ISETP, op.M(op.MLT, op.MAND), ops(masks[n]), ops(column, ori.Imm(1000), ori.Zero(ori.P))))
	}
	var in [2][rows]ori.Operand
	for k := range in {
		for n := range rows {
			in[k][n] = reg(4)
			for e := range 4 {
				b.Append(f.NewInstr(op.MOV, op.Mods{}, ops(f.Word(in[k][n].Reg, e)), ops(ori.Zero(ori.R))))
			}
			load := f.NewInstr(op.LDG, op.M(op.ME, op.M128), ops(in[k][n]), ops(ori.Addr(from[k+2*min(n, 1)], int64(16*n))))
			load.Guard = masks[n]
			b.Append(load)
		}
	}
	var out [rows]ori.Operand
	for n := range rows {
		out[n] = reg(4)
		for e := range 4 {
			x, y, two := reg(1), reg(1), ori.Imm(0x40000000)
			b.Append(f.NewInstr(op.FMUL, op.Mods{}, ops(x), ops(f.Word(in[0][n].Reg, e), two)))
			b.Append(f.NewInstr(op.FFMA, op.Mods{}, ops(y), ops(x, two, f.Word(in[1][n].Reg, e))))
			b.Append(f.NewInstr(op.FFMA, op.Mods{}, ops(f.Word(out[n].Reg, e)), ops(x, two, y)))
		}
	}
	for n := range rows {
		store := f.NewInstr(op.STG, op.M(op.ME, op.M128), nil, ops(ori.Addr(from[2*min(n, 1)], int64(16*n)), out[n]))
		store.Guard = masks[n]
		b.Append(store)
	}
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	const most = 4*rows + 13
	Pre(f, target.Find("sm_90a"), Budget{Most: most + reserve}, Usual(), nil)
	if words := alive(f); words > most {
		t.Errorf("%d words alive, want %d\n%s", words, most, f)
	}
}

// TestSparing: an order that follows stores up is taken where it leaves room for more
// warps, or there is no other with room for its words.
func TestSparing(t *testing.T) {
	p := &preScheduler{analysis: &analysis{cliffs: estimate.CliffsOf(&ori.Func{}, target.Find("sm_90a"))}, budget: Budget{Most: 168}}
	for _, c := range []struct {
		now, then int32
		want      bool
	}{{150, 140, false}, {150, 120, true}, {40, 30, true}, {40, 39, false}, {180, 170, true}, {150, 150, false}, {20, 10, false}} {
		r := &region{stretch: &stretch{}, most: counts{general: c.now}}
		if below := p.sparing(r); c.then < below != c.want {
			t.Errorf("%d words instead of %d: fewer than %d are taken", c.then, c.now, below)
		}
	}
}
