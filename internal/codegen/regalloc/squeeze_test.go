package regalloc_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// fullProblem makes a block in which values of one, two and four words come and
// go, with so many words alive at most.
func fullProblem(r *rand.Rand, words int) *regalloc.Problem {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: 253, SpillTo: regalloc.Memory, Banks: 2, Steps: []int{30, 38}}}, Loops: []int32{0}}
	var alive []int32
	now := 0
	add := func(v int32, role regalloc.Role) {
		p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), N: 1})
		p.Ops = append(p.Ops, regalloc.Operand{V: v, N: p.VRegs[v].Width, Role: role})
	}
	for range 150 {
		w := [...]int{1, 1, 1, 2, 2, 4}[r.IntN(6)]
		for now+w > words {
			k := r.IntN(len(alive))
			add(alive[k], regalloc.Use)
			now -= int(p.VRegs[alive[k]].Width)
			alive = append(alive[:k], alive[k+1:]...)
		}
		v := int32(len(p.VRegs))
		p.VRegs = append(p.VRegs, regalloc.VReg{Width: uint8(w), Align: uint8(w), Fixed: -1, Remat: -1})
		add(v, regalloc.Def)
		alive, now = append(alive, v), now+w
	}
	for _, v := range alive {
		add(v, regalloc.Use)
	}
	p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), Last: true})
	p.Blocks = []regalloc.Block{{N: int32(len(p.Insts))}}
	return p
}

// TestSqueeze: where the fattest point leaves room below a step and no plan
// stays below it, groups are moved until all find a place there.
func TestSqueeze(t *testing.T) {
	squeezed := regexp.MustCompile(`squeeze \d+, (used|failed)`)
	found, failed := 0, 0
	for seed := range uint64(60) {
		p := fullProblem(rand.New(rand.NewPCG(seed, 7)), 25)
		var trace bytes.Buffer
		s, err := regalloc.Solve(p, regalloc.Options{Trace: &trace})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := check.Check(p, s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if vain := s.Used[0] > 30 && squeezed.Match(trace.Bytes()); vain != (s.Missed == 30) {
			t.Errorf("seed %d: %d registers used, missed %d", seed, s.Used[0], s.Missed)
		}
		switch {
		case s.Used[0] > 30:
			failed++
		case squeezed.Match(trace.Bytes()):
			found++
		}
	}
	if found < 40 || failed > found/10 {
		t.Errorf("%d squeezed below a step, %d not", found, failed)
	}
	t.Logf("%d of 60 programs squeezed, %d not", found, failed)
}

// TestSqueezeRandom: programs of every shape are right when they are squeezed.
func TestSqueezeRandom(t *testing.T) {
	squeezed := regexp.MustCompile(`squeeze \d+, used`)
	found := 0
	for seed := range uint64(400) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 7)), 26)
		var trace bytes.Buffer
		s, err := regalloc.Solve(p, regalloc.Options{Trace: &trace})
		if err != nil || !squeezed.Match(trace.Bytes()) {
			continue
		}
		found++
		if err := check.Check(p, s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if found == 0 {
		t.Error("nothing is squeezed below a step")
	}
	t.Logf("%d of 400 programs", found)
}

// TestSqueezeAtOnce: where that is asked for, groups are moved without any plan that moves none, and what
// finds no place goes nowhere.
func TestSqueezeAtOnce(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		p := fullProblem(rand.New(rand.NewPCG(seed, 7)), 25)
		p.Files[0].Budget = 30
		var trace bytes.Buffer
		s, err := regalloc.Solve(p, regalloc.Options{Trace: &trace, NoSpill: true, Squeeze: true})
		if bytes.Contains(trace.Bytes(), []byte("attemp")) {
			t.Fatalf("seed %d: a plan is tried\n%s", seed, trace.Bytes())
		}
		if errors.Is(err, regalloc.ErrDear) {
			continue
		}
		if err == nil {
			err = check.Check(p, s)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if found++; s.Used[0] > 30 || s.Slots > 0 {
			t.Errorf("seed %d: %d registers, %d words in memory", seed, s.Used[0], s.Slots)
		}
	}
	if found < 30 {
		t.Errorf("%d of 60 programs find room", found)
	}
}
