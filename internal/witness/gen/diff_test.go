package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// errRefused is a program that the compiler or the simulator does not take:
// their own tests count those.
var errRefused = errors.New("refused")

// compiled runs a program's cubin in the simulator, in timed mode if wanted:
// then a result that is read too early is an error.
func compiled(p *Prog, cubin []byte, timed bool) ([][]byte, error) {
	list, err := launch.Parse(p.Text())
	if err != nil {
		return nil, err
	}
	return simulate(&list[0], cubin, 1_000_000, timed)
}

// simulate runs a launch of a cubin, at most so many steps.
func simulate(l *launch.Launch, cubin []byte, steps uint64, timed bool) ([][]byte, error) {
	m, err := sim.Load(cubin)
	if err != nil {
		return nil, err
	}
	return started(m, l, steps, timed)
}

// started runs a launch of a loaded file.
func started(m *sim.Module, l *launch.Launch, steps uint64, timed bool) ([][]byte, error) {
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	if missing := k.Missing(); len(missing) > 0 {
		return nil, fmt.Errorf("%w: the simulator lacks %s", errRefused, missing[0])
	}
	c, err := k.Prepare(l, nil)
	if err != nil {
		return nil, err
	}
	c.Launch.MaxSteps, c.Launch.Timed = steps, timed
	st, err := k.Run(&c.Launch)
	if err != nil {
		return nil, err
	}
	if len(st.Reports) > 0 {
		return nil, fmt.Errorf("too early: %s", st.Reports[0])
	}
	return c.Buffers, nil
}

// ours compiles a program with our compiler.
func ours(p *Prog, arch string, args ...string) ([]byte, error) {
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: p.Name + ".ptx", Text: []byte(p.Text())}}, goptxas.Options{Arch: arch, Args: args})
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errRefused, err)
	}
	return out.Cubin, nil
}

// reference compiles a program with the reference.
func reference(x *oracle.Tools, dir string, p *Prog) ([]byte, error) {
	if before, _, ok := strings.Cut(p.Text(), ", 7;\n\tst.param.b32 [a0], %i;"); ok && strings.Contains(before[max(0, len(before)-5):], "%r") {
		return nil, fmt.Errorf("%w: threads return from different depths, which the reference's code does not survive", errRefused)
	}
	if strings.Contains(p.Text(), "\tand.pred %z, ") {
		return nil, fmt.Errorf("%w: threads wait on both sides of where paths meet, which the reference's code does not survive in the simulator", errRefused)
	}
	in, out := filepath.Join(dir, "p.ptx"), filepath.Join(dir, "p.cubin")
	if err := os.WriteFile(in, []byte(p.Text()), 0o644); err != nil {
		return nil, err
	}
	switch r := x.Ptxas("-arch=sm_90a", in, "-o", out); {
	case r.Exit < 0: // as on a call that only a contradiction of guards reaches
		return nil, fmt.Errorf("%w: the reference crashed", errRefused)
	case r.Exit != 0:
		return nil, fmt.Errorf("%s", r.Stderr)
	}
	return os.ReadFile(out)
}

// compiler makes a cubin of a program.
type compiler func(*Prog) ([]byte, error)

// differs compares the interpreter with a compiled program; "" is agreement.
func differs(p *Prog, compile compiler, timed bool) (string, error) {
	want, err := interpret(p, ptxvm.Options{})
	if err != nil {
		return "", err
	}
	cubin, err := compile(p)
	if err != nil && (strings.Contains(err.Error(), "internal compiler error") || strings.Contains(err.Error(), "is wrong")) {
		return err.Error(), nil // the compiler found itself at fault
	}
	if err != nil {
		return "", err
	}
	got, err := compiled(p, cubin, timed)
	if errors.Is(err, errRefused) {
		return "", err
	}
	if err != nil {
		return err.Error(), nil
	}
	for k := range want {
		if at := firstDiff(want[k], got[k]); at >= 0 {
			at &^= 3
			return fmt.Sprintf("argument %d, byte %d (thread %d, +%d): interpreter %x, compiled %x", k, at, at/stride, at%stride,
				want[k][at:min(at+8, len(want[k]))], got[k][at:min(at+8, len(got[k]))]), nil
		}
	}
	return "", nil
}

func firstDiff(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for n := range min(len(a), len(b)) {
		if a[n] != b[n] {
			return n
		}
	}
	return min(len(a), len(b))
}

// seeds is the range of programs: GOPTXAS_GEN=first,count overrides it.
func seeds(t *testing.T) (first uint64, n int) {
	n = programs()
	if s := os.Getenv("GOPTXAS_GEN"); s != "" {
		a, b, _ := strings.Cut(s, ",")
		f, err1 := strconv.ParseUint(a, 10, 64)
		c, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil {
			t.Fatalf("GOPTXAS_GEN=%s", s)
		}
		return f, c
	}
	return 0, n
}

