package cli

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// twoProducts stores the result of a product and overwrites it with another:
// the second may begin at its arrival, so the store must have read by then.
const twoProducts = `//: run k grid=1 block=128
//: buf 16384 zero
//: u64 0
//: u64 0
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 da, .param .u64 db)
{
	.reg .b64 %rd<6>; .reg .f32 %f<8>; .reg .b32 %r<4>;
	ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [da]; ld.param.u64 %rd3, [db];
	mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 16; add.s64 %rd1, %rd1, %rd4;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd2, %rd3, 0, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	st.global.v4.f32 [%rd1], {%f0,%f1,%f2,%f3};
	add.s64 %rd2, %rd2, 2;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd2, %rd3, 0, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	st.global.v4.f32 [%rd1+8192], {%f0,%f1,%f2,%f3};
	ret;
}
`

// TestUnwaited takes out waits that only an asynchronous machine misses: the
// code without them ran wrong on an H200, or has what the reference never
// leaves out.
func TestUnwaited(t *testing.T) {
	const noBar = 7
	hopper := func(name string) *zoo.Kernel {
		for _, k := range zoo.Hopper(t) {
			if k.File == name {
				return &k
			}
		}
		t.Fatalf("no %s", name)
		return nil
	}
	list, err := launch.Parse(twoProducts)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		kernel *zoo.Kernel
		op     string
		change func(hi uint64) uint64
		want   string
	}{
		{
			&zoo.Kernel{File: "twoProducts.ptx", Text: twoProducts, Launches: list}, "WARPGROUP.ARRIVE",
			func(hi uint64) uint64 { return hi &^ (63 << bitWait) }, "is on its way when a product may begin",
		},
		{hopper("tma_2d.ptx"), "ATOMG", func(hi uint64) uint64 { return hi | noBar<<bitWrBar | noBar<<bitRdBar }, "the tensor-map proxy need not see it"},
		{hopper("bulk_copy.ptx"), "SYNCS.EXCH", func(hi uint64) uint64 { return hi | noBar<<bitWrBar | noBar<<bitRdBar }, "is used before its initialisation is known"},
	}
	for _, c := range cases {
		_, cubin := compile(t, c.kernel, "sm_90a")
		if cubin == nil {
			t.Errorf("%s is refused", c.kernel.File)
			continue
		}
		for _, when := range []string{"early", "late", "seed:1"} {
			if list := races(t, c.kernel, cubin, when); len(list) > 0 {
				t.Errorf("%s as it is, %s: %v", c.kernel.File, when, list[0])
			}
			found := false
			for _, r := range races(t, c.kernel, changed(t, cubin, c.op, c.change), when) {
				found = found || r.What == c.want || strings.HasSuffix(r.What, c.want)
			}
			if !found {
				t.Errorf("%s, %s: nobody misses the wait of %s", c.kernel.File, when, c.op)
			}
		}
	}
}

func races(t *testing.T, k *zoo.Kernel, cubin []byte, when string) []sim.Race {
	m, err := sim.Load(cubin)
	if err != nil {
		t.Fatal(err)
	}
	p, c := start(t, m, k, 0)
	if c.Launch.Async, err = sim.ParseAsync(when); err != nil {
		t.Fatal(err)
	}
	st, err := p.Run(&c.Launch)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	return st.Races
}

// changed changes the upper words of the instructions of one kind.
func changed(t *testing.T, cubin []byte, op string, change func(uint64) uint64) []byte {
	m, err := sim.Load(cubin)
	if err != nil {
		t.Fatal(err)
	}
	code := m.Kernels()[0].Code
	at := bytes.Index(cubin, code)
	out := bytes.Clone(cubin)
	arch := target.Find("sm_90a")
	for pc := 0; pc < len(code); pc += 16 {
		lo, hi := binary.LittleEndian.Uint64(code[pc:]), binary.LittleEndian.Uint64(code[pc+8:])
		in := sass.Decode(arch, bits.Word{Lo: lo, Hi: hi})
		if strings.Contains(in.Text(arch, uint64(pc)), op) {
			binary.LittleEndian.PutUint64(out[at+pc+8:], change(hi))
		}
	}
	return out
}

// TestHopperCorpus runs real kernels with products of warp groups, blind, as
// the reference compiled them and as we do, with early and late asynchronous
// work: nothing is without order, and all leave the same bytes.
func TestHopperCorpus(t *testing.T) {
	x, files := oracle.Find(t), corpus.Find(t)
	want := 4
	if os.Getenv("GOPTXAS_FULL") != "" {
		want = 1 << 20
	}
	ran, cut := 0, 0
	for _, file := range files.Every(1 << 20) {
		text, err := file.Read()
		if err != nil {
			t.Fatal(err)
		}
		if ran >= want || !bytes.Contains(text, []byte("wgmma.mma_async")) || bytes.Contains(text, []byte("cp.async.bulk.tensor")) {
			continue
		}
		b, err := x.Cubin(file.Path, "-arch=sm_90a", "-fmad=false")
		if err != nil {
			continue
		}
		ref, err := sim.Load(b)
		if err != nil {
			t.Fatal(err)
		}
		first := blindAsync(t, ref, file.Name, "early")
		if first == nil {
			cut++
			continue
		}
		ran++
		ours := compileText(t, file.Name, text, "sm_90a")
		for _, m := range []*sim.Module{ref, ours} {
			for _, when := range []string{"early", "late"} {
				if c := blindAsync(t, m, file.Name, when); c == nil {
					t.Errorf("%s does not end %s", file.Name, when)
				} else if d := difference(first, c); d != "" {
					t.Errorf("%s %s: %s", file.Name, when, d)
				}
			}
		}
	}
	t.Logf("%d kernels, %d did not end", ran, cut)
	if ran == 0 {
		t.Error("no kernel was run")
	}
}

// blindAsync runs one block; nil when it does not end.
func blindAsync(t *testing.T, m *sim.Module, name, when string) *sim.Case {
	p, err := m.Kernel(m.Kernels()[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Blind("f32", 1, false)
	c.Launch.Grid, c.Launch.Smem = [3]uint32{1, 1, 1}, 200<<10
	c.Launch.Lenient, c.Launch.MaxSteps = true, 60_000
	if c.Launch.Async, err = sim.ParseAsync(when); err != nil {
		t.Fatal(err)
	}
	st, err := p.Run(&c.Launch)
	if err != nil || st.Cut {
		return nil
	}
	for _, r := range st.Races {
		t.Errorf("%s %s: %v", name, when, r)
	}
	return c
}
