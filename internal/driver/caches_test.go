package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// accesses are far enough apart that nobody joins them.
const accesses = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a)
{ .reg .b32 %r<20>; .reg .b64 %d<3>;
 ld.param.u64 %d1,[a];
 ld.global.u32 %r1,[%d1]; ld.u32 %r2,[%d1+64]; ld.volatile.global.u32 %r3,[%d1+128]; ld.global.nc.u32 %r4,[%d1+192];
 ld.global.cg.u32 %r5,[%d1+256]; ld.relaxed.gpu.global.u32 %r6,[%d1+320]; ld.global.cs.u32 %r7,[%d1+384];
 st.global.u32 [%d1+1024],%r1; st.u32 [%d1+1088],%r2; st.volatile.global.u32 [%d1+1152],%r3; st.global.wt.u32 [%d1+1216],%r4;
 st.relaxed.gpu.global.u32 [%d1+1280],%r5; st.global.cs.u32 [%d1+1344],%r6; st.global.u32 [%d1+1408],%r7;
 ret; }
`

// TestCacheOptions compares the accesses of both compilers under the options
// that choose cache operators.
func TestCacheOptions(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
	if err := os.WriteFile(in, []byte(accesses), 0o644); err != nil {
		t.Fatal(err)
	}
	memory := func() []string {
		var list []string
		for line := range strings.Lines(x.Run("", "nvdisasm", "-c", out).Stdout) {
			f := strings.Fields(line)
			for k, w := range f {
				if op, _, _ := strings.Cut(w, "."); op == "LDG" || op == "LD" || op == "STG" || op == "ST" {
					at := strings.Join(f[k+1:], " ")
					list = append(list, w+" "+at[strings.LastIndexAny(at[:strings.Index(at, ";")], "+[")+1:strings.LastIndex(at, "]")])
				}
			}
		}
		slices.Sort(list)
		for n := range list { // registers differ
			if w, at, _ := strings.Cut(list[n], " "); !strings.HasPrefix(at, "0x") {
				list[n] = w
			}
		}
		return list
	}
	n := 0
	for _, o := range []string{"", "-dlcm=cg", "-dlcm=cs", "-flcm=cv", "-dscm=wb", "-fscm=cs", "-fscm=wt"} {
		options := strings.Fields(o)
		if r := x.Ptxas(append(options, "-arch=sm_90a", in, "-o", out)...); r.Exit != 0 {
			t.Fatal(r.Stderr)
		}
		want := memory()
		ourObject(t, in, out, "sm_90a", options...)
		if got := memory(); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %v\nwant %v", o, got, want)
			continue
		}
		n++
	}
	t.Logf("%d options alike", n)
}
