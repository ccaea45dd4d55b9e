package pipeline_test

import (
	"context"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// TestRolled: a pragma in the header of a loop keeps that loop, one of the
// function or of the module keeps all of them, as the reference has it.
func TestRolled(t *testing.T) {
	const pragma = ".pragma \"nounroll\";\n"
	loop := func(name, before, first, later string) string {
		return "mov.u32 %r1,0;\n" + before + name + ":\n" + first + "ld.global.u32 %r2,[%d1];\n" + later +
			"mad.lo.u32 %r3,%r3,%r2,7;\nst.global.u32 [%d1+4096],%r3;\nadd.s64 %d1,%d1,4;\nadd.u32 %r1,%r1,1;\nsetp.ne.u32 %p,%r1,16;\n@%p bra " + name + ";\n"
	}
	plain := loop("L0", "", "", "") + loop("L1", "", "", "")
	for _, c := range []struct {
		name, module, function, body string
		loads                        int
	}{
		{"none", "", "", plain, 32},
		{"first loop", "", "", loop("L0", "", pragma, "") + loop("L1", "", "", ""), 17},
		{"second loop", "", "", loop("L0", "", "", "") + loop("L1", "", pragma, ""), 17},
		{"later in the header", "", "", loop("L0", "", "", pragma) + loop("L1", "", "", ""), 17},
		{"before the header", "", "", loop("L0", pragma, "", "") + loop("L1", "", "", ""), 32},
		{"at the start", "", "", pragma + plain, 32},
		{"at the end", "", "", plain + pragma, 32},
		{"function", "", pragma, plain, 2},
		{"function and loop", "", pragma, loop("L0", "", pragma, "") + loop("L1", "", "", ""), 2},
		{"module", pragma, "", plain, 2},
	} {
		text := ".version 8.5\n.target sm_90\n.address_size 64\n" + c.module + ".visible .entry k(.param .u64 a)\n" + c.function +
			"{\n.reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %d1;\nld.param.u64 %d1,[a];\nmov.u32 %r3,1;\n" + c.body + "st.global.u32 [%d1],%r3;\nret;\n}\n"
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90"})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		loads := 0
		instructions(t, "sm_90", out.Cubin, func(_ *cubin.Function, i *sass.Inst) {
			loads += strings.Count(i.Text(target.Find("sm_90"), 0), "LDG")
		})
		if loads != c.loads {
			t.Errorf("%s: %d loads, want %d", c.name, loads, c.loads)
		}
	}
}
