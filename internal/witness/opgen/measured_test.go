package opgen

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/sweep"
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
	list := map[uint64][]measured{}
	for line := range strings.Lines(string(cases.Unzip(t, filepath.Join("..", "..", "..", "testdata", "ops", "h200.tsv.gz")))) {
		col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		seed, err1 := strconv.ParseUint(col[0], 10, 64)
		hash, err2 := strconv.ParseUint(col[2], 16, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("bad line %q", line)
		}
		list[seed] = append(list[seed], measured{Form{Text: col[1]}, hash})
	}
	return list
}

// TestMeasured compiles every measured form and compares what our code
// computes, simulated, with what was measured: in a sweep all for sm_90, a
// part for the other architectures, where the same text means the same.
func TestMeasured(t *testing.T) {
	all := measurements(t)
	for _, a := range []struct {
		arch string
		each uint64 // one batch in so many
	}{{"sm_90", sweep.Of[uint64](1, 4)}, {"sm_80", 8}, {"sm_89", 8}, {"sm_100", 8}, {"sm_120", 8}} {
		t.Run(a.arch, func(t *testing.T) {
			total, equal, left := 0, 0, 0
			for seed, batch := range all {
				if seed%a.each != 0 {
					continue
				}
				var list []measured
				for _, m := range batch {
					if m.form.simulated() && (a.arch == "sm_90" || accepts(m.form, a.arch)) {
						list = append(list, m)
					}
				}
				left += len(batch) - len(list)
				for at := 0; at < len(list); at += 16 {
					part := list[at:min(at+16, len(list))]
					total += len(part)
					equal += compareMeasured(t, seed, part, a.arch)
				}
			}
			t.Logf("%d measured forms, %d equal; %d left out: the simulator does not know them to the last bit, or the architecture has none", total, equal, left)
		})
	}
}

// accepts reports whether the front end takes a form for an architecture.
func accepts(f Form, arch string) bool {
	return frontEndTakes(single(f, arch), arch)
}

// simulated reports whether the simulator computes a form to the last bit:
// the special function unit's estimates and .oob are beyond it.
func (f *Form) simulated() bool {
	return !strings.Contains(f.Text, ".approx") && !strings.Contains(f.Text, ".full") && !strings.Contains(f.Text, ".oob")
}

// compareMeasured runs forms as one kernel.
func compareMeasured(t *testing.T, seed uint64, list []measured, arch string) (equal int) {
	var forms []Form
	for _, m := range list {
		forms = append(forms, m.form)
	}
	buffers, err := run(forms, arch, measuredThreads, seed)
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

// run compiles forms as one kernel and simulates it.
func run(forms []Form, arch string, threads int, seed uint64) ([][]byte, error) {
	text := File("ops", arch, forms, threads, seed)
	msg, file := compileFile(text, arch)
	if msg != "" {
		return nil, errors.New(msg)
	}
	return runFile(file, text)
}
