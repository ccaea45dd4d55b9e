package pool

import "testing"

func TestScratch(t *testing.T) {
	var s Scratch
	a := Make[int32](&s, 5)
	for k := range a {
		a[k] = 7
	}
	m := s.Mark()
	b := Make[uint64](&s, 3)
	b[2] = 1
	s.Release(m)
	c := Make[bool](&s, 24) // where b was
	for k, x := range c {
		if x {
			t.Errorf("value %d behind a mark is not zero", k)
		}
	}
	if a[4] != 7 {
		t.Error("what lies before a mark was lost")
	}
	s.Reset()
	for k, x := range Make[int32](&s, 5) {
		if x != 0 {
			t.Errorf("value %d is not zero after Reset", k)
		}
	}
	if r := Room[int16](&s, 9); len(r) != 0 || cap(r) != 9 {
		t.Errorf("room for 9 has length %d and capacity %d", len(r), cap(r))
	}
}

func TestScratchPages(t *testing.T) {
	var s Scratch
	for round := range 3 {
		lists := [][]int32{}
		for n := 1; n < 1<<20; n *= 3 {
			lists = append(lists, Make[int32](&s, n))
		}
		for k, x := range lists {
			for j := range x {
				if x[j] != 0 {
					t.Fatalf("round %d: value %d of list %d is %d", round, j, k, x[j])
				}
				x[j] = int32(k) + 1
			}
		}
		for k, x := range lists {
			if x[0] != int32(k)+1 || x[len(x)-1] != int32(k)+1 {
				t.Fatalf("round %d: list %d was written by another", round, k)
			}
		}
		s.Reset()
	}
}

// TestScratchFull asks for more than a Scratch keeps.
func TestScratchFull(t *testing.T) {
	var s Scratch
	Make[uint64](&s, mostUnits-1)
	if x := Make[uint64](&s, 1<<20); len(x) != 1<<20 {
		t.Errorf("%d values", len(x))
	}
	if s.total > mostUnits {
		t.Errorf("%d units are kept, at most %d should be", s.total, mostUnits)
	}
}

// TestNoScratch asks nobody.
func TestNoScratch(t *testing.T) {
	var s *Scratch
	s.Release(s.Mark())
	s.Reset()
	if x := Make[int](s, 3); len(x) != 3 {
		t.Errorf("%d values", len(x))
	}
}
