package regalloc_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
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
			s, err := regalloc.Solve(p, regalloc.Quick(seed%2 != 0))
			var o *regalloc.Overflow
			if errors.As(err, &o) {
				overflow++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d budget %d: %v", seed, budget, err)
			}
			if err := check.Check(p, s); err != nil {
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
		s, err := regalloc.Solve(p, regalloc.Options{})
		if err != nil {
			continue
		}
		clash := regalloc.ClashOf(s)
		for v := range s.Problem.VRegs {
			u := clash(int32(v))
			if u < 0 {
				continue
			}
			old := s.Phys[v]
			s.Phys[v] = s.Phys[u]
			if check.Check(p, s) != nil {
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

func TestTraceAndOverflow(t *testing.T) {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: 2, SpillTo: regalloc.Memory}}}
	for range 3 {
		p.VRegs = append(p.VRegs, regalloc.VReg{Width: 1, Fixed: -1, Remat: -1})
	}
	p.Ops = []regalloc.Operand{{V: 0, Sub: 0, N: 1, Role: regalloc.Def}, {V: 1, Sub: 0, N: 1, Role: regalloc.Def}, {V: 2, Sub: 0, N: 1, Role: regalloc.Def}, {V: 0, Sub: 0, N: 1, Role: regalloc.Use}, {V: 1, Sub: 0, N: 1, Role: regalloc.Use}, {V: 2, Sub: 0, N: 1, Role: regalloc.Use}}
	p.Insts = []regalloc.Inst{{First: 0, N: 1}, {First: 1, N: 1}, {First: 2, N: 1}, {First: 3, N: 3, Last: true}}
	p.Blocks = []regalloc.Block{{N: 4}}
	var tr strings.Builder
	_, err := regalloc.Solve(p, regalloc.Options{Trace: &tr})
	var o *regalloc.Overflow
	if !errors.As(err, &o) || o.Need != 3 {
		t.Fatalf("three operands in two registers: %v", err)
	}
	if want := "Register allocation failed with register count of '2'. Compile the program with a higher register target"; err.Error() != want {
		t.Errorf("message %q", err)
	}
	p.Files[0].Budget = 3
	if _, err = regalloc.Solve(p, regalloc.Options{Trace: &tr}); err != nil {
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
		s, err := regalloc.Solve(p, regalloc.Options{})
		if err != nil {
			return
		}
		if err := check.Check(p, s); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 5))
	p := bigProblem(r, 20000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := regalloc.Solve(p, regalloc.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.Insts))*float64(b.N)/b.Elapsed().Seconds(), "insts/s")
}

// bigProblem is straight-line code with short lives, as real kernels are.
func bigProblem(r *rand.Rand, n int) *regalloc.Problem {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: 255, SpillTo: regalloc.Memory, Banks: 2}}}
	blk := regalloc.Block{}
	for k := range n {
		i := regalloc.Inst{First: int32(len(p.Ops)), N: 1}
		p.VRegs = append(p.VRegs, regalloc.VReg{Width: 1, Fixed: -1, Remat: -1})
		p.Ops = append(p.Ops, regalloc.Operand{V: int32(k), Sub: 0, N: 1, Role: regalloc.Def})
		for range 2 {
			if k > 0 {
				p.Ops = append(p.Ops, regalloc.Operand{V: int32(k - 1 - r.IntN(min(k, 60))), Sub: 0, N: 1, Role: regalloc.Use})
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
			blk = regalloc.Block{First: int32(len(p.Insts))}
		}
	}
	return p
}

// TestNothingSpilled: where spill code may cost nothing, none is looked for, and
// what needs none is found.
func TestNothingSpilled(t *testing.T) {
	dear, free := 0, 0
	for seed := range uint64(300) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 17)), 12)
		want, err := regalloc.Solve(p, regalloc.Options{})
		if err != nil {
			continue
		}
		var trace strings.Builder
		s, err := regalloc.Solve(p, regalloc.Options{Most: math.SmallestNonzeroFloat64, Trace: &trace})
		switch {
		case strings.Contains(trace.String(), "virtual registers spilled"):
			t.Fatalf("seed %d: spilled, where nothing may be:\n%s", seed, &trace)
		case err == nil && s.Price() == 0:
			free++
		case errors.Is(err, regalloc.ErrDear) && want.Price() > 0:
			dear++
		default:
			t.Fatalf("seed %d: %v, with spill code %v", seed, err, want.Price())
		}
	}
	if dear < 20 || free < 20 {
		t.Errorf("only %d given up and %d found", dear, free)
	}
}
