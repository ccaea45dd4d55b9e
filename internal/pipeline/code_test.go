package pipeline_test

import (
	"encoding/binary"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// instructions calls do for each instruction of each function of a cubin.
func instructions(t *testing.T, arch string, file []byte, do func(fn *cubin.Function, i *sass.Inst)) {
	t.Helper()
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	a := target.Find(arch)
	for _, fn := range f.Functions() {
		for c := fn.Code; len(c) >= 16; c = c[16:] {
			i := sass.Decode(a, bits.Word{Lo: binary.LittleEndian.Uint64(c), Hi: binary.LittleEndian.Uint64(c[8:])})
			do(&fn, &i)
		}
	}
}
