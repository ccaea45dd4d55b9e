package sema_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestTwice: eviction priorities that stand twice, registers where a vector is
// wanted, and arrivals that nobody waits for. The messages are the reference's.
func TestTwice(t *testing.T) {
	const (
		head  = ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k() {\n.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
		l1    = "Duplicate '.L1::eviction_priority' modifier specified for instruction 'ld'"
		wrong = "Incorrect '.level::eviction_priority' modifier specified for instruction 'ld'"
		many  = "Unexpected number of '.level::eviction_priority' modifiers specified / Unexpected number of 'cache eviction priority' modifiers specified"
		multi = "Multiple cache eviction priority modifiers specified"
	)
	for _, c := range []struct{ text, want string }{
		{"ld.global.L1::evict_first.L1::evict_last.u32 %r1, [%rd1];", l1 + " / " + wrong},
		{"ld.global.L1::evict_unchanged.u32.L1::evict_normal %r1, [%rd1];", l1 + " / " + wrong},
		{"ld.shared.L1::evict_first.L1::evict_last.u32 %r1, [%rd1];", l1 + " / Modifier '.evict_last' cannot be applied to '.shared' space for instruction 'ld' / " + wrong},
		{"ld.global.L1::evict_first.L1::evict_last.L1::evict_normal.u32 %r1, [%rd1];", many + " / " + l1 + " / " + wrong},
		{"ld.global.L2::evict_last.L1::evict_normal.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];", ""},
		{"st.global.L2::evict_last.L2::evict_normal.v8.b32 [%rd1], {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};", "Duplicate '.L2::eviction_priority' modifier specified for instruction 'st' / Incorrect '.level::eviction_priority' modifier specified for instruction 'st'"},
		{"prefetch.global.L2::evict_last.L2::evict_normal [%rd1];", multi},
		{"applypriority.global.L2::evict_normal.L1::evict_normal [%rd1], 128;", multi},
		{"add.L1::evict_first.L2::evict_last.u32 %r1, %r2, %r3;", "Illegal modifier '.level::eviction_priority' for instruction 'add' / Illegal modifier '.evict_first' for instruction 'add' / Illegal modifier '.evict_last' for instruction 'add' / " + multi},
		{"tex.grad.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%r5,%r6}], %r1, %r2;", "Vector expected for argument 3 / Vector expected for argument 4"},
		{"tex.grad.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%r5,%r6}], {%r1,%r2}, %r2;", "Vector expected for argument 4"},
		{"tex.grad.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [%rd1, %rd2, {%r5,%r6}], %r1, %r2;", "Vector expected for argument 4"},
		{"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, 0, %p1;", "Arguments mismatch for instruction 'tcgen05.mma'"},
		{"tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r2], %rd2, %r3, %r4, %p1;", "Arguments mismatch for instruction 'tcgen05.mma'"},
		{"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, %r4, %p1, 1;", "Arguments mismatch for instruction 'selp'"},
		{"bar.arrive 1, 0;", "Instruction 'bar.arrive' requires a non-zero thread count argument"},
		{"barrier.cta.arrive.aligned %r1, 0;", "Instruction 'barrier.cta.arrive' requires a non-zero thread count argument"},
		{"bar.arrive 1, 32;", ""},
		{"tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r2], %rd2, %r3, {%r4,%r5,%r6,%r7}, %p1;", ""},
	} {
		x, err := front.Check("k.ptx", head+c.text+"\nret;\n}\n", "sm_100a")
		if x == nil {
			t.Fatal(err)
		}
		var said []string
		for l := range strings.SplitSeq(strings.TrimSpace(x.Messages), "\n") {
			if _, m, ok := strings.Cut(l, "error   : "); ok {
				said = append(said, m)
			}
		}
		if got := strings.Join(said, " / "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
