package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestWarnFrames: the warnings about local memory are the reference's, in its
// order; those about spills stand where our code spills.
func TestWarnFrames(t *testing.T) {
	kernel := func(name string) string {
		return fmt.Sprintf(".visible .entry %s(.param .u64 a, .param .u32 n)\n{ .local .align 16 .b8 v[256]; .reg .b64 %%d<4>; .reg .b32 %%r<3>;\n"+
			"ld.param.u64 %%d1,[a]; ld.param.u32 %%r1,[n]; mov.u64 %%d2,v; mad.wide.u32 %%d2,%%r1,4,%%d2;\n"+
			"st.local.u32 [%%d2],%%r1; ld.local.u32 %%r2,[%%d2+8]; st.global.u32 [%%d1],%%r2; ret; }\n", name)
	}
	in := filepath.Join(t.TempDir(), "k.ptx")
	text := ".version 8.0\n.target sm_90\n.address_size 64\n" + kernel("one") + kernel("two")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"-arch=sm_90", "-warn-lmem-usage", "-warn-spills", "-o", in + ".cubin", in}
	var messages bytes.Buffer
	if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
		t.Fatal(messages.String())
	}
	if n := strings.Count(messages.String(), "Local memory used for function"); n != 2 {
		t.Errorf("%d warnings: %s", n, messages.String())
	}
	if r := oracle.Find(t).Ptxas(args...); r.Stderr != messages.String() {
		t.Errorf("%s\nthe reference says\n%s", messages.String(), r.Stderr)
	}
}

// TestWarnCalled: a program that may be extended tells of the frames of functions
// beside the kernels that call them, and first whose calls may nest without end.
func TestWarnCalled(t *testing.T) {
	in := filepath.Join(t.TempDir(), "k.ptx")
	text := ".version 8.0\n.target sm_90\n.address_size 64\n.visible .func (.param .b32 y) f(.param .b32 x)\n{ .local .align 16 .b8 v[256]; .reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p;\n" +
		"ld.param.b32 %r1,[x]; setp.eq.u32 %p,%r1,0; @%p bra X; mov.u64 %d0,v; mad.wide.u32 %d0,%r1,4,%d0; st.local.u32 [%d0],%r1;\n" +
		"{ .param .b32 a; .param .b32 b; st.param.b32 [a],%r1; call.uni (b),f,(a); ld.param.b32 %r3,[b]; } ld.local.u32 %r1,[%d0+8]; add.u32 %r1,%r1,%r3; X: st.param.b32 [y],%r1; ret; }\n"
	for _, name := range [...]string{"k", "l"} {
		text += ".entry " + name + "(.param .u64 p)\n{ .reg .b32 %r<4>; .reg .b64 %d; ld.param.u64 %d,[p]; mov.u32 %r1,%tid.x;\n" +
			"{ .param .b32 a; .param .b32 b; st.param.b32 [a],%r1; call.uni (b),f,(a); ld.param.b32 %r3,[b]; } st.global.u32 [%d],%r3; ret; }\n"
	}
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for options, want := range map[string]string{
		"":              "f f",
		"-ewp":          "'l' f 'k' f",
		"-ewp -g":       "f",
		"-ewp -Ofc=max": "f",
		"-c":            "f",
		"-g":            "f 'k' 'l'",
	} {
		args := append(strings.Fields(options), "-arch=sm_90", "-warn-lmem-usage", "-o", in+".cubin", in)
		told := func(text string) string {
			var list []string
			for line := range strings.Lines(text) {
				if w := strings.Fields(line); strings.Contains(line, "Stack size") {
					list = append(list, w[8])
				} else if strings.Contains(line, "Local memory used") {
					list = append(list, strings.Trim(w[8], "',"))
				}
			}
			return strings.Join(list, " ")
		}
		var messages bytes.Buffer
		if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		if got := told(messages.String()); got != want {
			t.Errorf("%s: %q, not %q: %s", options, got, want, messages.String())
		}
		if oracle.Available() {
			if r := oracle.Find(t).Ptxas(args...); told(r.Stderr) != want {
				t.Errorf("%s: the reference says %q, not %q: %s", options, told(r.Stderr), want, r.Stderr)
			}
		}
	}
}

