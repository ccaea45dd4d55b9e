package ptxvm

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// TestOutside: factors that copies leave outside of a tensor make fma.oob zero,
// as an H200 does; addends and other NaNs do not.
func TestOutside(t *testing.T) {
	for _, c := range []struct {
		mod     string
		a, b, c uint32
		want    uint32
	}{
		{"f16", 0x7ff7, 0x3c00, 0x4000, 0},
		{"f16", 0x3c00, 0xfff7, 0x7fff, 0},
		{"f16", 0x7ff7, 0x7fff, 0xfc00, 0},
		{"f16", 0x7ff6, 0x3c00, 0x4000, 0x7fff},
		{"f16", 0x3c00, 0x3c00, 0x7ff7, 0x7fff},
		{"f16", 0x3c00, 0x3c00, 0x4000, 0x4200},
		{"relu.f16", 0xbc00, 0x4000, 0x3c00, 0},
		{"relu.f16", 0x3c00, 0x7ff7, 0x7fff, 0},
		{"bf16", 0x7ff7, 0x3f80, 0x4000, 0},
		{"bf16", 0x3f80, 0x3f80, 0x7ff7, 0x7fff},
		{"bf16", 0x3f80, 0x3f80, 0x4000, 0x4040},
	} {
		body := fmt.Sprintf("{ .reg .b16 %%h<4>; mov.b16 %%h0, %#x; mov.b16 %%h1, %#x; mov.b16 %%h2, %#x; fma.rn.oob.%s %%h3, %%h0, %%h1, %%h2; cvt.u32.u16 %%r1, %%h3; }\nst.global.u32 [%%d0], %%r1;", c.a, c.b, c.c, c.mod)
		out, err := runKernel(t, kernel(body), 1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(out); got != c.want {
			t.Errorf("fma.rn.oob.%s of %#x, %#x and %#x is %#x, want %#x", c.mod, c.a, c.b, c.c, got, c.want)
		}
	}
}
