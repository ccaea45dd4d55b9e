package opgen

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// simulate runs a launch in the simulator with the code of a file.
func simulate(file []byte, l *launch.Launch) ([][]byte, error) {
	m, err := sim.Load(file)
	if err != nil {
		return nil, err
	}
	p, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	c, err := p.Prepare(l, nil)
	if err != nil {
		return nil, err
	}
	_, err = p.Run(&c.Launch)
	return c.Buffers, err
}

// runFile simulates the first launch of a text with the code of a file.
func runFile(file []byte, text string) ([][]byte, error) {
	launches, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	return simulate(file, &launches[0])
}

// seen is what the witnesses left of one launch of a batch: the interpreter,
// our code and the reference's. Those that cannot tell are nil.
type seen struct {
	interp, ours, theirs [][]byte
	noInterp, noRef      error
}

// look runs a batch with all witnesses.
func look(t *testing.T, tools *oracle.Tools, b *Batch) ([]seen, error) {
	text := b.Text()
	msg, file := compileFile(text, "sm_90a")
	if msg != "" {
		return nil, errors.New(msg)
	}
	launches, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	ref, noRef := tools.CubinOf([]byte(text), "-arch=sm_90a")
	vm, noInterp := ptxvm.Load(b.Name+".ptx", text, "sm_90a")
	out := make([]seen, len(launches))
	for n := range launches {
		l, s := &launches[n], &out[n]
		if s.ours, err = simulate(file, l); err != nil && !strings.Contains(err.Error(), "no meaning in the simulator") {
			return nil, err
		} else if err != nil {
			s.ours, s.noRef, s.noInterp = nil, err, err
			continue
		}
		if s.noRef = noRef; noRef == nil {
			if s.theirs, s.noRef = simulate(ref, l); s.noRef != nil {
				s.theirs = nil
			}
		}
		if s.noInterp = noInterp; noInterp == nil {
			s.interp, s.noInterp = vm.Run(l, ptxvm.Options{})
		}
	}
	return out, nil
}

// tally counts forms, each by the worst of its launches.
type tally struct {
	equal, both int // our code and the reference's leave the same; so does the interpreter
	listed      map[string]int
	alone       int // the simulator cannot run the reference's code: the interpreter agrees with ours
	unknown     int // nobody else can tell
	wrong       int
}

// judge compares what the witnesses left of a form.
func (y *tally) judge(t *testing.T, f *Form, n int, all []seen) {
	same, told, family := true, true, ""
	for k := range all {
		s := &all[k]
		var i, o, r []byte
		if s.ours == nil {
			y.unknown++
			return
		}
		o = s.ours[n+1]
		if s.interp != nil {
			i = s.interp[n+1]
		}
		if s.theirs != nil {
			r = s.theirs[n+1]
		}
		told = told && i != nil
		switch {
		case r == nil && i == nil:
			y.unknown++
			return
		case r == nil && bytes.Equal(i, o):
			same = false
		case r == nil:
			y.fail(t, "%s: launch %d: not what the interpreter says", f.Text, k)
			return
		case bytes.Equal(o, r):
			if i != nil && !bytes.Equal(i, o) {
				told = false
				if !opaque.MatchString(f.Text) {
					y.fail(t, "%s: launch %d: both codes agree and the interpreter does not: %s", f.Text, k, firstDifference(s.ours[0], i, o, r))
					return
				}
			}
		case unsimulated.MatchString(f.Text):
			y.unknown++
			return
		default:
			name, why := explain(f, s.ours[0], i, o, r)
			if why != "" {
				y.fail(t, "%s: launch %d: another result than the reference's code, %s: %s", f.Text, k, why, firstDifference(s.ours[0], i, o, r))
				return
			}
			family = name
		}
	}
	switch {
	case family != "":
		y.listed[family]++
	case !same:
		y.alone++
	default:
		y.equal++
		if told {
			y.both++
		}
	}
}

func (y *tally) fail(t *testing.T, format string, args ...any) {
	if y.wrong++; y.wrong <= 300 {
		t.Errorf(format, args...)
	}
}

// split parts a batch into batches of one form, for forms that a witness
// does not know.
func (b *Batch) split() []Batch {
	var out []Batch
	for n := range b.Forms {
		one := Batches([]string{b.Forms[n].Text})
		out = append(out, one...)
	}
	return out
}

// TestSweepVersus runs forms of the sweep with the code of both compilers in
// the simulator and in the interpreter, on edges and on random bits. Where
// the codes differ, a family of docs/differences.md must say so of the very
// inputs that differ, and the interpreter must agree with our code.
func TestSweepVersus(t *testing.T) {
	tools := oracle.Find(t)
	all := batches(t)
	stride, first := 97, 0
	if os.Getenv("GOPTXAS_FULL") != "" {
		stride = 1
	}
	y := tally{listed: map[string]int{}}
	only := os.Getenv("OPGEN_ONLY")
	for at := first; at < len(all); at += stride {
		if len(all[at].Name) < len(only) || all[at].Name[:len(only)] != only {
			continue
		}
		y.batch(t, tools, &all[at], true)
	}
	n := y.equal + y.alone + y.unknown + y.wrong
	for name, k := range y.listed {
		n += k
		t.Logf("listed: %4d %s", k, name)
	}
	t.Logf("%d forms run: %d equal (the interpreter says the same of %d), %d only beside the interpreter, %d on a GPU only, %d differ and are not listed", n, y.equal, y.both, y.alone, y.unknown, y.wrong)
}

func (y *tally) batch(t *testing.T, tools *oracle.Tools, b *Batch, again bool) {
	s, err := look(t, tools, b)
	if err != nil {
		y.fail(t, "%s: %v", b.Name, err)
		return
	}
	if again && len(b.Forms) > 1 && (s[0].noInterp != nil || s[0].noRef != nil) {
		for _, one := range b.split() {
			y.batch(t, tools, &one, false)
		}
		return
	}
	for n := range b.Forms {
		y.judge(t, &b.Forms[n], n, s)
	}
}

// words cuts a thread's part of a buffer into words.
func words(b []byte, thread, size int) []uint64 {
	var out []uint64
	for at := thread * size; at+8 <= (thread+1)*size; at += 8 {
		out = append(out, binary.LittleEndian.Uint64(b[at:]))
	}
	return out
}
