package pool

import (
	"strings"
	"testing"
)

func TestStatsText(t *testing.T) {
	top := NewRoot(NameTop, Sizes{Page: 0x10000, FirstPage: 0x10000, SmallMax: 4999, SmallPage: 0x1800, LargePage: 0x10000})
	For[[16]byte](top).Slice(100)
	for range 10 {
		top.Alloc(24)
	}
	a := top.Alloc(0x2000)
	top.Alloc(0x1000 + 904)
	top.Free(a)
	top.Alloc(30_000)
	New(top, NameOptions)
	for _, c := range []struct {
		d    Detail
		want string
	}{
		{Compact, `Memory space statistics for 'Top level ptxas memory pool'
=========================================================
	 available= 	       0x187e8, allocated= 	       0x21800, used= 	        0x9018
	Memory space statistics for 'Command option parser'
	===================================================
		 available= 	           0x0, allocated= 	           0x0, used= 	           0x0
`},
		{Standard, `Memory space statistics for 'Top level ptxas memory pool'
=========================================================
Page size                 : 0x10000 bytes
Total allocated           :       0x21800 bytes
Total available           :       0x187e8 bytes
Total in use              :        0x9018 bytes
Nrof small block pages    : 2
Nrof large block pages    : 1
Longest free list size    : 246
Average free list size    : 82
	Memory space statistics for 'Command option parser'
	===================================================
	Page size                 : 0x10000 bytes
	Total allocated           :           0x0 bytes
	Total available           :           0x0 bytes
	Total in use              :           0x0 bytes
	Nrof small block pages    : 0
	Nrof large block pages    : 0
	Longest free list size    : 0
	Average free list size    : 0
`},
	} {
		var b strings.Builder
		if err := top.WriteStats(&b, c.d, true); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("detail %d:\n%s\nwant\n%s", c.d, b.String(), c.want)
		}
	}
	var b strings.Builder
	if err := top.WriteStats(&b, PerPage, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"@@ large block page    0 : 0x", "@@ small block size   24: 0x1710/0x1800 (246/256 blocks) 1 pages"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("per-page statistics lack %q:\n%s", want, b.String())
		}
	}
	t.Log("\n" + b.String())
}

func TestUsageAddsUp(t *testing.T) {
	p := New(nil, "p")
	For[node](p).Slice(1234)
	p.Alloc(77)
	p.Alloc(77_000)
	if u := p.Usage(); u.InUse != u.Allocated-u.Available || u.Allocated != p.Reserved() || u.InUse <= 0 {
		t.Errorf("usage %+v, reserved %d", u, p.Reserved())
	}
}

func TestSnapshot(t *testing.T) {
	p := New(nil, "p")
	k := New(p, "kernel")
	o := For[[1024]byte](k)
	s := p.Snapshot()
	o.Slice(100)
	a, b := k.Alloc(10_000), k.Alloc(10_000)
	k.Free(a)
	d := p.Snapshot().Since(s)
	line := d.PhaseLine("OriCommoning")
	if want := "  OriCommoning  ::  [Total 119 KB]  [Freeable 19 KB]  [Freeable Leaked 9 KB] (50%)"; line != want {
		t.Errorf("line %q, want %q", line, want)
	}
	s = p.Snapshot()
	k.Free(b)
	if d := p.Snapshot().Since(s); d.Leaked >= 0 || d.Total != 0 {
		t.Errorf("freeing an old block: %+v", d)
	}
	k.Destroy()
	if d := p.Snapshot().Since(Snapshot{}); d.Total < 120_000 || d.Leaked != 0 {
		t.Errorf("totals after the kernel died: %+v", d)
	}
	if got := (Delta{Total: 5000}).PhaseLine("x"); got != "  x  ::  [Total 4 KB]  [Freeable 0 KB]  [Freeable Leaked 0 KB]" {
		t.Errorf("line %q", got)
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want string
	}{{0, "0 B"}, {1023, "1023 B"}, {1024, "1.000 KB"}, {10 << 20, "10240.000 KB"}, {10<<20 + 1, "10.000 MB"}, {47_897_000, "45.678 MB"}} {
		if got := Size(c.n); got != c.want {
			t.Errorf("Size(%d) = %q, want %q", c.n, got, c.want)
		}
	}
	p := New(nil, "p")
	p.Alloc(1)
	if got := p.Consumption(); got != "[Pool Consumption = 16.000 KB]" {
		t.Error(got)
	}
}
