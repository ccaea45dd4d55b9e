package regalloc

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRandom allocates random programs under many budgets; the checker
// must accept every result.
func TestRandom(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 300
	}
	solved, overflow, spills, reloads, splits := 0, 0, 0, 0, 0
	for seed := range uint64(n) {
		for _, budget := range []int{8, 16, 24, 32, 64, 255} {
			r := rand.New(rand.NewPCG(seed, uint64(budget)))
			p := randomProblem(r, budget)
			s, err := Solve(p, Options{quickSlots: seed%2 != 0})
			var o *Overflow
			if errors.As(err, &o) {
				overflow++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d budget %d: %v", seed, budget, err)
			}
			if err := Check(p, s); err != nil {
				t.Fatalf("seed %d budget %d: %v", seed, budget, err)
			}
			solved++
			spills += s.Spills
			splits += s.Splits
			reloads += s.Reloads
		}
	}
	t.Logf("%d programs allocated and checked, %d do not fit, %d spills, %d reloads, %d registers split", solved, overflow, spills, reloads, splits)
	if splits < n/4 {
		t.Errorf("only %d registers were split", splits)
	}
	if overflow*20 > solved {
		t.Errorf("%d of %d programs do not fit", overflow, solved+overflow)
	}
}

// TestCheckerSeesFaults moves one virtual register of a good allocation:
// the checker must object whenever the moved register is read while
// something else is written there.
func TestCheckerSeesFaults(t *testing.T) {
	caught, missed := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 99))
		p := randomProblem(r, 24)
		s, err := Solve(p, Options{})
		if err != nil {
			continue
		}
		live := liveness(s.Problem)
		for v := range s.Problem.VRegs {
			u := clash(s, live, int32(v))
			if u < 0 {
				continue
			}
			old := s.Phys[v]
			s.Phys[v] = s.Phys[u]
			if Check(p, s) != nil {
				caught++
			} else {
				missed++
			}
			s.Phys[v] = old
		}
	}
	t.Logf("%d seeded faults caught, %d not seen", caught, missed)
	if missed*100 > caught {
		t.Errorf("checker missed %d of %d seeded faults", missed, caught+missed)
	}
}

// clash finds a register whose value lives across a write of v's: sharing
// with it must destroy one of the two.
func clash(s *Solution, live *ranges, v int32) int32 {
	p := s.Problem
	if p.VRegs[v].Width != 1 || s.Phys[v] < 0 {
		return -1
	}
	for n := range p.Insts {
		for _, o := range p.Operands(n) {
			if o.V != v || o.Role != Def || p.Insts[n].Kind == Move {
				continue
			}
			for u := range p.VRegs {
				if int32(u) == v || p.VRegs[u].Class != p.VRegs[v].Class || p.VRegs[u].Width != 1 || s.Phys[u] < 0 || s.Phys[u] == s.Phys[v] || rootOf(p, int32(u)) == rootOf(p, v) {
					continue
				}
				for _, sp := range live.of(int32(u), 0) {
					// written before and read later in a straight line
					if sp.from < int32(perInst*n) && sp.to > int32(perInst*n+perInst) && readIn(p, int32(u), n, sp) {
						return int32(u)
					}
				}
			}
		}
	}
	return -1
}

// rootOf returns the caller's virtual register that v stands for.
func rootOf(p *Problem, v int32) int32 {
	for p.VRegs[v].Of >= 0 {
		v = p.VRegs[v].Of
	}
	return v
}

// readIn reports whether u is surely written before instruction n of its
// block and read after it, with no other instruction of interest between.
func readIn(p *Problem, u int32, n int, sp span) bool {
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		if int32(n) < blk.First || int32(n) >= blk.First+blk.N {
			continue
		}
		before, after := false, false
		for k := blk.First; k < blk.First+blk.N; k++ {
			for _, o := range p.Operands(int(k)) {
				if o.V != u {
					continue
				}
				if k < int32(n) && o.Role == Def && p.Insts[k].Kind <= Move {
					before = true
				}
				if k > int32(n) && !after {
					if !o.Role.Reads() || p.Insts[k].Kind == Spill {
						return false // what is stored may never be loaded
					}
					after = true
				}
			}
		}
		return before && after && sp.from >= perInst*blk.First && p.Insts[blk.First].Kind <= Reload
	}
	return false
}

func TestTraceAndOverflow(t *testing.T) {
	p := &Problem{Files: []File{{Name: "R", Size: 255, Budget: 2, SpillTo: Memory}}}
	for range 3 {
		p.VRegs = append(p.VRegs, VReg{Width: 1, Fixed: -1, Remat: -1})
	}
	p.Ops = []Operand{{0, 0, 1, Def}, {1, 0, 1, Def}, {2, 0, 1, Def}, {0, 0, 1, Use}, {1, 0, 1, Use}, {2, 0, 1, Use}}
	p.Insts = []Inst{{First: 0, N: 1}, {First: 1, N: 1}, {First: 2, N: 1}, {First: 3, N: 3, Last: true}}
	p.Blocks = []Block{{N: 4}}
	var tr strings.Builder
	_, err := Solve(p, Options{Trace: &tr})
	var o *Overflow
	if !errors.As(err, &o) || o.Need != 3 {
		t.Fatalf("three operands in two registers: %v", err)
	}
	if want := "Register allocation failed with register count of '2'. Compile the program with a higher register target"; err.Error() != want {
		t.Errorf("message %q", err)
	}
	p.Files[0].Budget = 3
	if _, err = Solve(p, Options{Trace: &tr}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"REGALLOC GUIDANCE:", "-CLASS R NOSPILL REGALLOC: attemp 0, used 3, target 3"} {
		if !strings.Contains(tr.String(), want) {
			t.Errorf("trace lacks %q:\n%s", want, tr.String())
		}
	}
}

// FuzzSolve lets the fuzzer choose the program and the budget.
func FuzzSolve(f *testing.F) {
	f.Add(uint64(1), uint8(24))
	f.Fuzz(func(t *testing.T, seed uint64, budget uint8) {
		b := max(8, int(budget))
		p := randomProblem(rand.New(rand.NewPCG(seed, 7)), b)
		s, err := Solve(p, Options{})
		if err != nil {
			return
		}
		if err := Check(p, s); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 5))
	p := bigProblem(r, 20000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Solve(p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.Insts))*float64(b.N)/b.Elapsed().Seconds(), "insts/s")
}

// bigProblem is straight-line code with short lives, as real kernels are.
func bigProblem(r *rand.Rand, n int) *Problem {
	p := &Problem{Files: []File{{Name: "R", Size: 255, Budget: 255, SpillTo: Memory, Banks: 2}}}
	blk := Block{}
	for k := range n {
		i := Inst{First: int32(len(p.Ops)), N: 1}
		p.VRegs = append(p.VRegs, VReg{Width: 1, Fixed: -1, Remat: -1})
		p.Ops = append(p.Ops, Operand{int32(k), 0, 1, Def})
		for range 2 {
			if k > 0 {
				p.Ops = append(p.Ops, Operand{int32(k - 1 - r.IntN(min(k, 60))), 0, 1, Use})
				i.N++
			}
		}
		p.Insts = append(p.Insts, i)
		blk.N++
		if blk.N == 40 || k == n-1 {
			if k < n-1 {
				blk.Succs = []int32{int32(len(p.Blocks) + 1)}
			}
			p.Blocks = append(p.Blocks, blk)
			blk = Block{First: int32(len(p.Insts))}
		}
	}
	return p
}
