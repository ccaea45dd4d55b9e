package hazard

import (
	"os"
	"testing"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// tally counts faults of one kind. Some are none: what Needs says nothing about.
type tally struct{ seeded, idle, seen int }

// faults damages every control field of code in turn, undoes it, and counts
// how often Check sees it.
func faults(t *testing.T, name string, c *Code, count map[string]*tally, step int) {
	n := 0
	try := func(kind string, k int, change func(*sass.Ctrl)) {
		if n++; n%step != 0 {
			return
		}
		v := count[kind]
		if v == nil {
			v = &tally{}
			count[kind] = v
		}
		i := &c.insts[k]
		old := i.ctrl
		change(&i.ctrl)
		found := c.Check(1)
		i.ctrl = old
		v.seeded++
		switch need := c.Needs(k, change); {
		case len(found) > 0:
			v.seen++
			if need == "" {
				t.Logf("%s, %s at %04x: called idle, and reported: %s", name, kind, 16*k, found[0])
			}
		case need == "":
			v.idle++
		default:
			t.Logf("%s, %s at %04x: not seen: %s (%s)", name, kind, 16*k, i.text, need)
		}
	}
	for k := range c.insts {
		i := &c.insts[k]
		for b := range uint8(6) {
			if i.ctrl.Wait>>b&1 != 0 && needed(c, k, b) {
				try("wait", k, func(q *sass.Ctrl) { q.Wait &^= 1 << b })
			}
		}
		switch {
		case i.ctrl.WrBar == sass.NoBar || !waited(c, i.ctrl.WrBar):
		case exchanges(i):
		default:
			try("write barrier", k, func(q *sass.Ctrl) { q.WrBar = sass.NoBar })
		}
		if i.ctrl.RdBar != sass.NoBar && waited(c, i.ctrl.RdBar) {
			try("read barrier", k, func(q *sass.Ctrl) { q.RdBar = sass.NoBar })
		}
		if i.how == 'F' && i.ctrl.Stall >= 3 && len(i.writes) > 0 {
			try("stall", k, func(q *sass.Ctrl) { q.Stall, q.Stay = q.Stall-1, false })
			try("whole stall", k, func(q *sass.Ctrl) { q.Stall, q.Stay = 1, true })
		}
	}
}

// needed reports whether somebody sets barrier b in the same block before
// instruction k, with nobody waiting between: then the wait is not idle.
func needed(c *Code, k int, b uint8) bool {
	for j := k - 1; j >= 0 && j > k-200; j-- {
		q := c.insts[j].ctrl
		switch {
		case q.WrBar == int8(b) || q.RdBar == int8(b):
			return !exchanges(&c.insts[j])
		case q.Wait>>b&1 != 0 || c.insts[j].leaves():
			return false
		}
	}
	return false
}

// exchanges reports whether i writes a word of a tensor map. Other exchanges
// whose old value nobody wants look the same and need no wait: only who uses
// the map can tell (TestUnwaited of sim/cli).
func exchanges(i *inst) bool { return i.is("ATOMG") && i.has("EXCH") && len(i.writes) == 0 }

// waited reports whether anybody waits for a barrier.
func waited(c *Code, b int8) bool {
	for k := range c.insts {
		if c.insts[k].ctrl.Wait>>b&1 != 0 || c.insts[k].is("DEPBAR") {
			return true
		}
	}
	return false
}

// TestSeededFaults takes one wait, barrier or cycle at a time out of code
// that is right. A wait or a stall that some other one covers, or that is
// there for speed, is no fault.
func TestSeededFaults(t *testing.T) {
	arch := target.Find("sm_90a")
	step := sweep.Of(7, 15)
	if os.Getenv("GOPTXAS_HAZARD_FILES") != "" {
		step = 1
	}
	us := map[string]*tally{}
	for _, k := range all(t) {
		seed(t, k.File, arch, ours(oracle.Retarget([]byte(k.Text), arch.Name), arch.Name), us, step)
	}
	show(t, "ours", us)
	total := tally{}
	for kind, n := range us {
		real := n.seeded - n.idle
		if real < 5 || n.seen*100 < real*98 {
			t.Errorf("%s: of %d that are faults %d are seen", kind, real, n.seen)
		}
		total.seeded, total.seen = total.seeded+real, total.seen+n.seen
	}
	if total.seen*100 < total.seeded*99 {
		t.Errorf("of %d faults of all kinds %d are seen", total.seeded, total.seen)
	}
	if !oracle.Available() || testing.Short() {
		return
	}
	tools := oracle.Find(t)
	ref := map[string]*tally{}
	for _, f := range corpus.Find(t).Every(8) {
		text, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		if file, err := tools.CubinOf(oracle.Retarget(text, arch.Name), "-arch="+arch.Name); err == nil {
			seed(t, f.Name, arch, file, ref, step)
		}
	}
	show(t, "the reference's", ref)
}

func seed(t *testing.T, name string, arch *target.Arch, file []byte, count map[string]*tally, step int) {
	t.Helper()
	if file == nil {
		return
	}
	list, err := Functions(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range list {
		if len(fn.Words) > 1500 {
			continue // every fault costs a replay
		}
		c, err := Decode(arch, fn.Words)
		if err != nil {
			t.Fatal(err)
		}
		faults(t, name, c, count, step)
	}
}

func show(t *testing.T, whose string, count map[string]*tally) {
	for _, k := range []string{"wait", "write barrier", "read barrier", "stall", "whole stall"} {
		if n := count[k]; n != nil {
			t.Logf("%s: %-14s %5d taken out, %5d idle, %5d seen of the others (%.1f%%)", whose, k, n.seeded, n.idle, n.seen, 100*float64(n.seen)/float64(max(1, n.seeded-n.idle)))
		}
	}
}
