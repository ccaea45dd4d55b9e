package cli

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/bits"
	"time"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// errReports says that a timed run found early reads, or an asynchronous one
// places that no rule orders.
var errReports = errors.New("a result was read before it arrived, or nothing orders two accesses")

// run executes the launches and prints what they did.
func run(o *options, out io.Writer) error {
	m, list, err := o.launched()
	if err != nil {
		return err
	}
	if o.cost {
		return o.price(m, list, out)
	}
	bad := false
	for n := range list {
		reports, err := o.one(m, &list[n], out)
		if err != nil {
			return err
		}
		bad = bad || reports > 0
	}
	if bad {
		return errReports
	}
	return nil
}

// price prints the cycles of all launches together, and a hash of the memory
// that they leave behind.
func (o *options) price(m *sim.Module, list []launch.Launch, out io.Writer) error {
	cycles, h := uint64(0), fnv.New64a()
	for n := range list {
		p, err := m.Kernel(list[n].Kernel)
		if err != nil {
			return err
		}
		c, err := p.Prepare(&list[n], nil)
		if err != nil {
			return err
		}
		c.Launch.MaxSteps, c.Launch.Timed = o.max, true
		r := newRecorder(&c.Launch, p.Len())
		c.Launch.Hook = r.hook
		st, err := p.Run(&c.Launch)
		if err != nil {
			return err
		}
		if len(st.Reports) > 0 {
			fmt.Fprintf(out, "early: %v\n", st.Reports[0])
			return errReports
		}
		f := p.Function()
		cycles += uint64(r.cycles(f.Regs, list[n].Smem, o.fill))
		for _, b := range c.Buffers {
			h.Write(b)
		}
	}
	fmt.Fprintf(out, "%d %016x\n", cycles, h.Sum64())
	return nil
}

func (o *options) one(m *sim.Module, l *launch.Launch, out io.Writer) (int, error) {
	p, err := m.Kernel(l.Kernel)
	if err != nil {
		return 0, err
	}
	c, err := p.Prepare(l, nil)
	if err != nil {
		return 0, err
	}
	c.Launch.MaxSteps = o.max
	c.Launch.Timed = o.timed
	c.Launch.Paths = o.paths
	if c.Launch.Async, err = sim.ParseAsync(o.async); err != nil {
		return 0, &usageError{err.Error()}
	}
	t := tracer{out: out}
	if o.trace {
		c.Launch.Hook = t.hook
	}
	fmt.Fprintf(out, "%s<<<%s, %s>>> on %s\n", l.Kernel, dims(l.Grid), dims(l.Block), m.Arch.Name)
	start := time.Now()
	st, err := p.Run(&c.Launch)
	t.flush()
	if err != nil {
		return 0, err
	}
	for n, b := range c.Buffers {
		if b != nil {
			o.buffer(out, n, &l.Args[n], b)
		}
	}
	took := time.Since(start)
	if !o.timed && !o.quick {
		st.Cycles, st.Stalls, st.StallsBy = o.clock(p, l)
	}
	statistics(out, st, took)
	for _, r := range st.Reports {
		fmt.Fprintf(out, "early: %v\n", r)
	}
	for _, r := range st.Races {
		fmt.Fprintf(out, "race: %v\n", r)
	}
	return len(st.Reports) + len(st.Races), nil
}

// clock runs the launch again in timed mode for an estimate of its time.
func (o *options) clock(p *sim.Program, l *launch.Launch) (cycles, stalls uint64, by [sim.NumClasses]uint64) {
	c, err := p.Prepare(l, nil)
	if err != nil {
		return 0, 0, by
	}
	c.Launch.MaxSteps, c.Launch.Timed = o.max, true
	st, err := p.Run(&c.Launch)
	if err != nil {
		return 0, 0, by
	}
	return st.Cycles, st.Stalls, st.StallsBy
}

