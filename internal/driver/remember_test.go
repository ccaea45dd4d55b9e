package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// several is a module of kernels with a variable, a shared function, lines
// and, in one of them, a constant that can be changed.
func several(constant int, extra string, more ...string) string {
	var b strings.Builder
	b.WriteString(".version 8.5\n.target sm_90\n.address_size 64\n" + extra)
	b.WriteString(".global .align 4 .u32 counter;\n.global .align 8 .u64 table[4];\n")
	b.WriteString(".func (.param .b32 r) twice(.param .b32 x)\n{\n\t.reg .b32 %r<4>;\n\t.loc 1 90 0\n\tld.param.b32 %r1, [x];\n\tadd.s32 %r2, %r1, %r1;\n\tst.param.b32 [r], %r2;\n\tret;\n}\n")
	for n := range 6 {
		c := n
		if n == 3 {
			c = constant
		}
		fmt.Fprintf(&b, "\t// .globl\tk%[1]d\n.visible .entry k%[1]d(.param .u64 p)\n{\n\t.reg .b32 %%r<6>;\n\t.reg .b64 %%rd<4>;\n\t.loc 1 %[1]d 0\n\tld.param.u64 %%rd1, [p];\n\tcvta.to.global.u64 %%rd2, %%rd1;\n\tld.global.u32 %%r1, [%%rd2];\n\tadd.s32 %%r2, %%r1, %[2]d;\n", n, c)
		if n%2 == 1 {
			b.WriteString("\t{\n\t.param .b32 a;\n\t.param .b32 z;\n\tst.param.b32 [a], %r2;\n\tcall.uni (z), twice, (a);\n\tld.param.b32 %r2, [z];\n\t}\n")
		}
		fmt.Fprintf(&b, "\tld.global.u32 %%r3, [counter];\n\tld.global.u32 %%r4, [table+8];\n\txor.b32 %%r2, %%r2, %%r4;\n\tadd.s32 %%r2, %%r2, %%r3;\n\tst.global.u32 [%%rd2], %%r2;\n\tret;\n}\n")
	}
	for _, s := range more {
		b.WriteString(s)
	}
	b.WriteString(".file 1 \"k.cu\"\n")
	return b.String()
}

func compileText(t *testing.T, text string, args ...string) []byte {
	t.Helper()
	var log bytes.Buffer
	out, ok := CompileTexts(context.Background(), append([]string{"-arch=sm_90", "-lineinfo"}, args...), []Text{{"k.ptx", []byte(text)}}, &log)
	if !ok {
		t.Fatal(log.String())
	}
	return out
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*", "*.entry"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestCache compiles modules with kernels from a cache: the bytes are those
// of a compile without one, whatever of the module has changed, and only what
// a change touches is compiled again.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	extraKernel := ".visible .entry more()\n{\n\tret;\n}\n"
	for _, step := range []struct {
		name, text string
		args       []string
		made       int // entries that are new
	}{
		{"first", several(3, ""), nil, 6},
		{"again", several(3, ""), nil, 0},
		{"one kernel changed, the others moved", several(123456789, ""), nil, 1},
		{"and back", several(3, ""), nil, 0},
		{"a comment before all", several(3, "// a comment that moves everything\n"), nil, 0},
		{"a kernel more", several(3, "", extraKernel), nil, 1},
		{"a variable more", several(3, ".global .align 4 .u32 early;\n"), nil, 6},
		{"another option", several(3, ""), []string{"--fmad=false"}, 6},
		{"another level", several(3, ""), []string{"-O1"}, 6},
		{"other registers", several(3, ""), []string{"--maxrregcount=32"}, 6},
		{"fast", several(3, ""), []string{"-Ofc=mid"}, 6},
	} {
		before := len(entries(t, dir))
		want := compileText(t, step.text, step.args...)
		got := compileText(t, step.text, append(step.args, "--cache="+dir)...)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: other bytes than without a cache", step.name)
		}
		if made := len(entries(t, dir)) - before; made != step.made {
			t.Errorf("%s: %d kernels compiled, want %d", step.name, made, step.made)
		}
	}
}

// TestCacheSlots: where the address of a variable lies depends on what other
// kernels name; a kernel that was kept with another place is not taken.
func TestCacheSlots(t *testing.T) {
	dir := t.TempDir()
	call := func(name string) string {
		return ".visible .entry k_" + name + "(.param .u64 p)\n{\n\t.reg .b64 %rd<4>;\n\tld.param.u64 %rd1, [p];\n\tmov.u64 %rd2, k_" + name + ";\n\tst.global.u64 [%rd1], %rd2;\n\tret;\n}\n"
	}
	for _, text := range []string{several(3, ""), several(3, "", call("a")), several(3, "", call("b"), call("a")), several(3, "", call("a"))} {
		if want, got := compileText(t, text), compileText(t, text, "--cache="+dir); !bytes.Equal(got, want) {
			t.Error("other bytes than without a cache")
		}
	}
}

// TestCacheDamaged: an entry with a wrong bit, or with the bytes of another,
// is compiled again.
func TestCacheDamaged(t *testing.T) {
	dir := t.TempDir()
	text := several(3, "")
	want := compileText(t, text, "--cache="+dir)
	list := entries(t, dir)
	for n, name := range list {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch n % 3 {
		case 0:
			data[len(data)/2] ^= 1
		case 1:
			data = data[:len(data)-7]
		default:
			data = nil
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := compileText(t, text, "--cache="+dir); !bytes.Equal(got, want) {
		t.Error("damage reached the output")
	}
}

// TestCacheTogether compiles at once into one cache, on several workers.
func TestCacheTogether(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for n := range 6 {
		text := several(n%2, "")
		want := compileText(t, text)
		wg.Go(func() {
			for range 3 {
				var log bytes.Buffer
				got, ok := CompileTexts(context.Background(), []string{"-arch=sm_90", "-lineinfo", "-split-compile=3", "--cache=" + dir}, []Text{{"k.ptx", []byte(text)}}, &log)
				if !ok || !bytes.Equal(got, want) {
					t.Errorf("other bytes: %s", log.String())
				}
			}
		})
	}
	wg.Wait()
}

// TestBuildID: this program has a name that another build would not have.
func TestBuildID(t *testing.T) {
	if id := buildID(); len(id) < 20 {
		t.Errorf("%q", id)
	}
	if id := findBuildID([]byte("....\xff Go build ID: \"abc/def\"\n")); id != "abc/def" {
		t.Errorf("%q", id)
	}
	if id := findBuildID([]byte("nothing of the kind")); id != "" {
		t.Errorf("%q", id)
	}
}
