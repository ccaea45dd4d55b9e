package ori

import "testing"

func TestTogether(t *testing.T) {
	f := &Func{Cuts: []int32{10, 20}}
	for _, c := range []struct {
		from, to int32
		want     bool
	}{{1, 9, true}, {1, 10, false}, {10, 19, true}, {9, 20, false}, {20, 99, true}, {30, 25, false}} {
		if got := f.Together(c.from, c.to); got != c.want {
			t.Errorf("Together(%d, %d) = %v", c.from, c.to, got)
		}
	}
	if !new(Func).Together(5, 1) {
		t.Error("a function without cuts keeps everything together")
	}
}
