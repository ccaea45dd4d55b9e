package alu

import "testing"

func TestLut(t *testing.T) {
	const a, b, c = 0xf0, 0xcc, 0xaa // every combination of three bits
	for table := range 256 {
		if got := Lut(uint8(table), a, b, c) & 0xff; got != uint32(table) {
			t.Errorf("table %#x gives %#x", table, got)
		}
	}
}

func TestFunnel(t *testing.T) {
	for _, c := range []struct {
		f         Funnel
		lo, n, hi uint32
		want      uint32
	}{
		{Funnel{}, 3, 4, 0, 0x30},
		{Funnel{}, 3, 40, 0, 0},
		{Funnel{Wrap: true}, 3, 36, 0, 0x30},
		{Funnel{High: true}, 0x80000001, 1, 2, 5},
		{Funnel{Right: true}, 0x80000000, 31, 0, 1},
		{Funnel{Right: true, Signed: true, High: true}, 0, 4, 0x80000000, 0xf8000000},
		{Funnel{Right: true, Signed: true, High: true}, 0, 99, 0x80000000, 0xffffffff},
		{Funnel{Right: true, High: true}, 0, 32, 0x80000000, 0},
		{Funnel{Right: true, Wide: true}, 0, 33, 6, 3},
	} {
		if got := c.f.Shift(c.lo, c.n, c.hi); got != c.want {
			t.Errorf("%+v: %#x:%#x by %d gives %#x, want %#x", c.f, c.hi, c.lo, c.n, got, c.want)
		}
	}
	if Add3(1, 2, 0xffffffff) != 2 || MulAdd(0x10001, 0x10001, 1) != 0x20002 {
		t.Error("sums")
	}
}
