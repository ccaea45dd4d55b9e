package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// hostFiles are the inputs of the lines that host tools write.
var hostFiles = []cases.File{
	{Name: "k.ptx", Data: []byte(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n" +
		"ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;\nret;\n}\n")},
	{Name: "ext.ptx", Data: []byte(".version 8.0\n.target sm_80\n.address_size 64\n.extern .func ex;\n.visible .entry k()\n{\ncall ex;\nret;\n}\n")},
	{Name: "tex.ptx", Data: []byte(".version 8.0\n.target sm_80\n.global .texref t;\n.visible .entry k(.param .texref q)\n{\nret;\n}\n")},
	{Name: "unified.ptx", Data: []byte(".version 8.0\n.target sm_80, texmode_unified\n\n.visible .entry k()\n{\nret;\n}\n")},
	{Name: "apart.ptx", Data: []byte(".version 8.0\n.target sm_80, texmode_independent\n.global .texref t;\n.visible .entry k()\n{\nret;\n}\n")},
	{Name: "big.ptx", Data: []byte(".version 8.0\n.target sm_80\n.shared .b8 a[200000];\n.visible .entry k()\n{\n.reg .b32 %r;\nld.shared.u32 %r, [a];\nst.shared.u32 [a+4], %r;\nret;\n}\n")},
	{Name: "host", Data: []byte("hello")},
	{Name: "empty"},
}

// hostLines are options of no help text that nvcc, Triton and others pass.
var hostLines = [...]string{
	"--regAllocOptLevel=0", "--regAllocOptLevel=2", "--regAllocOptLevel=-7", "--regAllocOptLevel=1 --regAllocOptLevel=2", "--regAllocOptLevel=x", "--regAllocOptLevel", "-g --regAllocOptLevel=2",
	"--use-trace-pid=1", "--use-trace-pid=1 -w", "--use-trace-pid=0", "--use-trace-pid=99999999999", "--use-trace-pid=99999999999999999999", "--use-trace-pid=0x10 --use-trace-pid=16", "--use-trace-pid=1 -Werror", "--use-trace-pid=x", "--ftrace-phase-after=a", "-ftrace-phase-after=a", "--ftrace-phase-after=a --use-trace-pid=1 --compiler-stats-file=s",
	"--assume-extern-functions-do-not-sync=true", "--assume-extern-functions-do-not-sync", "--no-fastreg", "--no-fastreg=1", "--force-rela", "--force-rela -c",
	"--set-texmode-raw=true", "--set-texmode-raw=false", "--set-texmode-raw=1", "--enable-extended-smem=true", "--enable-extended-smem=false", "-arch=sm_90 --enable-extended-smem=true", "-arch=sm_100a --enable-extended-smem=true",
	"--enable-extended-smem=true -arch=sm_80 -v", "--print-potentially-overlapping-membermasks", "-arch=compute_80 --print-potentially-overlapping-membermasks", "--print-potentially-overlapping-membermasks --blocks-are-clusters=true -maxrregcount=999",
	"--nv-host=host", "--nv-host=none", "--nv-host=empty", "--nv-host=", "--nv-host", "-c --nv-host=host", "-c -regUsageLevel=11 --nv-host=none", "-ewp --nv-host=none", "-po=a=b --nv-host=none", "-arch=compute_80 --nv-host=none",
	"--sw1729687=true --sw200764156=false --sw4575628=true --sw4936628=true --sw200387803=true -maxrregcount=999 -flcm=cg -dlcm=ca --blocks-are-clusters=true", "-arch=sm_90 --sw4575628=true", "--sw1729687=1",
	"--ext-desc-file=none", "--ext-desc-file=host -regUsageLevel=11", "--ext-desc-string=x", "--ext-desc-string=x --ext-desc-file=host", "--ext-desc-file",
	"--query-controls=q", "--query-controls=none/q", "--query-controls=", "--query-controls", "--query-controls=q --apply-controls=host", "--query-controls=q --apply-controls=none", "--apply-controls=empty", "--query-controls=q -c", "--query-controls=q -arch=compute_80",
	"-ewp", "-ewp -c", "-ewp -arch=sm_90", "--sp-bounds-check", "--device-stack-protector=true", "--device-stack-protector=1", "--sanitize=threadsteer", "--sanitize=x",
	"--sw200428197=true", "--sw200428197=false", "--sw200428197=1", "-arch=sm_90 --sw200428197=true",
}

