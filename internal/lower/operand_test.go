package lower

import (
	"strings"
	"testing"
)

// TestSums: a constant is added to registers of integers, and to no others.
func TestSums(t *testing.T) {
	for _, x := range []struct{ line, want string }{
		{"st.global.b32 [%rd1], %r1+1;", "0x1"},
		{"st.global.b16 [%rd1], %h1+0x12345;", "0x2345"},
		{"st.global.b64 [%rd1], %rd2+0x500000003;", "0x5"},
		{"add.f32 %f1, %r1+1, %f2;", "IADD3"},
		{"st.global.f32 [%rd1], %f1+1;", "no integer"},
		{"mov.f64 %fd1, %fd2+1;", "no integer"},
		{"mov.b128 %q1, %q2+1;", "no integer"},
		{"mov.pred %p1, %p2+1;", "only a register can stand"},
		{"selp.b32 %r1, %r2, %r3, %p1+1;", "only a register can stand"},
	} {
		got, err := lowered(kernel("", x.line))
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s\n%s\nwant %q", x.line, got, x.want)
		}
	}
}

// TestBeside: a parameter is read at any constant place of its bank.
func TestBeside(t *testing.T) {
	for _, x := range []struct{ line, want string }{
		{"ld.param.u32 %r1, [pp+-8];", "c[0x0][0x208]"},
		{"ld.param.u32 %r1, [st+12];", "c[0x0][0x224]"},
		{"ld.param.u32 %r1, [st+40000];", "c[0x0][0x9e58]"},
		{"ld.param.u32 %r1, [st+80000];", "outside of the constant bank"},
		{"ld.param.u32 %r1, [pp+-1000];", "outside of the constant bank"},
	} {
		got, err := lowered(kernel("", x.line))
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s\n%s\nwant %q", x.line, got, x.want)
		}
	}
}

// TestBraces: scales and metadata of matrix products mean the same in braces,
// and their selectors may be registers.
func TestBraces(t *testing.T) {
	for _, x := range []struct{ arch, with, without string }{
		{"sm_120a", "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, ", "{%r6}, {%h0,%h1}, {%r7}, {%h2,1};"},
		{"sm_120a", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, ", "{%r6}, {0,%h1}, {%r7}, {%h2,%h3};"},
		{"sm_120a", "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5,%r8,%r9}, {%f0,%f1,%f2,%f3}, ", "{%r10}, 0, {%r6}, {%h0,%h1}, {%r7}, {%h2,%h3};"},
		{"sm_90a", "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, ", "{%r10}, 0;"},
	} {
		text := strings.Replace(kernel("", x.with+x.without), ".target sm_90a", ".target "+x.arch, 1)
		got, err := loweredFor(x.arch, text)
		if err != nil {
			t.Errorf("%s: %v", x.without, err)
			continue
		}
		for _, r := range []string{"%r6", "%r7", "%r10"} {
			text = strings.ReplaceAll(text, "{"+r+"}", " "+r+" ") // as long
		}
		if want, err := loweredFor(x.arch, text); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwithout braces:\n%s", x.without, err, got, want)
		}
	}
}

// TestConstantRegisters: a register that one constant is moved to stands for
// it, unless an instruction writes it as any of its results.
func TestConstantRegisters(t *testing.T) {
	for _, x := range []struct {
		line  string
		known bool // the register stands for its constant
	}{
		{"nanosleep.u32 %r9;", true},
		{"bar.sync %r9;", true},
		{"barrier.sync %r9, %r9;", true},
		{"bar.warp.sync %r9;", true},
		{"stackrestore.u32 %r9;", true},
		{"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 64;", true},
		{"barrier.red.popc.u32 %r9, 0, %p1;", false},
		{"add.u32 %r9, %r1, %r2;", false},
		{"shfl.sync.bfly.b32 %r9|%p1, %r1, 1, 31, -1;", false},
		{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r8,%r9}, [%r1];", false},
		{"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r8,%r9}, [%r5];", false},
		{"tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r7,%r8}, %r9, [%r5];", false},
	} {
		text := strings.Replace(kernel("", "mov.b32 %r9, 0x123457;"+x.line+"st.shared.b32 [sm], %r9;"), "sm_90a", "sm_103a", 1)
		got, err := loweredFor("sm_103a", text)
		if err != nil {
			t.Errorf("%s: %v", x.line, err)
			continue
		}
		if known := strings.Count(got, "0x123457") > 1; known != x.known { // once it is moved
			t.Errorf("%s: the constant is known: %v\n%s", x.line, known, got)
		}
	}
}
