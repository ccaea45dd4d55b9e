package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// simulate runs both compilers' cubins as blind does, but in the simulator:
// slower, and no GPU is needed.
func simulate(args []string) error {
	var s settings
	f := s.flags("sim")
	set := s.corpusFlags(f, 1)
	show := f.Int("show", 0, "bytes that differ to print")
	o := simOptions{show: show}
	f.BoolVar(&o.timed, "timed", false, "results arrive as late as they may; count those read too early")
	f.BoolVar(&o.vm, "vm", false, "compare the reference's code with the interpreter too")
	times := f.String("async", "", "comma-separated times of our code's asynchronous work: early late seed:N")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.times = []sim.Async{{}}
	for t := range strings.SplitSeq(*times, ",") {
		when, err := sim.ParseAsync(t)
		if err != nil {
			return err
		}
		if t != "" {
			o.times = append(o.times, when)
		}
	}
	files, tmp, p, err := set.open()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var mu sync.Mutex
	var all []*row
	parallel(len(files), s.jobs, func(k int) {
		text, err := os.ReadFile(files[k])
		if err != nil {
			return
		}
		name := filepath.Base(files[k])
		rows := blindRows(name, s.modes, p.of(name, string(text)))
		s.simulateFile(files[k], filepath.Join(tmp, name), "-arch="+archOf(string(text)), rows, &o)
		mu.Lock()
		all = append(all, rows...)
		mu.Unlock()
	})
	all = merge(all)
	if o.timed {
		fmt.Println(earlyReads(all))
	}
	return s.report(all)
}

// earlyReads counts the results that both compilers' code read before they
// arrive.
func earlyReads(rows []*row) string {
	var ran, early [2]int
	for _, r := range rows {
		for k, x := range []*gpu.Result{r.Ref, r.Ours} {
			if x != nil && (x.OK() || x.Early > 0) {
				ran[k]++
				early[k] += x.Early
			}
		}
	}
	return fmt.Sprintf("early reads: reference %d in %d kernels, ours %d in %d", early[0], ran[0], early[1], ran[1])
}

// simOptions are what only sim can do.
type simOptions struct {
	show  *int
	timed bool
	vm    bool
	times []sim.Async
}

// simulateFile compiles one file and runs its rows.
func (s *settings) simulateFile(file, base, arch string, rows []*row, o *simOptions) {
	opts, err := argsOf(s.modes)
	our := compile(s.ours, append([]string{arch}, opts...), file, base+".our.cubin")
	ref := build{Err: "not tried"}
	if our.Err == "" && err == nil {
		ref = compile(s.ref, []string{arch}, file, base+".ref.cubin")
	}
	for _, r := range rows {
		r.built(ref, our)
		if r.Outcome != "" || strings.HasPrefix(r.Note, "untried") {
			continue
		}
		a, want := simulateOne(r.refCubin, &r.launch, o.timed, sim.Async{})
		if !a.OK() {
			r.Ref, r.Outcome, r.Err = a, "reffault", a.Err
			continue
		}
		for _, when := range o.times {
			b, got := simulateOne(r.ourCubin, &r.launch, o.timed, when)
			r.judge([]*gpu.Result{a}, b)
			if r.Outcome == "differ" {
				r.Err = firstDifference(want, got, *o.show)
			}
			if r.Outcome != "equal" {
				r.Note += fmt.Sprintf(" at %v", when)
				r.ownRace(when)
				break
			}
		}
		if o.vm && r.Outcome == "equal" {
			r.interpret(file, strings.TrimPrefix(arch, "-arch="), want, *o.show)
		}
	}
	os.Remove(our.Out) //nolint:errcheck // room for the next
	os.Remove(ref.Out) //nolint:errcheck // likewise
}

// ownRace looks whether the reference's code shows a race of the program too:
// a report, or other bytes, with asynchronous work at another time.
func (r *row) ownRace(when sim.Async) {
	if when == (sim.Async{}) {
		return
	}
	switch c, _ := simulateOne(r.refCubin, &r.launch, false, when); {
	case !c.OK():
		r.Outcome, r.Err = "refasync", c.Err
	case !slices.Equal(c.Hash, r.Ref.Hash):
		r.Outcome, r.Err = "refasync", "the reference's code leaves other bytes then, too: "+r.Err
	}
}

// interpret compares what the reference's code left with the interpreter.
func (r *row) interpret(file, arch string, want [][]byte, show int) {
	fail := func(err error) { r.Outcome, r.Err = "vmfault", err.Error() }
	text, err := os.ReadFile(file)
	if err != nil {
		fail(err)
		return
	}
	p, err := ptxvm.Load(filepath.Base(file), string(text), arch)
	if err != nil {
		fail(err)
		return
	}
	out, st, err := p.RunStats(&r.launch, ptxvm.Options{})
	if err != nil {
		fail(err)
		return
	}
	for k, b := range inOrder(&r.launch, out, st.Inside) {
		if k < len(want) && !sameButAddresses(b, want[k]) {
			r.Outcome, r.Err = "vmdiffer", firstDifference([][]byte{b}, [][]byte{want[k]}, show)
		}
	}
}