// TestFrameAlign: a frame is as large as the reference's where a variable asks
// for more than the stack pointer has.
func TestFrameAlign(t *testing.T) {
	for align, want := range map[int]string{4: "104", 8: "104", 16: "112", 32: "144", 64: "176", 128: "240"} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		text := fmt.Sprintf(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{ .local .align %d .b8 v[100]; .reg .b64 %%d<4>; .reg .b32 %%r<4>;\n"+
			"ld.param.u64 %%d1,[a]; ld.param.u32 %%r1,[n]; mov.u64 %%d2,v; mad.wide.u32 %%d3,%%r1,4,%%d2; cvta.local.u64 %%d2,%%d2; st.global.u64 [%%d1],%%d2;\n"+
			"st.local.u32 [%%d3],%%r1; ld.local.u32 %%r2,[v]; bar.sync 0; ld.local.u32 %%r3,[v+4]; st.global.u32 [%%d1+8],%%r2; st.global.u32 [%%d1+12],%%r3; ret; }\n", align)
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"-v", "-o", in + ".cubin", in}
		var messages bytes.Buffer
		if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		if !strings.Contains(messages.String(), "\n    "+want+" bytes stack frame") {
			t.Errorf(".align %d: want %s bytes:\n%s", align, want, messages.String())
		}
		if !oracle.Available() {
			continue
		}
		if r := oracle.Find(t).Ptxas(args...); !strings.Contains(r.Stderr, "\n    "+want+" bytes stack frame") {
			t.Errorf(".align %d: the reference has not %s bytes:\n%s", align, want, r.Stderr)
		}
	}
}

// TestCallerFrames: frames of kernels that call are multiples of 8 bytes, as the
// reference's, whatever the functions ask for that they call.
func TestCallerFrames(t *testing.T) {
	const kernel = ".visible .entry k(.param .u64 p) { .local .align %d .b8 w[%d]; .reg .b32 %%r<6>; .reg .b64 %%d<5>; ld.param.u64 %%d1,[p]; mov.u32 %%r1,%%tid.x;\n" +
		"mov.u64 %%d2,w; mad.wide.u32 %%d3,%%r1,4,%%d2; st.local.u32 [%%d3],%%r1; ld.local.u32 %%r1,[%%d3+4];\n" +
		"{ .param .b32 q; .param .b32 o; st.param.b32 [q],%%r1; call (o), f, (q); ld.param.b32 %%r2,[o]; } st.global.u32 [%%d1],%%r2; ret; }\n"
	const function = ".func (.param .b32 r) f(.param .b32 a) { .local .align %d .b8 v[12]; .reg .b32 %%r<6>; .reg .b64 %%d<4>; .reg .pred %%p; ld.param.b32 %%r1,[a];\n" +
		"mov.u64 %%d2,v; mad.wide.u32 %%d3,%%r1,4,%%d2; st.local.u32 [%%d3],%%r1; ld.local.u32 %%r2,[%%d3+4]; setp.eq.u32 %%p,%%r1,0; @%%p bra X; sub.u32 %%r3,%%r1,1;\n" +
		"{ .param .b32 q; .param .b32 o; st.param.b32 [q],%%r3; call (o), f, (q); ld.param.b32 %%r3,[o]; } add.u32 %%r2,%%r2,%%r3; X: st.param.b32 [r],%%r2; ret; }\n"
	for _, align := range [...]int{4, 16, 32} {
		for _, c := range []struct {
			align, size int
			want        string
		}{{4, 8, "8"}, {8, 20, "24"}, {16, 20, "32"}, {32, 20, "48"}} {
			in := filepath.Join(t.TempDir(), "k.ptx")
			text := ".version 8.0\n.target sm_75\n.address_size 64\n" + fmt.Sprintf(function, align) + fmt.Sprintf(kernel, c.align, c.size)
			if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"-v", "-o", in + ".cubin", in}
			var messages bytes.Buffer
			if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
				t.Fatal(messages.String())
			}
			want := fmt.Sprintf("properties for k\n    %s bytes stack frame", c.want)
			if !strings.Contains(messages.String(), want) {
				t.Errorf("%d %d: want %s bytes:\n%s", c.align, c.size, c.want, messages.String())
			}
			if !oracle.Available() {
				continue
			}
			if r := oracle.Find(t).Ptxas(args...); !strings.Contains(r.Stderr, want) {
				t.Errorf("%d %d: the reference has not %s bytes:\n%s", c.align, c.size, c.want, r.Stderr)
			}
		}
	}
}

