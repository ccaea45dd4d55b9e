package pipeline_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
)

// TestGatherings: instructions at which threads may wait for others elsewhere
// are calls, or collective where the machine has that, and no other ones.
func TestGatherings(t *testing.T) {
	const one = "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\n"
	five := strings.Repeat(one, 5)
	for _, c := range []struct {
		name, body string
		calls      int
	}{
		{"in a row", five, 0},
		{"both arms", "@%p bra A;\n" + one + "bra B;\nA:\n" + one + "B:\n", 2},
		{"one arm, five in a row", "@%p bra A;\n" + five + "A:\n", 0},
		{"one arm, a barrier, all", "@%p bra A;\n" + five + "A:\nbar.sync 0;\n" + five, 0},
		{"one arm, then all", "@%p bra A;\n" + one + "A:\n" + one, 2},
		{"different kinds", "@%p bra A;\n" + one + "bra B;\nA:\nshfl.sync.up.b32 %r2, %r2, 1, 0, -1;\nB:\n", 0},
		{"a branch of the block", "@%q bra A;\n" + one + "bra B;\nA:\n" + one + "B:\n", 0},
		{"a loop that all run equally often", "L:\n" + five + "add.u32 %i, %i, 1;\nsetp.lt.u32 %s, %i, %n;\n@%s bra L;\n" + five, 0},
		{"some sleep in a loop that all run equally often", "L:\n" + one + "@%p bra A;\nnanosleep.u32 100;\nA:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %s, %i, %n;\n@%s bra L;\n" + one, 0},
		{"some sleep, in a loop of their own length", "L:\n" + one + "@%p bra A;\nnanosleep.u32 100;\nA:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %s, %i, %r1;\n@%s bra L;\n" + one, 2},
		{"a mask in a register of other use", "@%p bra A;\nmov.u32 %m, -1;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, %m;\nadd.u32 %m, %m, %r1;\nadd.u32 %r2, %r2, %m;\nA:\n", 0},
		{"a loop", "L:\n" + one + "add.u32 %i, %i, 1;\nsetp.lt.u32 %s, %i, %r1;\n@%s bra L;\n" + one, 2},
		{"in other turns of a loop that is not written out", "L:\nadd.u32 %v, %r1, %i;\nand.b32 %v, %v, 1;\nsetp.eq.u32 %s, %v, 0;\n@%s bra A;\n" + one + "A:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %s, %i, 4;\n@%s bra L;\n", 0},
		{"guarded, in other turns", "L:\nadd.u32 %v, %r1, %i;\nand.b32 %v, %v, 1;\nsetp.eq.u32 %s, %v, 0;\n@%s " + one + "add.u32 %i, %i, 1;\nsetp.lt.u32 %s, %i, 4;\n@%s bra L;\n", 0},
		{"their own threads", "@%p bra A;\nactivemask.b32 %m;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, %m;\nbra B;\nA:\nactivemask.b32 %v;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, %v;\nB:\n" + one, 0},
		{"a vote from before they part, in a loop", "L:\nvote.sync.ballot.b32 %m, %p, -1;\n@!%p bra E;\nsetp.gt.u32 %s, %r2, 7;\n@%s bra A;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, %m;\nA:\nshfl.sync.bfly.b32 %r2, %r2, 2, 31, %m;\nE:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %s, %i, %n;\n@%s bra L;\n", 2},
		{"a length that all share, beside a branch where they part", "add.u32 %v, %n, -7;\nmov.u32 %m, %n;\n@%q bra A;\nmov.u32 %m, %v;\n@%p bra A;\nst.global.u32 [%d+4096], %r1;\nmembar.gl;\nst.global.u32 [%d+8192], %r1;\nA:\nsetp.lt.s32 %s, %m, 1;\n@%s bra B;\nL:\n" + one + "add.u32 %m, %m, -1;\nsetp.gt.s32 %s, %m, 0;\n@%s bra L;\nB:\n" + one + "mad.lo.u32 %r2, %v, %n, %r2;\n", 0},
		{"masks", "@%p bra A;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, %r1;\nbra B;\nA:\nshfl.sync.bfly.b32 %r2, %r2, 2, 31, %r1;\nB:\n", 2},
		{"constant masks", "@%p bra A;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, 0xffff;\nbra B;\nA:\nshfl.sync.bfly.b32 %r2, %r2, 2, 31, 0xffff;\nB:\n", 2},
		{"constant masks that differ", "@%p bra A;\nshfl.sync.bfly.b32 %r2, %r2, 1, 31, 0xffff;\nbra B;\nA:\nshfl.sync.bfly.b32 %r2, %r2, 2, 31, 0xffff0000;\nB:\n", 0},
		{"a barrier", "@%p bra A;\nbarrier.sync 0;\nbra B;\nA:\nbarrier.sync 0;\nB:\n", 2},
		{"an aligned barrier", "@%p bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:\n", 0},
	} {
		text := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n" +
			".reg .b32 %r<4>, %i, %n, %m, %v; .reg .b64 %d; .reg .pred %p, %q, %s;\nld.param.u64 %d, [p];\nld.param.u32 %n, [n];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %d, %r1, 4, %d;\n" +
			"ld.global.u32 %r2, [%d];\nmov.u32 %i, 0;\nsetp.lt.u32 %p, %r1, 32;\nsetp.eq.u32 %q, %n, 3;\n" + c.body + "st.global.u32 [%d], %r2;\nret;\n}\n"
		for _, arch := range []string{"sm_80", "sm_90", "sm_120"} {
			for _, args := range [][]string{nil, {"-c"}} {
				out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: arch, Args: args})
				if err != nil {
					t.Errorf("%s for %s: %v", c.name, arch, err)
					continue
				}
				calls, ends := count(t, arch, out.Cubin, "CALL"), count(t, arch, out.Cubin, "ENDCOLLECTIVE")
				want, none := calls, ends
				if arch != "sm_80" {
					want, none = ends, calls
				}
				if want != c.calls || none != 0 {
					t.Errorf("%s for %s %v: %d calls and %d collective instructions, want %d of one kind", c.name, arch, args, calls, ends, c.calls)
				}
			}
		}
	}
}

// TestUnitedSearch: what the threads of a warp vote and take from one lane
// is the same for all behind the place where all come, so that the branches it
// decides part nobody and no shuffle behind them is one for which they gather.
func TestUnitedSearch(t *testing.T) {
	text, err := os.ReadFile("../../testdata/gen/warp_search.ptx")
	if err != nil {
		t.Fatal(err)
	}
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: text}}, goptxas.Options{Arch: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, "sm_90", out.Cubin, "CALL") + count(t, "sm_90", out.Cubin, "ENDCOLLECTIVE"); n > 0 {
		t.Errorf("%d", n)
	}
}