// inOrder lists the buffers of a launch as place does: that of an argument,
// or those that pointers inside it have for themselves.
func inOrder(l *launch.Launch, args, inside [][]byte) (list [][]byte) {
	for n := range l.Args {
		if args[n] != nil {
			list = append(list, args[n])
		}
		for k := range l.Args[n].Ptrs {
			if l.Args[n].Ptrs[k].Own() {
				list, inside = append(list, inside[0]), inside[1:]
			}
		}
	}
	return list
}

// sameButAddresses compares buffers. Words of both that are addresses of
// buffers may differ: the witnesses lay them out each in its own way.
func sameButAddresses(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	address := func(v uint64) bool { return v>>40 == 0x72 || v>>40 == 0x7f }
	for k := 0; k < len(a); k += 8 {
		x, y := a[k:min(k+8, len(a))], b[k:min(k+8, len(b))]
		if bytes.Equal(x, y) {
			continue
		}
		if len(x) < 8 || !address(binary.LittleEndian.Uint64(x)) || !address(binary.LittleEndian.Uint64(y)) {
			return false
		}
	}
	return true
}

// maxSimulated bounds the instructions of warps of one launch.
const maxSimulated = 8_000_000

// simulateOne runs one launch of one cubin.
func simulateOne(name string, l *launch.Launch, timed bool, when sim.Async) (*gpu.Result, [][]byte) {
	r := &gpu.Result{Stage: "load"}
	fail := func(err error) (*gpu.Result, [][]byte) {
		r.Err = err.Error()
		return r, nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return fail(err)
	}
	m, err := sim.Load(b)
	if err != nil {
		return fail(err)
	}
	p, err := m.Kernel(l.Kernel)
	if err != nil {
		return fail(err)
	}
	mem := m.Memory()
	params, bufs, err := place(p, l, mem)
	if err != nil {
		return fail(err)
	}
	before := make([]uint64, len(bufs))
	for k := range bufs {
		before[k] = gpu.Hash(bufs[k])
	}
	r.Stage = "run"
	st, err := p.Run(&sim.Launch{Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Smem: l.Smem, Params: params, Memory: mem, MaxSteps: maxSimulated, Timed: timed, Async: when})
	if err != nil {
		return fail(err)
	}
	if r.Early = len(st.Reports); r.Early > 0 {
		return fail(fmt.Errorf("%d early reads, the first: %v", len(st.Reports), st.Reports[0]))
	}
	if len(st.Races) > 0 {
		return fail(fmt.Errorf("%d races, the first: %v", len(st.Races), st.Races[0]))
	}
	r.Cycles = st.Cycles
	for k := range bufs {
		r.Hash = append(r.Hash, gpu.Hash(bufs[k]))
		r.Changed = r.Changed || r.Hash[k] != before[k]
	}
	r.Stage = "done"
	return r, bufs
}

// place lays out the arguments of a launch and returns every buffer.
func place(p *sim.Program, l *launch.Launch, mem *sim.Memory) (params []byte, bufs [][]byte, err error) {
	formals := p.Function().Params
	if len(l.Args) != len(formals) {
		return nil, nil, fmt.Errorf("%s takes %d arguments, the launch has %d", l.Kernel, len(formals), len(l.Args))
	}
	put := func(size int, fill string, seed uint64) uint64 {
		b := launch.Data(fill, seed, size)
		bufs = append(bufs, b)
		return mem.Alloc(b)
	}
	for n, a := range l.Args {
		x := formals[n]
		if end := int(x.Offset) + int(x.Size); end > len(params) {
			params = append(params, make([]byte, end-len(params))...)
		}
		b := append([]byte(nil), a.Bytes...)
		if a.Buf > 0 {
			b = binary.LittleEndian.AppendUint64(nil, put(a.Buf, a.Fill, a.Seed))
		}
		inside, err := a.Place(b, mem.Alloc)
		if err != nil {
			return nil, nil, fmt.Errorf("argument %d: %w", n, err)
		}
		bufs = append(bufs, inside...)
		copy(params[x.Offset:], b)
	}
	return params, bufs, nil
}

// firstDifference says where buffers begin to differ, and in how many bytes.
func firstDifference(want, got [][]byte, show int) string {
	var s strings.Builder
	for k := range want {
		if bytes.Equal(want[k], got[k]) {
			continue
		}
		n := 0
		for i := range want[k] {
			if want[k][i] != got[k][i] {
				if n == 0 {
					at := i &^ 7
					fmt.Fprintf(&s, "buffer %d+%#x: % x, want % x", k, at, tail(got[k][at:], 8+show), tail(want[k][at:], 8+show))
				}
				n++
			}
		}
		fmt.Fprintf(&s, " (%d bytes) ", n)
	}
	return s.String()
}

func tail(b []byte, n int) []byte { return b[:min(n, len(b))] }
