package pool

import (
	"errors"
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

func TestPointersStayValid(t *testing.T) {
	p := New(nil, NameTop)
	o := For[node](p)
	const n = 50_000
	for round := range 3 {
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
		if o.Len() != n {
			t.Errorf("Len = %d, want %d", o.Len(), n)
		}
		p.Reset()
	}
	t.Logf("%d values, three rounds, %s of pages", n, Size(p.Reserved()))
}

func TestResetKeepsPages(t *testing.T) {
	p := New(nil, "p")
	o := For[node](p)
	fill := func() {
		for range 10_000 {
			o.New()
		}
		o.Slice(5000)
	}
	fill()
	held := p.Reserved()
	for range 5 {
		p.Reset()
		fill()
	}
	if p.Reserved() != held {
		t.Errorf("pages grew from %d to %d bytes over resets", held, p.Reserved())
	}
	if got := testing.AllocsPerRun(3, func() { p.Reset(); fill() }); got > 2 {
		t.Errorf("%v heap allocations in a warm round", got)
	}
}

func TestBind(t *testing.T) {
	type fn struct{ nodes Of[node] }
	p := New(nil, "p")
	var f fn
	f.nodes.Bind(p)
	f.nodes.New().name = "x"
	if p.Reserved() == 0 {
		t.Error("pages of a bound Of are not counted")
	}
	mustPanic(t, "in use", func() { f.nodes.Bind(p) })
	p.Reset()
	if f.nodes.Len() != 0 || f.nodes.New().name != "" {
		t.Error("Reset of the pool does not reach a bound Of")
	}
	var free Of[node]
	free.New()
	if free.Len() != 1 || p.Usage().InUse == 0 {
		t.Error("a zero Of")
	}
}

func TestSlices(t *testing.T) {
	o := For[int32](New(nil, "p"))
	var all [][]int32
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
		all = append(all, s)
	}
	for i, s := range all {
		for _, v := range s {
			if v != int32(i) {
				t.Fatalf("slice %d overlaps another", i)
			}
		}
	}
	if c := o.Copy([]int32{1, 2, 3}); c[2] != 3 || len(c) != 3 {
		t.Error("Copy")
	}
}

