package pipeline_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// multicasts spells copies to several blocks.
func multicasts() (list []string) {
	coords := []string{"%r0", "%r1", "%r2", "%r3", "%r4"}
	for _, hint := range []bool{false, true} {
		mod, arg := "", ""
		if hint {
			mod, arg = ".L2::cache_hint", ",%pol"
		}
		list = append(list, fmt.Sprintf("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster%s [%%r10],[%%d0],%%r0,[%%r11],%%h0%s;", mod, arg))
		for n := 1; n <= 5; n++ {
			at := strings.Join(coords[:n], ",")
			list = append(list, fmt.Sprintf("cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster%s [%%r10],[%%d0,{%s}],[%%r11],%%h0%s;", n, mod, at, arg))
			if n >= 3 {
				offs := strings.Join([]string{"%h1", "%h2", "%h3"}[:n-2], ",")
				list = append(list, fmt.Sprintf("cp.async.bulk.tensor.%dd.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster%s [%%r10],[%%d0,{%s}],[%%r11],{%s},%%h0%s;", n, mod, at, offs, arg))
			}
		}
	}
	return list
}

var routineName = regexp.MustCompile(`__cuda_syscall_\w+`)

// TestMulticast: one copy goes to several blocks, or to another one, where the
// machine can do that; elsewhere it is the driver's routine that the reference
// calls, too.
func TestMulticast(t *testing.T) {
	forms := multicasts()
	for _, f := range multicasts() {
		f = strings.Replace(f, ".multicast::cluster", "", 1)
		forms = append(forms, strings.NewReplacer("],%h0", "]", "},%h0", "}").Replace(f))
	}
	for _, form := range forms {
		for _, arch := range []string{"sm_90a", "sm_100a", "sm_120a"} {
			text := fmt.Sprintf(".version 9.0\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 m, .param .u64 p, .param .u32 a)\n{\n.reg .b64 %%d0,%%pol;\n.reg .b32 %%r<12>;\n.reg .b16 %%h<4>;\n.shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 bar;\n"+
				"ld.param.u64 %%d0,[m];\nld.param.u64 %%pol,[p];\nld.param.u32 %%r0,[a];\nadd.u32 %%r1,%%r0,1;\nadd.u32 %%r2,%%r0,2;\nadd.u32 %%r3,%%r0,3;\nadd.u32 %%r4,%%r0,4;\ncvt.u16.u32 %%h0,%%r1;\ncvt.u16.u32 %%h1,%%r2;\ncvt.u16.u32 %%h2,%%r3;\ncvt.u16.u32 %%h3,%%r4;\nmov.u32 %%r10,s;\nmov.u32 %%r11,bar;\n%s\nret;\n}\n", arch, form)
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: arch})
			if err != nil {
				t.Errorf("%s for %s: %v", form, arch, err)
				continue
			}
			casts, calls := 0, 0
			instructions(t, arch, out.Cubin, func(_ *cubin.Function, i *sass.Inst) {
				s := i.Text(target.Find(arch), 0)
				casts += strings.Count(s, ".MULTICAST")
				calls += strings.Count(s, "CALL.ABS")
			})
			own := arch != "sm_120a"
			if (casts == 1) != (own && strings.Contains(form, "multicast")) || (calls == 1) == own {
				t.Errorf("%s for %s: %d such instructions, %d calls", form, arch, casts, calls)
			}
			if own || !oracle.Available() {
				continue
			}
			ref, err := oracle.Find(t).CubinOf([]byte(text), "-arch="+arch)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := routineName.Find(out.Cubin), routineName.Find(ref); string(a) != string(b) || a == nil {
				t.Errorf("%s calls %s, the reference %s", form, a, b)
			}
		}
	}
}
