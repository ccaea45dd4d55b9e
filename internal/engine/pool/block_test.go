package pool

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestAllocSizes(t *testing.T) {
	p := New(nil, "p")
	if p.Alloc(0) != nil {
		t.Error("Alloc(0)")
	}
	p.Free(nil)
	for n := 1; n < 12_000; n += 7 {
		b := p.Alloc(n)
		if len(b) != n {
			t.Fatalf("Alloc(%d): %d bytes", n, len(b))
		}
		if n <= p.sizes.SmallMax && cap(b) != max(16, (n+7)&^7) {
			t.Fatalf("Alloc(%d): size class %d", n, cap(b))
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("Alloc(%d): not zero", n)
			}
			b[i] = 0xff
		}
		p.Free(b)
	}
	u := p.Usage()
	if u.LargePages != 1 {
		t.Errorf("%d large pages: freed blocks were not reused", u.LargePages)
	}
	checkTags(t, p)
}

// checkTags walks every boundary-tag page: the blocks must tile it, no two
// free blocks may touch, and every free block must be on its list.
func checkTags(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *Pool,
) {
	t.Helper()
	free := 0
	for i, lp := range p.bytes.large.pages {
		wasFree, at := false, tagSize
		lp.each(func(off, size int, used bool) {
			if off != at || size < minLarge || lp.tag(off) != lp.tag(off+size-tagSize) {
				t.Fatalf("page %d: bad block at %d size %d", i, off, size)
			}
			if !used && wasFree {
				t.Fatalf("page %d: two free blocks touch at %d", i, off)
			}
			if !used {
				free++
			}
			wasFree, at = !used, off+size
		})
		if at != len(lp.mem)&^7-tagSize {
			t.Fatalf("page %d: blocks end at %d of %d", i, at, len(lp.mem))
		}
	}
	listed := 0
	for k := range p.bytes.large.heads {
		listed += p.bytes.large.listLen(k)
	}
	if listed != free {
		t.Fatalf("%d blocks on lists, %d free", listed, free)
	}
}

func TestBlocksModel(t *testing.T) {
	ops := 0
	rapid.Check(t, func(t *rapid.T) {
		p := New(New(nil, "top"), "p")
		type block struct {
			b    []byte
			fill byte
		}
		var live []block
		size := rapid.OneOf(rapid.IntRange(1, 300), rapid.IntRange(4000, 60_000), rapid.IntRange(1, 600_000))
		for i := range rapid.IntRange(1, 60).Draw(t, "ops") {
			ops++
			fill := byte(i + 1)
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op < 6 || len(live) == 0:
				b := p.Alloc(size.Draw(t, "size"))
				if len(bytes.Trim(b, "\x00")) != 0 {
					t.Fatal("not zero")
				}
				live = append(live, block{b, fill})
			case op < 8:
				k := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				p.Free(live[k].b)
				live[k] = live[len(live)-1]
				live = live[:len(live)-1]
				continue
			default:
				k := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				old, n := live[k], size.Draw(t, "size")
				keep := min(n, len(old.b))
				b := p.Realloc(old.b, n)
				if len(b) != n || len(bytes.Trim(b[:keep], string([]byte{old.fill}))) != 0 {
					t.Fatal("Realloc lost bytes")
				}
				live[k] = live[len(live)-1]
				live[len(live)-1] = block{b, fill}
			}
			b := live[len(live)-1].b
			for j := range b {
				b[j] = fill
			}
		}
		for _, x := range live {
			for _, c := range x.b {
				if c != x.fill {
					t.Fatal("blocks overlap")
				}
			}
		}
		checkTags(t, p)
		for _, x := range live {
			p.Free(x.b)
		}
		checkTags(t, p)
		for i, lp := range p.bytes.large.pages {
			n := 0
			lp.each(func(int, int, bool) { n++ })
			if n != 1 {
				t.Fatalf("page %d did not coalesce: %d blocks", i, n)
			}
		}
		if u := p.Usage(); u.InUse != int64(16*u.LargePages) {
			t.Fatalf("%d bytes in use in an empty pool with %d large pages", u.InUse, u.LargePages)
		}
	})
	t.Logf("%d operations against the model", ops)
}

func TestWrongFree(t *testing.T) {
	p, q := New(nil, "p"), New(nil, "q")
	for _, n := range []int{10, 10_000} {
		b := p.Alloc(n)
		mustPanic(t, "not of pool q", func() { q.Free(b) })
		mustPanic(t, "not a block", func() { p.Free(b[8:]) })
		p.Free(b)
		mustPanic(t, "freed twice", func() { p.Free(b) })
		checkTags(t, p)
	}
}

func TestResetBlocks(t *testing.T) {
	p := New(nil, "p")
	r := rand.New(rand.NewPCG(1, 2))
	round := func() {
		for range 2000 {
			p.Alloc(1 + r.IntN(9000))
		}
	}
	round()
	p.Reset()
	checkTags(t, p)
	if u := p.Usage(); u.InUse != int64(16*u.LargePages) {
		t.Errorf("%d bytes in use after Reset", u.InUse)
	}
	held := p.Reserved()
	r = rand.New(rand.NewPCG(1, 2))
	round()
	if p.Reserved() != held {
		t.Errorf("same round after Reset: %d bytes, then %d", held, p.Reserved())
	}
}
