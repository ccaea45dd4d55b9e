package texture

import (
	"math"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

func object(t *testing.T, line string) *Object {
	t.Helper()
	list, err := launch.Parse("//: run k\n//: " + line)
	if err != nil {
		t.Fatal(err)
	}
	return New(list[0].Args[0].Tex)
}

func first(t Texel) float32 { return math.Float32frombits(t[0]) }

// TestCorners checks that weights are never lost and that a point on a texel
// takes it alone.
func TestCorners(t *testing.T) {
	for x := 0; x < 256; x += 5 {
		for y := 0; y < 256; y += 3 {
			for z := 0; z < 256; z += 17 {
				sum := 0
				for _, w := range corners(256, x, y, z) {
					if w < 0 {
						t.Fatalf("%d %d %d: negative weight", x, y, z)
					}
					sum += w
				}
				if sum != 256 {
					t.Fatalf("%d %d %d: weights add up to %d", x, y, z, sum)
				}
			}
		}
	}
	if w := corners(256, 0, 0, 0); w != [8]int{256} {
		t.Errorf("on a texel: %v", w)
	}
}

// TestAddress reads around a line of texels in every mode.
func TestAddress(t *testing.T) {
	for _, c := range []struct {
		mode string
		want [8]int // of texels -2 to 5 of a line of four; -1 is outside
	}{
		{"clamp", [8]int{0, 0, 0, 1, 2, 3, 3, 3}},
		{"wrap", [8]int{2, 3, 0, 1, 2, 3, 0, 1}},
		{"mirror", [8]int{1, 0, 0, 1, 2, 3, 3, 2}},
		{"border", [8]int{-1, -1, 0, 1, 2, 3, -1, -1}},
	} {
		o := object(t, "tex 1d 4 f32x1 whole 1 norm "+c.mode)
		for n, at := range c.want {
			got, err := o.Sample(&Point{At: [3]float32{(float32(n-2) + 0.5) / 4}}, 0)
			if err != nil {
				t.Fatal(err)
			}
			want := Texel{}
			if at >= 0 {
				want = o.read(0, at, 0, 0)
			}
			if got != want {
				t.Errorf("%s texel %d: %v, want %v", c.mode, n-2, got, want)
			}
		}
	}
}

// TestLinear checks a point between texels, and that filtering without a
// known result is refused.
func TestLinear(t *testing.T) {
	o := object(t, "tex 1d 4 f32x1 whole 1 linear")
	a, b := first(o.read(0, 1, 0, 0)), first(o.read(0, 2, 0, 0))
	got, err := o.Sample(&Point{At: [3]float32{1.75}}, 0)
	if want := a*0.75 + b*0.25; err != nil || first(got) != want {
		t.Errorf("between %v and %v: %v, want %v (%v)", a, b, first(got), want, err)
	}
	if moved, err := o.Sample(&Point{At: [3]float32{0.75}, By: [3]int32{1}}, 0); err != nil || moved != got {
		t.Errorf("one texel on: %v, want %v (%v)", moved, got, err)
	}
	for _, line := range []string{"tex cube 4x4 f32x1 whole 1 linear norm", "tex 1d 4 s8x1 bits 1 linear unit", "tex 1d 4 u8x1 bits 1 linear"} {
		if _, err := object(t, line).Sample(&Point{At: [3]float32{0.3, 0.4, 0.5}}, 0); err == nil {
			t.Errorf("%s: a result without a meaning", line)
		}
	}
}

// TestSurface checks what happens outside.
func TestSurface(t *testing.T) {
	o := object(t, "surf 2d 4x4 u32x1 bits 1")
	if _, ok := o.Place(0, [3]int32{16, 0}, 4, false, Trap); ok {
		t.Error("outside does not trap")
	}
	if b, ok := o.Place(0, [3]int32{-4, 0}, 4, false, Zero); b != nil || !ok {
		t.Error("outside is not ignored")
	}
	b, ok := o.Place(0, [3]int32{100, 9}, 4, false, Clamp)
	if in, _ := o.Place(0, [3]int32{12, 3}, 4, false, Trap); !ok || &b[0] != &in[0] {
		t.Error("outside is not clamped")
	}
	s := object(t, "surf 1d 4 s8x2 zero")
	b, _ = s.Place(0, [3]int32{1}, 0, true, Trap)
	s.Encode(b, [4]uint32{300, ^uint32(299)})
	if b[0] != 127 || b[1] != 128 {
		t.Errorf("clamped bytes %v", b)
	}
}
