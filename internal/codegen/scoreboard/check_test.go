package scoreboard

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

var archNames = []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a", "sm_121"}

func TestRandomPrograms(t *testing.T) {
	insts := 0
	for _, name := range archNames {
		a := target.Find(name)
		for seed := range uint64(150) {
			f := newMaker(seed).function(1+int(seed%7), 14)
			Assign(f, a, Sectors{4, 3})
			if err := Check(f, a); err != nil {
				t.Fatalf("%s seed %d: %v\n%s", name, seed, err, f)
			}
			f = newMaker(seed).function(1+int(seed%7), 14)
			Quick(f, a, Sectors{4, 3}, seed%2 == 0)
			if err := Check(f, a); err != nil {
				t.Fatalf("quick, %s seed %d: %v\n%s", name, seed, err, f)
			}
			f = newMaker(seed).function(1+int(seed%7), 14)
			Serial(f, a)
			if err := Check(f, a); err != nil {
				t.Fatalf("serial, %s seed %d: %v\n%s", name, seed, err, f)
			}
			insts += f.NumInstrs()
		}
	}
	t.Logf("%d instructions on %d architectures", insts, len(archNames))
}

// paths lists walks through f from its entry, as events.
func paths(f *ori.Func, a *target.Arch, r *rand.Rand, count, length int) [][]timing.Event {
	d := timing.NewDescriber(f, a)
	events := make([][]timing.Event, f.NumBlocks())
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			events[b.ID] = append(events[b.ID], d.Instr(i))
		}
	}
	var out [][]timing.Event
	for range count {
		var p []timing.Event
		for b := f.Blocks[0]; ; b = b.Succs[r.IntN(len(b.Succs))] {
			p = append(p, events[b.ID]...)
			if len(b.Succs) == 0 || len(p) > length {
				break
			}
		}
		out = append(out, p)
	}
	return out
}

// broken reports whether some pair of instructions on a path breaks a rule.
// It looks at every pair and shares nothing with the checker but the tables
// and the events.
func broken(p []timing.Event, t *target.Timing) bool {
	at := make([]int, len(p)+1)
	for k := range p {
		at[k+1] = at[k] + int(p[k].Ctrl.Stall)
	}
	for j := range p {
		if int(p[j].Ctrl.Stall) < target.MinStall(p[j].Class) {
			return true
		}
		for i := max(0, j-80); i < j; i++ {
			if pairBroken(p, at, t, i, j) {
				return true
			}
		}
	}
	return false
}

func pairBroken(p []timing.Event, at []int, t *target.Timing, i, j int) bool {
	a, b := &p[i], &p[j]
	d := at[j] - at[i]
	for _, bar := range []int8{a.Ctrl.WrBar, a.Ctrl.RdBar} {
		if bar >= 0 && b.Ctrl.Wait>>bar&1 != 0 && d < target.BarrierLag {
			return true
		}
	}
	if d <= target.MaxGap && d < t.Gap(a.Class, b.Class) {
		return true
	}
	if fenceBroken(p, i, j) {
		return true
	}
	variable := t.Variable(a.Class)
	for _, w := range a.Writes {
		for c := w.Cell; c < w.Cell+uint16(w.N); c++ {
			if rewritten(p, c, i, j) {
				continue
			}
			for _, s := range at2(b.Reads, c) {
				if variable && !waited(p, i, j, true, t) || !variable && d < t.RAW(timing.FileOf(c), w.Row, s.Sink) {
					return true
				}
			}
			for range at2(b.Writes, c) {
				inOrder := t.ReturnGroup(a.Class) != 0 && t.ReturnGroup(a.Class) == t.ReturnGroup(b.Class)
				if variable && !inOrder && !waited(p, i, j, true, t) || !variable && d < t.WAW(timing.FileOf(c), w.Row, b.Class) {
					return true
				}
			}
		}
	}
	return readBroken(p, t, i, j, d)
}

// fenceBroken reports whether i is a fence, j the first instruction that it holds back, and none
// from the one to the other waits for it.
func fenceBroken(p []timing.Event, i, j int) bool {
	if !p[i].Fences || p[j].Passes {
		return false
	}
	var waits uint8
	for k := i + 1; k <= j; k++ {
		if k < j && !p[k].Passes {
			return false
		}
		waits |= p[k].Ctrl.Wait
	}
	for _, bar := range []int8{p[i].Ctrl.WrBar, p[i].Ctrl.RdBar} {
		if bar >= 0 && waits>>bar&1 == 0 {
			return true
		}
	}
	return false
}

func readBroken(p []timing.Event, t *target.Timing, i, j, d int) bool {
	a, b := &p[i], &p[j]
	for _, r := range a.Reads {
		for c := r.Cell; c < r.Cell+uint16(r.N); c++ {
			if len(at2(b.Writes, c)) == 0 || overwritten(p, c, i, j) || len(at2(a.Writes, c)) > 0 && timing.Late(t, a.Class, c) {
				continue
			}
			if timing.Late(t, a.Class, c) {
				inOrder := target.ReadGroup(a.Class) != 0 && target.ReadGroup(a.Class) == target.ReadGroup(b.Class)
				if !inOrder && !waited(p, i, j, false, t) {
					return true
				}
			} else if d < t.WAR(timing.FileOf(c), a.Class, b.Class) {
				return true
			}
		}
	}
	return false
}

// at2 returns the accesses that cover a cell.
func at2(list []timing.Access, c uint16) []timing.Access {
	var out []timing.Access
	for _, a := range list {
		if a.Cell <= c && c < a.Cell+uint16(a.N) {
			out = append(out, a)
		}
	}
	return out
}

