//go:build unix

package pool_test

import (
	"runtime"
	"runtime/metrics"
	"syscall"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// The benchmarks replay what a compile of the corpus asks of its memory, once
// with plain Go allocation and once with pools. The trace is taken from the
// parsed bodies: an instruction node with its operands for every instruction and
// a block with its edges for every label.

type traceFunc struct {
	args  []uint8 // operands of each instruction
	label []bool  // a block begins before the instruction
}

type trace struct {
	funcs  []traceFunc
	instrs int
	bytes  int
}

// loadTrace parses 200 files spread evenly over the corpus.
func loadTrace(b *testing.B) *trace {
	b.Helper()
	tr := &trace{}
	ps := new(syntax.Parser)
	for _, f := range corpus.Find(b).Every(200) {
		text, err := f.Read()
		if err != nil {
			b.Fatal(err)
		}
		m := syntax.Scan(&src.File{Name: f.Path, Text: text})
		if m.Err != nil {
			b.Fatal(m.Err)
		}
		tr.bytes += len(text)
		for i := range m.Funcs {
			if fn := &m.Funcs[i]; fn.HasBody {
				tr.add(ps.ParseBody(m, fn))
			}
		}
	}
	return tr
}

func (tr *trace) add(t *syntax.Tree) {
	var f traceFunc
	label := true
	for i := range t.Stmts {
		s := &t.Stmts[i]
		switch s.Kind {
		case syntax.StmtLabel:
			label = true
		case syntax.StmtInstr:
			in := &t.Instrs[s.Index]
			n := 0
			for _, o := range t.Of(in.Args) {
				n++
				n += len(t.Kids(&o))
			}
			f.args = append(f.args, uint8(min(n, 255)))
			f.label = append(f.label, label)
			label = false
		}
	}
	tr.instrs += len(f.args)
	tr.funcs = append(tr.funcs, f)
}

// gcSeconds returns the processor time the garbage collector has used.
func gcSeconds() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	runtime.GC() // the number is brought up to date at the end of a cycle
	metrics.Read(s)
	return s[0].Value.Float64()
}

// heapBytes returns the bytes of live and dead objects not yet swept.
func heapBytes() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// cpuSeconds returns the processor time of the process: all threads, the
// collector's too, whatever else runs on the machine.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// replay runs f for every function of the trace, b.N times, and reports
// processor time for each instruction, the collector's part of it for each run,
// and the highest heap.
func replay(b *testing.B, tr *trace, f func(*traceFunc)) {
	b.Helper()
	b.ReportAllocs()
	base := heapBytes()
	gc := gcSeconds()
	var peak uint64
	n := 0
	cpu := cpuSeconds(b)
	for b.Loop() {
		for i := range tr.funcs {
			f(&tr.funcs[i])
			if i%64 == 0 {
				peak = max(peak, heapBytes())
			}
		}
		n++
	}
	cpu = cpuSeconds(b) - cpu
	b.ReportMetric((gcSeconds()-gc)*1e3/float64(n), "gc-ms/op")
	b.ReportMetric(float64(peak-min(base, peak))/(1<<20), "peak-MB")
	b.ReportMetric(cpu*1e9/float64(n*tr.instrs), "cpu-ns/instr")
}

// irGo builds the nodes of one function with plain Go allocation.
func irGo(f *traceFunc) []*ori.Block {
	var blocks []*ori.Block
	var prev *ori.Block
	var last *ori.Instr
	for i, n := range f.args {
		if f.label[i] {
			blk := new(ori.Block)
			if prev != nil {
				prev.Succs = append(prev.Succs, blk)
				blk.Preds = append(blk.Preds, prev)
			}
			blocks = append(blocks, blk)
			prev = blk
		}
		in := new(ori.Instr)
		in.Args = make([]ori.Operand, n)
		for k := range in.Args {
			in.Args[k].Reg = ori.Reg(k)
		}
		last = in
	}
	runtime.KeepAlive(last)
	return blocks
}

// irPool does the same with the pages of ir.
type irPool struct {
	instrs pool.Of[ori.Instr]
	opers  pool.Of[ori.Operand]
	blocks pool.Of[ori.Block]
	edges  pool.Of[*ori.Block]
}

func newIR(p *pool.Pool) *irPool {
	ir := &irPool{}
	ir.instrs.Bind(p)
	ir.opers.Bind(p)
	ir.blocks.Bind(p)
	ir.edges.Bind(p)
	return ir
}

func (ir *irPool) build(f *traceFunc) []*ori.Block {
	var blocks []*ori.Block
	var prev *ori.Block
	var last *ori.Instr
	for i, n := range f.args {
		if f.label[i] {
			blk := ir.blocks.New()
			if prev != nil {
				prev.Succs = ir.edges.Slice(1)
				prev.Succs[0] = blk
				blk.Preds = ir.edges.Slice(1)
				blk.Preds[0] = prev
			}
			blocks = append(blocks, blk)
			prev = blk
		}
		in := ir.instrs.New()
		in.Args = ir.opers.Slice(int(n))
		for k := range in.Args {
			in.Args[k].Reg = ori.Reg(k)
		}
		last = in
	}
	runtime.KeepAlive(last)
	return blocks
}

func BenchmarkIR(b *testing.B) {
	tr := loadTrace(b)
	b.Logf("%d functions, %d instructions, %d bytes of PTX", len(tr.funcs), tr.instrs, tr.bytes)
	b.Run("go", func(b *testing.B) {
		replay(b, tr, func(f *traceFunc) { runtime.KeepAlive(irGo(f)) })
	})
	b.Run("pool-destroy", func(b *testing.B) {
		top := pool.New(nil, pool.NameTop)
		replay(b, tr, func(f *traceFunc) {
			p := pool.New(top, pool.NameKernel)
			v := newIR(p).build(f)
			runtime.KeepAlive(v)
			p.Destroy()
		})
	})
}

// BenchmarkIRKept keeps the nodes of the last 200 functions alive, as when
// many kernels of a module wait for others.
func BenchmarkIRKept(b *testing.B) {
	tr := loadTrace(b)
	const kept = 200
	b.Run("go", func(b *testing.B) {
		var ring [kept][]*ori.Block
		var instrs [kept][]*ori.Instr
		i := 0
		replay(b, tr, func(f *traceFunc) {
			ring[i%kept] = irGo(f)
			list := make([]*ori.Instr, len(f.args))
			for k, n := range f.args {
				list[k] = &ori.Instr{Args: make([]ori.Operand, n)}
			}
			instrs[i%kept] = list
			i++
		})
	})
	kernel := func(top *pool.Pool, f *traceFunc) *pool.Pool {
		p := pool.New(top, pool.NameKernel)
		ir := newIR(p)
		ir.build(f)
		for _, n := range f.args {
			ir.instrs.New().Args = ir.opers.Slice(int(n))
		}
		return p
	}
	b.Run("pool-destroy", func(b *testing.B) {
		top := pool.New(nil, pool.NameTop)
		var ring [kept]*pool.Pool
		i := 0
		replay(b, tr, func(f *traceFunc) {
			if p := ring[i%kept]; p != nil {
				p.Destroy()
			}
			ring[i%kept] = kernel(top, f)
			i++
		})
	})
}
