package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// TestErrorsAtExit: with --make-errors-visible-at-exit late faults are waited
// for before a kernel ends, and for debuggers its stores too.
func TestErrorsAtExit(t *testing.T) {
	const text = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p]; mov.u32 %r, %tid.x; st.global.u32 [%d], %r; ret; }\n"
	for _, arch := range []string{"sm_75", "sm_80", "sm_90"} {
		for option, want := range map[string][2]bool{"-O3": {}, "--make-errors-visible-at-exit": {false, true}, "-g": {true, true}} {
			var log bytes.Buffer
			file, ok := CompileTexts(context.Background(), []string{"-arch", arch, option}, []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
			if !ok {
				t.Fatal(log.String())
			}
			f, err := cubin.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			var got [2]bool
			code := f.Find(".text.k").Content.(cubin.Bytes)
			for at := 0; at+16 <= len(code); at += 16 {
				i := sass.Decode(target.Find(arch), bits.Word{Lo: binary.LittleEndian.Uint64(code[at:]), Hi: binary.LittleEndian.Uint64(code[at+8:])})
				line := i.Text(target.Find(arch), 0)
				got[0] = got[0] || strings.HasPrefix(line, "MEMBAR.SC.VC")
				got[1] = got[1] || strings.HasPrefix(line, "ERRBAR")
			}
			if got != want {
				t.Errorf("%s %s: MEMBAR and ERRBAR %v, wanted %v", arch, option, got, want)
			}
		}
	}
}
