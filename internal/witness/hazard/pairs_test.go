package hazard

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// pairArchs are architectures with tables of their own, and the columns of
// the mask in golden.tsv.gz that say which words they have.
var pairArchs = []struct {
	name   string
	column uint
}{{"sm_75", 0}, {"sm_80", 1}, {"sm_89", 5}, {"sm_90a", 7}, {"sm_100a", 8}, {"sm_120a", 11}}

var (
	timingFiles = [numFiles]target.File{fileR: target.FileR, fileUR: target.FileUR, fileP: target.FileP, fileUP: target.FileUP, fileB: target.FileB}
	timingRoles = map[slot]timing.Role{"addr": timing.Address, "uaddr": timing.Address, "desc": timing.Desc, "cidx": timing.Index, "g": timing.Guard}
)

// end is one side of a pair: a register of an instruction, as the checker and
// as the compiler see it.
type end struct {
	op    *Op
	acc   Access
	class target.Class
	use   timing.Use
	text  string
}

// ends are the sides that differ in anything that a distance depends on.
type ends struct {
	reads, writes []end
	seen          map[string]bool
}

func (e *ends) add(to *[]end, kind string, x end) {
	key := fmt.Sprint(kind, x.op.inst.class, x.op.Variable(), x.acc.slot, fileOf(x.acc.Cell), x.class, x.use.Role, x.use.Arg)
	if !e.seen[key] {
		e.seen[key] = true
		*to = append(*to, x)
	}
}

// collect describes the words of the reference for one architecture.
func collect(t *testing.T, a *target.Arch, column uint) (*Model, *ends) {
	var list []sass.Inst
	for line := range strings.Lines(string(cases.Unzip(t, "../../../testdata/sass/golden.tsv.gz"))) {
		var n [3]uint64
		for k, text := range strings.SplitN(line, "\t", 4)[:3] {
			var err error
			if n[k], err = strconv.ParseUint(text, 16, 64); err != nil {
				t.Fatal(err)
			}
		}
		if n[0]>>column&1 == 0 {
			continue
		}
		if x := sass.Decode(a, bits.Word{Lo: n[1], Hi: n[2]}); x.Known() {
			list = append(list, x)
		}
	}
	m, err := NewModel(a, list)
	if err != nil {
		t.Fatal(err)
	}
	e := &ends{seen: map[string]bool{}}
	for k := range m.Ops {
		o, class := &m.Ops[k], list[k].Class()
		if o.inst.never || o.Group() || class == target.ClassGmma || o.Class() == "?" || o.Class() == "other" {
			continue // products of warp groups have rules of their own, and of some nothing is known
		}
		for _, w := range o.Writes {
			e.add(&e.writes, "w", end{o, w, rowOf(class, w.slot), timing.Use{}, o.inst.text})
		}
		for _, r := range o.Reads {
			e.add(&e.reads, "r", end{o, r, class, useOf(r), o.inst.text})
		}
	}
	return m, e
}

// rowOf is the compiler's row of a result: a wide product's high word has its own.
func rowOf(c target.Class, s slot) target.Class {
	if c == target.ClassWide && s == "d.hi" {
		return target.ClassWideHi
	}
	return c
}

// useOf says the same of a source in the compiler's words.
func useOf(r Access) timing.Use {
	u := timing.Use{File: timingFiles[fileOf(r.Cell)], Role: timingRoles[r.slot]}
	if r.slot == "c" || r.slot == "c.lo" || r.slot == "c.hi" {
		u.Arg = 2
	}
	return u
}

// sinkOf is the compiler's kind of reader.
func (e *end) sinkOf() target.Sink {
	switch {
	case e.class == target.ClassWide && e.acc.slot == "c.lo" && e.use.File == target.FileR:
		return target.SinkWideLo
	case e.class == target.ClassWide && e.acc.slot == "c.hi" && e.use.File == target.FileR:
		return target.SinkWideHi
	}
	return timing.SinkOf(e.class, e.use)
}

// TestPairs asks for every two accesses to a register that the reference's
// words know whether the compiler leaves the cycles that the checker wants.
func TestPairs(t *testing.T) {
	for _, x := range pairArchs {
		t.Run(x.name, func(t *testing.T) {
			a := target.Find(x.name)
			m, e := collect(t, a, x.column)
			short, asked := map[string]string{}, 0
			ask := func(what string, from, to *end, have, want int) {
				asked++
				if have < want {
					k := fmt.Sprintf("%s, %s: %s.%s to %s.%s %d instead of %d", what, fileNames[fileOf(from.acc.Cell)], from.op.Class(), from.acc.slot, to.op.Class(), to.acc.slot, have, want)
					short[k] = from.text + " -> " + to.text
				}
			}
			e.pairs(m, target.TimingOf(a), ask)
			for _, k := range slices.Sorted(maps.Keys(short)) {
				t.Errorf("%s: %s", k, short[k])
			}
			t.Logf("%d results, %d sources, %d pairs", len(e.writes), len(e.reads), asked)
		})
	}
}

// pairs calls ask with what the compiler leaves and what the checker wants.
// Where a barrier tells when, cycles do not matter.
func (e *ends) pairs(m *Model, tm *target.Timing, ask func(what string, from, to *end, have, want int)) {
	for i := range e.writes {
		w := &e.writes[i]
		f := fileOf(w.acc.Cell)
		waited := w.op.Variable() || tm.Variable(w.class)
		for j := range e.reads {
			r := &e.reads[j]
			if fileOf(r.acc.Cell) != f {
				continue
			}
			if !waited {
				ask("read", w, r, tm.RAW(timingFiles[f], w.class, r.sinkOf()), m.Read(w.op, w.acc, r.op, r.acc))
			}
			if !m.Late(r.op, r.acc) {
				ask("write after read", r, w, tm.WAR(timingFiles[f], r.class, w.class), m.Over(r.op, r.acc, w.op))
			}
		}
		for j := range e.writes {
			if v := &e.writes[j]; fileOf(v.acc.Cell) == f && !waited {
				ask("write after write", w, v, tm.WAW(timingFiles[f], w.class, v.class), m.Write(w.op, w.acc, v.op))
			}
		}
	}
}
