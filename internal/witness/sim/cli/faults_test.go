package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/hazard"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sweep"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// Faults put into our code of asynchronous kernels, one at a time: a wait, a
// fence, a barrier, a stall taken out. The hazard checker, or the simulator,
// timed and with early or late asynchronous work, must see each.

// faultKinds of faults.
const (
	faultWait = iota
	faultFence
	faultBarrier
	faultStall
	numFaults
)

var faultNames = [numFaults]string{"waits", "fences", "barriers", "stalls"}

// subject is a kernel with a launch.
type subject struct {
	name   string
	cubin  []byte
	launch func(m *sim.Module) (*sim.Program, *sim.Case)
	left   map[string]*sim.Case // by the code as it is, by timing
}

// fault is one change: the place in the file and what stands there instead.
type fault struct {
	kind   int
	at     int
	lo, hi uint64
	pc     uint64
	text   string
}

// TestAsyncFaults counts the faults that are seen. Some are none: a stall may
// be longer than it needs to be, another wait may cover one, programs have
// barriers between accesses of different memory. Those are found by other
// means than the ones that see faults: hazard's walks along the code, and a
// list of who accesses what between which barriers.
func TestAsyncFaults(t *testing.T) {
	kernels, each := sweep.Of(4, 2), sweep.Of(6, 4)
	if os.Getenv("GOPTXAS_FULL") != "" {
		kernels, each = 50, 8
	} else if testing.Short() {
		kernels, each = 1, 4
	}
	var total, idle, seen [numFaults]int
	done := 0
	subjects(t, kernels, func(s *subject) {
		list := s.faults(t)
		for kind := range numFaults {
			var some []fault
			for _, f := range list {
				if f.kind == kind {
					some = append(some, f)
				}
			}
			step := max(1, len(some)/each)
			for n := 0; n < len(some); n += step {
				f := &some[n]
				total[kind]++
				if s.sees(t, f) {
					seen[kind]++
				} else if why := s.needs(t, f); why == "" {
					idle[kind]++
				} else {
					t.Logf("%s: not seen without %s: %04x %s (%s)", s.name, faultNames[kind], f.pc, f.text, why)
				}
			}
		}
		done++
		t.Logf("%d kernels: %d and %d idle of %d", done, seen, idle, total)
	})
	all, none := 0, 0
	for kind := range numFaults {
		real := total[kind] - idle[kind]
		all, none = all+real, none+real-seen[kind]
		t.Logf("%s: %d taken out, %d idle, %d of %d seen", faultNames[kind], total[kind], idle[kind], seen[kind], real)
		if seen[kind] == 0 && real > 0 {
			t.Errorf("of %s none that is missing is seen", faultNames[kind])
		}
	}
	if none*100 > all {
		t.Errorf("of %d faults %d are not seen", all, none)
	}
}

// subjects visits kernels of the zoo and of the corpus whose launch ends and
// about which nothing is said.
func subjects(t *testing.T, want int, visit func(*subject)) {
	found := 0
	list := zoo.Hopper(t)
	step := max(1, len(list)/((want+1)/2)) // of every kind of kernel some
	for n := range list {
		k := &list[(n*step+n*step/len(list))%len(list)]
		_, cubin := compile(t, k, "sm_90a")
		if cubin == nil {
			t.Fatalf("%s does not compile", k.File)
		}
		s := &subject{name: k.File, cubin: cubin, launch: func(m *sim.Module) (*sim.Program, *sim.Case) { return start(t, m, k, 0) }}
		if found < (want+1)/2 && s.quiet(t) {
			found++
			visit(s)
		}
	}
	if testing.Short() {
		return
	}
	for _, file := range corpus.Find(t).Every(1 << 20) {
		if found >= want {
			break
		}
		text, err := file.Read()
		if err != nil || !bytes.Contains(text, []byte("wgmma.mma_async")) || bytes.Contains(text, []byte("cp.async.bulk.tensor")) || len(text) > 60<<10 {
			continue
		}
		k := &zoo.Kernel{File: file.Name, Text: string(text)}
		_, cubin := compile(t, k, "sm_90a")
		if cubin == nil {
			continue
		}
		s := &subject{name: file.Name, cubin: cubin, launch: func(m *sim.Module) (*sim.Program, *sim.Case) {
			p, err := m.Kernel(m.Kernels()[0].Name)
			if err != nil {
				t.Fatal(err)
			}
			c := p.Blind("f32", 1, false)
			c.Launch.Grid = [3]uint32{1, 1, 1}
			c.Launch.Lenient, c.Launch.Smem = true, 200<<10
			return p, c
		}}
		if s.quiet(t) {
			found++
			visit(s)
		}
	}
}

