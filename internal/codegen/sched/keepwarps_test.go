package sched

import (
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// roomy is a judge whose order takes so many registers, and for whom everything finds a place below
// a step when that was asked so often; 0: never.
type roomy struct {
	scant
	f      *ori.Func
	taken  int
	places int
	orders []string // that places were asked for
}

func (j *roomy) Takes() (int, bool) { return j.taken, false }

func (j *roomy) Places() bool {
	j.orders = append(j.orders, j.f.String())
	return len(j.orders) == j.places
}

// TestKeepWarps: registers are looked for within the step that an order was made for where it takes more, then for
// orders with fewer words. A step that is not reached is given up, with the order as it was.
func TestKeepWarps(t *testing.T) {
	arranged := func(threads int) (*ori.Func, *preScheduler) {
		m, err := ori.Parse(sums(60))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		f.Props.ReqNTid = [3]int32{int32(threads), 1, 1}
		tune := Usual()
		tune.Strict = 1000 // whatever it takes
		p := analyse(f, target.Find("sm_90a"), &tune).preScheduler(Budget{Most: 253}, strategy{})
		p.arrange(f)
		return f, p
	}
	_, p := arranged(128)
	step := int(p.made())
	if step == 0 {
		t.Fatal("the order was made for no step")
	}
	for _, c := range []struct {
		name          string
		taken, places int
		asked         int
		limits        []int
	}{
		{"the step", step, 1, 0, nil},
		{"more", step + 8, 1, 1, []int{step}},
		{"fewer words", step + 8, 2, 2, []int{step}},
		{"no place", step + 8, 0, 1 + p.tune.Roomier, []int{step, 0}},
	} {
		f, p := arranged(128)
		before := f.String()
		j := &roomy{f: f, taken: c.taken, places: c.places}
		p.keepWarps(f, p.cost(f, p.plans, p.weights(f), 0), j)
		if !slices.Equal(j.limits, c.limits) && !(c.limits == nil && len(j.orders) == 0) {
			t.Errorf("%s: limits %v", c.name, j.limits)
		}
		if len(j.orders) > c.asked || (c.places > 0 && len(j.orders) != c.asked) {
			t.Errorf("%s: %d orders were asked about", c.name, len(j.orders))
		}
		if kept := f.String() == before; kept != (c.places != 2) {
			t.Errorf("%s: order kept %v", c.name, kept)
		}
	}
	f, p := arranged(1024) // has one block with 64 registers and with fewer than that two
	j := &roomy{f: f, taken: 64, places: 1}
	if p.keepWarps(f, p.cost(f, p.plans, p.weights(f), 0), j); p.made() > 32 && len(j.orders) > 0 {
		t.Errorf("registers are looked for that let no more blocks run: limits %v", j.limits)
	}
	ring := "LDGSTS.E.BYPASS.128 [r0+0x0], desc[u182], [r183.64+0x0]\nLDGDEPBAR\nDEPBAR.LE SB0, 0x1\nEXIT"
	f = parsed(t, strings.Replace(strings.Replace(sums(60), "b0:", "reg u182 2/2\nreg r183 2/2\nb0:", 1), "EXIT", ring, 1))
	tune := Usual()
	p = analyse(f, target.Find("sm_90a"), &tune).preScheduler(Budget{Most: 253}, strategy{})
	p.arrange(f)
	j = &roomy{f: f, taken: int(p.made()) + 8, places: 1}
	if p.keepWarps(f, p.cost(f, p.plans, p.weights(f), 0), j); p.made() == 0 || len(j.orders) > 0 {
		t.Errorf("registers are looked for within a step of blocks whose size is guessed: limits %v", j.limits)
	}
}
