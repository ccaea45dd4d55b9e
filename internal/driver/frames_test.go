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
