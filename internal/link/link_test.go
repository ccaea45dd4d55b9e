package link

import (
	"hash/crc32"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// TestCompat: the instructions of a kernel say on which machines its file runs.
func TestCompat(t *testing.T) {
	for _, c := range []struct {
		code        string
		class, maps uint8
	}{
		{"NOP", classBase, 0},
		{"UTMAPF.L2.2D [u0+0x0], [u1+0x0]", classFamily, mapsRead},
		{"UTMACCTL.IV [u0+0x0]", classFamily, mapsWritten},
		{"UTMACCTL.PF [u0+0x0]", classFamily, 0},
		{"WARPGROUP.ARRIVE", classGroup, 0},
	} {
		m, err := ori.Parse("func f {\n  reg u0 2/2\n  reg u1 2/2\n  b0:\n" + c.code + "\n}\n")
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		if class, maps := Compat(m.Funcs[0]); class != c.class || maps != c.maps {
			t.Errorf("%s: class %d, maps %d", c.code, class, maps)
		}
	}
}

// TestKernelNames finds whole words only, as often as they stand there.
func TestKernelNames(t *testing.T) {
	m := &sema.Module{Funcs: []sema.Func{{Name: "scale", Entry: true}, {Name: "helper"}, {Name: "scale_all", Entry: true}}}
	var got []int32
	NewKernelNames(m).Each([]byte("call scale, scale_all; helper; rescale scale2 (scale)"), func(fn int32) bool {
		got = append(got, fn)
		return true
	})
	if !slices.Equal(got, []int32{0, 2, 0}) {
		t.Errorf("%v", got)
	}
}

// TestChecksum: the sum in the names of sections is the standard library's.
func TestChecksum(t *testing.T) {
	for n := range 300 {
		data := make([]byte, n)
		for k := range data {
			data[k] = byte(k*k + n)
		}
		if got, want := checksum(data), crc32.ChecksumIEEE(data); got != want {
			t.Fatalf("%d bytes: %#x, not %#x", n, got, want)
		}
	}
}
