package opgen

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"goptxas/internal/witness/gpu"
	"goptxas/internal/witness/launch"
	"goptxas/internal/witness/sim"
)

// measuredThreads is how many threads ran each measured form.
const measuredThreads = 4096

// measured is a form with the hash of what an H200 left in its buffer: from
// the reference's code, or from ours where docs/differences.md says that the
// reference's is wrong.
type measured struct {
	form Form
	hash uint64
}

// measurements returns the measured forms by seed of their inputs.
func measurements(t *testing.T) map[uint64][]measured {
	f, err := os.Open(filepath.Join("..", "..", "..", "testdata", "ops", "h200.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	list := map[uint64][]measured{}
	s := bufio.NewScanner(z)
	for s.Scan() {
		col := strings.Split(s.Text(), "\t")
		seed, err1 := strconv.ParseUint(col[0], 10, 64)
		hash, err2 := strconv.ParseUint(col[2], 16, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("bad line %q", s.Text())
		}
		list[seed] = append(list[seed], measured{Form{Text: col[1]}, hash})
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestMeasured compiles every measured form and compares what our code
// computes, simulated, with what was measured. The short run takes one batch
// in eight.
func TestMeasured(t *testing.T) {
	total, equal, left := 0, 0, 0
	for seed, all := range measurements(t) {
		if testing.Short() && seed%8 != 0 {
			continue
		}
		var list []measured
		for _, m := range all {
			if m.form.simulated() {
				list = append(list, m)
			}
		}
		left += len(all) - len(list)
		for at := 0; at < len(list); at += 16 {
			part := list[at:min(at+16, len(list))]
			total += len(part)
			equal += compareMeasured(t, seed, part)
		}
	}
	t.Logf("%d measured forms, %d equal; %d more that the simulator does not know to the last bit", total, equal, left)
}

// simulated reports whether the simulator computes a form to the last bit:
// the special function unit's estimates and .oob are beyond it.
func (f *Form) simulated() bool {
	return !strings.Contains(f.Text, ".approx") && !strings.Contains(f.Text, ".full") && !strings.Contains(f.Text, ".oob")
}

// compareMeasured runs forms as one kernel.
func compareMeasured(t *testing.T, seed uint64, list []measured) (equal int) {
	var forms []Form
	for _, m := range list {
		forms = append(forms, m.form)
	}
	text := File("ops", "sm_90", forms, measuredThreads, seed)
	msg, file := compileFile(text, "sm_90")
	if msg != "" {
		t.Errorf("%s: %s", forms[0].Text, msg)
		return 0
	}
	buffers, err := simulate(text, file)
	if err != nil {
		t.Errorf("%s: %v", forms[0].Text, err)
		return 0
	}
	for n, m := range list {
		if gpu.Hash(buffers[n+1]) != m.hash {
			t.Errorf("%s: another result than measured", m.form.Text)
		} else {
			equal++
		}
	}
	return equal
}

// simulate runs the only launch of a text and returns its buffers.
func simulate(text string, file []byte) ([][]byte, error) {
	launches, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	m, err := sim.Load(file)
	if err != nil {
		return nil, err
	}
	p, err := m.Kernel(launches[0].Kernel)
	if err != nil {
		return nil, err
	}
	c, err := p.Prepare(&launches[0], nil)
	if err != nil {
		return nil, err
	}
	_, err = p.Run(&c.Launch)
	return c.Buffers, err
}
