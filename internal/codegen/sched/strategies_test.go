package sched

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// sums is a kernel that loads numbers, stores a product of each pair and sums
// all of them up at the end, as softmax does: more are alive than registers.
func sums(n int) string {
	var s strings.Builder
	s.WriteString("func f kernel {\n")
	for r := range 3*n + 2 {
		fmt.Fprintf(&s, "reg r%d 1/1\n", r)
	}
	s.WriteString("b0:\n")
	for k := range n {
		fmt.Fprintf(&s, "LDS r%d = [%#x]\nMUFU.EX2 r%d = r%d\n", k, 4*k, n+k, k)
	}
	fmt.Fprintf(&s, "MOV r%d = rz\n", 3*n)
	for k := range n {
		fmt.Fprintf(&s, "FADD r%d = r%d, r%d\n", 3*n, 3*n, n+k)
	}
	for k := 0; k < n; k += 2 {
		fmt.Fprintf(&s, "FMUL r%d = r%d, r%d\nSTG [%#x], r%d\n", 2*n+k, n+k, n+k+1, 4*k, 2*n+k)
	}
	fmt.Fprintf(&s, "STG [0x8000], r%d\nEXIT\n}\n", 3*n)
	return s.String()
}

// told is a judge that says what it is told, about one order after the other.
type told struct {
	t              *testing.T
	f              *ori.Func
	guesses        []float64
	prices         map[float64]float64 // by guess
	guessed        map[string]float64
	priced, bounds []float64
}

func (j *told) Guess(most float64) (cost, memory float64) {
	cost = 1e6 // so bad that nobody looks at it
	if n := len(j.guessed); n < len(j.guesses) {
		cost = j.guesses[n]
	}
	j.guessed[j.f.String()] = cost
	if cost > most {
		cost = math.Inf(1)
	}
	return cost, cost
}

func (j *told) Price(most float64) (cost float64, memory bool) {
	g, ok := j.guessed[j.f.String()]
	if !ok {
		j.t.Fatal("an order is judged that was not guessed about")
	}
	j.priced, j.bounds = append(j.priced, g), append(j.bounds, most)
	return j.prices[g], j.prices[g] > 0
}

func (j *told) Within(n int) int { return n }

func (j *told) Dry(most float64) (cost float64) {
	if j.prices[j.guessed[j.f.String()]] > 0 {
		return math.Inf(1)
	}
	cost, _ = j.Price(most)
	return cost
}

func (j *told) Keep() bool { return true }

func (j *told) Takes() (int, bool) { return 0, true }

func (j *told) Places() bool { return true }

// TestTry: where registers run out, orders are given registers only where
// guesses do not tell them apart, and no other is looked for once one costs
// nothing.
func TestTry(t *testing.T) {
	for _, c := range []struct {
		guesses []float64
		prices  map[float64]float64
		judged  []float64 // guesses of the orders judged
		bounds  []float64
		taken   float64 // guess of the order taken
	}{
		{[]float64{150, 120, 140}, nil, nil, nil, 120},
		{[]float64{150, 180, 170}, nil, nil, nil, 150},
		{[]float64{50, 20, 30}, map[float64]float64{20: 5}, []float64{20}, []float64{0}, 20},
		{[]float64{0}, map[float64]float64{0: 0}, []float64{0}, []float64{0}, 0},
		{[]float64{0, 1, 2}, map[float64]float64{0: 7, 1: 9, 2: 4}, []float64{0, 1, 2}, []float64{0, 0, 0}, 2},
		{[]float64{0, 1, 2}, map[float64]float64{0: 7, 1: 0}, []float64{0, 1}, []float64{0, 0}, 1},
		{[]float64{102, 104, 100}, map[float64]float64{100: 9, 102: 8, 104: 7}, []float64{100, 102, 104}, []float64{0, 9, 8}, 104},
		{[]float64{100, 101, 99}, map[float64]float64{99: 9, 101: 7}, []float64{99, 101}, []float64{0, 9}, 101}, // 100 is about 99
	} {
		m, err := ori.Parse(sums(60))
		if err != nil {
			t.Fatal(err)
		}
		j := &told{t: t, f: m.Funcs[0], guesses: c.guesses, prices: c.prices, guessed: map[string]float64{}}
		Pre(j.f, target.Find("sm_90a"), Budget{Most: 24}, Usual(), j)
		if !slices.Equal(j.priced, c.judged) || !slices.Equal(j.bounds, c.bounds) {
			t.Errorf("guesses %v: judged %v within %v, want %v within %v", c.guesses, j.priced, j.bounds, c.judged, c.bounds)
		}
		if got := j.guessed[j.f.String()]; got != c.taken {
			t.Errorf("guesses %v: the order of %v was taken, want %v", c.guesses, got, c.taken)
		}
	}
}

