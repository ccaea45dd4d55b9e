package driver

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// patchText is functions for an instrumentation tool, with %s in one of them.
const patchText = `.version 8.8
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .u32 gv[4];
.func g(.param .b64 a) { ret; }
.visible .func (.param .b32 r) f(.param .b64 a, .param .b32 b)
{
	.reg .b64 %%rd<6>;
	.reg .b32 %%r<9>;
	.reg .pred %%p<3>;
	.local .b32 lo[4];
	ld.param.u64 %%rd1, [a];
	ld.param.u32 %%r2, [b];
	setp.ne.u32 %%p1, %%r2, 0;
	ld.global.u32 %%r1, [%%rd1+4];
	mov.u32 %%r3, %%ntid.x;
	add.u32 %%r3, %%r3, %%r1;
	st.local.u32 [lo], %%r3;
	atom.global.add.u32 %%r4, [%%rd1+8], %%r1;
	red.global.add.u32 [%%rd1+12], %%r4;
	mov.u64 %%rd4, gv;
	st.u64 [%%rd1+24], %%rd4;
	%s
	{ .param .b64 x; .param .b64 y; .param .b32 q; st.param.b64 [x], %%rd1; st.param.b64 [y], %%rd1; call (q), vprintf, (x, y); }
	ld.local.u32 %%r3, [lo];
	st.param.u32 [r], %%r3;
	ret;
}
`

// patchParts tells what a file says but for its code: sections, symbols,
// records, and what the linker fills in.
func patchParts(t *testing.T, file []byte) (parts []string) {
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	parts = append(parts, fmt.Sprint("kind ", f.Kind))
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".nv.capmerc") || strings.HasPrefix(s.Name, ".nv.merc") {
			continue // the reference's alone
		}
		parts = append(parts, fmt.Sprintf("section %s %#x %#x", s.Name, s.Type, s.Flags))
		switch c := s.Content.(type) {
		case *cubin.Info:
			for _, a := range c.Attrs {
				parts = append(parts, fmt.Sprintf("%s record %#x", s.Name, a.ID))
			}
		case *cubin.Relocs:
			for _, r := range c.List {
				parts = append(parts, fmt.Sprintf("%s reloc %s %s", s.Name, r.Type, r.Sym.Name))
			}
		}
	}
	for _, s := range f.Symtab() {
		parts = append(parts, fmt.Sprintf("symbol %s %d %d %d", s.Name, s.Bind, s.Type, s.Other))
	}
	slices.Sort(parts) // tables stand in the order of the instructions that first need them
	return parts
}

// TestToolsPatch: functions for instrumentation tools have the reference's
// sections, symbols, records and relocations, and touch nothing of the kernel
// that they are put into but registers of their callers.
func TestToolsPatch(t *testing.T) {
	text := fmt.Appendf(nil, patchText, "")
	for _, arch := range []string{"sm_75", "sm_86", "sm_90", "sm_100", "sm_120"} {
		var log bytes.Buffer
		file, ok := CompileTexts(context.Background(), []string{"-arch", arch, "--compile-as-tools-patch"}, []Text{{Name: "k.ptx", Text: text}}, &log)
		if !ok || log.Len() > 0 {
			t.Fatalf("%s: %s", arch, &log)
		}
		f, err := cubin.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		code, err := dis.List(f, &dis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{" UR", "[UR", "desc["} {
			if bytes.Contains(code, []byte(word)) {
				t.Errorf("%s: the code has %q:\n%s", arch, word, code)
			}
		}
		if !oracle.Available() {
			continue
		}
		want, err := oracle.Find(t).CubinOf(text, "-arch="+arch, "--compile-as-tools-patch")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := patchParts(t, file), patchParts(t, want); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nthe reference has\n%s", arch, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestToolsPatchLimits: what such functions must not have is reported in the
// reference's words.
func TestToolsPatchLimits(t *testing.T) {
	x := oracle.Find(t)
	for _, in := range []string{
		"mbarrier.init.shared.b64 [%r1], 1;", "mbarrier.inval.shared.b64 [%r1];", "mbarrier.pending_count.b64 %r1, %rd1;", "mbarrier.arrive.shared.b64 %rd2, [%r1];",
		"mbarrier.arrive.expect_tx.shared.b64 %rd2, [%r1], %r2;", "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;", "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], %r2;",
		"cp.async.wait_all; cp.async.commit_group;", "cp.async.bulk.wait_group 0;", "redux.sync.add.u32 %r5, %r1, -1; redux.sync.add.u32 %r5, %r1, -1;", "cp.async.wait_all; redux.sync.add.u32 %r5, %r1, -1;",
		"mov.u64 %rd2, g;", "cp.async.wait_all; mov.u64 %rd2, g;",
		"{ .param .b64 x; st.param.b64 [x], %rd1; P: .callprototype _ (.param .b64 _); call %rd1, (x), P; }",
		"shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1; vote.sync.ballot.b32 %r3, %p1, -1;",
	} {
		text := []byte(strings.Replace(fmt.Sprintf(patchText, in), ".target sm_75", ".target sm_90", 1))
		dir := folder(t, []cases.File{{Name: "k.ptx", Data: text}})
		args := []string{"k.ptx", "-arch=sm_90", "--compile-as-tools-patch", "-o", "k.cubin"}
		want, got := x.Run(dir, "ptxas", args...), runSelf(t, dir, args...)
		if got.Exit != want.Exit || got.Stderr != want.Stderr {
			t.Errorf("%s: exit %d, %q\nreference: exit %d, %q", in, got.Exit, got.Stderr, want.Exit, want.Stderr)
		}
	}
}
