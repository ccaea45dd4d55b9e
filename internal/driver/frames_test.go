package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestWarnFrames: the warnings about local memory are the reference's, in its
// order; those about spills stand where our code spills.
func TestWarnFrames(t *testing.T) {
	kernel := func(name string) string {
		return fmt.Sprintf(".visible .entry %s(.param .u64 a, .param .u32 n)\n{ .local .align 16 .b8 v[256]; .reg .b64 %%d<4>; .reg .b32 %%r<3>;\n"+
			"ld.param.u64 %%d1,[a]; ld.param.u32 %%r1,[n]; mov.u64 %%d2,v; mad.wide.u32 %%d2,%%r1,4,%%d2;\n"+
			"st.local.u32 [%%d2],%%r1; ld.local.u32 %%r2,[%%d2+8]; st.global.u32 [%%d1],%%r2; ret; }\n", name)
	}
	in := filepath.Join(t.TempDir(), "k.ptx")
	text := ".version 8.0\n.target sm_90\n.address_size 64\n" + kernel("one") + kernel("two")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"-arch=sm_90", "-warn-lmem-usage", "-warn-spills", "-o", in + ".cubin", in}
	var messages bytes.Buffer
	if code := Main(context.Background(), World{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
		t.Fatal(messages.String())
	}
	if n := strings.Count(messages.String(), "Local memory used for function"); n != 2 {
		t.Errorf("%d warnings: %s", n, messages.String())
	}
	if r := oracle.Find(t).Ptxas(args...); r.Stderr != messages.String() {
		t.Errorf("%s\nthe reference says\n%s", messages.String(), r.Stderr)
	}
}

// TestFrameAlign: a frame is as large as the reference's where a variable asks
// for more than the stack pointer has.
func TestFrameAlign(t *testing.T) {
	for align, want := range map[int]string{4: "104", 8: "104", 16: "112", 32: "144", 64: "176", 128: "240"} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		text := fmt.Sprintf(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{ .local .align %d .b8 v[100]; .reg .b64 %%d<4>; .reg .b32 %%r<4>;\n"+
			"ld.param.u64 %%d1,[a]; ld.param.u32 %%r1,[n]; mov.u64 %%d2,v; mad.wide.u32 %%d3,%%r1,4,%%d2; cvta.local.u64 %%d2,%%d2; st.global.u64 [%%d1],%%d2;\n"+
			"st.local.u32 [%%d3],%%r1; ld.local.u32 %%r2,[v]; bar.sync 0; ld.local.u32 %%r3,[v+4]; st.global.u32 [%%d1+8],%%r2; st.global.u32 [%%d1+12],%%r3; ret; }\n", align)
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"-v", "-o", in + ".cubin", in}
		var messages bytes.Buffer
		if code := Main(context.Background(), World{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		if !strings.Contains(messages.String(), "\n    "+want+" bytes stack frame") {
			t.Errorf(".align %d: want %s bytes:\n%s", align, want, messages.String())
		}
		if !oracle.Available() {
			continue
		}
		if r := oracle.Find(t).Ptxas(args...); !strings.Contains(r.Stderr, "\n    "+want+" bytes stack frame") {
			t.Errorf(".align %d: the reference has not %s bytes:\n%s", align, want, r.Stderr)
		}
	}
}
