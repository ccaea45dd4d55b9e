// Package phase runs the phases of a compile over a function. A phase is a row
// of data; the order is data too; and everything that watches a phase (dumps,
// times, memory, checks, bisection) is an Observer or an option reachable by
// every user.
//
// The package knows nothing about the function type F: the pipeline gives the
// rows, and a few hooks that print, check and name an F.
package phase

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// Props is a set of facts about a function, such as "in SSA form", whose bits
// the pipeline gives meaning to.
type Props uint64

// Row is one phase.
type Row[F any] struct {
	Name     string
	Run      func(f F, c *Ctx) error
	MinOpt   int8     // lowest -O level that runs it
	Required bool     // runs at every level and cannot be switched off
	Gate     knobs.ID // bool knob that must be true; knobs.None: no gate
	NoOp     func(f F, c *Ctx) bool
	Needs    Props // facts that must hold before
	Gives    Props // facts that hold after
	Breaks   Props // facts that may no longer hold after
}

// Ctx is what a running phase may ask about its surroundings.
type Ctx struct {
	Phase string
	Func  string
	Opt   int
	Knobs *knobs.Set
	Pool  *pool.Pool // of the function; may be nil

	bisect *Bisect
	step   int // place in the plan: a phase may run more than once
}

// Bisects reports whether ShouldChange may say no.
func (c *Ctx) Bisects() bool { return c.bisect != nil }

// ShouldChange reports whether the phase may do the optional rewrite it is
// about to do, of the given kind, on the thing numbered id: an instruction, a
// block, a register. Bisection answers no to all but some; it works as long as
// id does not depend on which other rewrites were allowed.
func (c *Ctx) ShouldChange(kind string, id int) bool {
	if c.bisect == nil {
		return true
	}
	return c.bisect.allow(Change{Func: c.Func, Phase: c.Phase, Step: c.step, Kind: kind, ID: id})
}

// Table is an ordered list of phases.
type Table[F any] struct {
	Rows []Row[F]
	// Order names the rows in the order they run, a row as often as wished;
	// nil is the order of Rows.
	Order []string
	// Entry holds the facts that are true before the first phase.
	Entry Props
}

// Hooks are the few things the runner must be able to do with an F. Name is
// needed; the others may be nil.
type Hooks[F any] struct {
	Name    func(f F) string
	Dump    func(w io.Writer, f F, e *Event) error // the IR as text that parses again
	Check   func(f F) error                        // verify the IR and its facts
	Shuffle func(f F)                              // disturb whatever order does not matter
	Pool    func(f F) *pool.Pool
	Stop    func() error   // asked before every phase; an error ends the run with it
	Skip    func(f F) bool // asked before every phase that is not required; true leaves it out
	Done    func(f F)      // called after every phase
	// Create opens a place for a dump: kind is "dump" or "html". The default
	// drops dumps.
	Create func(fn string, seq int, phase, kind string) (io.WriteCloser, error)
}

// Event tells an Observer about one run of one phase.
type Event struct {
	Seq    int // position in the run, from 0
	Step   int // position in the plan, from 0
	Phase  string
	Func   string
	Time   time.Duration // After only
	Mem    pool.Delta    // After only, when the function has a pool
	Err    error         // After only
	Opened time.Time
}

// Observer is called before and after every phase that runs; the Event is valid
// during the call. The time an
// Observer takes is not counted as phase time.
type Observer[F any] interface {
	Before(f F, e *Event)
	After(f F, e *Event)
}

// Runner runs a table's phases for one set of options. It is not changed by
// running, so many goroutines may use one Runner.
type Runner[F any] struct {
	plan      []step[F]
	hooks     Hooks[F]
	observers []Observer[F]
	opt       int
	knobs     *knobs.Set
	bisect    *Bisect
	checkAll  bool
}

// step is a row together with what the user said about it.
type step[F any] struct {
	row  *Row[F]
	flag flags
}

// Config is all that a Runner is made from.
type Config[F any] struct {
	Table     Table[F]
	Hooks     Hooks[F]
	Opt       int        // -O level
	Knobs     *knobs.Set // nil: defaults
	Options   []string   // values of --phase
	Observers []Observer[F]
}

