package hazard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sweep"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// sampleSize returns how many files of the corpus are replayed:
// GOPTXAS_HAZARD_FILES (0 = all), or a few.
func sampleSize() int {
	if n, err := strconv.Atoi(os.Getenv("GOPTXAS_HAZARD_FILES")); err == nil {
		return n
	}
	if testing.Short() {
		return 3
	}
	return 12
}

var archNames = []string{"sm_90a", "sm_75", "sm_80", "sm_89", "sm_100a", "sm_120a"}

// borrowers are judged by the table of another SM.
var borrowers = []string{"sm_86", "sm_87", "sm_88", "sm_103a", "sm_110a", "sm_121a"}

// TestSources: each SM says whose table judges it, and why; one that does not
// is an error.
func TestSources(t *testing.T) {
	own := 0
	for n := range target.Chips {
		if _, err := tableOf(target.Chips[n].SM); err != nil {
			t.Error(err)
		}
	}
	tables := append(generations[:], mixed[:]...)
	for _, s := range sources {
		if s.why == "" || !slices.Contains(tables, s.table) {
			t.Errorf("sm_%d is judged by sm_%d: %q", s.sm, s.table, s.why)
		}
		if s.sm == s.table {
			own++
		}
	}
	if own != len(tables) {
		t.Errorf("%d of %d tables judge their own SM", own, len(tables))
	}
	if _, err := tableOf(130); err == nil {
		t.Error("an SM that nobody has looked at is judged")
	}
}

// TestReference replays code of the reference. A report is an error of this
// package: the reference's code is right.
func TestReference(t *testing.T) {
	tools := oracle.Find(t)
	files := corpus.Find(t).Every(sampleSize())
	for k, arch := range append(archNames, borrowers...) {
		t.Run(arch, func(t *testing.T) {
			insts, compiled := 0, 0
			for n := range files {
				if k >= len(archNames) && n%3 != 0 {
					continue
				}
				text, err := files[n].Read()
				if err != nil {
					t.Fatal(err)
				}
				file, err := tools.CubinOf(oracle.Retarget(text, arch), "-arch="+arch)
				if err != nil {
					continue // not for this architecture
				}
				compiled++
				insts += judge(t, files[n].Name, arch, file)
			}
			t.Logf("%d files, %d instructions", compiled, insts)
		})
	}
}

// judge checks a cubin and fails the test for each finding.
func judge(t *testing.T, name, arch string, file []byte) int {
	t.Helper()
	r, err := CheckCubin(target.Find(arch), file, 5)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, f := range r.Found {
		t.Errorf("%s for %s: %s", name, arch, f)
	}
	return r.Insts
}

// ours compiles a text; nil when it is not for the architecture.
func ours(text []byte, arch string, args ...string) []byte {
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "in.ptx", Text: text}}, goptxas.Options{Arch: arch, Args: args})
	if err != nil {
		return nil
	}
	return out.Cubin
}

// retarget makes a text one for arch, of a version that knows it.
func retarget(text, arch string) []byte {
	lines := strings.Split(text, "\n")
	for n, l := range lines {
		if strings.HasPrefix(l, ".version") {
			lines[n] = ".version 9.0"
		}
	}
	return oracle.Retarget([]byte(strings.Join(lines, "\n")), arch)
}

// TestOurs checks our code of the zoo, where no sweep is wanted of a third of
// its kernels for each architecture.
func TestOurs(t *testing.T) {
	for at, arch := range archNames {
		t.Run(arch, func(t *testing.T) {
			insts, compiled := 0, 0
			for n, k := range all(t) {
				if !sweep.Takes(n+at, 3) {
					continue
				}
				if file := ours(retarget(k.Text, arch), arch); file != nil {
					compiled++
					insts += judge(t, k.File, arch, file)
				}
			}
			if compiled < 20 {
				t.Errorf("only %d kernels compiled", compiled)
			}
			t.Logf("%d kernels, %d instructions", compiled, insts)
		})
	}
}

// TestReproducers checks our code of the programs that random testing found.
func TestReproducers(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/gen/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reproducers: %v", err)
	}
	for _, arch := range []string{"sm_90a", "sm_120a"} {
		insts := 0
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if file := ours(retarget(string(text), arch), arch); file != nil {
				insts += judge(t, filepath.Base(f), arch, file)
			}
		}
		t.Logf("%s: %d instructions", arch, insts)
	}
}

// TestSmallProducts checks products of nibbles and bits whose sums are read at once.
func TestSmallProducts(t *testing.T) {
	const text = `
.version 8.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %%rd<3>;
	.reg .b32 %%r<5>;
	ld.param.u64 %%rd1, [p];
	ld.global.v2.u32 {%%r1, %%r2}, [%%rd1];
	mma.sync.aligned.%s {%%r3, %%r4}, {%%r1}, {%%r2}, {%%r1, %%r2};
	add.s32 %%r3, %%r3, %%r4;
	st.global.u32 [%%rd1], %%r3;
	ret;
}
`
	for _, arch := range []string{"sm_75", "sm_80", "sm_89"} {
		for _, form := range []string{"m8n8k32.row.col.s32.s4.u4.s32", "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "m8n8k16.row.col.s32.s8.s8.s32"} {
			if judge(t, form, arch, ours(retarget(fmt.Sprintf(text, form), arch), arch)) == 0 {
				t.Errorf("%s %s: no code", arch, form)
			}
		}
	}
}

// all lists every kernel of the zoo.
func all(t testing.TB) []zoo.Kernel {
	list := zoo.List(t)
	list = append(list, zoo.Hopper(t)...)
	list = append(list, zoo.Matrices(t)...)
	return append(list, zoo.Gatherings(t)...)
}

// TestSmoke checks our code of the corpus's small set, at three levels: of
// a quarter of its files at each where no sweep is wanted.
func TestSmoke(t *testing.T) {
	files := corpus.Find(t).Smoke()
	for at, level := range []string{"-O3", "-O1", "-O0"} {
		insts, compiled := 0, 0
		for n := range files {
			if !sweep.Takes(n+at, 4) {
				continue
			}
			text, err := files[n].Read()
			if err != nil {
				t.Fatal(err)
			}
			if file := ours(oracle.Retarget(text, "sm_90a"), "sm_90a", level); file != nil {
				compiled++
				insts += judge(t, files[n].Name+" "+level, "sm_90a", file)
			}
		}
		t.Logf("%s: %d files, %d instructions", level, compiled, insts)
	}
}

// TestDoubles replays our code of kernels that compute with doubles, and of
// products of integers: how their results are announced differs among SMs that
// are alike in all else.
func TestDoubles(t *testing.T) {
	zoo := filepath.Join("..", "..", "..", "testdata", "zoo")
	for _, name := range []string{"f64_arith", "f64_ieee", "dot_f64", "fma_chain_f64", "cvt_f64_f32", "matrix/mma_f64", "matrix/mma_s8", "matrix/mma_s4", "matrix/mma_sp_s8", "matrix/wmma_s8"} {
		text, err := os.ReadFile(filepath.Join(zoo, filepath.FromSlash(name)+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		for _, arch := range []string{"sm_80", "sm_86", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"} {
			text := retarget(string(text), arch)
			file := ours(text, arch)
			if file == nil {
				t.Errorf("%s does not compile for %s", name, arch)
				continue
			}
			judge(t, name+", ours", arch, file)
		}
	}
}