// TestLarge: of large functions several orders are tried only where the first hardly
// needs memory.
func TestLarge(t *testing.T) {
	text := strings.Replace(sums(60), "b0:\n", "b0: -> b1\n"+strings.Repeat("STS [0x8], rz\n", Usual().Large)+"b1:\n", 1)
	for guess, want := range map[float64]bool{float64(Usual().Surely): true, float64(Usual().Surely) + 1: false} {
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		j := &told{t: t, f: m.Funcs[0], guesses: []float64{guess, 20}, prices: map[float64]float64{20: 5}, guessed: map[string]float64{}}
		Pre(j.f, target.Find("sm_90a"), Budget{Most: 24}, Usual(), j)
		if more := len(j.guessed) > 1; more != want {
			t.Errorf("where %v words are guessed %d orders are looked at", guess, len(j.guessed))
		}
	}
}

// TestSpaciousBlocks: where warps trade registers and those of one run out, others keep the
// order that was found first, whichever is the cheapest there.
func TestSpaciousBlocks(t *testing.T) {
	text := sums(60)
	text = strings.Replace(text, "b0:\n", "b0: -> b1\n"+strings.Repeat("LDS r0 = [0x0]\nIADD3 r0 = r0, 0x1, rz\nLDS r1 = [0x4]\nIADD3 r1 = r1, r0, rz\nSTS [0x8], r1\n", 2)+"b1:\n", 1)
	order := func(guesses ...float64) []string {
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		j := &told{t: t, f: f, guesses: guesses, prices: map[float64]float64{}, guessed: map[string]float64{}}
		rooms := func(b *ori.Block) int { return 24 + 100*int(1-b.ID) }
		Pre(f, target.Find("sm_90a"), Budget{Most: 124, Limits: rooms}, Usual(), j)
		var s []string
		for _, b := range f.Blocks {
			var x strings.Builder
			for i := range b.Instrs {
				x.Write(f.AppendInstr(nil, i))
			}
			s = append(s, x.String())
		}
		return s
	}
	first, other := order(150, 180, 170), order(150, 180, 120)
	if first[0] != other[0] || first[1] == other[1] {
		t.Errorf("the first block changed: %v, the second: %v", first[0] != other[0], first[1] != other[1])
	}
}

// TestChoose: only so many orders are judged, those with the least guesses, and
// one of those whose guesses are about the same.
func TestChoose(t *testing.T) {
	m, err := ori.Parse(sums(60))
	if err != nil {
		t.Fatal(err)
	}
	j := &told{t: t, f: m.Funcs[0], prices: map[float64]float64{}, guessed: map[string]float64{}}
	var list []candidate
	order := j.f.Order()
	for n, g := range []float64{100, 98, 96, 94, 93, 92} { // each with another load first
		order[0] = slices.Clone(order[0])
		order[0][0], order[0][2*n] = order[0][2*n], order[0][0]
		j.f.Reorder(order)
		j.guessed[j.f.String()], j.prices[g] = g, g
		list = append(list, candidate{made{order: j.f.Order(), guess: g}, g})
	}
	usual := Usual()
	j.f.Reorder(choose(j.f, list, verdict{list[0].made, math.Inf(1), true}, j, &usual).order)
	if want := []float64{92, 94, 96}; !slices.Equal(j.priced, want) || j.guessed[j.f.String()] != 92 {
		t.Errorf("judged %v, want %v; took %v", j.priced, want, j.guessed[j.f.String()])
	}
}

