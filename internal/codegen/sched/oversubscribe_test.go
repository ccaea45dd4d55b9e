package sched

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// masked is a loop that adds n numbers to sums, each from an address of its
// own that is made with a carry, while some tests wait for their stores.
func masked(n, tests int) string {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg u0 2/2\nreg r1 2/2\nreg r2 1/1\nreg p3 1/1\n")
	at := func(k, what int) int { return 4 + 5*k + what } // sum, base, address, number, carry
	for k := range n {
		fmt.Fprintf(&s, "reg r%d 1/1\nreg r%d 2/2\nreg r%d 2/2\nreg r%d 1/1\nreg p%d 1/1\n", at(k, 0), at(k, 1), at(k, 2), at(k, 3), at(k, 4))
	}
	for k := range tests {
		fmt.Fprintf(&s, "reg p%d 1/1\n", at(n, k))
	}
	s.WriteString("b0: -> b1\nULDC.64 u0 = c[0x0][0x208]\nLDC.64 r1 = c[0x0][0x210]\nS2R r2 = SR_TID.X\n")
	for k := range n {
		fmt.Fprintf(&s, "MOV r%d = rz\nIMAD.WIDE r%d = r2, %#x, r1\n", at(k, 0), at(k, 1), 8*k+8)
	}
	for k := range tests {
		fmt.Fprintf(&s, "ISETP.NE.AND p%d = r2, %#x, pt\n", at(n, k), k)
	}
	s.WriteString("b1: -> b1, b2\n")
	for k := range n {
		fmt.Fprintf(&s, "IADD3 r%d[0], p%d = r%d[0], r2, rz\nIADD3.X r%d[1] = r%d[1], rz, rz, p%d, ~pt\n", at(k, 2), at(k, 4), at(k, 1), at(k, 2), at(k, 1), at(k, 4))
		fmt.Fprintf(&s, "LDG.E r%d = desc[u0], [r%d.64+0x0]\nFADD r%d = r%d, r%d\n", at(k, 3), at(k, 2), at(k, 0), at(k, 0), at(k, 3))
	}
	s.WriteString("IADD3 r2 = r2, -0x1, rz\nISETP.NE.AND p3 = r2, rz, pt\n@p3 BRA b1\nb2:\n")
	for k := range n {
		guard := ""
		if tests > 0 {
			guard = fmt.Sprintf("@p%d ", at(n, k%tests))
		}
		fmt.Fprintf(&s, "%sSTG.E desc[u0], [r%d.64+0x0], r%d\n", guard, at(k, 1), at(k, 0))
	}
	s.WriteString("EXIT\n}\n")
	return s.String()
}

// together is how many loads of a block are in flight at most, if a sum waits
// for the one it reads.
func together(b *ori.Block) (most int) {
	open := map[ori.Reg]bool{}
	for i := range b.Instrs {
		for _, o := range i.Srcs() {
			delete(open, o.Reg)
		}
		if i.Op == op.LDG {
			open[i.Args[0].Reg] = true
			most = max(most, len(open))
		}
	}
	return most
}

func parsed(t *testing.T, text string) *ori.Func {
	t.Helper()
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m.Funcs[0]
}

// TestPairs: a carry that is read at once needs no predicate of its own among
// those that wait, so loads are in flight together however many do.
func TestPairs(t *testing.T) {
	for tests := range 7 {
		f := parsed(t, masked(16, tests))
		Pre(f, target.Find("sm_90a"), Budget{Most: 255}, Usual(), nil)
		if n := together(f.Blocks[1]); n < 12 {
			t.Errorf("with %d tests that wait %d of 16 loads are in flight together", tests, n)
		}
		if err := f.Verify(0); err != nil {
			t.Error(err)
		}
	}
}

// flat is a judge for which a word in memory always costs the same.
type flat struct {
	f     *ori.Func
	most  int32
	price float64
}

func (j *flat) Guess(most float64) (cost, memory float64) {
	cost = float64(max(0, alive(j.f)-j.most)) * j.price
	if cost > most {
		return math.Inf(1), math.Inf(1)
	}
	return cost, cost
}

func (j *flat) Price(most float64) (cost float64, memory bool) {
	cost, _ = j.Guess(math.Inf(1))
	if most > 0 && cost > most {
		return math.Inf(1), true
	}
	return cost, cost > 0
}

func (j *flat) Within(n int) int { return n }

func (j *flat) Dry(most float64) (cost float64) { return dried(j.Price(most)) }

func (j *flat) Keep() bool { return true }

func (j *flat) Takes() (int, bool) { return 0, true }

func (j *flat) Places() bool { return true }

// TestAmpler: where sums and pointers fill the registers, words go to memory so
// that loads are in flight together, unless that costs more than it gains.
func TestAmpler(t *testing.T) {
	for _, c := range []struct {
		price       float64
		least, most int
	}{{1, 12, 20}, {1e5, 1, 6}} {
		f := parsed(t, masked(20, 0))
		Pre(f, target.Find("sm_90a"), Budget{Most: 72}, Usual(), &flat{f, 68, c.price})
		if n := together(f.Blocks[1]); n < c.least || n > c.most {
			t.Errorf("%d loads are in flight together where a word in memory costs %v", n, c.price)
		}
	}
}

// TestOff: spill code that costs more than was guessed is off by that, if the
// guess says something.
func TestOff(t *testing.T) {
	for _, c := range []struct{ cost, guess, want float64 }{{60, 30, 2}, {600, 30, mostOff}, {10, 30, 1}, {60, 10, 1}} {
		if v := (&verdict{made: made{guess: c.guess}, cost: c.cost}); v.off() != c.want {
			t.Errorf("a cost of %v instead of %v is off by %v", c.cost, c.guess, v.off())
		}
	}
}

// TestTraffic: memory is busy with every turn of a loop, by the bytes that accesses have.
func TestTraffic(t *testing.T) {
	usual := Usual()
	count := func(text string) float64 {
		f := parsed(t, text)
		return analyse(f, target.Find("sm_90a"), &usual).preScheduler(Budget{Most: 255}, strategy{}).traffic(f)
	}
	if got, want := count(masked(4, 0)), 4.0*4*perByte*(estimate.Turns+1); got != want {
		t.Errorf("words: %v, want %v", got, want)
	}
	head := "func f kernel {\nreg u0 2/2\nreg r1 2/2\nreg r2 4/4\nb0:\n"
	for access, bytes := range map[string]float64{"LDG.E.128": 16, "LDG.E.64": 8, "LDG.E": 4, "LDG.E.U16": 2, "LDG.E.S8": 1} {
		if got := count(head + strings.Repeat(access+" r2 = desc[u0], [r1.64+0x0]\n", 2) + "EXIT\n}\n"); got != 2*bytes*perByte {
			t.Errorf("%s: %v", access, got)
		}
	}
}