func dims(d [3]uint32) string {
	switch {
	case d[2] > 1:
		return fmt.Sprintf("%d×%d×%d", d[0], d[1], d[2])
	case d[1] > 1:
		return fmt.Sprintf("%d×%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}

// buffer prints the start of a buffer and how much of it changed.
func (o *options) buffer(out io.Writer, n int, a *launch.Arg, b []byte) {
	as := o.as
	switch {
	case as != "":
	case a.Tex != nil && a.Tex.Format == "f32":
		as = "f32"
	default:
		as = defaultType(a.Fill)
	}
	old := launch.Data(a.Fill, a.Seed, a.Buf)
	if a.Tex != nil {
		old = a.Tex.Data()
	}
	changed := 0
	for k := range b {
		if b[k] != old[k] {
			changed++
		}
	}
	size, show := elements(as)
	fmt.Fprintf(out, "  argument %d: %d bytes, %d changed:", n, len(b), changed)
	for k := 0; k < o.show && (k+1)*size <= len(b); k++ {
		fmt.Fprintf(out, " %s", show(b[k*size:]))
	}
	if o.show*size < len(b) {
		fmt.Fprint(out, " …")
	}
	fmt.Fprintln(out)
}

func defaultType(fill string) string {
	switch fill {
	case "f32", "pos32", "whole":
		return "f32"
	case "f64":
		return "f64"
	case "u8":
		return "x8"
	}
	return "x32"
}

// elements tells the size of an element and how it prints.
func elements(as string) (int, func([]byte) string) {
	le := binary.LittleEndian
	switch as {
	case "f32":
		return 4, func(b []byte) string { return fmt.Sprintf("%.6g", math.Float32frombits(le.Uint32(b))) }
	case "f64":
		return 8, func(b []byte) string { return fmt.Sprintf("%.9g", math.Float64frombits(le.Uint64(b))) }
	case "u32":
		return 4, func(b []byte) string { return fmt.Sprint(le.Uint32(b)) }
	case "s32":
		return 4, func(b []byte) string { return fmt.Sprint(int32(le.Uint32(b))) }
	case "u64":
		return 8, func(b []byte) string { return fmt.Sprint(le.Uint64(b)) }
	case "x8":
		return 1, func(b []byte) string { return fmt.Sprintf("%02x", b[0]) }
	}
	return 4, func(b []byte) string { return fmt.Sprintf("%08x", le.Uint32(b)) }
}

func statistics(out io.Writer, st *sim.Stats, took time.Duration) {
	warps, threads := st.Total()
	fmt.Fprintf(out, "  %d warp instructions, %d thread instructions", warps, threads)
	if warps > 0 {
		fmt.Fprintf(out, ", %.1f lanes on average", float64(threads)/float64(warps))
	}
	fmt.Fprintln(out)
	for c := range sim.NumClasses {
		if st.Warps[c] > 0 {
			fmt.Fprintf(out, "    %-16s %10d warps %12d threads\n", c, st.Warps[c], st.Threads[c])
		}
	}
	fmt.Fprintf(out, "  %d divergent branches, %d shared accesses with %d bank conflicts\n", st.Divergent, st.Shared, st.Conflicts)
	if st.Behind > 0 {
		fmt.Fprintf(out, "  %d times lanes were left behind at a convergence barrier\n", st.Behind)
	}
	if st.Cycles > 0 {
		fmt.Fprintf(out, "  about %d cycles for the longest warp; all warps together waited %d", st.Cycles, st.Stalls)
		sep := ":"
		for c := range sim.NumClasses {
			if st.StallsBy[c] > 0 {
				fmt.Fprintf(out, "%s %d for %s", sep, st.StallsBy[c], c)
				sep = ","
			}
		}
		fmt.Fprintln(out)
	}
	if s := took.Seconds(); s > 0.01 {
		fmt.Fprintf(out, "  simulated %.1f M thread instructions a second\n", float64(threads)/s/1e6)
	}
}

// tracer prints each instruction and, when the warp comes back, what it
// wrote for its first lane.
type tracer struct {
	out  io.Writer
	last traceEntry
}

type traceEntry struct {
	used bool
	text string
	done func() string
}

func (t *tracer) hook(e *sim.Event) error {
	t.flush()
	b, mask := e.Block(), e.Executes()
	lane := bits.TrailingZeros32(mask|1<<31) & 31
	t.last = traceEntry{true, fmt.Sprintf("%d,%d,%d w%d %08x %04x %s", b[0], b[1], b[2], e.Warp(), mask, e.PC(), e.Text()), func() string { return "" }}
	if mask != 0 {
		t.last.done = e.Result(lane)
	}
	return nil
}

// flush prints the instruction that is now complete.
func (t *tracer) flush() {
	if t.last.used {
		fmt.Fprintf(t.out, "%-90s%s\n", t.last.text, t.last.done())
		t.last.used = false
	}
}
