package dag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// TestCrowd: a load from global memory passes more stores to shared memory than are told apart,
// from Blackwell on; what may touch the same bytes does not.
func TestCrowd(t *testing.T) {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 1/1 phys=0\nreg r1 1/1 phys=1\nreg r2 2/2 phys=2\nreg u3 2/2 phys=4\nb0:\n")
	s.WriteString("LDG.E r1 = desc[u3], [r2.64+0x0]\n")
	for k := range maxStores + 3 {
		fmt.Fprintf(&s, "STS [%#x], r0\n", 4*k)
	}
	s.WriteString("LDS r0 = [0x0]\nSTG.E desc[u3], [r2.64+0x0], r0\nEXIT\n}\n")
	m, err := ori.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	f, tune := m.Funcs[0], tuning.Usual()
	for _, arch := range []string{"sm_90a", "sm_100a"} {
		var run []*ori.Instr
		for i := range f.Blocks[0].Instrs {
			run = append(run, i)
		}
		n := int32(len(run))
		g := NewGrapher(words.Physical(f), target.Find(arch), &tune).Build(run[:n-1], run[n-1])
		// whether k stands behind j, by any way
		var behind func(j, k int32) bool
		behind = func(j, k int32) bool {
			return j == k || slices.ContainsFunc(g.Succs[j], func(e edge) bool { return e.To <= k && behind(e.To, k) })
		}
		lds, stg := n-3, n-2
		if got, want := behind(0, lds-1), arch == "sm_90a"; got != want {
			t.Errorf("%s: the last store to shared memory behind the load from global memory: %v", arch, got)
		}
		if !behind(1, lds) || !behind(lds-1, lds) || !behind(0, stg) || !behind(1, lds-1) {
			t.Errorf("%s: accesses to the same bytes change places", arch)
		}
	}
}