func TestTree(t *testing.T) {
	top := New(nil, NameTop)
	k1, k2 := New(top, NameKernel), New(top, NameKernel)
	e := New(k1, NameELF)
	For[node](k1).New()
	For[node](k2).New()
	e.Alloc(100_000)
	if top.Reserved() != k1.Reserved()+k2.Reserved() || k1.Reserved() <= e.Reserved() {
		t.Errorf("reserved: top %d k1 %d k2 %d elf %d", top.Reserved(), k1.Reserved(), k2.Reserved(), e.Reserved())
	}
	was := k2.Reserved()
	k1.Destroy()
	if top.Usage().Allocated+k2.Usage().Allocated != top.Reserved() {
		t.Errorf("top holds %d, usage %d + %d", top.Reserved(), top.Usage().Allocated, k2.Usage().Allocated)
	}
	if k2.Reserved() != was {
		t.Error("destroying one kernel touched another")
	}
	// The page of the dead ELF pool went up the tree and comes back from there.
	before := top.Reserved()
	New(top, NameELF).Alloc(100_000)
	if top.Reserved() != before {
		t.Errorf("a cached page was not reused: %d then %d", before, top.Reserved())
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
		o := For[node](k)
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
	for range 5 {
		kernel()
	}
	if top.Reserved() != held {
		t.Errorf("pages grew from %d to %d bytes over kernels", held, top.Reserved())
	}
	// A pool whose limit is under the donor's pages starts with new ones.
	k := New(top, NameKernel)
	k.SetLimit(held - 1)
	For[node](k).New()
	if k.Reserved() >= held {
		t.Error("adoption broke a limit")
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
	o := For[node](p)
	o.New()
	p.Destroy()
	mustPanic(t, "destroyed pool", func() { o.New() })
	mustPanic(t, "destroyed pool gone", func() { p.Alloc(8) })
	mustPanic(t, "destroyed pool gone", func() { New(p, "child") })
	mustPanic(t, "destroyed pool gone", func() { For[node](p) })
}

// outOfMemory runs f and returns the *OutOfMemory it raised.
func outOfMemory(f func()) (oom *OutOfMemory) {
	defer func() {
		if r := recover(); r != nil {
			err, _ := r.(error)
			if !errors.As(err, &oom) {
				panic(r)
			}
		}
	}()
	f()
	return nil
}

func TestLimit(t *testing.T) {
	top := New(nil, NameTop)
	k := New(top, NameKernel)
	k.SetLimit(1 << 20)
	fill := func(p *Pool) func() {
		return func() {
			o := For[node](p)
			for range 1 << 20 {
				o.New()
			}
		}
	}
	oom := outOfMemory(fill(k))
	if oom == nil {
		t.Fatal("no error above the limit")
	}
	t.Log(oom)
	if want := "out of memory in pool " + NameKernel + ", "; !strings.HasPrefix(oom.Error(), want) {
		t.Errorf("error %q does not begin with %q", oom, want)
	}
	if k.Reserved() > 1<<20 {
		t.Errorf("%d bytes reserved above the limit", k.Reserved())
	}
	k.Destroy()
	if u := top.Usage(); u.InUse != 0 || u.Allocated != top.Reserved() {
		t.Errorf("%d bytes in use after the kernel failed", u.InUse)
	}
	if top.Reclaim() == 0 || top.Reserved() != 0 {
		t.Errorf("%d bytes left after reclaim", top.Reserved())
	}
	if oom := outOfMemory(fill(New(top, NameKernel))); oom != nil {
		t.Errorf("the next kernel failed too: %v", oom)
	}
	top.SetLimit(top.Reserved())
	if oom := outOfMemory(func() { New(top, "b").Alloc(1 << 20) }); oom == nil || oom.LimitOf != NameTop {
		t.Errorf("process limit: %v", oom)
	}
}

func TestReclaim(t *testing.T) {
	top := New(nil, NameTop)
	idle, busy := New(top, "idle"), New(top, "busy")
	For[node](idle).Slice(50_000)
	idle.Alloc(500_000)
	o := For[node](busy)
	kept := o.New()
	kept.name = "kept"
	idle.Park()
	top.SetLimit(top.Reserved() + 1000)
	called := false
	top.OnReclaim(func() int64 { called = true; return 0 })
	if oom := outOfMemory(func() { o.Slice(40_000) }); oom != nil {
		t.Fatalf("reclaim did not help: %v", oom)
	}
	if !called {
		t.Error("registered reclaim was not called")
	}
	if idle.Reserved() != 0 {
		t.Errorf("parked pool still holds %d bytes", idle.Reserved())
	}
	if kept.name != "kept" {
		t.Error("reclaim touched a pool in use")
	}
	idle.Wake()
	top.SetLimit(0)
	For[node](idle).New()
	idle.Alloc(10)
	top.Destroy()
	if top.Reserved() != 0 {
		t.Errorf("%d bytes left", top.Reserved())
	}
}

func TestConcurrentPools(t *testing.T) {
	top := New(nil, NameTop)
	top.SetLimit(64 << 20)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			k := New(top, fmt.Sprintf("kernel %d", g))
			o := For[node](k)
			for range 30 {
				k.Wake()
				var prev *node
				for range 2000 {
					x := o.New()
					x.next, prev = prev, x
				}
				shared := top.Alloc(100 + g)
				own := k.Alloc(6000)
				shared[0], own[0] = 1, 1
				top.Free(shared)
				c := New(k, "child")
				c.Alloc(20_000)
				c.Destroy()
				k.Park()
				top.Reclaim()
			}
			k.Destroy()
		})
	}
	wg.Wait()
	top.Destroy()
	if top.Reserved() != 0 {
		t.Errorf("%d bytes left", top.Reserved())
	}
}
