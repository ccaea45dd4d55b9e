package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
)

// TestDriverKeeps: from sm_80 on the driver's functions keep R16 to R19 and
// all from R22 on, so that 190 words that live through a call of one need no
// memory. On sm_75, and for functions of others, the convention holds.
func TestDriverKeeps(t *testing.T) {
	for _, c := range []struct {
		arch, function string
		spills         bool
	}{
		{"sm_75", "vprintf", true},
		{"sm_80", "vprintf", false},
		{"sm_90a", "__assertfail", false},
		{"sm_100a", "malloc", false},
		{"sm_120a", "copy", false},
		{"sm_90a", "others", true},
	} {
		text := driverText(c.arch, c.function, 190)
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: c.arch, Relocatable: c.function == "others"})
		if err != nil {
			t.Fatalf("%s for %s: %v", c.function, c.arch, err)
		}
		if got := out.Kernels[0].Spills.Stores > 0; got != c.spills {
			t.Errorf("%s for %s: %v", c.function, c.arch, out.Kernels[0].Spills)
		}
	}
}

// driverText is a kernel in which n words live through a call of a function,
// or through a copy to a block of the cluster, which is a call on sm_120.
func driverText(arch, function string, n int) string {
	declared, call := "", "call (c), "+function+", (a, b);"
	switch function {
	case "copy":
		call = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d2, {%r2, %r3}], [%r2];"
	case "malloc":
		declared, call = ".extern .func (.param .b64 d) malloc(.param .b64 a);", "call (d), malloc, (a);"
	case "__assertfail":
		declared = ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);"
		call = "call __assertfail, (a, b, c, d, e);"
	default:
		declared = ".extern .func (.param .b32 c) " + function + "(.param .b64 a, .param .b64 b);"
	}
	var loads, stores strings.Builder
	for k := range n {
		fmt.Fprintf(&loads, "ld.volatile.global.u32 %%v%d, [%%d1+%d];\n", k, 4*k)
		fmt.Fprintf(&stores, "st.volatile.global.u32 [%%d1+%d], %%v%d;\n", 4*k, k)
	}
	return fmt.Sprintf(`.version 8.8
.target %s
.address_size 64
%s
.visible .entry k(.param .u64 p, .param .u64 q) {
.reg .b32 %%v<%d>, %%r<4>;
.reg .b64 %%d<3>;
ld.param.u64 %%d1, [p];
ld.param.u64 %%d2, [q];
mov.u32 %%r1, %%tid.x;
shl.b32 %%r2, %%r1, 3;
add.u32 %%r3, %%r2, 8;
%s{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
st.param.b64 [a], %%d2;
st.param.b64 [b], 0;
%s }
%sret;
}
`, arch, declared, n, loads.String(), call, stores.String())
}
