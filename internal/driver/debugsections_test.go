package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// debugFile is a program with debug sections as nvcc -G writes them: a kernel
// with parameters, local and shared variables, and a function it calls.
const debugFile = "testdata/debug/add.ptx"

func debugCubin(t *testing.T, args ...string) *cubin.File {
	t.Helper()
	out := filepath.Join(t.TempDir(), "d.cubin")
	var messages bytes.Buffer
	args = append(args, "-g", "-arch=sm_90", "-o", out, debugFile)
	if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
		t.Fatalf("exit %d: %s", code, messages.String())
	}
	return readCubin(t, out)
}

func readCubin(t *testing.T, name string) *cubin.File {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// debugFixes returns the relocations of a section by place.
func debugFixes(f *cubin.File, name string) map[uint64]cubin.Reloc {
	list := map[uint64]cubin.Reloc{}
	if s := f.Find(".rela" + name); s != nil {
		for _, r := range s.Content.(*cubin.Relocs).List {
			list[r.Off] = r
		}
	}
	return list
}

// TestDebugTarget: a text whose .target says debug is compiled as with -g.
func TestDebugTarget(t *testing.T) {
	text, err := os.ReadFile(debugFile)
	if err != nil {
		t.Fatal(err)
	}
	var files [2][]byte
	for n, args := range [][]string{{"-arch=sm_90"}, {"-arch=sm_90", "-g"}} {
		var log bytes.Buffer
		b, ok := CompileTexts(context.Background(), args, []Text{{Name: "add.ptx", Text: text}}, &log)
		if !ok {
			t.Fatal(log.String())
		}
		files[n] = b
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("another file without -g")
	}
}

// TestDebugSections compares the sections of a text that -g carries over with
// the reference's: they are as long, the same places are left to the loader,
// and every other byte is the same but where local variables lie in the
// frame. Labels stay inside the code of their function.
func TestDebugSections(t *testing.T) {
	tools := oracle.Find(t)
	ref := filepath.Join(t.TempDir(), "r.cubin")
	if r := tools.Ptxas("-g", "-arch=sm_90", "-o", ref, debugFile); r.Exit != 0 {
		t.Fatal(r.Stderr)
	}
	ours, theirs := debugCubin(t), readCubin(t, ref)
	size := uint64(0)
	for _, s := range ours.Symtab() {
		if s.Name == "_Z3addPfPKfi" {
			size = s.Size
		}
	}
	fixes, same := 0, 0
	for _, name := range []string{".debug_abbrev", ".debug_loc", ".debug_info", ".debug_macinfo"} {
		a, b := ours.Find(name), theirs.Find(name)
		if a == nil || b == nil || len(a.Data()) != len(b.Data()) {
			t.Fatalf("%s: not as long as the reference's", name)
		}
		x, y := debugFixes(ours, name), debugFixes(theirs, name)
		for off, r := range y {
			o, ok := x[off]
			if fixes++; !ok || o.Type != r.Type || (r.Sym.Type == o.Sym.Type) != true {
				t.Errorf("%s+%#x: the reference leaves it to the loader", name, off)
			}
			if o.Sym.Name == "_Z3addPfPKfi" && uint64(o.Addend) > size {
				t.Errorf("%s+%#x: a label behind the code", name, off)
			}
		}
		if len(x) != len(y) {
			t.Errorf("%s: %d relocations, the reference has %d", name, len(x), len(y))
		}
		skip := map[int]bool{}
		for off := range x {
			for k := range 8 {
				skip[int(off)+k] = true
			}
		}
		for k := range a.Data() {
			if a.Data()[k] == b.Data()[k] {
				same++
				continue
			}
			if frame := k > 0 && a.Data()[k-1] == 0x91; !skip[k] && !frame {
				t.Errorf("%s+%#x: %#x, the reference has %#x", name, k, a.Data()[k], b.Data()[k])
			}
		}
	}
	t.Logf("%d bytes the same, %d relocations in the same places", same, fixes)
}

// TestDebugRegisters reads the table of registers back: every PTX register
// of the text that the code keeps is in a machine register of its function.
func TestDebugRegisters(t *testing.T) {
	f := debugCubin(t)
	data, types := f.Find(".nv_debug_info_reg_sass").Data(), f.Find(".nv_debug_info_reg_type").Data()
	name := func() string {
		s, rest, _ := bytes.Cut(data, []byte{0})
		data = rest
		return string(s)
	}
	word := func() uint32 {
		v := binary.LittleEndian.Uint32(data)
		data = data[4:]
		return v
	}
	funcs, seen := 0, map[string]bool{}
	for len(data) > 0 {
		fn, n := name(), word()
		funcs++
		types = types[len(fn)+1+4+int(n):]
		for range n {
			part := word()
			reg, machine, start, end := name(), word(), word(), word()
			if part > 1 || machine>>24 != 2 && machine>>24 != 5 || start >= end || start%16 != 0 || end%16 != 0 {
				t.Errorf("%s: %s word %d in %#x from %#x to %#x", fn, reg, part, machine, start, end)
			}
			seen[fn+reg] = true
		}
	}
	for _, want := range []string{"_Z3addPfPKfi%r1", "_Z3addPfPKfi%rd1", "_Z6helperP1Pi%f1", "_Z6helperP1Pi%rd1"} {
		if !seen[want] {
			t.Errorf("%s is in no register", want)
		}
	}
	if funcs != 2 || len(types) != 0 {
		t.Errorf("%d functions, %d bytes of types too many", funcs, len(types))
	}
	t.Logf("%d PTX registers of %d functions", len(seen), funcs)
}

// TestDebugObject: an object relocates what names other sections, and
// suppressing debug information leaves all of it out.
func TestDebugObject(t *testing.T) {
	list := debugFixes(debugCubin(t, "-c"), ".debug_info")
	sections := 0
	for _, r := range list {
		if strings.HasPrefix(r.Sym.Name, ".debug_") {
			sections++
		}
	}
	if sections != 3 {
		t.Errorf("%d references to sections, want those to .debug_abbrev, .debug_line and .debug_loc", sections)
	}
	if f := debugCubin(t, "-suppress-debug-info"); f.Find(".debug_info") != nil {
		t.Error("suppressed sections are there")
	}
}

// TestDebugRuns: code for a debugger, in which functions stay apart, leaves
// what the optimised code leaves.
func TestDebugRuns(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "zoo", "*.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, name := range append(files, filepath.Join("..", "..", "testdata", "link", "kernels.ptx")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := launch.Parse(string(text))
		if err != nil || !bytes.Contains(text, []byte("call")) || bytes.Contains(text, []byte(".extern")) {
			continue
		}
		out := filepath.Join(t.TempDir(), "k.cubin")
		ourObject(t, name, out, "sm_90a")
		plain := runLinked(t, out, list, name)
		ourObject(t, name, out, "sm_90a", "-g")
		for n, buffers := range runLinked(t, out, list, name+" -g") {
			for k := range buffers {
				if !bytes.Equal(buffers[k], plain[n][k]) {
					t.Errorf("%s: buffer %d of %s differs", name, k, list[n].Kernel)
				}
			}
		}
		calls++
	}
	t.Logf("%d files with calls", calls)
}
