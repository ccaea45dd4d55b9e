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
