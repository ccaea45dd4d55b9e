package bits

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func keys(m map[int]bool) []int { return slices.Sorted(maps.Keys(m)) }

func setOf(n int, m map[int]bool) Set {
	s := NewSet(n)
	for k := range m {
		s.Add(k)
	}
	return s
}

func TestSetModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		draw := func(name string) map[int]bool {
			m := map[int]bool{}
			for _, k := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 60).Draw(t, name) {
				m[k] = true
			}
			return m
		}
		a, b, c := draw("a"), draw("b"), draw("c")
		check := func(op string, s Set, has func(i int) bool) {
			var want []int
			for i := range n {
				if has(i) {
					want = append(want, i)
				}
			}
			if got := slices.Collect(s.All()); !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", op, got, want)
			}
			if s.Len() != len(want) || s.IsEmpty() != (len(want) == 0) {
				t.Fatalf("%s: Len %d", op, s.Len())
			}
			for i := range n {
				next := s.Next(i)
				j := slices.IndexFunc(want, func(k int) bool { return k >= i })
				if j < 0 && next != -1 || j >= 0 && next != want[j] || s.Has(i) != has(i) {
					t.Fatalf("%s: Next(%d) = %d", op, i, next)
				}
			}
		}
		sa, sb, sc := setOf(n, a), setOf(n, b), setOf(n, c)
		check("a", sa, func(i int) bool { return a[i] })
		x := sa.Clone()
		grew := x.Or(sb)
		check("or", x, func(i int) bool { return a[i] || b[i] })
		if grew == x.Equal(sa) {
			t.Fatal("Or: grew")
		}
		x = sa.Clone()
		grew = x.OrDiff(sb, sc)
		check("or-diff", x, func(i int) bool { return a[i] || b[i] && !c[i] })
		if grew == x.Equal(sa) {
			t.Fatal("OrDiff: grew")
		}
		x = sa.Clone()
		x.And(sb)
		check("and", x, func(i int) bool { return a[i] && b[i] })
		if sa.Intersects(sb) == x.IsEmpty() {
			t.Fatal("Intersects")
		}
		x = sa.Clone()
		x.AndNot(sb)
		check("and-not", x, func(i int) bool { return a[i] && !b[i] })
		for _, k := range keys(b) {
			sa.Del(k)
		}
		if !sa.Equal(x) || !x.Equal(sa.Grow(n+500)) || !sa.Grow(n+500).Equal(x) {
			t.Fatal("Del, Equal or Grow")
		}
		sa.Clear()
		if !sa.IsEmpty() || sa.Next(n+5000) != -1 || sa.Has(n+5000) {
			t.Fatal("Clear")
		}
	})
}

func BenchmarkSetOrDiff(b *testing.B) {
	x, y, z := NewSet(4096), NewSet(4096), NewSet(4096)
	for i := 0; i < 4096; i += 3 {
		y.Add(i)
	}
	for b.Loop() {
		x.OrDiff(y, z)
	}
}