// TestHostOptions asks the reference about each of them, on every input.
func TestHostOptions(t *testing.T) {
	x := oracle.Find(t)
	dir := folder(t, hostFiles)
	counts := readCounts(t, filepath.Join("..", "..", "testdata", "cli", "registers.txt"))
	n := 0
	for _, words := range hostLines {
		for _, f := range hostFiles {
			if filepath.Ext(f.Name) != ".ptx" || f.Name == "big.ptx" && (strings.Contains(words, "--nv-host") || strings.Contains(words, "-g ")) {
				continue // the reference counts shared memory behind code generation, we before it
			}
			if f.Name == "tex.ptx" && strings.Contains(words, "-v") {
				continue // the reference counts no parameter that is a texture nobody reads
			}
			args := append(strings.Fields(words), f.Name)
			if !strings.Contains(words, "-arch") {
				args = append(args, "-arch=sm_80")
			}
			ref := x.Run(dir, "ptxas", args...)
			c := cases.Case{Args: args, Exit: ref.Exit, Stdout: ref.Stdout, Stderr: ref.Stderr, New: newFiles(t, dir, hostFiles)}
			got := runSelf(t, dir, args...)
			if o := compare(got, newFiles(t, dir, hostFiles), &c, counts); !o.exit || !o.files || !o.stderr {
				t.Errorf("%q: exit %d, %q\nreference: exit %d, %q, files %q", args, got.Exit, got.Stderr, ref.Exit, ref.Stderr, c.New)
			}
			n++
		}
	}
	t.Logf("%d command lines beside the reference", n)
}

// compiledFile runs one line that must succeed and returns its file.
func compiledFile(t *testing.T, args ...string) *cubin.File {
	t.Helper()
	dir := folder(t, hostFiles)
	if r := runSelf(t, dir, append(args, "-o", "out.cubin")...); r.Exit != 0 {
		t.Fatalf("%q: exit %d, %s", args, r.Exit, r.Stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestHostSection: the file of --nv-host stands in the cubin as it is.
func TestHostSection(t *testing.T) {
	for _, arch := range []string{"sm_80", "sm_90"} {
		f := compiledFile(t, "k.ptx", "-arch", arch, "--nv-host=host")
		i := slices.IndexFunc(f.Sections, func(s *cubin.Section) bool { return s.Type == cubin.TypeHost })
		if i < 0 || f.Sections[i].Name != ".nv.host" {
			t.Fatalf("%s: no .nv.host", arch)
		}
		if b, ok := f.Sections[i].Content.(cubin.Bytes); !ok || !bytes.Equal(b, []byte("hello")) {
			t.Errorf("%s: .nv.host holds %v", arch, f.Sections[i].Content)
		}
	}
}

// TestForceRela: no relocation hides its addend in the place it changes.
func TestForceRela(t *testing.T) {
	for _, args := range [][]string{{"k.ptx"}, {"ext.ptx", "-c"}} {
		plain, forced := 0, 0
		for _, s := range compiledFile(t, append(args, "-arch", "sm_80")...).Sections {
			plain += count(s.Type == elf.TypeRel)
		}
		for _, s := range compiledFile(t, append(args, "-arch", "sm_80", "--force-rela")...).Sections {
			forced += count(s.Type == elf.TypeRel)
		}
		if plain == 0 || forced != 0 {
			t.Errorf("%q: %d tables without addends, %d with --force-rela", args, plain, forced)
		}
	}
}