// difference runs programs through the interpreter and a compiler, shrinks
// what differs and writes it to the folder that GOPTXAS_SHRUNK names.
func difference(t *testing.T, style Style, compile compiler, timed bool, most int) {
	first, n := seeds(t)
	same, refused, found := 0, map[string]int{}, 0
	for seed := first; seed < first+uint64(n) && found < most; seed++ {
		p := style(seed)
		d, err := differs(p, compile, timed)
		if errors.Is(err, errRefused) {
			refused[err.Error()]++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d == "" {
			same++
			continue
		}
		found++
		q := Shrink(p, func(q *Prog) bool {
			d, err := differs(q, compile, timed)
			return err == nil && d != ""
		})
		d, _ = differs(q, compile, timed)
		t.Errorf("seed %d: %s\n%s", seed, d, q.Text())
		if dir := os.Getenv("GOPTXAS_SHRUNK"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, q.Name+".ptx"), []byte(q.Text()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var why []string
	for k, v := range refused {
		why = append(why, fmt.Sprintf("%d × %s", v, k))
	}
	sort.Strings(why)
	for _, w := range why[:min(len(why), 20)] {
		if strings.Contains(w, "× refused: ptxas") {
			t.Error(w)
			continue
		}
		t.Log(w)
	}
	t.Logf("%d programs agree, %d differ, %d kinds of refusal", same, found, len(refused))
}

// TestCompiler compares the interpreter with our code in the simulator.
func TestCompiler(t *testing.T) {
	each(t, func(t *testing.T, style Style) {
		difference(t, style, func(p *Prog) ([]byte, error) { return ours(p, "sm_90a") }, false, 10)
	})
}

// TestTimed runs our code with every result as late as the latency tables
// allow.
func TestTimed(t *testing.T) {
	if os.Getenv("GOPTXAS_GEN") == "" {
		t.Setenv("GOPTXAS_GEN", fmt.Sprintf("1000,%d", programs()/10))
	}
	each(t, func(t *testing.T, style Style) {
		difference(t, style, func(p *Prog) ([]byte, error) { return ours(p, "sm_90a") }, true, 3)
	})
}

// TestModes does the same for other targets and options, with fewer programs.
func TestModes(t *testing.T) {
	for _, m := range []struct {
		arch string
		args []string
	}{
		{"sm_90a", []string{"-O0"}},
		{"sm_90a", []string{"-O1"}},
		{"sm_90a", []string{"-Ofc=min"}},
		{"sm_90a", []string{"-Ofc=mid"}},
		{"sm_90a", []string{"-Ofc=max"}},
		{"sm_120", []string{"-Ofc=max"}},
		{"sm_90a", []string{"--maxrregcount=24"}},
		{"sm_100a", nil},
		{"sm_120", nil},
	} {
		t.Run(strings.Join(append([]string{m.arch}, m.args...), " "), func(t *testing.T) {
			if os.Getenv("GOPTXAS_GEN") == "" {
				t.Setenv("GOPTXAS_GEN", fmt.Sprintf("0,%d", programs()/10))
			}
			each(t, func(t *testing.T, style Style) {
				difference(t, style, func(p *Prog) ([]byte, error) { return ours(p, m.arch, m.args...) }, false, 3)
			})
		})
	}
}

// TestPairs runs programs with instructions of sm_100 on the GPUs that have them.
func TestPairs(t *testing.T) {
	for _, arch := range []string{"sm_100a", "sm_103a", "sm_110a", "sm_120a"} {
		for _, args := range [][]string{nil, {"-O0"}, {"-O1"}, {"--maxrregcount=24"}} {
			t.Run(arch+strings.Join(args, ""), func(t *testing.T) {
				difference(t, NewPairs, func(p *Prog) ([]byte, error) { return ours(p, arch, args...) }, true, 3)
			})
		}
	}
}

// TestOlder does the same for machines before sm_90. Programs that need a newer
// one do not count, nor do products of matrices, whose sums those machines round
// otherwise than the interpreter.
func TestOlder(t *testing.T) {
	for _, arch := range []string{"sm_75", "sm_80", "sm_89"} {
		t.Run(arch, func(t *testing.T) {
			if os.Getenv("GOPTXAS_GEN") == "" {
				t.Setenv("GOPTXAS_GEN", fmt.Sprintf("0,%d", programs()/3))
			}
			for _, s := range styles {
				if s.name != "tensor" {
					t.Run(s.name, func(t *testing.T) {
						difference(t, s.make, func(p *Prog) ([]byte, error) { return older(p, arch) }, false, 3)
					})
				}
			}
		})
	}
}

// older compiles a program for an older machine than the one it names.
func older(p *Prog, arch string) ([]byte, error) {
	text := strings.Replace(p.Text(), ".target sm_90", ".target "+arch, 1)
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: p.Name + ".ptx", Text: []byte(text)}}, goptxas.Options{Arch: arch})
	if err != nil {
		return nil, fmt.Errorf("%w: not for %s", errRefused, arch)
	}
	return out.Cubin, nil
}

// TestReference compares the interpreter with the reference's code in the
// simulator.
func TestReference(t *testing.T) {
	x := oracle.Find(t)
	if os.Getenv("GOPTXAS_GEN") == "" && os.Getenv("GOPTXAS_FULL") == "" {
		t.Setenv("GOPTXAS_GEN", "0,40") // each costs a start of the reference
	}
	dir := t.TempDir()
	each(t, func(t *testing.T, style Style) {
		difference(t, style, func(p *Prog) ([]byte, error) { return reference(x, dir, p) }, false, 10)
	})
}
