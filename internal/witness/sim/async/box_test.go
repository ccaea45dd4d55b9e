package async

import (
	"encoding/hex"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// TestMeasured compares where boxes go with what an H200 did.
func TestMeasured(t *testing.T) {
	list, err := tensor.MeasuredH200()
	if err != nil || len(list) < 100 {
		t.Fatalf("%d copies, %v", len(list), err)
	}
	for _, x := range list {
		var at [5]int32
		copy(at[:], x.At)
		if b := newBox(x.Asks(), at, [3]int32{}); b.illegal(x.Store) != x.Fault && !(x.Im2col && x.Store) { // of stores of pixels some fault for reasons of their own
			t.Errorf("%+v: a fault is %v", *b.Map, x.Fault)
		}
		if x.Fault {
			continue
		}
		raw, err := hex.DecodeString(x.Map)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tensor.Decode(append(raw, make([]byte, tensor.Size-len(raw))...))
		if err != nil {
			t.Fatal(err)
		}
		var off [3]int32
		for n := range x.Off {
			if !x.Store {
				off[n] = int32(x.Off[n])
			}
		}
		b := newBox(m, at, off)
		var moved []tensor.Moved
		b.each(0, func(shared, addr uint64, n int64, inside bool) bool {
			c := tensor.Moved{Shared: shared, Global: addr, Bytes: int(n)}
			if !inside {
				c.Outside = b.missing(n)
			}
			moved = append(moved, c)
			return true
		})
		if err := x.Judge(b.total(), moved); err != nil {
			t.Errorf("%+v: %v", *m, err)
		}
	}
}
