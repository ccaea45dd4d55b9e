package pool

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

type node struct {
	next *node
	args [3]uint32
	name string
}

// pages returns typed pages of p.
func pages[T any](p *Pool) *Of[T] {
	o := new(Of[T])
	o.Bind(p)
	return o
}

func TestPointersStayValid(t *testing.T) {
	top := New(nil, NameTop)
	const n = 50_000
	for round := range 3 {
		p := New(top, NameKernel)
		o := pages[node](p)
		var all []*node
		seen := map[*node]bool{}
		for i := range n {
			x := o.New()
			if x.next != nil || x.args != [3]uint32{} || x.name != "" {
				t.Fatalf("round %d: value %d is not zero", round, i)
			}
			if seen[x] {
				t.Fatalf("round %d: value %d handed out twice", round, i)
			}
			seen[x] = true
			x.args[0], x.name = uint32(i), fmt.Sprint(i)
			if i > 0 {
				x.next = all[i-1]
			}
			all = append(all, x)
		}
		for i, x := range all {
			if x.args[0] != uint32(i) || x.name != fmt.Sprint(i) {
				t.Fatalf("value %d changed", i)
			}
		}
		p.Destroy()
	}
}

func TestBind(t *testing.T) {
	p := New(nil, "p")
	o := pages[node](p)
	o.New().name = "x"
	if p.Reserved() == 0 {
		t.Error("pages of a bound Of are not counted")
	}
	mustPanic(t, "in use", func() { o.Bind(p) })
	var free Of[node]
	if free.New().name != "" || len(free.Slice(1000)) != 1000 {
		t.Error("a zero Of")
	}
}

func TestSlices(t *testing.T) {
	top := New(nil, "top")
	for range 2 { // the second round gets the pages of the first
		p := New(top, "p")
		o := pages[int32](p)
		var all [][]int32
		total := 0
		for i := range 3000 {
			s := o.Slice(i * 7 % 5000)
			if len(s) != i*7%5000 || cap(s) != len(s) {
				t.Fatalf("Slice: len %d cap %d", len(s), cap(s))
			}
			for j := range s {
				if s[j] != 0 {
					t.Fatal("slice is not zero")
				}
				s[j] = int32(i)
			}
			total += len(s)
			all = append(all, s)
		}
		for i, s := range all {
			for _, v := range s {
				if v != int32(i) {
					t.Fatalf("slice %d overlaps another", i)
				}
			}
		}
		if got := o.allocated(); got != int64(4*total) {
			t.Errorf("%d bytes counted, %d handed out", got, 4*total)
		}
		p.Destroy()
	}
}

func TestTree(t *testing.T) {
	top := New(nil, NameTop)
	k1, k2 := New(top, NameKernel), New(top, NameKernel)
	e := New(k1, "inner")
	pages[node](k1).New()
	pages[node](k2).New()
	pages[node](e).Slice(2000)
	if top.Reserved() != k1.Reserved()+k2.Reserved() || k1.Reserved() <= e.Reserved() {
		t.Errorf("reserved: top %d k1 %d k2 %d inner %d", top.Reserved(), k1.Reserved(), k2.Reserved(), e.Reserved())
	}
	was := k2.Reserved()
	k1.Destroy()
	if k2.Reserved() != was {
		t.Error("destroying one kernel touched another")
	}
	top.Destroy()
	if top.Reserved() != 0 {
		t.Errorf("%d bytes left after Destroy", top.Reserved())
	}
}

// TestAdopt: the pool of a kernel starts with the pages of the last one.
func TestAdopt(t *testing.T) {
	top := New(nil, NameTop)
	kernel := func() {
		k := New(top, NameKernel)
		o := pages[node](k)
		for range 5000 {
			if x := o.New(); x.name != "" {
				t.Fatal("an adopted page is not clean")
			} else {
				x.name = "used"
			}
		}
		k.Destroy()
	}
	kernel()
	held := top.Reserved()
	if held == 0 {
		t.Error("nothing was kept")
	}
	for range 5 {
		kernel()
	}
	if top.Reserved() != held {
		t.Errorf("pages grew from %d to %d bytes over kernels", held, top.Reserved())
	}
	top.Destroy()
	if top.Reserved() != 0 {
		t.Errorf("%d bytes left", top.Reserved())
	}
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panic %v, want one with %q", r, want)
		}
	}()
	f()
}

func TestUseAfterDestroy(t *testing.T) {
	p := New(New(nil, "top"), "gone")
	o := pages[node](p)
	o.New()
	p.Destroy()
	mustPanic(t, "destroyed pool", func() { o.New() })
	mustPanic(t, "destroyed pool gone", func() { New(p, "child") })
	mustPanic(t, "destroyed pool gone", func() { pages[node](p) })
}

// TestSnapshot: a phase's line counts what was handed out while it ran, by
// the pool and by those below it, dead ones included.
func TestSnapshot(t *testing.T) {
	p := New(nil, NameTop)
	o := pages[[1024]byte](p)
	o.Slice(3)
	before := p.Snapshot()
	o.Slice(5)
	k := New(p, NameKernel)
	pages[[1024]byte](k).Slice(7)
	k.Destroy()
	d := p.Snapshot().Since(before)
	if d.Total != 12*1024 || d.Reserved <= 0 {
		t.Errorf("delta %+v", d)
	}
	if got, want := (Delta{Total: 5000, Reserved: 2048}).PhaseLine("CSE"), "  CSE  ::  [Total 4 KB]  [Pages 2 KB]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestConcurrentPools(t *testing.T) {
	top := New(nil, NameTop)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for range 30 {
				k := New(top, fmt.Sprintf("kernel %d", g))
				o := pages[node](k)
				var prev *node
				for range 2000 {
					x := o.New()
					x.next, prev = prev, x
				}
				pages[node](New(k, "child")).Slice(200)
				k.Destroy()
			}
		})
	}
	wg.Wait()
	top.Destroy()
	if top.Reserved() != 0 {
		t.Errorf("%d bytes left", top.Reserved())
	}
}
