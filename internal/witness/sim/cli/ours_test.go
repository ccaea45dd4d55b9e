package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sweep"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// compile makes a module of a kernel with our own compiler; nil where it
// refuses.
func compile(t testing.TB, k *zoo.Kernel, arch string) (*sim.Module, []byte) {
	t.Helper()
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(textFor(k, arch))}}, goptxas.Options{Arch: arch})
	if err != nil || out.Cubin == nil {
		return nil, nil
	}
	m, err := sim.Load(out.Cubin)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	return m, out.Cubin
}

// textFor is the text of a kernel for an architecture, as far as its
// instructions allow.
func textFor(k *zoo.Kernel, arch string) string {
	if arch >= "sm_90" || len(arch) != len("sm_75") {
		return k.Text
	}
	lines := strings.Split(k.Text, "\n")
	for n, l := range lines {
		if strings.HasPrefix(l, ".target ") {
			lines[n] = ".target " + arch
		}
	}
	return strings.Join(lines, "\n")
}

// start makes launch n of a kernel ready.
func start(t testing.TB, m *sim.Module, k *zoo.Kernel, n int) (*sim.Program, *sim.Case) {
	t.Helper()
	p, err := m.Kernel(k.Launches[n].Kernel)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	c, err := p.Prepare(&k.Launches[n], nil)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	c.Launch.MaxSteps = 2_000_000
	return p, c
}

// figures counts what became of the zoo.
type figures struct {
	refused, kernels, right, reports int
	threads                          uint64
}

// TestZoo runs our code for the zoo, at once and timed: every byte as on
// the H200 and nothing read early. A kernel with instructions that an
// architecture does not have, as the front end says, is counted; any other
// that is refused is a failure.
func TestZoo(t *testing.T) {
	for at, arch := range []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"} {
		var f figures
		list := append(zoo.List(t), zoo.Textures(t)...)
		for i := range list {
			if arch != "sm_90a" && !sweep.Takes(i+at, 4) {
				continue
			}
			f.kernel(t, &list[i], arch)
		}
		t.Logf("%s: %d of %d kernels as on the H200, %d early reads, %d not compiled, %d thread instructions",
			arch, f.right, f.kernels, f.reports, f.refused, f.threads)
	}
}

func (f *figures) kernel(t *testing.T, k *zoo.Kernel, arch string) {
	m, _ := compile(t, k, arch)
	if m == nil {
		if _, err := front.Check(k.File, textFor(k, arch), arch); err == nil {
			t.Errorf("%s is refused for %s", k.File, arch)
		}
		f.refused++
		return
	}
	f.launches(t, m, k, false, true)
}

// file runs the launches of a kernel with the code of a file, timed.
func (f *figures) file(t *testing.T, k *zoo.Kernel, b []byte) {
	m, err := sim.Load(b)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	f.launches(t, m, k, true)
}

// launches runs every launch of a kernel, at once or timed.
func (f *figures) launches(t *testing.T, m *sim.Module, k *zoo.Kernel, modes ...bool) {
	f.kernels++
	ok := true
	for n := range k.Launches {
		for _, timed := range modes {
			ok = f.launch(t, m, k, n, timed) && ok
		}
	}
	if ok {
		f.right++
	}
}

func (f *figures) launch(t *testing.T, m *sim.Module, k *zoo.Kernel, n int, timed bool) bool {
	p, c := start(t, m, k, n)
	c.Launch.Timed = timed
	st, err := p.Run(&c.Launch)
	if err != nil {
		t.Errorf("%s %s launch %d: %v", m.Arch.Name, k.File, n, err)
		return false
	}
	_, th := st.Total()
	f.threads += th
	for _, r := range st.Reports {
		t.Errorf("%s %s: %v", m.Arch.Name, k.File, r)
		f.reports++
	}
	if d := k.Want[n].Compare(c.Buffers); d != "" {
		t.Errorf("%s %s launch %d: %s", m.Arch.Name, k.File, n, d)
		return false
	}
	return true
}

// TestSeeded shortens stalls and drops waits of our code one at a time:
// timed mode must see them, unless the stall was longer than it needs to be
// or the wait stood for a second time.
func TestSeeded(t *testing.T) {
	list := zoo.List(t)
	stalls, waits, seenS, seenW := 0, 0, 0, 0
	for i := range list {
		k := &list[i]
		if k.File != "saxpy.ptx" && k.File != "bits_shf.ptx" && k.File != "reduce_shared.ptx" {
			continue
		}
		m, cubin := compile(t, k, "sm_90a")
		if m == nil {
			continue
		}
		code := m.Kernels()[0].Code
		at := bytes.Index(cubin, code)
		if at < 0 {
			t.Fatal("code not found in the file")
		}
		for pc := 0; pc < len(code); pc += 16 {
			hi := at + pc + 8
			w := binary.LittleEndian.Uint64(cubin[hi:])
			if s := w >> 41 & 15; s > 2 {
				stalls++
				if seeded(t, k, cubin, hi, w&^(15<<41)|1<<41) {
					seenS++
				}
			}
			if w>>52&63 != 0 {
				waits++
				if seeded(t, k, cubin, hi, w&^(63<<52)) {
					seenW++
				}
			}
		}
	}
	t.Logf("%d of %d shortened stalls and %d of %d dropped waits reported", seenS, stalls, seenW, waits)
	if seenS == 0 || seenW == 0 {
		t.Error("a seeded fault was not seen")
	}
}

// seeded runs the first launch with one control word changed.
func seeded(t *testing.T, k *zoo.Kernel, cubin []byte, at int, w uint64) bool {
	b := bytes.Clone(cubin)
	binary.LittleEndian.PutUint64(b[at:], w)
	m, err := sim.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	p, c := start(t, m, k, 0)
	c.Launch.Timed, c.Launch.MaxSteps = true, 100_000
	st, err := p.Run(&c.Launch)
	return err != nil || len(st.Reports) > 0
}

// BenchmarkZoo measures architectural mode in thread instructions a second
// on kernels of several kinds.
func BenchmarkZoo(b *testing.B) {
	list := zoo.List(b)
	for i := range list {
		k := &list[i]
		switch k.File {
		case "mandelbrot.ptx", "matmul_shared.ptx", "crc32.ptx", "rng_xorshift.ptx", "dot_f64.ptx", "gcd.ptx", "saxpy.ptx", "f16x2_arith.ptx":
		default:
			continue
		}
		m, _ := compile(b, k, "sm_90a")
		if m == nil {
			continue
		}
		b.Run(k.File, func(b *testing.B) {
			var threads uint64
			for b.Loop() {
				p, c := start(b, m, k, 0)
				st, err := p.Run(&c.Launch)
				if err != nil {
					b.Fatal(err)
				}
				_, n := st.Total()
				threads += n
			}
			b.ReportMetric(float64(threads)/b.Elapsed().Seconds()/1e6, "Mthread-inst/s")
		})
	}
}

// BenchmarkLoad measures making a cubin ready.
func BenchmarkLoad(b *testing.B) {
	list := zoo.List(b)
	for i := range list {
		if list[i].File != "matmul_shared.ptx" {
			continue
		}
		_, cubin := compile(b, &list[i], "sm_90a")
		for b.Loop() {
			if _, err := sim.Load(cubin); err != nil {
				b.Fatal(err)
			}
		}
	}
}
