package machine_test

import (
	"math/rand/v2"
	"testing"

	ebits "github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/sim/meaning"
	"github.com/goptxas/goptxas/internal/witness/texture"
)

// TestRandomWords runs random words of every form of three architectures
// with random registers: whatever they mean, the simulator survives.
func TestRandomWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ran, refused := 0, 0
	for _, name := range []string{"sm_75", "sm_90a", "sm_120a"} {
		a := target.Find(name)
		for op := sass.Op(1); op.String() != ""; op++ {
			sass.Forms(a, op, func(f sass.FormID) bool {
				turns := 4
				if m := meaning.Of(op); m != nil && m.Class == machine.ClassTexture {
					turns = 120
				}
				for range turns {
					in := sass.New(f)
					w := in.Word()
					for range 1 + r.IntN(8) { // keep the opcode, change fields
						w = w.With(uint(12+r.IntN(92)), 1, r.Uint64()&1)
					}
					if r.IntN(3) == 0 {
						w = w.With(16, 24, r.Uint64())
					}
					if runWord(t, a, w, r) {
						ran++
					} else {
						refused++
					}
				}
				return true
			})
		}
	}
	t.Logf("%d words run, %d without meaning", ran, refused)
}

// textureKinds are one texture or surface of every kind.
var textureKinds = [...]string{
	"tex 1d 5 f32x4 whole linear", "tex 2d 4x3 u8x4 u8 norm wrap levels=2 blend", "tex 3d 4x3x2 f32x1 whole linear norm mirror", "tex a1d 4x3 s16x2 bits",
	"tex a2d 4x3x2 f16x4 f16 linear", "tex cube 4x4 f32x1 whole norm", "tex acube 2x2x2 f32x1 whole norm", "tex buf 7 u32x1 bits",
	"surf 1d 5 u8x1 u8", "surf 2d 4x3 u32x1 bits", "surf 3d 2x2x2 u16x2 bits", "surf a2d 3x2x2 f16x4 f16",
}

func someTextures(t *testing.T) *texture.Set {
	text := "//: run k\n"
	for _, k := range textureKinds {
		text += "//: " + k + "\n"
	}
	list, err := launch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return texture.Bind(&list[0])
}

// runWord runs one word in a warp of its own.
func runWord(t *testing.T, a *target.Arch, word ebits.Word, r *rand.Rand) bool {
	in := sass.Decode(a, word)
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s: %s: panic: %v", a.Name, in.Text(a, 0), p)
		}
	}()
	l := &machine.Launch{Lenient: true, Textures: someTextures(t), Block: [3]uint32{32, 1, 1}, Grid: [3]uint32{1, 1, 1}}
	w, i, err := machine.Bench(a, in, meaning.Of, l)
	if err != nil {
		return false
	}
	for n := range w.R {
		if n == code.RowZero {
			continue
		}
		for l := range w.R[n] {
			w.R[n][l] = r.Uint32() >> (r.Uint32() & 31)
		}
	}
	if meaning.Of(in.Op()).Class == machine.ClassTexture { // handles, and coordinates that are not all far away
		for n := code.RowUni; n < code.NumRows; n++ {
			w.R[n] = [32]uint32{}
			for l := range w.R[n] {
				w.R[n][l] = uint32(1 + n%len(textureKinds))
			}
		}
	}
	mask := r.Uint32() | 1
	if i.Full || r.IntN(2) == 0 {
		mask = ^uint32(0)
	}
	i.Run(w, i, mask)
	if w.R[code.RowZero] != [32]uint32{} {
		t.Errorf("%s: %s writes RZ", a.Name, in.Text(a, 0))
	}
	if w.P[code.PredTrue] != ^uint32(0) {
		t.Errorf("%s: %s writes PT", a.Name, in.Text(a, 0))
	}
	return true
}

// FuzzLoad reads anything as a cubin.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		m, err := sim.Load(b)
		if err != nil {
			return
		}
		for _, k := range m.Kernels() {
			p, err := m.Kernel(k.Name)
			if err != nil {
				continue
			}
			c := p.Blind("bits", 1, false)
			c.Launch.Lenient, c.Launch.MaxSteps, c.Launch.Timed = true, 2000, true
			_, _ = p.Run(&c.Launch)
		}
	})
}