// TestPointerBytes: of two kernels those that come to a pointer to a function
// count the words of all such functions in bank 2, before sm_90.
func TestPointerBytes(t *testing.T) {
	const function = ".func (.param .b32 r) %s(.param .b32 a) { .reg .b32 %%r; ld.param.b32 %%r,[a]; add.u32 %%r,%%r,1; st.param.b32 [r],%%r; ret; }\n"
	kernel := func(name, pointer string) string {
		return ".visible .entry " + name + "(.param .u64 p) { .reg .b32 %r<6>; .reg .b64 %d<5>; ld.param.u64 %d1,[p]; mov.u32 %r1,%tid.x;\n" + pointer +
			"P: .callprototype (.param .b32 _) _ (.param .b32 _); { .param .b32 q; .param .b32 o; st.param.b32 [q],%r1; call (o), %d2, (q), P; ld.param.b32 %r2,[o]; } st.global.u32 [%d1],%r2; ret; }\n"
	}
	const plain = ".visible .entry plain(.param .u64 p) { .reg .b64 %d; ld.param.u64 %d,[p]; st.global.u64 [%d],%d; ret; }\n"
	const load = "ld.global.u64 %d2,[%d1];"
	for _, c := range []struct{ options, text, want string }{
		{"", kernel("k", "mov.u64 %d2,f;"), ""},
		{"", kernel("k", "mov.u64 %d2,f;") + plain, " 16"},
		{"", kernel("k", load) + plain, ""},
		{"", kernel("k", "mov.u64 %d2,f;") + kernel("l", "mov.u64 %d2,g;"), " 24 24"},
		{"-e k", kernel("k", "mov.u64 %d2,f;") + plain, ""},
		{"-arch=sm_90", kernel("k", "mov.u64 %d2,f;") + plain, ""},
		{"-g", kernel("k", "mov.u64 %d2,f;") + plain, ""},
		{"-Ofc=mid", kernel("k", "mov.u64 %d2,f;") + plain, ""},
		{"-c", kernel("k", "mov.u64 %d2,f;") + plain, ""},
		{"-ewp", kernel("k", "mov.u64 %d2,f;") + plain, " 16"},
	} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		text := ".version 8.0\n.target sm_75\n.address_size 64\n" + fmt.Sprintf(function, "f") + fmt.Sprintf(function, "g") + c.text
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(c.options), "-v", "-o", in+".cubin", in)
		var messages bytes.Buffer
		if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		counts := func(report string) (list string) {
			for line := range strings.Lines(report) {
				if before, _, ok := strings.Cut(line, " bytes cmem[2]"); ok {
					list += before[strings.LastIndex(before, " "):]
				}
			}
			return list
		}
		if got := counts(messages.String()); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.options, c.text, got, c.want)
		}
		if oracle.Available() {
			if got := counts(oracle.Find(t).Ptxas(args...).Stderr); got != c.want {
				t.Errorf("%s %s: the reference says %s, not %s", c.options, c.text, got, c.want)
			}
		}
	}
}