// rewritten reports whether a cell is surely written between i and j.
func rewritten(p []timing.Event, c uint16, i, j int) bool {
	for k := i + 1; k < j; k++ {
		if !p[k].Guarded && len(at2(p[k].Writes, c)) > 0 {
			return true
		}
	}
	return false
}

// overwritten reports whether anything between i and j writes a cell: the
// first writer is the one that must wait.
func overwritten(p []timing.Event, c uint16, i, j int) bool {
	for k := i + 1; k < j; k++ {
		if len(at2(p[k].Writes, c)) > 0 {
			return true
		}
	}
	return false
}

// waited reports whether between i and j some instruction waits for i.
func waited(p []timing.Event, i, j int, result bool, t *target.Timing) bool {
	var mask uint8
	for k := i; k <= j; k++ {
		if k > i && p[k].Ctrl.Wait&mask != 0 {
			return true
		}
		if k == j {
			break
		}
		if k == i || result && t.ReturnGroup(p[k].Class) != 0 && t.ReturnGroup(p[k].Class) == t.ReturnGroup(p[i].Class) ||
			!result && target.ReadGroup(p[k].Class) != 0 && target.ReadGroup(p[k].Class) == target.ReadGroup(p[i].Class) {
			if b := p[k].Ctrl.WrBar; b >= 0 {
				mask |= 1 << b
			}
			if b := p[k].Ctrl.RdBar; b >= 0 && !result {
				mask |= 1 << b
			}
		}
	}
	return false
}

// mutate damages one control field or register of f.
func mutate(f *ori.Func, r *rand.Rand) string {
	var all []*ori.Instr
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			all = append(all, i)
		}
	}
	i := all[r.IntN(len(all))]
	s := &i.Sched
	switch r.IntN(6) {
	case 0, 1:
		if s.Stall > 1 {
			s.Stall -= uint8(1 + r.IntN(int(s.Stall-1)))
			s.Yield = s.Yield && s.Stall >= 3
			return "stall"
		}
	case 2:
		if s.WrBar >= 0 {
			s.WrBar = int8(r.IntN(7)) - 1
			return "write barrier"
		}
	case 3:
		if s.RdBar >= 0 {
			s.RdBar = int8(r.IntN(7)) - 1
			return "read barrier"
		}
	case 4:
		if s.Wait != 0 {
			s.Wait &= uint8(r.IntN(64))
			return "wait"
		}
	case 5:
		for k := range i.Args {
			if o := &i.Args[k]; o.Kind == ori.KReg && o.Class == ori.R && o.N == 1 {
				n := f.NewReg(ori.R, 1)
				f.Regs[n].Phys = int16(r.IntN(24))
				o.Reg, o.Sub = n, 0
				return "register"
			}
		}
	}
	return ""
}

// TestMutations damages assigned programs. What brute force finds broken on
// some path, the checker must report.
func TestMutations(t *testing.T) {
	matter, found, tried := map[string]int{}, map[string]int{}, 0
	for _, name := range []string{"sm_80", "sm_90a", "sm_120a"} {
		a := target.Find(name)
		for seed := range uint64(700) {
			r := rand.New(rand.NewPCG(seed, 99))
			f := newMaker(seed).function(1+int(seed%5), 12)
			Assign(f, a, Sectors{4, 3})
			kind := mutate(f, r)
			for kind == "" {
				kind = mutate(f, r)
			}
			tried++
			bad := false
			for _, p := range paths(f, a, r, 6, 70) {
				bad = bad || broken(p, target.TimingOf(a))
			}
			if !bad {
				continue
			}
			matter[kind]++
			if Check(f, a) != nil {
				found[kind]++
			}
		}
	}
	total, hit := 0, 0
	for k, n := range matter {
		total += n
		hit += found[k]
		t.Logf("%-14s %5d that matter, %5d found", k, n, found[k])
	}
	t.Logf("%d mutations, %d matter, %d found", tried, total, hit)
	if hit*100 < total*99 || total < 300 {
		t.Errorf("found %d of %d", hit, total)
	}
}

// TestBruteForceAgrees runs brute force over undamaged programs: nothing may
// be broken.
func TestBruteForceAgrees(t *testing.T) {
	pairs := 0
	for _, name := range archNames {
		a := target.Find(name)
		for seed := range uint64(60) {
			f := newMaker(seed).function(1+int(seed%5), 12)
			if seed%4 == 3 {
				Quick(f, a, Sectors{4, 3}, true)
			} else {
				Assign(f, a, Sectors{4, 3})
			}
			for _, p := range paths(f, a, rand.New(rand.NewPCG(seed, 3)), 8, 90) {
				pairs += len(p) * len(p) / 2
				if broken(p, target.TimingOf(a)) {
					t.Fatalf("%s seed %d: broken\n%s", name, seed, f)
				}
			}
		}
	}
	t.Logf("%d pairs of instructions", pairs)
}

// TestOrder: blocks come before those that they lead to, whatever the layout is,
// but for ways back; those that nothing leads to do not come at all.
func TestOrder(t *testing.T) {
	p := &Program{Entry: []int32{0}, Succs: [][]int32{{3, 1}, {2}, {1, 5}, {2}, {5}, nil}}
	order, rank := p.order()
	if want := []int32{0, 3, 2, 5, 1}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	for n, b := range order {
		if rank[b] != int32(n) {
			t.Errorf("block %d is at %d, not at %d", b, n, rank[b])
		}
	}
}
