package sim

import (
	"context"
	"testing"

	"goptxas"
	"goptxas/internal/witness/zoo"
)

// BenchmarkZoo measures architectural mode in thread instructions a second
// on kernels of several kinds, compiled by us.
func BenchmarkZoo(b *testing.B) {
	list := zoo.List(b)
	for n := range list {
		k := &list[n]
		switch k.File {
		case "mandelbrot.ptx", "matmul_shared.ptx", "crc32.ptx", "rng_xorshift.ptx", "dot_f64.ptx", "gcd.ptx", "saxpy.ptx", "f16x2_arith.ptx":
		default:
			continue
		}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a"})
		if err != nil {
			continue
		}
		m, err := Load(out.Cubin)
		if err != nil {
			b.Fatal(err)
		}
		p, err := m.Kernel(k.Launches[0].Kernel)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(k.File, func(b *testing.B) {
			var threads uint64
			for b.Loop() {
				c, err := p.Prepare(&k.Launches[0], nil)
				if err != nil {
					b.Fatal(err)
				}
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
	for n := range list {
		if list[n].File != "matmul_shared.ptx" {
			continue
		}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: list[n].File, Text: []byte(list[n].Text)}}, goptxas.Options{Arch: "sm_90a"})
		if err != nil {
			b.Skip(err)
		}
		for b.Loop() {
			if _, err := Load(out.Cubin); err != nil {
				b.Fatal(err)
			}
		}
	}
}
