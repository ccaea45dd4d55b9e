package ptxvm

import (
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

const head = `.version 8.5
.target sm_90a
.address_size 64
`

// kernel wraps statements in a kernel with one buffer, a register family of
// each width, and shared memory.
func kernel(body string) string {
	return head + `.visible .entry k(.param .u64 out)
{
	.reg .pred %p<8>;
	.reg .b16 %h<8>;
	.reg .b32 %r<16>;
	.reg .b64 %d<8>;
	.shared .align 16 .b8 s[256];
	ld.param.u64 %d0, [out];
	mov.u32 %r0, %tid.x;
` + body + "\n\tret;\n}\n"
}

func runKernel(t *testing.T, text string, threads uint32, o Options) ([]byte, error) {
	t.Helper()
	p, err := Load("t.ptx", text, "sm_90a")
	if err != nil {
		return nil, err
	}
	out, err := p.Run(&launch.Launch{
		Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{threads, 1, 1},
		Args: []launch.Arg{{Buf: 1024, Fill: "zero"}},
	}, o)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// TestFaults checks that what PTX leaves undefined is found and named.
func TestFaults(t *testing.T) {
	cases := []struct {
		name, body, want string
		threads          uint32
		o                Options
	}{
		{name: "undefined", body: "add.u32 %r1, %r2, 1;", want: "%r2 is read before it is written", o: Options{Undefined: true}},
		{name: "undefined in one lane", body: "setp.eq.u32 %p1, %r0, 3;\n@!%p1 mov.u32 %r2, 1;\nadd.u32 %r1, %r2, 1;", want: "thread 3,0,0", threads: 32, o: Options{Undefined: true}},
		{name: "lonely wait", body: "mov.u32 %r1, s;\nmbarrier.init.shared.b64 [%r1], 2;\nL:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n@!%p1 bra L;", want: "waits for an mbarrier that never completes", o: Options{MaxSteps: 1 << 20}},
		{name: "late", body: "L:\nbra L;", want: "more than its time", o: Options{Until: time.Unix(1, 0)}},
		{name: "outside", body: "st.global.u32 [%d0+1024], %r0;", want: "outside of every buffer"},
		{name: "before", body: "st.global.u32 [%d0+-4], %r0;", want: "outside of every buffer"},
		{name: "straddles", body: "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d0+1016];", want: "not aligned to 16"},
		{name: "misaligned", body: "ld.global.u32 %r1, [%d0+2];", want: "not aligned to 4 bytes"},
		{name: "null", body: "mov.u64 %d1, 0;\nld.u32 %r1, [%d1];", want: "outside"},
		{name: "shared", body: "mov.u32 %r1, 4096;\nst.shared.u32 [%r1], 0;", want: ".shared address 0x1000"},
		{name: "barrier", body: "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra L;\nbar.sync 1, 64;\nL:", want: "never completes", threads: 32},
		{name: "counts", body: "setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 1, 96;", want: "with 64 threads and with 96", threads: 64},
		{name: "barrier size", body: "mov.u32 %r1, 20;\nbar.sync 0, %r1;", want: "a barrier of 20 threads", threads: 32},
		{name: "aligned", body: "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra L;\nbar.sync 0;\nbra M;\nL:\nbar.sync 0;\nM:", want: "different instructions", threads: 32},
		{name: "mask", body: "bar.warp.sync 1;", want: "own membermask", threads: 32},
		{name: "peers", body: "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra L;\nshfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffffffff;\nL:\nbar.sync 0;", want: "waits for threads of its warp", threads: 32},
		{name: "shuffle from nobody", body: "setp.lt.u32 %p1, %r0, 16;\n@%p1 shfl.sync.idx.b32 %r1, %r0, 20, 31, 0x0000ffff;", want: "takes no part", threads: 32},
		{name: "race", body: "mov.u32 %r1, s;\nst.shared.u32 [%r1], %r0;", want: "race on shared", threads: 64, o: Options{Races: true}},
		{name: "race with read", body: "mov.u32 %r1, s;\nld.shared.u32 %r2, [%r1];\nsetp.eq.u32 %p1, %r0, 5;\n@%p1 st.shared.u32 [%r1], %r0;", want: "with a read of thread", threads: 64, o: Options{Races: true}},
		{name: "race under a lock that tells nobody", body: strings.ReplaceAll(lock, "SEM", "relaxed"), want: "race on shared", threads: 64, o: Options{Races: true}},
		{name: "endless", body: "L:\nbra L;", want: "more than 1000 instructions", o: Options{MaxSteps: 1000}},
		{name: "trap", body: "trap;", want: "the program stops itself"},
		{name: "const", body: "mov.u64 %d1, 0;\ncvta.const.u64 %d2, %d1;\nst.u32 [%d2], %r0;", want: "write to .const"},
		{name: "meaning", body: "tanh.approx.f32 %r1, %r0;\nmov.u32 %r1, %pm0;", want: "has no meaning"},
	}
	for _, c := range cases {
		_, err := runKernel(t, kernel(c.body), max(c.threads, 1), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	t.Logf("%d faults found", len(cases))
}

// lock adds to a word in shared memory under a lock.
const lock = "mov.u32 %r1, s;\nL:\natom.SEM.cta.shared.cas.b32 %r2, [%r1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\nld.shared.u32 %r3, [%r1+4];\nadd.u32 %r3, %r3, %r0;\nst.shared.u32 [%r1+4], %r3;\natom.SEM.cta.shared.exch.b32 %r2, [%r1], 0;"

// TestNoRace checks that ordered accesses are not called races.
func TestNoRace(t *testing.T) {
	for _, body := range []string{
		"mov.u32 %r1, s;\nmad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.u32 [%r2], %r0;\nbar.sync 0;\nxor.b32 %r3, %r0, 63;\nmad.lo.u32 %r2, %r3, 4, %r1;\nld.shared.u32 %r4, [%r2];\nbar.sync 0;\nst.shared.u32 [%r2], %r4;",
		"mov.u32 %r1, s;\nred.shared.add.u32 [%r1], 1;",
		"mov.u32 %r1, s;\nmad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.u32 [%r2], %r0;\nbar.warp.sync -1;\nxor.b32 %r3, %r0, 31;\nmad.lo.u32 %r2, %r3, 4, %r1;\nld.shared.u32 %r4, [%r2];",
		strings.ReplaceAll(lock, "SEM", "acq_rel"),
	} {
		if _, err := runKernel(t, kernel(body), 64, Options{Races: true}); err != nil {
			t.Error(err)
		}
	}
}
