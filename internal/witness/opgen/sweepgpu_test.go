package opgen

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// gpuRow is a row of a report of gpurun zoo.
type gpuRow struct {
	File, Outcome, Err string
	Ref, Ours          *gpu.Result
}

// launchOf tells which launch a row belongs to by the inputs, which no
// kernel changes.
func launchOf(ls []launch.Launch, hash uint64) int {
	for n := range ls {
		a := &ls[n].Args[0]
		if gpu.Hash(launch.Data(a.Fill, a.Seed, a.Buf)) == hash {
			return n
		}
	}
	return -1
}

// TestSweepGPU judges a report of gpurun zoo over the files of
// TestSweepBatch, which GOPTXAS_REPORT names. A form whose results differ
// must be of a family of docs/differences.md, and the interpreter must say
// what our code left.
func TestSweepGPU(t *testing.T) {
	rows := zoo.Report[gpuRow](t)
	byName := map[string]*Batch{}
	all := batches(t)
	for n := range all {
		byName[all[n].Name] = &all[n]
	}
	forms := map[string]string{} // outcome of each form, the worst of its launches
	for k := range rows {
		r := &rows[k]
		b := byName[strings.TrimSuffix(r.File, ".ptx")]
		switch {
		case b == nil:
			t.Errorf("%s: no such file in the sweep", r.File)
		case r.Ref == nil || !r.Ref.OK() || r.Ours == nil || !r.Ours.OK():
			t.Errorf("%s: %s %s", r.File, r.Outcome, r.Err)
			for n := range b.Forms {
				forms[b.Forms[n].Text] = "not run"
			}
		default:
			judgeRow(t, b, r, forms)
		}
	}
	count := map[string]int{}
	for _, o := range forms {
		count[o]++
	}
	for o, n := range count {
		t.Logf("%5d %s", n, o)
	}
}

// judgeRow judges the forms of one launch.
func judgeRow(t *testing.T, b *Batch, r *gpuRow, forms map[string]string) {
	launches, err := launch.Parse(b.Text())
	if err != nil {
		t.Fatal(err)
	}
	at := launchOf(launches, r.Ours.Hash[0])
	if at < 0 {
		t.Errorf("%s: other inputs than the sweep's", b.Name)
		return
	}
	var interp [][]byte
	for n := range b.Forms {
		f := &b.Forms[n]
		if r.Ours.Hash[n+1] == r.Ref.Hash[n+1] {
			if forms[f.Text] == "" {
				forms[f.Text] = "equal"
			}
			continue
		}
		name := familyOf(f)
		if interp == nil {
			if interp, err = interpreted(b, &launches[at]); err != nil {
				t.Errorf("%s: differs and the interpreter cannot tell: %v", f.Text, err)
				continue
			}
		}
		switch {
		case name == "":
			t.Errorf("%s: another result than the reference's, and no family lists it", f.Text)
		case gpu.Hash(interp[n+1]) != r.Ours.Hash[n+1]:
			t.Errorf("%s: %s, and the interpreter does not agree with our code", f.Text, name)
		default:
			forms[f.Text] = "listed: " + name
			continue
		}
		forms[f.Text] = "differ"
	}
}

func interpreted(b *Batch, l *launch.Launch) ([][]byte, error) {
	vm, err := ptxvm.Load(b.Name+".ptx", b.Text(), "sm_90a")
	if err != nil {
		return nil, err
	}
	return vm.Run(l, ptxvm.Options{})
}

// familyOf names the first family that lists a form.
func familyOf(f *Form) string {
	for k := range families {
		if families[k].forms.MatchString(f.Text) {
			return families[k].name
		}
	}
	return ""
}
