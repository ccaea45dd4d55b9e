package regalloc

import (
	"math/rand/v2"
	"testing"
)

// TestBitsetNeighbours compares next and last with looking at every number.
func TestBitsetNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		n := int32(1 + r.IntN(300))
		s := newBitset(int(n))
		for range r.IntN(6) {
			s.add(int32(r.IntN(int(n))))
		}
		from, to := int32(r.IntN(320))-10, int32(r.IntN(320))
		next, last := int32(-1), int32(-1)
		for k := max(0, from); k < min(n, to); k++ {
			if s.has(k) {
				last = k
				if next < 0 {
					next = k
				}
			}
		}
		if a, b := s.next(from, to), s.last(from, to); a != next || b != last {
			t.Fatalf("[%d,%d): next %d, last %d, want %d, %d", from, to, a, b, next, last)
		}
	}
}

// loads is a loop of two loads and a store, each from an address of its own:
// the result of the second load could have the first one's address register.
func loads(steps []int) *Problem {
	p := &Problem{Files: []File{{Name: "R", Size: 255, Budget: 255, SpillTo: Memory, Steps: steps}}}
	for range 6 {
		p.VRegs = append(p.VRegs, VReg{Width: 1, Fixed: -1, Remat: -1})
	}
	p.VRegs[1].Width, p.VRegs[1].Align = 2, 2
	inst := func(late bool, ops ...Operand) {
		i := Inst{First: int32(len(p.Ops)), N: int32(len(ops))}
		if late {
			i.Late = 1
		}
		p.Insts = append(p.Insts, i)
		p.Ops = append(p.Ops, ops...)
	}
	def, use := func(v int32) Operand { return Operand{v, 0, 1, Def} }, func(v int32) Operand { return Operand{v, 0, 1, Use} }
	inst(false, def(0))
	inst(false, Operand{1, 0, 2, Def}, use(0))
	inst(false, def(2), use(0))
	inst(true, def(3), Operand{1, 0, 2, Use}) // load
	inst(true, def(4), use(2))                // load
	inst(false, def(5), use(3), use(4))
	inst(true, use(2), use(5)) // store
	inst(false, use(0))
	p.Insts[7].Last = true
	p.Blocks = []Block{{First: 0, N: 1, Succs: []int32{1}}, {First: 1, N: 7, Depth: 1, Succs: []int32{1}}}
	return p
}

// TestSpread checks that the second load's result does not take a register
// the first has yet to read where registers are free, and does otherwise.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		steps  []int
		behind bool
		shares bool
		most   int
	}{
		{nil, false, true, 5},
		{[]int{30, 62}, false, false, 30},
		{[]int{30, 62}, true, true, 30}, // loads read in order
		{[]int{3}, false, true, 5},      // no step is high enough
	} {
		p := loads(c.steps)
		if c.behind {
			for n := 3; n < 5; n++ {
				p.Insts[n].Queue, p.Insts[n].Behind = 1, 1
			}
		}
		s, err := Solve(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(p, s); err != nil {
			t.Fatal(err)
		}
		if s.Used[0] > c.most {
			t.Errorf("steps %v: %d registers", c.steps, s.Used[0])
		}
		if shares := s.Phys[4] == s.Phys[1] || s.Phys[4] == s.Phys[1]+1; shares != c.shares {
			t.Errorf("steps %v, in order %v: first address in %d, second result in %d", c.steps, c.behind, s.Phys[1], s.Phys[4])
		}
		if len(c.steps) > 1 && (s.Phys[5] == s.Phys[1] || s.Phys[5] == s.Phys[2]) {
			t.Errorf("what the store reads is overwritten at once in the next round")
		}
	}
}

// TestSpreadTo checks how many registers are given where n are needed.
func TestSpreadTo(t *testing.T) {
	steps := []int{30, 38, 46, 62}
	for _, c := range []struct {
		steps   []int
		n, want int
	}{
		{steps, 10, 12},
		{steps, 24, 27},
		{steps, 29, 30}, // not over a step
		{steps, 31, 34},
		{steps, 60, 62},
		{steps, 80, 80}, // above all steps
		{[]int{63}, 10, 63},
	} {
		f := File{Budget: 255, Steps: c.steps}
		if got := f.spreadTo(c.n); got != c.want {
			t.Errorf("steps %v: %d where %d are needed, want %d", c.steps, got, c.n, c.want)
		}
	}
}