// TestObjectReport: what an object tells of a kernel and of the function it
// calls. Memory, barriers and constants of the function are its own, but for
// -ewp the kernel's; a function saves nothing where other registers are free;
// warnings have the order of the report.
func TestObjectReport(t *testing.T) {
	const function = ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %%r<6>; .reg .b64 %%d<4>; .reg .f64 %%x<3>; ld.param.b32 %%r1,[a]; %s st.param.b32 [r],%%r1; ret; }\n"
	const kernel = ".visible .entry k(.param .u64 p) { .reg .b32 %%r<6>; .reg .b64 %%d<4>; .reg .f64 %%x<3>; ld.param.u64 %%d1,[p]; mov.u32 %%r1,%%tid.x;\n%s" +
		"{ .param .b32 q; .param .b32 o; st.param.b32 [q],%%r1; call (o), f, (q); ld.param.b32 %%r2,[o]; } st.global.u32 [%%d1],%%r2; ret; }\n"
	local := func(size int) string {
		return fmt.Sprintf(".local .align 4 .b8 v[%d]; mov.u64 %%d2,v; mad.wide.u32 %%d3,%%r1,4,%%d2; st.local.u32 [%%d3],%%r1; ld.local.u32 %%r1,[%%d3+4];", size)
	}
	double := "cvt.rn.f64.u32 %x1,%r1; fma.rn.f64 %x2,%x1,%x1,0d3FF0000000000001; cvt.rzi.u32.f64 %r1,%x2;"
	for _, c := range []struct{ options, function, kernel, want string }{
		{"-c", local(100), "", "f 104 0 | k 0 0 0 barriers"},
		{"-c", local(32), local(16), "f 32 0 | k 16 0 0 barriers"},
		{"-c -arch=sm_90", "bar.sync 7;", "", "f 0 0 | k 0 0 0 barriers"},
		{"-c -arch=sm_100", "bar.sync 7;", "bar.sync 2;", "f 0 0 | k 0 0 3 barriers"},
		{"-c", double, "", "f 0 0 | k 0 0 0 barriers"},
		{"-c", double, double, "f 0 0 | k 0 0 0 barriers 8 bytes cmem[2]"},
		{"-c -arch=sm_90", double, double, "f 0 0 | k 0 0 0 barriers"},
		{"-g", local(100), "", "k 0 0 0 barriers | f 104 0"},
		{"-c -warn-lmem-usage", local(100), local(16), "'f' | 'k' | f 104 0 | k 16 0 0 barriers"},
		{"-ewp", local(32), "", "k 32 0 0 barriers | f 0 0"},
		{"-ewp", "bar.sync 7;", "", "k 0 0 8 barriers | f 0 0"},
		{"-ewp", double, "", "k 0 0 0 barriers 8 bytes cmem[2] | f 0 0"},
		{"-Ofc=mid", local(32), local(16), "f 32 0 | k 16 0 0 barriers"},
		{"-Ofc=max -warn-lmem-usage", local(100), "", "'f' | k 0 0 0 barriers | f 104 0"},
		{"-c -g -warn-lmem-usage", local(100), local(16), "'k' | 'f' | k 16 0 0 barriers | f 104 0"},
	} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		text := ".version 8.0\n.target sm_75\n.address_size 64\n" + fmt.Sprintf(function, c.function) + fmt.Sprintf(kernel, c.kernel)
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(c.options), "-v", "-o", in+".cubin", in)
		var messages bytes.Buffer
		if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		if got := framesOf(messages.String()); got != c.want {
			t.Errorf("%s %s %s: %s, want %s", c.options, c.function, c.kernel, got, c.want)
		}
		if !oracle.Available() {
			continue
		}
		if got := framesOf(oracle.Find(t).Ptxas(args...).Stderr); got != c.want {
			t.Errorf("%s %s %s: the reference says %s, not %s", c.options, c.function, c.kernel, got, c.want)
		}
	}
}

// framesOf shortens a report: names, frames, spills, barriers and literals.
func framesOf(report string) string {
	var list []string
	for line := range strings.Lines(report) {
		w := strings.Fields(line)
		switch {
		case strings.Contains(line, "Local memory used"):
			list = append(list, strings.TrimSuffix(w[8], ","))
		case strings.Contains(line, "Function properties for "):
			list = append(list, w[len(w)-1])
		case strings.Contains(line, "bytes stack frame"):
			list[len(list)-1] += " " + w[0] + " " + w[4]
		case strings.Contains(line, "Used "):
			_, barriers, _ := strings.Cut(line, "used ")
			list[len(list)-1] += " " + strings.TrimSuffix(strings.Join(strings.Fields(barriers)[:2], " "), ",")
			if at := strings.Index(line, "bytes cmem[2]"); at >= 0 {
				list[len(list)-1] += line[strings.LastIndex(line[:at-1], " "):at] + "bytes cmem[2]"
			}
		}
	}
	return strings.Join(list, " | ")
}
