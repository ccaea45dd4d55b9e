package regalloc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestSourceLivesOn: values are made again from a register whose last reader is gone when they are
// read, if it is one for many of them or lives nearly as long; else one goes to memory.
func TestSourceLivesOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		values int
		late   bool // the register is read once more shortly before the values are
		slots  bool
	}{{"one for many", 6, false, false}, {"one for one", 1, false, true}, {"nearly as long", 1, true, false}} {
		x := newCrowd(8)
		from := x.reg(1, 1)
		x.inst(def(from))
		var list []int32
		for range c.values {
			v := x.reg(1, 1)
			x.p.VRegs[v].Remat = x.inst(def(v), use(from))
			list = append(list, v)
		}
		room := 8
		if c.late || c.values > 1 {
			room = 7
		}
		x.fill(room)
		if c.late {
			x.inst(use(from))
		}
		x.fill(2)
		for _, v := range list {
			x.inst(use(v))
		}
		if s := x.solve(t); s.Slots > 0 != c.slots {
			t.Errorf("%s: %d words of memory", c.name, s.Slots)
		}
	}
}

// TestDryChoice: where nothing may go to memory, what can be made again is, though it costs more.
func TestDryChoice(t *testing.T) {
	x := newCrowd(6)
	from, dear, cheap := x.reg(1, 1), x.reg(1, 1), x.reg(1, 1)
	x.inst(def(from))
	n := x.inst(def(dear), use(from))
	x.p.VRegs[dear].Remat = n
	x.inst(def(cheap))
	x.fill(4)
	for range 9 {
		x.inst(use(dear))
		x.fill(4)
	}
	x.inst(use(cheap))
	x.inst(use(from))
	x.p.Blocks = []regalloc.Block{{N: int32(len(x.p.Insts))}}
	s, err := regalloc.Solve(&x.p, regalloc.Options{})
	if err != nil || s.Slots == 0 {
		t.Fatalf("with memory: %d words of it, %v", s.Slots, err)
	}
	asked := 0
	s, err = regalloc.Solve(&x.p, regalloc.Options{Memory: func() bool { asked++; return false }})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(&x.p, s); err != nil || s.Slots > 0 || asked == 0 {
		t.Errorf("without: %d words of memory, asked %d times, %v", s.Slots, asked, err)
	}
	for _, c := range []struct {
		dry   float64
		slots bool
	}{{0.1, true}, {100, false}} {
		s, err := regalloc.Solve(&x.p, regalloc.Options{Dry: c.dry})
		if err != nil || s.Slots > 0 != c.slots {
			t.Errorf("%.1f times as dear: %d words of memory, %v", c.dry, s.Slots, err)
		}
	}
}

// TestLivesOnInMemory: what is made again of a word that went to memory with it finds that there: the word
// has a home only where it lived before.
func TestLivesOnInMemory(t *testing.T) {
	made := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 19))
		x := newCrowd(6 + r.IntN(4))
		var list []int32
		for range 10 + r.IntN(60) {
			switch k := r.IntN(6); {
			case k == 0 || len(list) == 0:
				list = append(list, x.reg(1, 1))
				x.inst(def(list[len(list)-1]))
			case k < 3:
				v, from := x.reg(1, 1), list[max(0, len(list)-1-r.IntN(4))]
				x.p.VRegs[v].Remat = x.inst(def(v), use(from))
				list = append(list, v)
			default:
				x.inst(use(list[r.IntN(len(list))]))
			}
		}
		s := x.solve(t)
		for n := range s.Problem.Insts {
			if s.Problem.Insts[n].Kind == regalloc.Remat {
				made++
			}
		}
	}
	if made == 0 {
		t.Error("nothing is made again")
	}
}
