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

// TestDriverAround: what lives through a call of the driver's has no use for registers that the driver takes, so
// what can be made again behind the call is, where the warps of a block of 256 threads are at stake.
func TestDriverAround(t *testing.T) {
	var before, behind strings.Builder
	for k := range 10 {
		fmt.Fprintf(&before, "add.u32 %%v%d, %%r1, %d;\nst.volatile.global.u32 [%%d1], %%v%d;\n", k, 7*k+1, k)
		fmt.Fprintf(&behind, "st.volatile.global.u32 [%%d1+%d], %%v%d;\n", 4*k, k)
	}
	text := fmt.Sprintf(`.version 8.8
.target sm_90a
.address_size 64
.extern .func (.param .b32 c) vprintf(.param .b64 a, .param .b64 b);
.visible .entry k(.param .u64 p) .reqntid 256 {
.reg .b32 %%v<10>, %%r<6>;
.reg .b64 %%d<3>;
ld.param.u64 %%d1, [p];
ld.volatile.global.u32 %%r1, [%%d1];
ld.volatile.global.u32 %%r2, [%%d1+4];
ld.volatile.global.u32 %%r3, [%%d1+8];
%s{ .param .b64 a; .param .b64 b; .param .b32 c;
st.param.b64 [a], %%d1;
st.param.b64 [b], 0;
call (c), vprintf, (a, b); }
%sst.volatile.global.u32 [%%d1], %%r2;
st.volatile.global.u32 [%%d1], %%r3;
ret;
}
`, before.String(), behind.String())
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90a"})
	if err != nil {
		t.Fatal(err)
	}
	if n := out.Kernels[0].Registers; n > 32 {
		t.Errorf("%d registers cost a block", n)
	}
}
