package pool

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestVecPolicy(t *testing.T) {
	o := For[int](New(nil, "p"))
	v := NewVec(o, 0)
	caps := []int{}
	for i := range 200 {
		v.Push(i)
		if n := len(caps); n == 0 || caps[n-1] != cap(v.s) {
			caps = append(caps, cap(v.s))
		}
	}
	for i := 2; i < len(caps); i++ {
		if want := caps[i-1] + caps[i-1]/2 + 1; caps[i] != want {
			t.Errorf("capacity after %d is %d, want %d", caps[i-1], caps[i], want)
		}
	}
	// Nothing came between, so the vector grew in place.
	if o.Len() != caps[len(caps)-1] {
		t.Errorf("a lone vector of capacity %d takes %d", caps[len(caps)-1], o.Len())
	}
	t.Logf("capacities %v", caps)
}

func TestVecModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := For[int](New(nil, "p"))
		vecs := []Vec[int]{NewVec(o, 0), NewVec(o, 3), NewVec(o, 0)}
		model := make([][]int, len(vecs))
		for i := range rapid.IntRange(0, 400).Draw(t, "ops") {
			k := rapid.IntRange(0, len(vecs)-1).Draw(t, "vec")
			v := &vecs[k]
			switch op := rapid.IntRange(0, 12).Draw(t, "op"); {
			case op < 8:
				v.Push(i)
				model[k] = append(model[k], i)
			case op < 10:
				v.Append(i, i+1, i+2)
				model[k] = append(model[k], i, i+1, i+2)
			case op == 10 && len(model[k]) > 0:
				n := len(model[k]) - 1
				if v.Pop() != model[k][n] {
					t.Fatal("Pop")
				}
				model[k] = model[k][:n]
			case op == 11:
				v.Truncate(len(model[k]) / 2)
				model[k] = model[k][:len(model[k])/2]
			case op == 12:
				v.Free()
				model[k] = nil
			}
		}
		for k := range vecs {
			if vecs[k].Len() != len(model[k]) {
				t.Fatalf("vector %d: %d values, want %d", k, vecs[k].Len(), len(model[k]))
			}
			for i, x := range vecs[k].All() {
				if x != model[k][i] || *vecs[k].Ptr(i) != x || vecs[k].At(i) != x || vecs[k].Slice()[i] != x {
					t.Fatalf("vector %d differs at %d", k, i)
				}
			}
		}
	})
}

// TestMurmur compares with published values of MurmurHash3_x86_32, seed 0.
func TestMurmur(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint32
	}{
		{"", 0},
		{"test", 0xba6bd213},
		{"Hello, world!", 0xc0363e43},
		{"The quick brown fox jumps over the lazy dog", 0x2e4ff723},
	} {
		if got := HashString(c.in); got != c.want {
			t.Errorf("HashString(%q) = %#x, want %#x", c.in, got, c.want)
		}
	}
	// FNV-1a of four zero bytes.
	if got := HashFNV(int32(0)); got != 0x4b95f515 {
		t.Errorf("HashFNV(0) = %#x", got)
	}
}

func TestMapModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(nil, "p")
		m := NewMap(ForMap[string, int](p), HashString, 0)
		model := map[string]int{}
		var order []string
		for i := range rapid.IntRange(0, 500).Draw(t, "ops") {
			k := fmt.Sprint(rapid.IntRange(0, 300).Draw(t, "key"))
			if _, ok := model[k]; !ok {
				order = append(order, k)
			}
			m.Put(k, i)
			model[k] = i
		}
		if m.Len() != len(model) {
			t.Fatalf("%d entries, want %d", m.Len(), len(model))
		}
		i := 0
		for k, v := range m.All() {
			if k != order[i] || v != model[k] {
				t.Fatalf("entry %d is %q, want %q", i, k, order[i])
			}
			i++
		}
		if _, ok := m.Get("absent"); ok {
			t.Fatal("found an absent key")
		}
	})
}

func TestMapModes(t *testing.T) {
	p := New(nil, "p")
	ints := NewMap(ForMap[int32, int](p), HashInt[int32], 10)
	cfg := NewMap(ForMap[int32, int](p), HashFNV[int32], 10)
	ptrs := NewMap(ForMap[*node, int](p), HashPointer[node], 10)
	custom := NewMap(ForMap[[2]int, int](p), func(k [2]int) uint32 { return uint32(k[0] ^ k[1]) }, 0)
	o := For[node](p)
	var nodes []*node
	for i := range 5000 {
		nodes = append(nodes, o.New())
		ints.Put(int32(i*3), i)
		cfg.Put(int32(i*3), i)
		ptrs.Put(nodes[i], i)
		*custom.At([2]int{i, i / 2})++
	}
	for i := range 5000 {
		a, _ := ints.Get(int32(i * 3))
		b, _ := cfg.Get(int32(i * 3))
		c, _ := ptrs.Get(nodes[i])
		d, ok := custom.Get([2]int{i, i / 2})
		if a != i || b != i || c != i || d != 1 || !ok {
			t.Fatalf("key %d: %d %d %d %d", i, a, b, c, d)
		}
	}
}