// quiet reports whether a kernel as it is ends without a report.
func (s *subject) quiet(t *testing.T) bool {
	m, err := sim.Load(s.cubin)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := hazard.CheckCubin(target.Find("sm_90a"), s.cubin, 1); err != nil || len(r.Found) > 0 {
		t.Errorf("%s: %v %v", s.name, r.Found, err)
		return false
	}
	for _, when := range []string{"early", "late"} {
		if _, bad := s.run(t, m, when); bad {
			return false
		}
	}
	return true
}

// run runs the launch, timed, and reports whether anything was said.
func (s *subject) run(t *testing.T, m *sim.Module, when string) (*sim.Case, bool) {
	p, c := s.launch(m)
	c.Launch.Timed, c.Launch.MaxSteps = true, 60_000
	c.Launch.Async, _ = sim.ParseAsync(when)
	st, err := p.Run(&c.Launch)
	return c, err != nil || st.Cut || len(st.Reports)+len(st.Races) > 0
}

// whole is what the code as it is leaves.
func (s *subject) whole(t *testing.T, when string) *sim.Case {
	if c := s.left[when]; c != nil {
		return c
	}
	m, err := sim.Load(s.cubin)
	if err != nil {
		t.Fatal(err)
	}
	if s.left == nil {
		s.left = map[string]*sim.Case{}
	}
	s.left[when], _ = s.run(t, m, when)
	return s.left[when]
}

// sees runs the code with a fault: a report, or other bytes, tell.
func (s *subject) sees(t *testing.T, f *fault) bool {
	b := bytes.Clone(s.cubin)
	binary.LittleEndian.PutUint64(b[f.at:], f.lo)
	binary.LittleEndian.PutUint64(b[f.at+8:], f.hi)
	if r, err := hazard.CheckCubin(target.Find("sm_90a"), b, 1); err != nil {
		t.Fatal(err)
	} else if len(r.Found) > 0 {
		return true
	}
	m, err := sim.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"early", "late", "seed:1", "seed:2"} {
		c, bad := s.run(t, m, when)
		if bad {
			return true
		}
		want := s.whole(t, when)
		for n := range c.Buffers {
			if !bytes.Equal(c.Buffers[n], want.Buffers[n]) {
				return true
			}
		}
	}
	return false
}

// needs tells why a fault is one.
func (s *subject) needs(t *testing.T, f *fault) string {
	m, err := sim.Load(s.cubin)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := s.launch(m)
	code := p.Function().Code
	var words []bits.Word
	for ; len(code) >= 16; code = code[16:] {
		words = append(words, bits.Word{Lo: binary.LittleEndian.Uint64(code), Hi: binary.LittleEndian.Uint64(code[8:])})
	}
	c, err := hazard.Decode(target.Find("sm_90a"), words)
	if err != nil {
		t.Fatal(err)
	}
	k := int(f.pc / 16)
	switch {
	case f.kind == faultWait:
		return c.Needs(k, func(q *sass.Ctrl) { q.Wait = uint8(f.hi >> bitWait & 63) })
	case f.kind == faultStall:
		return c.Needs(k, func(q *sass.Ctrl) { q.Stall = 1 })
	case strings.HasPrefix(f.text, "BAR.SYNC"):
		for _, when := range []string{"early", "late"} {
			if why := s.apart(m, f.pc, when); why != "" {
				return why
			}
		}
		return ""
	}
	why := c.Spare(k)
	if why != "" && f.kind == faultFence {
		why = s.fenced(m, f.pc, "early") + s.fenced(m, f.pc, "late")
	}
	return why
}

