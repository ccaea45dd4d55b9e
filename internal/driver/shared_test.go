package driver

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
)

// TestSharedOfKernels: a kernel has the shared variables that it or its
// functions name, and no others.
func TestSharedOfKernels(t *testing.T) {
	const head = ".version 8.0\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 s1[1000];\n.shared .align 16 .b8 s2[3000];\n"
	const body = `
.func f(.param .b32 x){ .reg .b32 %r<3>; ld.param.b32 %r1,[x]; st.shared.b32 [s2],%r1; ret; }
.visible .entry one() { .reg .b32 r; ld.shared.b32 r, [s1]; st.shared.b32 [s1+4], r; ret; }
.visible .entry none() { ret; }
.visible .entry called() { { .param .b32 u; st.param.b32 [u],1; call f,(u); } ret; }
.visible .entry own() { .shared .align 8 .b8 t[8]; .reg .b32 r; mov.u32 r, s1; st.shared.b32 [t], r; ret; }
`
	smem := regexp.MustCompile(`barriers(, (\d+) bytes smem)?`)
	for _, c := range []struct {
		text string
		want []string // kernels, last first
	}{
		{head + body, []string{"1008", "3000", "", "1000"}},
	} {
		var log bytes.Buffer
		if _, ok := CompileTexts(t.Context(), []string{"-v", "-arch", "sm_80"}, []Text{{Name: "k.ptx", Text: []byte(c.text)}}, &log); !ok {
			t.Fatal(log.String())
		}
		var got []string
		for _, m := range smem.FindAllStringSubmatch(log.String(), -1) {
			got = append(got, m[2])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q bytes, want %q", got, c.want)
		}
	}
}
