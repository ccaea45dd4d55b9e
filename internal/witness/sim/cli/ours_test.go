package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"goptxas"
	"goptxas/internal/witness/sim"
	"goptxas/internal/witness/zoo"
)

// compile makes a module of a kernel with our own compiler; nil where it
// refuses.
func compile(t testing.TB, k *zoo.Kernel) (*sim.Module, []byte) {
	t.Helper()
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a"})
	if err != nil || out.Cubin == nil {
		return nil, nil
	}
	m, err := sim.Load(out.Cubin)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	return m, out.Cubin
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

// TestZoo runs our code for the zoo, at once and timed: every byte as on
// the H200 and nothing read early. A kernel that the compiler refuses is
// counted, not failed: refusing is the compiler's own business.
func TestZoo(t *testing.T) {
	list := zoo.List(t)
	refused, kernels, right, reports := 0, 0, 0, 0
	var threads uint64
	for i := range list {
		k := &list[i]
		m, _ := compile(t, k)
		if m == nil {
			refused++
			continue
		}
		kernels++
		ok := true
		for n := range k.Launches {
			for _, timed := range []bool{false, true} {
				p, c := start(t, m, k, n)
				c.Launch.Timed = timed
				st, err := p.Run(&c.Launch)
				if err != nil {
					t.Errorf("%s launch %d: %v", k.File, n, err)
					ok = false
					break
				}
				_, th := st.Total()
				threads += th
				if d := k.Want[n].Compare(c.Buffers); d != "" && !k.Approximate() {
					t.Errorf("%s launch %d: %s", k.File, n, d)
					ok = false
					break
				}
				for _, r := range st.Reports {
					t.Errorf("%s: %v", k.File, r)
					reports++
				}
			}
		}
		if ok {
			right++
		}
	}
	t.Logf("%d of %d kernels as on the H200, %d early reads, %d not compiled, %d thread instructions", right, kernels, reports, refused, threads)
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
		m, cubin := compile(t, k)
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
		m, _ := compile(b, k)
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
		_, cubin := compile(b, &list[i])
		for b.Loop() {
			if _, err := sim.Load(cubin); err != nil {
				b.Fatal(err)
			}
		}
	}
}
