package driver

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// manyValues is a body in which 60 values live at once, read and written
// through a register.
func manyValues(address string) string {
	var s strings.Builder
	for n := range 60 {
		fmt.Fprintf(&s, "ld.global.f32 %%f%d, [%s+%d];\n", n, address, 128*n)
	}
	s.WriteString("bar.sync 0;\n")
	for n := range 60 {
		fmt.Fprintf(&s, "st.global.f32 [%s+%d], %%f%d;\n", address, 132*(59-n), n)
	}
	return s.String()
}

// TestRegisterBounds: a directive counts more than --maxrregcount unless that
// overrides directives, functions keep to the bounds of their kernel, and the
// file says what the bound is.
func TestRegisterBounds(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n"
	plain := func(directive string) string {
		return head + ".visible .entry k(.param .u64 a) " + directive + "\n{\n.reg .b64 %d<2>; .reg .f32 %f<60>;\nld.param.u64 %d1, [a];\n" + manyValues("%d1") + "ret;\n}\n"
	}
	calling := head + ".func (.reg .b32 r) f(.reg .b32 n, .reg .b64 p)\n{\n.reg .f32 %f<60>; .reg .pred %p; .reg .b32 %r;\nmov.b32 r, 0; setp.eq.s32 %p, n, 0; @%p ret;\n" + manyValues("p") +
		"sub.s32 %r, n, 1; call (r), f, (%r, p); ret;\n}\n.visible .entry k(.param .u64 a) .maxntid 1024, 1, 1 .minnctapersm 2\n{\n.reg .b64 %d<2>; .reg .b32 %r<3>;\n" +
		"ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; call (%r2), f, (%r1, %d1); st.global.u32 [%d1], %r2; ret;\n}\n"
	list := []struct {
		text    string
		options []string
		bound   uint16
		spills  bool
	}{
		{plain(""), nil, 255, false},
		{plain(""), []string{"-maxrregcount=32"}, 32, true},
		{plain(".maxntid 256"), []string{"-maxrregcount=32"}, 255, false},
		{plain(".maxntid 256"), []string{"-maxrregcount=32", "--override-directive-values"}, 32, true},
		{plain(".maxnreg 96"), []string{"-maxrregcount=32"}, 96, false},
		{plain(".maxnreg 300"), []string{"-maxrregcount=32"}, 255, false}, // too many: as many as there are
		{plain(".reqntid 1024 .minnctapersm 2"), nil, 32, true},
		{plain(".maxntid 4096"), nil, 255, false}, // more than a multiprocessor holds: as if nothing were said
		{plain(".maxntid 4096"), []string{"-maxrregcount=32"}, 32, true},
		{plain(".maxntid 65536, 65536"), nil, 255, false}, // none at all, in 32 bits
		{plain(".maxntid 65536, 65536 .minnctapersm 2"), nil, 255, false},
		{plain(".maxntid 512, 8388609 .minnctapersm 1"), nil, 128, false}, // 512
		{calling, nil, 32, true},
	}
	for _, c := range list {
		var log bytes.Buffer
		b, ok := CompileTexts(context.Background(), append([]string{"-v", "-arch", "sm_80"}, c.options...), []Text{{Name: "k.ptx", Text: []byte(c.text)}}, &log)
		if !ok {
			t.Fatal(log.String())
		}
		if got := maxRegisters(t, b); got != c.bound {
			t.Errorf("%v: a bound of %d registers, want %d", c.options, got, c.bound)
		}
		_, used, _ := strings.Cut(log.String(), "Used ")
		var n int
		if fmt.Sscan(used, &n); n == 0 || n > int(c.bound) {
			t.Errorf("%v: %d registers, want at most %d", c.options, n, c.bound)
		}
		if spills := strings.Count(log.String(), " 0 bytes spill stores") < strings.Count(log.String(), "bytes spill stores"); spills != c.spills {
			t.Errorf("%v: spills %v\n%s", c.options, spills, log.String())
		}
	}
	tools := oracle.Find(t)
	for _, c := range list {
		r, err := tools.CubinOf([]byte(c.text), append([]string{"-arch=sm_80"}, c.options...)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := maxRegisters(t, r); got != c.bound {
			t.Errorf("%v: the reference has a bound of %d", c.options, got)
		}
	}
}

func maxRegisters(t *testing.T, file []byte) uint16 {
	t.Helper()
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	a := f.Find(".nv.info.k").Content.(*cubin.Info).Get(cubin.AttrMaxRegCount)
	if a == nil {
		t.Fatal("no bound on registers")
	}
	return a.Value
}
