package gpu

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Request asks a worker to run one kernel of one cubin once.
type Request struct {
	Cubin  string        `json:"cubin"` // file name
	Launch launch.Launch `json:"launch"`
	Guard  int           `json:"guard"`            // bytes kept free around each buffer
	Repeat int           `json:"repeat"`           // timed launches after the first
	Unread bool          `json:"unread,omitempty"` // what is in memory afterwards is no matter
	Dump   string        `json:"dump,omitempty"`   // file that takes the buffers afterwards
}

// AllShared as a launch's Smem asks for all the shared memory there is.
const AllShared = 1<<32 - 1

// maxShared is what one block can have on sm_90, less what the system
// keeps for itself.
const maxShared = 227 << 10

// Result is what a run did.
type Result struct {
	Stage     string   `json:"stage"`            // last thing attempted: load, run, done
	Err       string   `json:"err,omitempty"`    // driver error, or how the worker died
	Stale     bool     `json:"stale,omitempty"`  // the error is an earlier kernel's
	Hash      []uint64 `json:"hash,omitempty"`   // of each buffer
	Changed   bool     `json:"changed"`          // some buffer differs from its first contents
	Guards    bool     `json:"guards,omitempty"` // a write outside the buffers was seen
	Registers int      `json:"registers"`
	Shared    int      `json:"shared"`
	Local     int      `json:"local"`
	Micros    float64  `json:"micros,omitempty"` // best time of the repeated launches
	Cycles    uint64   `json:"cycles,omitempty"` // of the longest warp, in the timed simulator
	Early     int      `json:"early,omitempty"`  // results read before they arrive, in the timed simulator
}

// stageReady is what a worker says before its first request.
const stageReady = "ready"

// OK reports whether the kernel ran to its end.
func (r *Result) OK() bool { return r.Stage == "done" && r.Err == "" }

// poisoned reports whether the worker can run nothing more: a kernel failed,
// or an earlier one left the context broken.
func (r *Result) poisoned() bool { return r.Err != "" && (r.Stage != "load" || r.Stale) }

// firstSticky is the first of the driver's codes that stay with a context
// for good.
const firstSticky = 700

