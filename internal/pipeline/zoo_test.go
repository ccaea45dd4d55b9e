package pipeline

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// check runs the front end over one PTX text.
func check(t *testing.T, name, text string, a *target.Arch) *sema.Module {
	t.Helper()
	x, err := front.Check(name, text, a.Name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return x.Module
}

// TestZooIsSound compiles the zoo in every mode with the verifier behind
// every phase, the allocation replayed and the hazards checked: nothing may be
// wrong or refused.
func TestZooIsSound(t *testing.T) {
	a := target.Find("sm_90a")
	for _, mode := range []struct {
		name string
		set  func(o *Options)
	}{
		{"O0", func(o *Options) { o.Level = 0 }},
		{"O1", func(o *Options) { o.Level = 1 }},
		{"O3", func(o *Options) { o.Level = 3 }},
		{"fast min", func(o *Options) { o.Level, o.Fast = 3, FastMin }},
		{"fast mid", func(o *Options) { o.Level, o.Fast = 3, FastMid }},
		{"fast max", func(o *Options) { o.Level, o.Fast = 3, FastMax }},
		{"24 registers", func(o *Options) { o.Level, o.MaxRegs = 3, 24 }},
		{"serial", func(o *Options) {
			o.Level = 3
			if err := o.Knobs.Assign("SerialSchedule=true"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		compiled := 0
		for _, k := range zoo.List(t) {
			o := Options{Arch: a, Knobs: knobs.New(), Phases: []string{"check"}}
			mode.set(&o)
			out, err := Module(check(t, k.File, k.Text, a), o, 1, cubin.TKInfo{})
			if err != nil {
				t.Errorf("%s %s: %v", mode.name, k.File, err)
				continue
			}
			for n := range out.Failures {
				t.Errorf("%s %s: %s", mode.name, k.File, &out.Failures[n])
			}
			compiled++
		}
		t.Logf("%s: %d files compiled", mode.name, compiled)
	}
}

// TestWorkers compiles one module of many kernels with different numbers of
// workers: the files are the same byte for byte.
func TestWorkers(t *testing.T) {
	a := target.Find("sm_90a")
	var text bytes.Buffer
	text.WriteString(".version 8.0\n.target sm_90a\n.address_size 64\n")
	for n := range 24 {
		fmt.Fprintf(&text, `.visible .entry k%d(.param .u64 p) {
 .reg .b32 %%r<40>; .reg .b64 %%rd<4>; .reg .pred %%q<2>;
 ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0;
L: mad.lo.u32 %%r2, %%r2, %d, %%r1; add.u32 %%r1, %%r1, 1; setp.lt.u32 %%q1, %%r1, %d; @%%q1 bra L;
 mad.wide.u32 %%rd2, %%r1, 4, %%rd1; st.global.u32 [%%rd2], %%r2; ret;
}
`, n, n+3, 100+n)
	}
	var first []byte
	for _, workers := range []int{1, 2, 8, 8} {
		out, err := Module(check(t, "many.ptx", text.String(), a), Options{Arch: a, Level: 3}, workers, cubin.TKInfo{})
		if err != nil || len(out.Failures) > 0 {
			t.Fatal(err, out.Failures)
		}
		if first == nil {
			first = out.Cubin
		}
		if !bytes.Equal(first, out.Cubin) {
			t.Errorf("%d workers give another file", workers)
		}
	}
	t.Logf("24 kernels, %d bytes, equal at 1, 2 and 8 workers", len(first))
}
