package cli

import (
	"testing"

	"goptxas/internal/witness/ptxvm"
	"goptxas/internal/witness/zoo"
)

// TestMatrices runs our code for the kernels with matrix products, at once
// and timed: as on the H200, whose every bit the simulator's sums give.
func TestMatrices(t *testing.T) {
	var f figures
	list := zoo.Matrices(t)
	for i := range list {
		if list[i].Want == nil {
			t.Errorf("%s: no measured results", list[i].File)
			continue
		}
		f.kernel(t, &list[i], "sm_90a")
	}
	if f.refused > 0 {
		t.Errorf("%d kernels are not compiled", f.refused)
	}
	t.Logf("%d of %d kernels as on the H200, %d early reads, %d thread instructions", f.right, f.kernels, f.reports, f.threads)
}

// TestMatricesArchs runs our code for the others, and compares with the
// interpreter, which adds as they do.
func TestMatricesArchs(t *testing.T) {
	for _, arch := range []string{"sm_80", "sm_86", "sm_89", "sm_100a", "sm_120a"} {
		right, refused := 0, 0
		for _, k := range zoo.Matrices(t) {
			m, _ := compile(t, &k, arch)
			p, err := ptxvm.Load(k.File, k.Text, arch)
			if m == nil || err != nil {
				refused++
				continue
			}
			ok := true
			for n := range k.Launches {
				want, err := p.Run(&k.Launches[n], ptxvm.Options{Undefined: true})
				if err != nil {
					t.Errorf("%s %s: %v", arch, k.File, err)
					continue
				}
				prog, c := start(t, m, &k, n)
				c.Launch.Timed = true
				st, err := prog.Run(&c.Launch)
				if err != nil || len(st.Reports) > 0 {
					t.Errorf("%s %s: %v %v", arch, k.File, err, st)
					continue
				}
				if d := zoo.Result(want).Compare(c.Buffers); d != "" {
					t.Errorf("%s %s: %s", arch, k.File, d)
					ok = false
				}
			}
			if ok {
				right++
			}
		}
		t.Logf("%s: %d kernels as the interpreter has them, %d are none there", arch, right, refused)
	}
}
