package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
)

// TestPointersOfOthers: a kernel that calls through a pointer which another kernel
// stored has the function, its place in the table of pointers, its shared memory
// and its barriers.
func TestPointersOfOthers(t *testing.T) {
	const text = `.version 8.0
.target sm_80
.address_size 64
.global .b64 tab;
.visible .entry calls() {
  .reg .b64 %rd; .reg .b32 %r;
  ld.global.u64 %rd, [tab];
  P: .callprototype (.param .b32 _) _ (.param .b32 _);
  { .param .b32 q; .param .b32 o; st.param.b32 [q], 1; call (o), %rd, (q), P; ld.param.b32 %r, [o]; }
  st.global.u32 [tab], %r;
  ret;
}
.func (.param .b32 o) f(.param .b32 a) {
  .shared .align 4 .b8 s[64];
  .reg .b32 %r;
  ld.param.b32 %r, [a]; st.shared.u32 [s], %r; bar.sync 5; ld.shared.u32 %r, [s+4]; st.param.b32 [o], %r;
  ret;
}
.visible .entry stores() { .reg .b64 %rd; mov.u64 %rd, f; st.global.u64 [tab], %rd; ret; }
`
	var log bytes.Buffer
	out, ok := CompileTexts(context.Background(), []string{"-arch=sm_80", "-v"}, []Text{{"k.ptx", []byte(text)}}, &log)
	if !ok {
		t.Fatal(log.String())
	}
	file, err := cubin.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	table := file.Find(".nv.constant2.calls")
	if table == nil {
		t.Fatal("the kernel has no table of pointers")
	}
	if b := table.Content.(cubin.Bytes); len(b) != 16 || binary.LittleEndian.Uint64(b[8:]) == 0 {
		t.Errorf("the table is % x", []byte(b))
	}
	if file.Find(".nv.shared.calls") == nil {
		t.Error("the kernel has no room for the function's shared memory")
	}
	if !bytes.Contains(log.Bytes(), []byte("used 6 barriers, 64 bytes smem")) {
		t.Errorf("the report:\n%s", log.String())
	}
}
