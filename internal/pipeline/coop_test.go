package pipeline_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

const coopText = `.version 8.6
.target %s
.address_size 64
.visible .entry k(.param .u64 a) {
	.reg .b32 %%r<10>; .reg .b64 %%d<9>; .reg .pred %%p<4>;
	ld.param.u64 %%d1, [a];
	mov.u32 %%r2, %%tid.x;
	mul.wide.u32 %%d2, %%r2, 4;
	add.u64 %%d3, %%d1, %%d2;
	ld.global.u32 %%r3, [%%d3];
	ld.global.u32 %%r9, [%%d3+4096];
	setp.gt.s32 %%p1, %%r3, 5;
	%s
	st.global.u32 [%%d3], %%r4;
	ret;
}
`

// TestCoop checks the records of instructions of several threads: which ones
// are named, with the whole warp or with a register that the instruction
// which brings the threads together reads.
func TestCoop(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string // mnemonic and whether the mask is a register
	}{
		{"shfl", "shfl.sync.idx.b32 %r4, %r3, 3, 31, -1;", []string{"SHFL all"}},
		{"masked shfl", "shfl.sync.idx.b32 %r4, %r3, 3, 31, %r9;", []string{"SHFL reg"}},
		{"shfl of some", "shfl.sync.idx.b32 %r4, %r3, 3, 31, 0xff;", []string{"SHFL reg"}},
		{"vote", "vote.sync.ballot.b32 %r4, %p1, -1;", []string{"VOTE all"}},
		{"masked vote", "vote.sync.ballot.b32 %r4, %p1, %r9;", []string{"VOTE reg"}},
		{"match", "match.any.sync.b32 %r4, %r3, -1;", []string{"MATCH all"}},
		{"redux", "redux.sync.add.s32 %r4, %r3, -1;", []string{"REDUX all"}},
		{"bar.warp.sync", "st.global.u32 [%d3+8192], %r3;\nbar.warp.sync -1;\nld.global.u32 %r4, [%d3+8196];", []string{"WARPSYNC all"}},
		{"two", "shfl.sync.idx.b32 %r3, %r3, 3, 31, -1;\nshfl.sync.idx.b32 %r4, %r3, 3, 31, %r9;", []string{"SHFL all", "SHFL reg"}},
		{"activemask", "activemask.b32 %r4;", nil},
		{"elect", "elect.sync %r4|%p2, -1;", nil},
		{"bar.sync", "bar.sync 0;\nmov.u32 %r4, %r3;", nil},
	} {
		for _, arch := range []string{"sm_90", "sm_100"} {
			text := fmt.Sprintf(coopText, arch, c.body)
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: arch})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := coopsOf(t, arch, out.Cubin); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s for %s: %v, want %v", c.name, arch, got, c.want)
			}
		}
	}
}

// coopsOf describes the records of a cubin with one kernel.
func coopsOf(t *testing.T, arch string, file []byte) (list []string) {
	t.Helper()
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var masks, offsets []uint32
	for _, s := range f.Sections {
		in, ok := s.Content.(*cubin.Info)
		if !ok {
			continue
		}
		for _, a := range in.Attrs {
			switch a.ID {
			case cubin.AttrCoopMasks:
				masks = a.Words
			case cubin.AttrCoopOffsets:
				offsets = a.Words
			}
		}
	}
	if len(masks) != len(offsets) {
		t.Fatalf("%d masks for %d places", len(masks), len(offsets))
	}
	code := f.Functions()[0].Code
	for n, at := range offsets {
		i := sass.Decode(target.Find(arch), bits.Word{Lo: binary.LittleEndian.Uint64(code[at:]), Hi: binary.LittleEndian.Uint64(code[at+8:])})
		kind := "all"
		if masks[n] != 0xffffffff {
			kind = "reg"
			if masks[n]>>8 != 0x050000 {
				kind = fmt.Sprintf("%#x", masks[n])
			}
		}
		list = append(list, i.Op().String()+" "+kind)
	}
	return list
}