// New returns a Runner for c, or the error in its options, its NamedPhases or
// its table.
func New[F any](c Config[F]) (*Runner[F], error) {
	if c.Knobs == nil {
		c.Knobs = knobs.New()
	}
	r := &Runner[F]{hooks: c.Hooks, observers: c.Observers, opt: c.Opt, knobs: c.Knobs}
	order, err := c.Table.order(c.Knobs)
	if err != nil {
		return nil, err
	}
	r.plan = make([]step[F], len(order))
	for n, row := range order {
		r.plan[n].row = row
	}
	for _, o := range c.Options {
		if err := r.option(o); err != nil {
			return nil, err
		}
	}
	if err := r.dumpIR(c.Knobs.String(knobs.DumpIR)); err != nil {
		return nil, err
	}
	if p := c.Knobs.String(knobs.BisectKnob); p != "" {
		if r.bisect, err = ParseBisect(p); err != nil {
			return nil, err
		}
		if file := c.Knobs.String(knobs.BisectLog); file != "" {
			if err := r.bisect.Log(file); err != nil {
				return nil, err
			}
		}
	}
	r.plan = slices.DeleteFunc(r.plan, func(s step[F]) bool { return !r.active(&s) })
	return r, r.checkNeeds(c.Table.Entry)
}

// order returns the rows in the order to run: the table's, or the one the
// NamedPhases knob gives.
func (t *Table[F]) order(k *knobs.Set) ([]*Row[F], error) {
	names := t.Order
	if s := k.String(knobs.NamedPhases); s != "" {
		names = splitNames(s)
	}
	var out []*Row[F]
	if names == nil {
		for i := range t.Rows {
			out = append(out, &t.Rows[i])
		}
		return out, nil
	}
	out = make([]*Row[F], 0, len(names))
	var found index
	for i := range t.Rows {
		found.add(t.Rows[i].Name, i)
	}
	for _, n := range names {
		r := t.row(n, &found)
		if r == nil {
			return nil, fmt.Errorf("unknown phase %q", n)
		}
		out = append(out, r)
	}
	return out, nil
}

// index finds rows by the lengths and the ends of their names.
type index struct {
	first [64]uint8  // of those that look like one, the number of the first, plus one
	next  [256]uint8 // of each row, that of the next
}

// look is what tells most names apart.
func look(name string) uint8 {
	n := len(name)
	if n == 0 {
		return 0
	}
	return (uint8(n) + 4*name[0] + 16*name[n-1]) % 64
}

// add notes the name of a row; rows beyond those it has room for are found without.
func (x *index) add(name string, row int) {
	if row+1 < len(x.next) {
		at := look(name)
		x.next[row], x.first[at] = x.first[at], uint8(row+1)
	}
}

// row returns the row of a name, however its letters are written, or nil.
func (t *Table[F]) row(name string, found *index) *Row[F] {
	for n := found.first[look(name)]; n > 0; n = found.next[n-1] {
		if r := &t.Rows[n-1]; r.Name == name {
			return r
		}
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; strings.EqualFold(r.Name, name) {
			return r
		}
	}
	return nil
}

func splitNames(s string) (names []string) {
	for n := range strings.SplitSeq(s, ",") {
		if n = strings.TrimSpace(n); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// active reports whether the -O level, the gate and the user let a step run.
func (r *Runner[F]) active(s *step[F]) bool {
	switch {
	case s.row.Required:
		return true
	case s.flag.off:
		return false
	case s.flag.on:
		return true
	case r.opt < int(s.row.MinOpt):
		return false
	case s.row.Gate != knobs.None:
		return r.knobs.Bool(s.row.Gate)
	}
	return true
}

// checkNeeds proves that every step of the plan finds the facts it needs.
func (r *Runner[F]) checkNeeds(have Props) error {
	for i := range r.plan {
		row := r.plan[i].row
		if miss := row.Needs &^ have; miss != 0 {
			return fmt.Errorf("phase %s needs facts %#x that do not hold before it", row.Name, uint64(miss))
		}
		have = have&^row.Breaks | row.Gives
	}
	return nil
}

// Names returns the names of the phases that will run, in order.
func (r *Runner[F]) Names() []string {
	var names []string
	for i := range r.plan {
		names = append(names, r.plan[i].row.Name)
	}
	return names
}
