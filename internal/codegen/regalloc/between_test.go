package regalloc_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// TestOneOrderAfterTheOther: what is remembered of one order of a problem changes nothing that is
// found out about the next, whether its blocks do the same with every word or not.
func TestOneOrderAfterTheOther(t *testing.T) {
	same := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 23))
		p := randomProblem(r, 12)
		var m regalloc.Scratch
		for range 6 {
			if regalloc.Remembers(p, &m) {
				same++
			}
			cost, memory := regalloc.Estimate(p, &m, math.Inf(1))
			if c, w := regalloc.Estimate(p, &regalloc.Scratch{}, math.Inf(1)); c != cost || w != memory {
				t.Fatalf("seed %d: guess %v, %v, want %v, %v", seed, cost, memory, c, w)
			}
			s, err := regalloc.Solve(p, regalloc.Options{Scratch: &m})
			want, bad := regalloc.Solve(p, regalloc.Options{})
			if (err == nil) != (bad == nil) || err == nil && !reflect.DeepEqual(s, want) {
				t.Fatalf("seed %d: %v, want %v", seed, err, bad)
			}
			q := *p
			q.Insts = append([]regalloc.Inst(nil), p.Insts...)
			b := p.Blocks[r.IntN(len(p.Blocks))]
			if k := b.First + int32(r.IntN(max(1, int(b.N)))); k+1 < b.First+b.N && !q.Insts[k+1].Last {
				q.Insts[k], q.Insts[k+1] = q.Insts[k+1], q.Insts[k]
			}
			p = &q
		}
	}
	if same < 60 || same > 350 {
		t.Errorf("%d of 360 orders are remembered", same)
	}
}

// TestMemory: whether memory may be used is asked before anything goes there; who
// may not comes to what needs none, or gives up.
func TestMemory(t *testing.T) {
	refused, free := 0, 0
	for seed := range uint64(300) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 17)), 12)
		want, err := regalloc.Solve(p, regalloc.Options{})
		if err != nil {
			continue
		}
		asked := false
		s, err := regalloc.Solve(p, regalloc.Options{Memory: func() bool { asked = true; return true }})
		if err != nil || !reflect.DeepEqual(s, want) || want.Slots > 0 && !asked {
			t.Fatalf("seed %d: asked %v, %v", seed, asked, err)
		}
		s, err = regalloc.Solve(p, regalloc.Options{Memory: func() bool { return false }})
		switch {
		case errors.Is(err, regalloc.ErrDear) && asked:
			refused++
		case err == nil && s.Slots == 0 && (asked || reflect.DeepEqual(s, want)):
			free++
		default:
			t.Fatalf("seed %d: asked %v, %v", seed, asked, err)
		}
	}
	if refused < 20 || free < 20 {
		t.Errorf("only %d given up and %d found", refused, free)
	}
}

// TestLiveAlone: words of one file live where they do beside those of others.
func TestLiveAlone(t *testing.T) {
	for seed := range uint64(100) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 29)), 40)
		for class := range p.Files {
			if !regalloc.SameAlone(p, uint8(class)) {
				t.Fatalf("seed %d, file %d", seed, class)
			}
		}
	}
}
