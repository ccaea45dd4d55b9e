package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
)

// kernelNames takes the address of a kernel in code and in a variable, and
// calls a routine of the driver and a function of another object.
const kernelNames = `.version 9.0
.target %s
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) other(.param .b64 a);
.visible .entry leaf(.param .u64 p) { ret; }
.visible .func fn(.param .b32 q) { ret; }
.visible .global .align 8 .u64 table[2] = {leaf, fn};
.visible .entry root(.param .u64 p)
{
 .reg .b64 %%rd<9>; .reg .b32 %%r<9>;
 ld.param.u64 %%rd1, [p];
 mov.u64 %%rd2, leaf;
 st.global.u64 [%%rd1], %%rd2;
 mov.u64 %%rd3, fn;
 st.global.u64 [%%rd1+8], %%rd3;
 { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %%rd1; st.param.b64 [b], %%rd1;
 call.uni (r), vprintf, (a, b); ld.param.b32 %%r1, [r]; }
 // other
 ret;
}
`

// TestKernelNames: what names a kernel is its descriptor, which a launch from
// the device wants, and not the address of its code. In an object no call is
// marked as one of the driver's, and each return address is relocated once.
func TestKernelNames(t *testing.T) {
	const callOther = "{ .param .b64 a; .param .b32 r; st.param.b64 [a], %rd1; call.uni (r), other, (a); ld.param.b32 %r1, [r]; }"
	for _, c := range []struct {
		arch   string
		object bool
		want   []string
	}{
		{"sm_80", false, []string{".nv.constant4 leaf FUNC_DESC_64", ".nv.global.init leaf FUNC_DESC_64"}},
		{"sm_90a", false, []string{".nv.constant4 leaf FUNC_DESC_64", ".nv.global.init leaf FUNC_DESC_64"}},
		{"sm_80", true, []string{".nv.global.init leaf FUNC_DESC_64", ".text.root leaf FUNC_DESC32_HI_32", ".text.root leaf FUNC_DESC32_LO_32"}},
		{"sm_90a", true, []string{".nv.global.init leaf FUNC_DESC_64", ".text.root leaf FUNC_DESC32_HI_32", ".text.root leaf FUNC_DESC32_LO_32"}},
	} {
		text, o := fmt.Sprintf(kernelNames, c.arch), goptxas.Options{Arch: c.arch}
		if c.object {
			o.Args = []string{"-c"}
			text = strings.Replace(text, "// other", callOther, 1)
		}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, o)
		if err != nil {
			t.Errorf("%s: %v", c.arch, err)
			continue
		}
		f, err := cubin.Read(out.Cubin)
		if err != nil {
			t.Fatal(err)
		}
		if got := kernelRelocs(t, f); !slices.Equal(got, c.want) {
			t.Errorf("%s, object %v: relocations\n%s\nwant\n%s", c.arch, c.object, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if got := hasAttr(f, cubin.AttrSyscallOffsets); got == c.object {
			t.Errorf("%s, object %v: calls of the driver marked: %v", c.arch, c.object, got)
		}
	}
}

// kernelRelocs lists the relocations against leaf outside of debug sections,
// and fails where two patch one place.
func kernelRelocs(t *testing.T, f *cubin.File) []string {
	var list []string
	for _, s := range f.Sections {
		r, ok := s.Content.(*cubin.Relocs)
		if !ok {
			continue
		}
		at := strings.TrimPrefix(strings.TrimPrefix(s.Name, ".rel"), "a")
		seen := map[uint64]bool{}
		for _, x := range r.List {
			if seen[x.Off] {
				t.Errorf("%s: two relocations at %#x", s.Name, x.Off)
			}
			seen[x.Off] = true
			if x.Sym != nil && x.Sym.Name == "leaf" && !strings.HasPrefix(at, ".debug") {
				list = append(list, at+" leaf "+strings.TrimPrefix(x.Type.String(), "R_CUDA_"))
			}
		}
	}
	slices.Sort(list)
	return list
}

func hasAttr(f *cubin.File, id cubin.AttrID) bool {
	for _, s := range f.Sections {
		if in, ok := s.Content.(*cubin.Info); ok && slices.ContainsFunc(in.Attrs, func(a cubin.Attr) bool { return a.ID == id }) {
			return true
		}
	}
	return false
}
