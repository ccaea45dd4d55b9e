package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

const warpWideText = `.version 8.0
.target %s
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n) {
	.reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .pred %%p<4>;
	.shared .align 4 .b32 s;
	ld.param.u64 %%d1, [a]; ld.param.u32 %%r8, [n];
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%d2, %%r1, 4; add.u64 %%d3, %%d1, %%d2;
	ld.global.u32 %%r2, [%%d3]; mov.u32 %%r4, %%r2;
	setp.gt.s32 %%p1, %%r2, 5;
	%s
	st.global.u32 [%%d3], %%r4;
	ret;
}
`

// TestWarpWide: votes, shuffles and reductions that the compiler adds so that
// one thread does an atomic for a warp have a record of their own, and those
// of the text stay in theirs, as in the reference's files.
func TestWarpWide(t *testing.T) {
	tools := oracle.Find(t)
	for _, c := range []struct{ body, want string }{
		{"atom.global.add.u32 %r4, [%d1], 1;", "wide: SHFL VOTE"},
		{"atom.shared.add.u32 %r4, [s], 1;", "wide: SHFL VOTE"},
		{"atom.global.add.u64 %d5, [%d1], 5; cvt.u32.u64 %r4, %d5;", "wide: SHFL VOTE"},
		{"@%p1 atom.global.add.u32 %r4, [%d1], 1;", "wide: SHFL VOTE"},
		{"red.global.add.u32 [%d1], %r8;", "wide: VOTE"},
		{"red.add.u32 [%d1], 1;", "wide: VOTE"},
		{"red.global.add.u32 [%d1], %r2;", "wide: REDUX VOTE"},
		{"red.shared.max.s32 [s], %r2;", "wide: REDUX VOTE"},
		{"red.global.and.b32 [%d1], %r2; vote.sync.ballot.b32 %r4, %p1, -1;", "coop: VOTE wide: REDUX VOTE"},
		{"red.global.add.u32 [%d1], %r8; shfl.sync.idx.b32 %r4, %r2, 3, 31, -1;", "coop: SHFL wide: VOTE"},
		{"activemask.b32 %r4;", ""},
		{"red.global.inc.u32 [%d1], %r2;", ""},
	} {
		for _, arch := range []string{"sm_80", "sm_90", "sm_100", "sm_120"} {
			text := fmt.Sprintf(warpWideText, arch, c.body)
			text = strings.Replace(text, "8.0", map[bool]string{true: "8.8", false: "8.0"}[len(arch) > 5], 1)
			var log bytes.Buffer
			our, ok := CompileTexts(context.Background(), []string{"-arch", arch}, []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
			if !ok {
				t.Fatal(log.String())
			}
			if got := warpRecords(t, our, arch); got != c.want {
				t.Errorf("%s for %s: %q, want %q", c.body, arch, got, c.want)
			}
			their, err := tools.CubinOf([]byte(text), "-arch="+arch)
			if err != nil {
				t.Fatal(err)
			}
			if got := warpRecords(t, their, arch); got != c.want {
				t.Errorf("%s for %s: the reference has %q, want %q", c.body, arch, got, c.want)
			}
		}
	}
}

// warpRecords names the kinds of instructions that both records list.
func warpRecords(t *testing.T, file []byte, arch string) string {
	t.Helper()
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	info, code := f.Find(".nv.info.k").Content.(*cubin.Info), f.Functions()[0].Code
	var list []string
	for _, r := range []struct {
		name string
		id   cubin.AttrID
	}{{"coop:", cubin.AttrCoopOffsets}, {"wide:", cubin.AttrWarpWideOffsets}} {
		a := info.Get(r.id)
		if a == nil {
			continue
		}
		var names []string
		for _, at := range a.Words {
			i := sass.Decode(target.Find(arch), bits.Word{Lo: binary.LittleEndian.Uint64(code[at:]), Hi: binary.LittleEndian.Uint64(code[at+8:])})
			names = append(names, strings.TrimPrefix(strings.TrimSuffix(i.Op().String(), "U"), "C")) // VOTEU, CREDUX
		}
		slices.Sort(names)
		list = append(append(list, r.name), slices.Compact(names)...)
	}
	return strings.Join(list, " ")
}