// Work serves requests, one JSON object a line, until in ends or a kernel
// faults: a fault poisons the context, so the worker must die with it.
func Work(in io.Reader, out io.Writer) error {
	d, err := Open()
	if err != nil {
		return err
	}
	w := &worker{d: d, patterns: map[pattern]filled{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	enc := json.NewEncoder(out)
	if err := enc.Encode(&Result{Stage: stageReady}); err != nil {
		return err
	}
	for lines.Scan() {
		var q Request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		r := w.run(&q)
		if err := enc.Encode(r); err != nil {
			return err
		}
		if r.poisoned() {
			return nil
		}
	}
	return lines.Err()
}

type pattern struct {
	fill string
	seed uint64
	size int
}

// filled is device memory that holds the first contents of a buffer, and
// their hash.
type filled struct {
	mem  *Memory
	hash uint64
}

type worker struct {
	d        *Driver
	arena    *Memory
	patterns map[pattern]filled
	image    []byte
	name     string
	host     []byte
}

// place is where one buffer lies in the arena.
type place struct {
	off  int
	size int
	hash uint64 // of its first contents
}

func (w *worker) run(q *Request) *Result {
	r := &Result{Stage: "load"}
	fail := func(err error) *Result {
		r.Err = err.Error()
		var e *Error
		r.Stale = r.Stage == "load" && errors.As(err, &e) && e.Code >= firstSticky
		return r
	}
	if q.Cubin != w.name {
		b, err := os.ReadFile(q.Cubin)
		if err != nil {
			return fail(err)
		}
		w.image, w.name = b, q.Cubin
	}
	m, err := w.d.Load(w.image)
	if err != nil {
		return fail(err)
	}
	defer m.Unload()
	f, err := m.Function(q.Launch.Kernel)
	if err != nil {
		return fail(err)
	}
	r.Registers, r.Shared, r.Local = f.Registers(), f.Shared(), f.Local()
	places, args, keep, err := w.prepare(q)
	if err != nil {
		return fail(err)
	}
	tex, err := w.bind(m, &q.Launch, keep)
	defer tex.free()
	if err != nil {
		return fail(err)
	}
	r.Stage = "run"
	smem := q.Launch.Smem
	if smem == AllShared {
		smem = uint32(max(0, maxShared-1024-r.Shared))
	}
	start := func() error {
		if q.Launch.Cluster != [3]uint32{} {
			return f.LaunchCluster(q.Launch.Grid, q.Launch.Block, q.Launch.Cluster, smem, args)
		}
		return f.Launch(q.Launch.Grid, q.Launch.Block, smem, args)
	}
	if err := start(); err != nil {
		return fail(err)
	}
	if !q.Unread {
		if err := w.collect(q, r, places, tex); err != nil {
			return fail(err)
		}
	}
	if q.Repeat > 0 {
		if r.Micros, err = w.time(f, q, smem, args); err != nil {
			return fail(err)
		}
	}
	_ = keep
	r.Stage = "done"
	return r
}

// prepare lays the buffers out with guards around them, fills them and
// builds the argument values. keep holds the memory args point to.
func (w *worker) prepare(q *Request) (places []place, args []unsafe.Pointer, keep [][]byte, err error) {
	total := q.Guard
	add := func(size int) int {
		at := total
		places = append(places, place{off: at, size: size})
		total += (size+255)&^255 + q.Guard
		return at
	}
	type want struct {
		at         int
		fill       string
		seed       uint64
		size       int
		arg, inArg int
	}
	var wants []want
	for n, a := range q.Launch.Args {
		b := append([]byte(nil), a.Bytes...)
		if a.Buf > 0 {
			b = make([]byte, 8)
			wants = append(wants, want{add(a.Buf), a.Fill, a.Seed, a.Buf, n, 0})
		}
		if a.Tex != nil {
			b = make([]byte, 8)
		}
		if !a.Plain() {
			return nil, nil, nil, fmt.Errorf("argument %d: buffers that pointers share, or with contents, are for the witnesses alone", n)
		}
		for _, p := range a.Ptrs {
			wants = append(wants, want{add(p.Buf), p.Fill, p.Seed, p.Buf, n, p.Offset})
		}
		keep = append(keep, b)
	}
	if w.arena == nil || w.arena.Size < total {
		if w.arena != nil {
			w.arena.Free()
		}
		if w.arena, err = w.d.Alloc(max(total, 64<<20)); err != nil {
			return nil, nil, nil, err
		}
	}
	if err = w.arena.Set(0); err != nil {
		return nil, nil, nil, err
	}
	for n, x := range wants {
		src, err := w.pattern(pattern{x.fill, x.seed, x.size})
		if err != nil {
			return nil, nil, nil, err
		}
		places[n].hash = src.hash
		if err := w.arena.Copy(x.at, src.mem, x.size); err != nil {
			return nil, nil, nil, err
		}
		binary.LittleEndian.PutUint64(keep[x.arg][x.inArg:], uint64(w.arena.Addr)+uint64(x.at))
	}
	for _, b := range keep {
		if len(b) == 0 {
			b = make([]byte, 1)
		}
		args = append(args, unsafe.Pointer(&b[0]))
	}
	return places, args, keep, nil
}

// pattern returns the first contents of a buffer, made once.
func (w *worker) pattern(p pattern) (filled, error) {
	if f, ok := w.patterns[p]; ok {
		return f, nil
	}
	data := launch.Data(p.fill, p.seed, p.size)
	m, err := w.d.Alloc(p.size)
	if err != nil {
		return filled{}, err
	}
	if err := m.Write(0, data); err != nil {
		return filled{}, err
	}
	f := filled{m, hash(data)}
	w.patterns[p] = f
	return f, nil
}

// collect hashes the buffers. With small guards it also looks whether
// something was written between them. Surfaces follow the buffers.
func (w *worker) collect(q *Request, r *Result, places []place, tex *bound) error {
	var dump []byte
	const watched = 64 << 10
	end := 0
	for _, p := range places {
		if q.Guard > 0 && q.Guard <= watched {
			if err := w.read(end, p.off-end); err != nil {
				return err
			}
			r.Guards = r.Guards || !isZero(w.host)
		}
		if err := w.read(p.off, p.size); err != nil {
			return err
		}
		h := hash(w.host)
		r.Hash = append(r.Hash, h)
		r.Changed = r.Changed || h != p.hash
		if q.Dump != "" {
			dump = append(dump, w.host...)
		}
		end = p.off + p.size
	}
	dump, err := w.surfaceResults(tex, r, dump)
	if err != nil {
		return err
	}
	if q.Dump != "" {
		return os.WriteFile(q.Dump, dump, 0o644)
	}
	return nil
}

func (w *worker) read(off, size int) error {
	if cap(w.host) < size {
		w.host = make([]byte, size)
	}
	w.host = w.host[:size]
	return w.arena.Read(off, w.host)
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// hash mixes bytes to 64 bits, eight at a time.
func hash(b []byte) uint64 {
	h := uint64(len(b)) * 0x9E3779B97F4A7C15
	for len(b) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 0xBF58476D1CE4E5B9
		h ^= h >> 29
		b = b[8:]
	}
	for _, x := range b {
		h = (h ^ uint64(x)) * 0x94D049BB133111EB
		h ^= h >> 31
	}
	return h
}

// Hash is the hash of a buffer's contents as results report it.
func Hash(b []byte) uint64 { return hash(b) }

// time launches the kernel again and again and returns the shortest time
// of one launch in microseconds.
func (w *worker) time(f *Function, q *Request, smem uint32, args []unsafe.Pointer) (float64, error) {
	var a, b uintptr
	if err := w.d.check("cuEventCreate", w.d.eventCreate(&a, 0)); err != nil {
		return 0, err
	}
	if err := w.d.check("cuEventCreate", w.d.eventCreate(&b, 0)); err != nil {
		return 0, err
	}
	var p unsafe.Pointer
	if len(args) > 0 {
		p = unsafe.Pointer(&args[0])
	}
	l := &q.Launch
	best := 0.0
	for range q.Repeat {
		w.d.eventRecord(a, 0)
		code := w.d.launch(f.h, l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2], smem, 0, p, nil)
		w.d.eventRecord(b, 0)
		if err := w.d.check("cuLaunchKernel", code); err != nil {
			return 0, err
		}
		if err := w.d.check("cuEventSynchronize", w.d.eventSync(b)); err != nil {
			return 0, err
		}
		var ms float32
		w.d.eventTime(&ms, a, b)
		if us := float64(ms) * 1000; best == 0 || us < best {
			best = us
		}
	}
	return best, nil
}
