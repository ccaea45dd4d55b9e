package opgen

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// tensorTimes are the times of asynchronous work that are tried.
var tensorTimes = []sim.Async{{}, {When: sim.AsEarly}, {When: sim.AsLate}, {When: sim.BySeed, Seed: 1}, {When: sim.BySeed, Seed: 2}}

// tensorAgrees runs a kernel of a cubin and compares what it leaves with what the
// interpreter left.
func tensorAgrees(t *testing.T, who string, cubin []byte, l *launch.Launch, want [][]byte) bool {
	t.Helper()
	m, err := sim.Load(cubin)
	if err != nil {
		t.Errorf("%s: %v", who, err)
		return false
	}
	p, err := m.Kernel(l.Kernel)
	if err != nil {
		t.Errorf("%s: %v", who, err)
		return false
	}
	for _, when := range tensorTimes {
		c, err := p.Prepare(l, nil)
		if err != nil {
			t.Errorf("%s: %v", who, err)
			return false
		}
		c.Launch.Async, c.Launch.MaxSteps = when, 4_000_000
		st, err := p.Run(&c.Launch)
		if err != nil {
			t.Errorf("%s, %v: %v", who, when, err)
			return false
		}
		if len(st.Races) > 0 {
			t.Errorf("%s, %v: %v", who, when, st.Races[0])
			return false
		}
		for n := range want {
			if !bytes.Equal(want[n], c.Buffers[n]) {
				t.Errorf("%s, %v: buffer %d differs at %d", who, when, n, differs(want[n], c.Buffers[n]))
				return false
			}
		}
	}
	return true
}

func differs(a, b []byte) int {
	for n := range a {
		if n >= len(b) || a[n] != b[n] {
			return n
		}
	}
	return len(a)
}

// TestTensorRun runs every form of instruction on tensor memory: the
// interpreter, our code and the reference's in the simulator leave the same,
// whenever asynchronous work happens.
func TestTensorRun(t *testing.T) { tensorRuns(t, "sm_100a", 97, TensorRun) }

// TestTensorDeep does so with products of depth 96.
func TestTensorDeep(t *testing.T) { tensorRuns(t, "sm_103a", 41, TensorRunDeep) }

func tensorRuns(t *testing.T, arch string, step int, run func(TensorForm, int) (string, launch.Launch)) {
	t.Helper()
	x := oracle.Find(t)
	if os.Getenv("GOPTXAS_FULL") != "" {
		step = 1
	}
	refused := map[string]int{}
	var texts []string
	var launches []launch.Launch
	var forms []TensorForm
	for n, f := range TensorForms() {
		text, l := run(f, n)
		if text == "" || n%step != 0 || os.Getenv("TENSOR_FORM") != "" && !strings.Contains(f.Text, os.Getenv("TENSOR_FORM")) {
			continue
		}
		if _, err := front.Check("t.ptx", TensorModule(arch)+text, arch); err != nil {
			if strings.Contains(err.Error(), "requires .target") || strings.Contains(err.Error(), "not supported on .target") {
				continue
			}
			t.Fatalf("%s: %v\n%s", f.Text, err, text)
		}
		texts, launches, forms = append(texts, text), append(launches, l), append(forms, f)
	}
	good := 0
	for first := 0; first < len(texts); first += 16 {
		last := min(first+16, len(texts))
		text := TensorModule(arch) + strings.Join(texts[first:last], "")
		msg, ours := compileFile(text, arch)
		if msg != "" {
			t.Fatal(msg)
		}
		ref, err := x.CubinOf([]byte(text), "-arch="+arch)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ptxvm.Load("t.ptx", text, arch)
		if err != nil {
			t.Fatal(err)
		}
		for n := first; n < last; n++ {
			want, err := p.Run(&launches[n], ptxvm.Options{})
			if err != nil && strings.Contains(err.Error(), "has no meaning in the witnesses") {
				refused[err.Error()[strings.LastIndex(err.Error(), ": ")+2:]]++
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", forms[n].Text, err)
				continue
			}
			late, err := p.Run(&launches[n], ptxvm.Options{Late: true})
			if err != nil || !bytes.Equal(want[1], late[1]) {
				t.Errorf("%s: late: %v", forms[n].Text, err)
				continue
			}
			a := tensorAgrees(t, "reference: "+forms[n].Text, ref, &launches[n], want)
			if tensorAgrees(t, "ours: "+forms[n].Text, ours, &launches[n], want) && a {
				good++
			}
		}
	}
	t.Logf("%d of %d forms agree, of whose others the witnesses have no meaning: %v", good, len(texts), refused)
}
