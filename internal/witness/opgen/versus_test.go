package opgen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"goptxas/internal/witness/launch"
	"goptxas/internal/witness/oracle"
	"goptxas/internal/witness/sim"
)

// runFile simulates the one launch of a text with the code of a file.
func runFile(file []byte, text string) ([][]byte, error) {
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

// bothWays runs a text with our code and the reference's.
func bothWays(t *testing.T, tools *oracle.Tools, text string) (ours, theirs [][]byte, err error) {
	msg, file := compileFile(text, "sm_90a")
	if msg != "" {
		return nil, nil, errors.New(msg)
	}
	in := filepath.Join(t.TempDir(), "in.ptx")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		return nil, nil, err
	}
	if r := tools.Ptxas("-arch=sm_90a", "-o", in+".cubin", in); r.Exit != 0 {
		return nil, nil, errReference
	}
	ref, err := os.ReadFile(in + ".cubin")
	if err != nil {
		return nil, nil, err
	}
	if theirs, err = runFile(ref, text); err != nil {
		return nil, nil, errReference
	}
	ours, err = runFile(file, text)
	return ours, theirs, err
}

var errReference = errors.New("the reference's code cannot be made or run here")

// otherwise are the forms of docs/differences.md, and those whose last bits
// only the special function unit knows.
var otherwise = regexp.MustCompile(`^(fns|bfe\.|bfi\.|cvt\.rna|vadd\.|vsub\.|vabsdiff\.|vmin\.|vmax\.|vshl\.|vshr\.|vmad\.|st\S*\.f32 .*%rd1$)|\.approx|\.full|\.oob`)

// versusSkip are forms that the simulator does not run: it has one block and
// no clusters of more, and knows nothing of caches' policies.
var versusSkip = regexp.MustCompile(`^(nanosleep|elect|barrier\.cluster)`)

// TestSweepVersus runs forms of the sweep twice in the simulator, with our
// code and with the reference's, and compares results and memory.
func TestSweepVersus(t *testing.T) {
	tools := oracle.Find(t)
	list, _ := sweepAccepted("sm_90a")
	stride := 151
	if os.Getenv("GOPTXAS_FULL") != "" {
		stride = 3
	}
	n, equal, listed, unknown := 0, 0, 0, 0
	for at := 0; at < len(list); at += stride {
		f := Form{Text: list[at]}
		if !placeable(f.Text) || versusSkip.MatchString(f.Text) {
			continue
		}
		text := Placed("k", "sm_90a", []Form{f}, uint64(at+1))
		if f.IsArithmetic() {
			text = File("k", "sm_90a", []Form{f}, 256, uint64(at+1))
		}
		n++
		ours, theirs, err := bothWays(t, tools, text)
		switch {
		case err == errReference:
			unknown++
		case err != nil:
			t.Errorf("%s: %v", f.Text, err)
		case bytes.Equal(ours[1], theirs[1]):
			equal++
		case otherwise.MatchString(f.Text):
			listed++
		default:
			t.Errorf("%s: another result than the reference's code", f.Text)
		}
	}
	t.Logf("%d forms run both ways: %d equal, %d listed differences, %d beyond the reference or the simulator", n, equal, listed, unknown)
}
