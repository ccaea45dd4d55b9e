package ra

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestJudge: what a judge found out about an order is what allocation comes to
// without it, the guess is nothing where enough registers are there, a bound
// below the price makes it infinite, and another order is allocated anew.
func TestJudge(t *testing.T) {
	known, bounded := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		o := Options{Registers: 8 + r.IntN(24), Uniforms: 4 + r.IntN(8), Barriers: 2, StackReg: 1, Check: true}
		f, g := random(rand.New(rand.NewPCG(seed, 4))), random(rand.New(rand.NewPCG(seed, 4)))
		j := NewJudge(f, o)
		price, _ := j.Price(0)
		want, err := Run(g, o)
		if err != nil {
			continue
		}
		if price > 1 {
			bounded++
			if p, _ := j.Price(price / 2); !math.IsInf(p, 1) && p > price/2 {
				t.Fatalf("seed %d: price %v where %v is the most", seed, p, price/2)
			}
		}
		x := j.found()
		if x == nil {
			continue
		}
		known++
		with := o
		with.Known = j
		got, err := Run(f, with)
		if err != nil || *got != *want || f.String() != g.String() {
			t.Fatalf("seed %d: %v: %+v, want %+v", seed, err, got, want)
		}
	}
	if known < 20 || bounded < 20 {
		t.Errorf("only %d allocations known and %d bounded", known, bounded)
	}
}

// TestJudgeOrder: an allocation is not used for another order.
func TestJudgeOrder(t *testing.T) {
	const text = "func f kernel {\n  reg r0 1/1\n  reg r1 1/1\n  b0:\n    S2R r0 = SR_TID.X\n    S2R r1 = SR_TID.Y\n    STS [r0+0x0], r1\n    EXIT\n}\n"
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	j := NewJudge(f, Options{Registers: 8, Uniforms: 63, Barriers: 16, StackReg: 1})
	g, foreseen := j.Guess(math.Inf(1))
	if p, memory := j.Price(0); g != 0 || foreseen != 0 || p != 0 || memory {
		t.Errorf("guess %v, %v of memory; price %v, memory %v", g, foreseen, p, memory)
	}
	if j.found() == nil {
		t.Error("the order is not known")
	}
	if !j.Places() || len(j.done) != 2 {
		t.Errorf("%d allocations, of which one was not looked for by moving groups", len(j.done))
	}
	j.done = j.done[:1]
	if n := j.Within(6); n != 6 || j.found() != nil {
		t.Errorf("of %d registers it counts as known", n)
	}
	if !j.Places() {
		t.Error("6 registers are not enough")
	}
	j.done = j.done[:1]
	if j.done[0].s.Missed = 6; j.Places() || len(j.done) != 1 {
		t.Error("places that were looked for in vain are looked for again")
	}
	if j.done[0].s.Missed = 7; !j.Places() {
		t.Error("places below one number were looked for in vain, and those below another are not")
	}
	j.done = j.done[:1]
	if j.Within(0); j.found() == nil {
		t.Error("with all registers it is no longer known")
	}
	if p, memory := j.Price(0); p != 0 || memory || len(j.done) != 1 {
		t.Errorf("asked again: price %v, memory %v, %d allocations", p, memory, len(j.done))
	}
	first := f.Blocks[0].First()
	second := first.Next()
	first.Remove()
	f.Blocks[0].InsertAfter(first, second)
	if j.found() != nil {
		t.Error("another order counts as known")
	}
}
