package cli

import (
	"bytes"
	"encoding/binary"
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
// be longer than it needs to be, programs have barriers between accesses
// of different memory, and a barrier of the block behind the making of an
// mbarrier orders what the fence before it would. What is not seen with any timing or order of warps is
// logged.
func TestAsyncFaults(t *testing.T) {
	kernels, each := 4, 6
	if os.Getenv("GOPTXAS_FULL") != "" {
		kernels, each = 50, 8
	} else if testing.Short() {
		kernels, each = 1, 4
	}
	var total, seen [numFaults]int
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
				} else {
					t.Logf("%s: not seen without %s: %04x %s", s.name, faultNames[kind], f.pc, f.text)
				}
			}
		}
		done++
		t.Logf("%d kernels: %d of %d", done, seen, total)
	})
	for kind := range numFaults {
		t.Logf("%s: %d of %d seen", faultNames[kind], seen[kind], total[kind])
	}
	for kind := range numFaults {
		if seen[kind] == 0 && (kind != faultFence || !testing.Short()) {
			t.Errorf("of %s none that is missing is seen", faultNames[kind])
		}
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
