package sema_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// TestParamLayout: parameters of kernels are aligned where they lie in the
// constant bank. The places are those of the reference.
func TestParamLayout(t *testing.T) {
	for _, c := range []struct {
		arch      string
		align     int
		first, at uint64
	}{
		{"sm_80", 16, 0x10, 0x90},
		{"sm_80", 32, 0x20, 0xa0},
		{"sm_80", 64, 0x20, 0xa0},
		{"sm_80", 128, 0x20, 0xa0},
		{"sm_90a", 16, 0x10, 0x90},
		{"sm_90a", 32, 0x10, 0x90},
		{"sm_90a", 64, 0x30, 0xb0},
		{"sm_90a", 128, 0x70, 0xf0},
		{"sm_100a", 16, 0x10, 0x90},
		{"sm_100a", 32, 0x20, 0xa0},
		{"sm_100a", 64, 0x40, 0xc0},
		{"sm_100a", 128, 0x80, 0x100},
	} {
		text := fmt.Sprintf(".version 8.6\n.target %s\n.address_size 64\n.visible .entry k(.param .u32 a, .param .align %d .b8 m[128], .param .u64 o)\n{ ret; }\n", c.arch, c.align)
		var out bytes.Buffer
		sink := diag.NewSink(&out, diag.Options{})
		m := declare.Module([]*syntax.Tree{syntax.Scan(&src.File{Name: "t.ptx", Text: []byte(text)})}, sema.Options{Arch: target.Find(c.arch)}, sink)
		p := m.Funcs[0].Params
		if p[1].Offset != c.first || p[2].Offset != c.at || m.Funcs[0].ParamLen != c.at+8 {
			t.Errorf("%s, aligned to %d: %#x and %#x of %#x, want %#x and %#x", c.arch, c.align, p[1].Offset, p[2].Offset, m.Funcs[0].ParamLen, c.first, c.at)
		}
	}
}