// fenced runs the launch and tells of a word that was accessed before the
// fence at pc, and behind it by the asynchronous proxy, or by another warp
// with no barrier of the block between them.
func (s *subject) fenced(m *sim.Module, pc uint64, when string) string {
	type word struct {
		block  [3]uint32
		addr   uint64
		shared bool
	}
	type warp struct {
		block [3]uint32
		id    int
	}
	type access struct {
		warp, epoch int
		write       bool
	}
	before, since := map[word][]access{}, map[word][]access{}
	passed := map[warp]int{}
	fence, why := false, ""
	p, c := s.launch(m)
	c.Launch.MaxSteps = 60_000
	c.Launch.Async, _ = sim.ParseAsync(when)
	c.Launch.Hook = func(e *sim.Event) error {
		switch {
		case e.PC() == pc && e.Executes() != 0:
			fence = true
			for k, list := range since {
				before[k] = append(before[k], list...)
			}
			clear(since)
		case strings.Contains(e.Text(), "BAR.SYNC") && e.Executes() != 0:
			passed[warp{e.Block(), e.Warp()}]++
		}
		return nil
	}
	c.Launch.Touch = func(x sim.Touch) {
		at := access{x.Warp, passed[warp{x.Block, x.Warp}], x.Write}
		for a := x.Addr &^ 3; a < x.Addr+x.N; a += 4 {
			k := word{x.Block, a, x.Shared}
			for _, o := range before[k] {
				apart := x.Proxy || o.warp != at.warp && (!x.Shared || o.epoch == at.epoch)
				if fence && apart && (o.write || x.Write) {
					why = fmt.Sprintf("%#x is met behind it", a)
				}
			}
			if !x.Proxy && !slices.Contains(since[k], at) {
				since[k] = append(since[k], at)
			}
		}
	}
	if _, err := p.Run(&c.Launch); err != nil && why == "" {
		why = err.Error()
	}
	return why
}

// apart runs the launch and tells of two warps that touch one place, one of
// them writing it, with no other barrier of the block between them than the
// one at pc.
func (s *subject) apart(m *sim.Module, pc uint64, when string) string {
	type warp struct {
		block [3]uint32
		id    int
	}
	type epoch struct{ all, left int } // barriers that a warp has passed, and those but the one
	type word struct {
		block  [3]uint32
		addr   uint64
		shared bool
	}
	type access struct {
		warp  int
		at    epoch
		write bool
		pc    uint64
	}
	passed := map[warp]epoch{}
	last := map[word][]access{}
	why := ""
	p, c := s.launch(m)
	c.Launch.MaxSteps = 60_000
	c.Launch.Async, _ = sim.ParseAsync(when)
	c.Launch.Hook = func(e *sim.Event) error {
		if text := e.Text(); strings.Contains(text, "BAR.SYNC") && e.Executes() != 0 {
			if !strings.Contains(text, "DEFER_BLOCKING 0x0 ;") {
				why = "barriers of a part of the block"
			}
			w := warp{e.Block(), e.Warp()}
			at := passed[w]
			at.all++
			if e.PC() != pc {
				at.left++
			}
			passed[w] = at
		}
		return nil
	}
	c.Launch.Touch = func(x sim.Touch) {
		at := passed[warp{x.Block, x.Warp}]
		for a := x.Addr &^ 3; a < x.Addr+x.N; a += 4 {
			key := word{x.Block, a, x.Shared}
			list := slices.DeleteFunc(last[key], func(o access) bool { return o.at.left < at.left-1 })
			for _, o := range list {
				if o.warp != x.Warp && o.at.left == at.left && o.at.all != at.all && (o.write || x.Write) && why == "" {
					why = fmt.Sprintf("%04x and %04x meet at %#x", o.pc, x.PC, a)
				}
			}
			if n := (access{x.Warp, at, x.Write, x.PC}); !slices.Contains(list, n) {
				list = append(list, n)
			}
			last[key] = list
		}
	}
	if _, err := p.Run(&c.Launch); err != nil && why == "" {
		why = err.Error()
	}
	return why
}

