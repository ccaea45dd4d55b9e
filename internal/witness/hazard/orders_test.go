package hazard

import (
	"os"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestOrders counts where the reference's code leans on the order of a
// queue: a wait for a later instruction that also tells of an earlier one, or
// a result that comes behind a read without any wait. An order on which it
// never leans is none.
func TestOrders(t *testing.T) {
	tools := oracle.Find(t)
	arch := target.Find("sm_90a")
	count := map[string]int{}
	for _, f := range corpus.Find(t).Every(sampleSize()) {
		text, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		file, err := tools.CubinOf(oracle.Retarget(text, arch.Name), "-arch="+arch.Name)
		if err != nil {
			continue
		}
		list, err := Functions(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range list {
			c, err := Decode(arch, fn.Words)
			if err != nil {
				t.Fatal(err)
			}
			c.lean = func(o order, f *fact, at int32) { count[orderNames[o]+" "+string(c.insts[f.inst].class)]++ }
			c.Check(5)
		}
	}
	var names []string
	for n := range count {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		t.Logf("%-16s %6d", n, count[n])
	}
	want := []string{"lent result lds", "lent read stg", "behind a read sts"}
	if os.Getenv("GOPTXAS_HAZARD_FILES") == "0" {
		want = append(want, "lent result xu", "lent result xu64", "lent result s2ur", "lent read lds", "lent read sts", "lent read ldg", "lent read ldgsts", "lent read syncs", "lent read tma",
			"lent read redux", "lent read xu", "behind a read lds", "behind a read stg", "behind a read ldg", "behind a read ldgsts", "behind a read xu", "behind a read xu64")
	}
	for _, w := range want {
		if count[w] == 0 {
			t.Errorf("%s: the reference never leans on it", w)
		}
	}
}
