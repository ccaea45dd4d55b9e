package driver

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// guardText is a module with a function whose body takes %r1 and leaves %r3,
// and a kernel that calls it.
func guardText(locals, body string) string {
	return ".version 8.0\n.target sm_75\n.address_size 64\n.extern .func ext(.param .b64 p);\n" +
		".visible .func (.param .b32 r) leaf(.param .b32 a, .param .b64 p)\n{ " + locals + " .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p;\n" +
		"ld.param.u32 %r1,[a]; ld.param.u64 %rd3,[p];\n" + body + "\nst.param.b32 [r],%r3; ret; }\n" +
		".visible .entry k(.param .u64 q)\n{ .local .align 4 .b8 e[64]; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1,[q]; ld.global.u32 %r1,[%rd1];\n" +
		"{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x],%r1; st.param.b64 [y],%rd1; call (z),leaf,(x,y); ld.param.b32 %r4,[z]; }\n" +
		"and.b32 %r2,%r4,15; mov.u64 %rd3,e; cvt.u64.u32 %rd4,%r2; add.u64 %rd3,%rd3,%rd4; st.local.u8 [%rd3],%r4; ld.local.u32 %r5,[e+4]; st.global.u32 [%rd1+4],%r5; ret; }\n"
}

// guardIndex stores to a byte of variable d that %r1 names.
const guardIndex = "mov.u64 %rd1,d; and.b32 %r2,%r1,31; cvt.u64.u32 %rd2,%r2; add.u64 %rd1,%rd1,%rd2; st.local.u8 [%rd1],%r1; ld.local.u8 %r3,[d];"

// TestGuards: traps and sleeps stand in the functions in which the reference
// has them. Our kernels hold what they call, and frames that move are checked
// twice, so that only sleeps of the function are counted.
func TestGuards(t *testing.T) {
	x := oracle.Find(t)
	const memory = "st.global.u32 [%rd3],%r1; ld.global.u32 %r3,[%rd3+4]; st.shared.u32 [%r3],%r1; atom.global.add.u32 %r3,[%rd3],%r1; red.shared.add.u32 [%r3],%r1; ld.u32 %r3,[%rd3]; st.u32 [%rd3+8],%r3;"
	cases := []struct{ name, locals, body string }{
		{"nothing", "", "mov.u32 %r3,%r1;"},
		{"15 bytes", ".local .align 1 .b8 d[15];", guardIndex},
		{"16 bytes", ".local .align 1 .b8 d[16];", guardIndex},
		{"words", ".local .align 4 .b32 d[8];", guardIndex},
		{"a word", ".local .align 4 .b32 d;", guardIndex},
		{"passed on", ".local .align 4 .b8 d[64];", "mov.u64 %rd1,d; cvta.local.u64 %rd1,%rd1; { .param .b64 q; st.param.b64 [q],%rd1; call ext,(q); } ld.local.u32 %r3,[d];"},
		{"call", "", "{ .param .b64 q; st.param.b64 [q],%rd3; call ext,(q); } mov.u32 %r3,%r1;"},
		{"alloca", "", "cvt.u64.u32 %rd1,%r1; alloca.u64 %rd2,%rd1; st.local.u32 [%rd2],%r1; ld.local.u32 %r3,[%rd2+4];"},
		{"memory", "", memory},
	}
	dir, n := t.TempDir(), 0
	for _, c := range cases {
		file := filepath.Join(dir, "k.ptx")
		if err := os.WriteFile(file, []byte(guardText(c.locals, c.body)), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, options := range []string{"", "--sp-bounds-check", "--device-stack-protector=true", "--sanitize=threadsteer"} {
			for _, arch := range []string{"sm_75", "sm_90", "sm_100"} {
				args := append(strings.Fields(options), "-c", "-arch="+arch, file, "-o")
				if r := x.Ptxas(append(args, filepath.Join(dir, "ref"))...); r.Exit != 0 {
					t.Fatal(r.Stderr)
				}
				var log strings.Builder
				if code := Main(context.Background(), Env{Args: append(args, filepath.Join(dir, "our")), Stdout: &log, Stderr: &log}); code != 0 {
					t.Errorf("%s %s %s: %s", c.name, options, arch, log.String())
					continue
				}
				want, got := guardCount(t, filepath.Join(dir, "ref"), arch), guardCount(t, filepath.Join(dir, "our"), arch)
				if want != got {
					t.Errorf("%s %s %s: %s, the reference has %s", c.name, options, arch, got, want)
				}
				n++
			}
		}
	}
	t.Logf("%d files", n)
}

// guardCount counts traps and sleeps of each function.
func guardCount(t *testing.T, file, arch string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for n, name := range []string{"k", "leaf"} {
		at := slices.IndexFunc(f.Sections, func(s *cubin.Section) bool { return s.Name == ".text."+name })
		if at < 0 {
			t.Fatalf("no function %s", name)
		}
		code, traps, sleeps := f.Sections[at].Content.(cubin.Bytes), 0, 0
		for at := 0; at+16 <= len(code); at += 16 {
			i := sass.Decode(target.Find(arch), bits.Word{Lo: binary.LittleEndian.Uint64(code[at:]), Hi: binary.LittleEndian.Uint64(code[at+8:])})
			traps += count(strings.Contains(i.Text(target.Find(arch), 0), "BPT.TRAP"))
			sleeps += count(strings.Contains(i.Text(target.Find(arch), 0), "NANOSLEEP.RAND"))
		}
		text += fmt.Sprintf(" %s traps: %t", name, traps > 0)
		if n > 0 {
			text += fmt.Sprintf(", sleeps: %d", sleeps)
		}
	}
	return text
}

// TestCanary: what overruns its variable is caught where the function
// returns, and only then.
func TestCanary(t *testing.T) {
	text := strings.Replace(guardText(".local .align 1 .b8 d[16];", guardIndex), ".extern .func ext(.param .b64 p);\n", "", 1)
	for _, arch := range []string{"sm_80", "sm_90", "sm_100"} {
		for _, c := range []struct {
			at   int
			trap bool
		}{{3, false}, {15, false}, {16, true}, {23, true}} {
			b, ok := CompileTexts(context.Background(), []string{"-arch", arch, "--device-stack-protector=true", "-g"}, []Text{{Name: "k.ptx", Text: []byte(text)}}, io.Discard)
			if !ok {
				t.Fatal(arch)
			}
			list, err := launch.Parse("//: run k grid=1 block=1\n//: buf 8 zero\n")
			if err != nil {
				t.Fatal(err)
			}
			m, err := sim.Load(b)
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			run, err := p.Prepare(&list[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			copy(run.Buffers[0], []byte{byte(c.at), 0, 0, 0})
			_, err = p.Run(&run.Launch)
			if trapped := err != nil && strings.Contains(err.Error(), "BPT"); trapped != c.trap || err != nil && !trapped {
				t.Errorf("%s: a store to byte %d of 16: %v", arch, c.at, err)
			}
		}
	}
}
