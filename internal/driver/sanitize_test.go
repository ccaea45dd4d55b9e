package driver

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
)

// TestMemcheck: code for the memory checker is what it is without the option,
// without the mark by which the tool knows instrumented code, and the report
// says so.
func TestMemcheck(t *testing.T) {
	const text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 7; ret; }\n"
	var code [2][]byte
	for i, options := range [][]string{{"-arch=sm_90"}, {"-arch=sm_90", "-v", "--sanitize=memcheck"}} {
		var log bytes.Buffer
		out, ok := CompileTexts(context.Background(), options, []Text{{"k.ptx", []byte(text)}}, &log)
		if !ok || strings.Contains(log.String(), "instruments nothing") != (i == 1) {
			t.Fatalf("%q: %v, %s", options, ok, log.String())
		}
		f, err := cubin.Read(out)
		if err != nil {
			t.Fatal(err)
		}
		code[i] = f.Find(".text.k").Content.(cubin.Bytes)
		for _, a := range f.Find(".nv.info.k").Content.(*cubin.Info).Attrs {
			if a.ID.Name(false) == "SANITIZE" {
				t.Errorf("%q: the code is marked as instrumented", options)
			}
		}
	}
	if !bytes.Equal(code[0], code[1]) {
		t.Error("the code differs")
	}
}