// listed is a judge that says one price after the other.
type listed []verdict

func (j *listed) Guess(float64) (cost, memory float64) { return 0, 0 }

func (j *listed) Within(n int) int { return n }

func (j *listed) Keep() bool { return true }

func (j *listed) Takes() (int, bool) { return 0, true }

func (j *listed) Places() bool { return true }

func (j *listed) Price(float64) (cost float64, memory bool) {
	p := (*j)[0]
	*j = (*j)[1:]
	return p.cost, p.memory
}

// Dry is of the first price; what needs memory is asked again when all others were.
func (j *listed) Dry(float64) (cost float64) {
	p := (*j)[0]
	if *j = (*j)[1:]; p.memory {
		*j = append(*j, p)
	}
	return dried(p.cost, p.memory)
}

// TestChooseMemory: where a guess sees little need for memory, orders are
// judged until one needs none; what needs none is better than what costs less.
func TestChooseMemory(t *testing.T) {
	usual := Usual()
	for _, c := range []struct {
		memory float64
		prices listed
		best   int
	}{
		{0, listed{{made{}, 60, true}, {made{}, 50, true}, {made{}, 70, true}, {made{}, 55, true}, {made{}, 90, false}}, 4},
		{0, listed{{made{}, 60, true}, {made{}, 80, false}, {made{}, 50, true}}, 1},
		{0, listed{{made{}, 60, false}}, 0},
		{float64(usual.Surely) + 1, listed{{made{}, 60, true}}, 0},
	} {
		list := make([]candidate, 6)
		for n := range list {
			list[n] = candidate{made{order: make([][]*ori.Instr, 1), guess: 72}, c.memory}
		}
		want := &list[c.best].order[0]
		got := choose(&ori.Func{}, list, verdict{made{}, math.Inf(1), true}, &c.prices, &usual)
		if &got.order[0] != want {
			t.Errorf("%v: number %d was wanted", c.prices, c.best)
		}
	}
}

// TestShy: a number that is multiplied and summed up ends sooner if both stand
// near each other.
func TestShy(t *testing.T) {
	m, err := ori.Parse(sums(60))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	a := target.Find("sm_90a")
	usual := Usual()
	peak := func(penalty ...int32) int32 {
		return analyse(f, a, &usual).preScheduler(Budget{Most: 24}, strategy{penalty: penalty}).peak
	}
	if plain, penalty := peak(0), peak(4); penalty >= plain {
		t.Errorf("%d words at once, %d without", penalty, plain)
	}
}

// dear is a judge for whom an order costs more with one of the orders of a block.
type dear struct {
	scant
	f     *ori.Func
	block int
	order []*ori.Instr
	asked int
}

func (j *dear) Price(float64) (cost float64, memory bool) {
	j.asked++
	if slices.Equal(j.f.Order()[j.block], j.order) {
		return 6, false
	}
	return 5, false
}

func (j *dear) Dry(most float64) (cost float64) { return dried(j.Price(most)) }

