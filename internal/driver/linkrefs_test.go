package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"goptxas/internal/cubin"
	"goptxas/internal/witness/oracle"
)

// namedRefs binds a texture and a surface by name.
const namedRefs = `.version 8.0
.target sm_90
.address_size 64
.global .texref tx;
.global .surfref sf;
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1,[p];
mov.f32 %f1, 0f3F000000;
tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5},[tx,{%f1,%f1}];
st.global.f32 [%rd1],%f2;
mov.b32 %r1, 4;
suld.b.1d.b32.trap %r2,[sf,{%r1}];
st.global.u32 [%rd1+4],%r2;
ret;
}
`

// TestLinkReferences: the linker gives the textures and surfaces that an
// object of ours names the words behind the parameters that it gives those of
// the reference's object.
func TestLinkReferences(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	in := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(in, []byte(namedRefs), 0o644); err != nil {
		t.Fatal(err)
	}
	ourObject(t, in, in+".ours.o", "sm_90", "-c")
	if r := tools.Ptxas("-c", "-arch=sm_90", "-o", in+".ref.o", in); r.Exit != 0 {
		t.Fatal(r.Stderr)
	}
	type fix struct {
		off  uint64
		typ  cubin.RelocType
		name string
	}
	words := func(object string) (list []fix) {
		out := object + ".cubin"
		if b, err := exec.Command(tools.Path("nvlink"), "-arch=sm_90", "-o", out, object).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", object, err, b)
		}
		s := readCubin(t, out).Find(".rel.nv.constant0.k")
		if s == nil {
			t.Fatalf("%s: no words for references", object)
		}
		for _, r := range s.Content.(*cubin.Relocs).List {
			list = append(list, fix{r.Off, r.Type, r.Sym.Name})
		}
		return list
	}
	if a, b := words(in+".ours.o"), words(in+".ref.o"); !slices.Equal(a, b) || len(a) != 2 {
		t.Errorf("linked words %v, from the reference's object %v", a, b)
	}
}