// Fields of the upper word, and a NOP.
const (
	bitStall = 41
	bitWrBar = 46
	bitRdBar = 49
	bitWait  = 52
	nopLow   = 0x7918
	ctrlMask = 1<<64 - 1<<bitStall
)

// faults lists the faults that the instructions that run can have. A wait for
// a barrier that nothing has set since it was waited for last is none.
func (s *subject) faults(t *testing.T) []fault {
	m, err := sim.Load(s.cubin)
	if err != nil {
		t.Fatal(err)
	}
	p, c := s.launch(m)
	code := p.Function().Code
	at := bytes.Index(s.cubin, code)
	if at < 0 {
		t.Fatal("code not found in the file")
	}
	type warp struct {
		block [3]uint32
		id    int
	}
	set := map[warp]uint8{}
	runs, needed := map[uint64]bool{}, map[uint64]uint8{}
	c.Launch.MaxSteps = 60_000
	c.Launch.Hook = func(e *sim.Event) error {
		pc := e.PC()
		if pc+16 > uint64(len(code)) || e.Executes() == 0 {
			return nil
		}
		w, hi := warp{e.Block(), e.Warp()}, binary.LittleEndian.Uint64(code[pc+8:])
		wait := uint8(hi >> bitWait & 63)
		needed[pc] |= wait & set[w]
		set[w] &^= wait
		for _, bit := range []uint{bitWrBar, bitRdBar} {
			if b := hi >> bit & 7; b < 6 {
				set[w] |= 1 << b
			}
		}
		runs[pc] = true
		return nil
	}
	if _, err := p.Run(&c.Launch); err != nil {
		return nil
	}
	var out []fault
	arch := target.Find("sm_90a")
	for pc := uint64(0); pc < uint64(len(code)); pc += 16 {
		if runs[pc] {
			out = append(out, faultsAt(arch, code[pc:pc+16], at+int(pc), needed[pc], pc)...)
		}
	}
	return out
}

// faultsAt lists the faults of one instruction.
func faultsAt(arch *target.Arch, word []byte, at int, waits uint8, pc uint64) []fault {
	lo, hi := binary.LittleEndian.Uint64(word), binary.LittleEndian.Uint64(word[8:])
	in := sass.Decode(arch, bits.Word{Lo: lo, Hi: hi})
	text := strings.TrimSuffix(in.Text(arch, pc), " ;")
	var out []fault
	for b := range 6 {
		if waits>>b&1 != 0 {
			out = append(out, fault{faultWait, at, lo, hi &^ (1 << (bitWait + b)), pc, text})
		}
	}
	f := strings.Fields(text)
	if f[0][0] == '@' {
		f = f[1:]
	}
	op, _, _ := strings.Cut(f[0], ".")
	kind := -1
	switch {
	case op == "FENCE" || op == "MEMBAR":
		kind = faultFence
	case slices.Contains([]string{"BAR", "WARPGROUP", "DEPBAR"}, op):
		kind = faultBarrier
	}
	if kind >= 0 {
		out = append(out, fault{kind, at, nopLow, hi & ctrlMask, pc, text})
	}
	if hi>>bitStall&15 > 2 {
		out = append(out, fault{faultStall, at, lo, hi&^(15<<bitStall) | 1<<bitStall, pc, text})
	}
	return out
}