// TestRestore: a block that has registers enough gets the order that was found first back,
// unless that costs something; one that has not does not.
func TestRestore(t *testing.T) {
	text := sums(60)
	text = strings.Replace(text, "b0:\n", "b0: -> b1\n"+strings.Repeat("LDS r0 = [0x0]\nIADD3 r0 = r0, 0x1, rz\nLDS r1 = [0x4]\nIADD3 r1 = r1, r0, rz\nSTS [0x8], r1\n", 2)+"b1:\n", 1)
	for _, c := range []struct {
		dear int // the block whose first order costs more
		want [2]bool
		done bool
	}{{1, [2]bool{true, false}, true}, {0, [2]bool{false, false}, false}} {
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		tune := Usual()
		p := analyse(f, target.Find("sm_90a"), &tune).preScheduler(Budget{Most: 40}, strategy{})
		p.byBlock[f.Blocks[1].ID][general] = 40
		source, first := f.Order(), f.Order()
		for n := range first {
			slices.Reverse(first[n])
		}
		j := &dear{f: f, block: c.dear, order: first[c.dear]}
		got, done := p.restore(f, verdict{made: made{order: source}, cost: 5}, first, j)
		if done != c.done || j.asked != 1 {
			t.Errorf("block %d is dear: done %v, asked %d times", c.dear, done, j.asked)
		}
		for n, want := range c.want {
			if slices.Equal(got.order[n], first[n]) != want {
				t.Errorf("block %d is dear: block %d has the first order: %v", c.dear, n, !want)
			}
		}
	}
}

// asked is a judge of whom only orders without memory are asked.
type asked struct {
	Judge
	cost []float64
	n    int
}

func (j *asked) Dry(float64) float64 {
	j.n++
	return j.cost[j.n-1]
}

// TestSlightly: an order that is guessed to be no better is asked about only if it could
// cost a move in a loop less, or anything less in a small function.
func TestSlightly(t *testing.T) {
	for _, c := range []struct {
		instrs int
		second float64 // guess of the second order
		first  float64 // cost of the first
		asked  int
	}{{9000, 1, 3, 1}, {9000, 1, 6, 2}, {9000, 0, 3, 2}, {300, 1, 3, 2}} {
		f := &ori.Func{}
		b := f.NewBlock()
		for range c.instrs {
			b.Append(f.NewInstr(op.NOP, op.Mods{}, nil, nil))
		}
		j := &asked{cost: []float64{c.first, 2}}
		list := []candidate{{made: made{order: f.Order(), guess: 1}}, {made: made{order: f.Order(), guess: c.second}}}
		tune := Usual()
		chooseDry(f, list, verdict{cost: math.Inf(1), memory: true}, j, &tune)
		if j.n != c.asked {
			t.Errorf("%+v: %d orders are asked about", c, j.n)
		}
	}
}

// TestRoomOverBarriers: words that are summed up behind a barrier are summed up before
// it, and with room for runs that find no place.
func TestRoomOverBarriers(t *testing.T) {
	const n, most = 120, 48
	var s strings.Builder
	s.WriteString("func f kernel {\nreg u0 2/2\nreg r1 2/2\n")
	for r := range 2 * n {
		fmt.Fprintf(&s, "reg r%d 1/1\n", r+2)
	}
	fmt.Fprintf(&s, "b0:\nULDC.64 u0 = c[0x0][0x208]\nLDC.64 r1 = c[0x0][0x210]\n")
	for k := range n {
		fmt.Fprintf(&s, "LDG.E r%d = desc[u0], [r1.64+%#x]\n", k+2, 4*k)
	}
	fmt.Fprintf(&s, "BAR.SYNC 0x0\nMOV r%d = rz\n", n+2)
	for k := 1; k < n; k++ {
		fmt.Fprintf(&s, "FADD r%d = r%d, r%d\n", n+k+2, n+k+1, k+1)
	}
	fmt.Fprintf(&s, "STG.E desc[u0], [r1.64+0x0], r%d\nEXIT\n}\n", 2*n+1)
	f := parsed(t, s.String())
	Pre(f, target.Find("sm_90a"), Budget{Most: most}, Usual(), &flat{f, most - 12, 1})
	if got := alive(f); got > most-12 {
		t.Errorf("%d words are alive", got)
	}
}
