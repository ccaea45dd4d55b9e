// Package pipe makes random programs of one kind: tiles come through buffers in
// shared memory, and products or sums are made of those that are there.
package pipe

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen"
)

// Pipe is a program that brings tiles of its input through buffers in shared
// memory while it works on those that are there: with asynchronous copies,
// bulk copies that an mbarrier counts, or loads held in registers, by all
// threads or by a warp of its own.
type Pipe struct {
	Seed   uint64
	Stages int    // buffers
	Tiles  int    // times around the loop
	Warps  int    // of the block
	How    string // copy, bulk, load, roles
	Piece  int    // bytes of one asynchronous copy
	Matrix bool   // consumers multiply matrices; else they add words
	Named  int    // number of the barrier that threads meet at
	Held   int    // values that live across the loop
	Blocks int

	Group   bool // the four warps of a warp group multiply, from shared memory
	Flight  int  // of their products, this many are on their way over a turn of the loop
	Cluster bool // two blocks bring half of each tile to both
	Odd     int  // threads that the last warp lacks
	Long    int  // instructions of one block behind the loop
	Lines   bool // a function is called in the loop, and all have source lines
	Map     bool // tiles are boxes of a tensor, by a map that each block makes itself
	Swizzle int  // of these boxes

	Columns int    // of the product of a warp group
	Type    string // of its factors
	Regs    bool   // the first factor is in registers
	Store   string // the sums go to global memory from shared memory: bulk, reduce
	Setmax  bool   // the warps that copy give registers to those that multiply
}

// groupTypes are the factors of products of warp groups: the kind, what
// follows the descriptors where the first is in shared memory and where it is
// in registers.
var groupTypes = map[string][3]string{
	"s8": {"k32.s32.s8.s8", "", ""}, "u8": {"k32.s32.u8.s8", "", ""}, "f16": {"k16.f32.f16.f16", ",1,1,0,0", ",1,1,0"}, "bf16": {"k16.f32.bf16.bf16", ",-1,1,0,0", ",1,-1,0"},
	"tf32": {"k8.f32.tf32.tf32", ",1,1", ",1,-1"}, "e4m3": {"k32.f32.e4m3.e5m2", ",1,1", ",1,1"}, "e5m2": {"k32.f32.e5m2.e4m3", ",1,-1", ",1,1"},
}

// pieces are the sizes of asynchronous copies.
var pieces = [...]int{4, 8, 16}

// New makes the pipe of a seed.
func New(seed uint64) *Pipe {
	r := rand.New(rand.NewPCG(seed, 0x51de))
	p := &Pipe{
		Seed: seed, Stages: 2 + r.IntN(3), Tiles: 1 + r.IntN(7), Warps: 1 + r.IntN(4), How: []string{"copy", "bulk", "load", "roles"}[r.IntN(4)],
		Piece: pieces[r.IntN(3)], Matrix: r.IntN(2) == 0, Blocks: 1 + r.IntN(2),
	}
	if r.IntN(2) == 0 {
		p.Named = 1 + r.IntN(15)
	}
	if r.IntN(2) == 0 {
		p.Held = r.IntN(60)
	}
	if p.How == "roles" {
		p.Warps = max(2, p.Warps)
	}
	p.more(r)
	return p
}

// more adds what only some pipes have.
func (p *Pipe) more(r *rand.Rand) {
	p.Lines = r.IntN(4) == 0
	if r.IntN(6) == 0 {
		p.Long = 100 + r.IntN(900)
	}
	switch r.IntN(4) {
	case 0:
		p.Group, p.Matrix, p.Warps = true, false, 4
		if p.How == "roles" {
			p.Warps = 8
		} else if p.Stages > 2 {
			p.Flight = r.IntN(2)
		}
	case 1:
		if p.How != "roles" && !p.Matrix {
			p.Odd, p.Named = r.IntN(31), 0
		}
	}
	if p.Group {
		p.Columns, p.Type = 8*(1+r.IntN(8)), []string{"s8", "s8", "u8", "f16", "bf16", "tf32", "e4m3", "e5m2"}[r.IntN(8)]
		if p.Columns%16 != 0 && p.Columns > 24 && p.Type[1] == '8' { // integers have fewer shapes
			p.Columns += 8
		}
		p.Regs = p.Flight == 0 && r.IntN(3) == 0
		p.Setmax = p.How == "roles" && r.IntN(2) == 0
	}
	if r.IntN(3) == 0 {
		p.Store = []string{"bulk", "reduce"}[r.IntN(2)]
	}
	if p.How == "bulk" && p.Odd == 0 && r.IntN(2) == 0 {
		p.Cluster, p.Blocks, p.Named = true, 2*p.Blocks, 0
	}
	if (p.How == "bulk" || p.How == "roles") && !p.Cluster && p.Odd == 0 && r.IntN(3) == 0 {
		p.Map, p.Swizzle = true, r.IntN(3)
	}
}

// Hopper reports whether only sm_90a has what the pipe needs.
func (p *Pipe) Hopper() bool { return p.Group || p.Cluster || p.Map }

// Registers is the least number of registers that the pipe can be compiled
// with: sums of warp groups cannot be spilled.
func (p *Pipe) Registers() int {
	switch {
	case p.Columns > 48:
		return 88
	case p.Hopper():
		return 56
	}
	return 24
}

// Beside reports whether the pipe copies or multiplies beside other work.
func (p *Pipe) Beside() bool { return p.How != "load" || p.Matrix || p.Group || p.Store != "" }

// Simpler lists programs with one thing less.
func (p *Pipe) Simpler() []*Pipe {
	var list []*Pipe
	add := func(change func(q *Pipe)) {
		q := *p
		if change(&q); q != *p {
			list = append(list, &q)
		}
	}
	add(func(q *Pipe) { q.Tiles = max(1, q.Tiles-1) })
	add(func(q *Pipe) { q.Held = 0 })
	add(func(q *Pipe) { q.Long = 0 })
	add(func(q *Pipe) { q.Lines = false })
	add(func(q *Pipe) { q.Swizzle = 0 })
	add(func(q *Pipe) { q.Map, q.Swizzle = false, 0 })
	add(func(q *Pipe) { q.Odd = 0 })
	add(func(q *Pipe) { q.Flight = 0 })
	if p.Cluster {
		add(func(q *Pipe) { q.Cluster = false })
		add(func(q *Pipe) { q.Blocks = 2 })
	} else {
		add(func(q *Pipe) { q.Blocks = 1 })
	}
	add(func(q *Pipe) { q.Named = 0 })
	add(func(q *Pipe) { q.Matrix = false })
	add(func(q *Pipe) { q.Piece = 16 })
	add(func(q *Pipe) { q.Stages = max(2+q.Flight, q.Stages-1) })
	add(func(q *Pipe) { q.Store = "" })
	if p.Group {
		add(func(q *Pipe) { q.Columns = max(8, q.Columns-8) })
		add(func(q *Pipe) { q.Type = "s8" })
		add(func(q *Pipe) { q.Regs = false })
		add(func(q *Pipe) { q.Setmax = false })
		add(func(q *Pipe) { q.Group, q.Columns, q.Type, q.Regs, q.Setmax = false, 0, "", false, false })
	}
	if p.How != "roles" && !p.Group || p.Warps > 2 && !p.Group {
		add(func(q *Pipe) { q.Warps = max(1, q.Warps-1) })
	}
	return list
}

// Shrink returns the simplest program that still fails, a Pipe or Turns.
func Shrink[P interface{ Simpler() []P }](p P, fails func(P) bool) P {
	for again := true; again; {
		again = false
		for _, q := range p.Simpler() {
			if fails(q) {
				p, again = q, true
				break
			}
		}
	}
	return p
}

// users returns the threads that consume: with roles, warp 0 only copies.
func (p *Pipe) users() int {
	return 32*p.Warps - p.first() - p.Odd
}

// first is the first thread that consumes. A warp group begins at every
// fourth warp.
func (p *Pipe) first() int {
	switch {
	case p.How != "roles":
		return 0
	case p.Group:
		return 128
	}
	return 32
}

// ahead is how many tiles are on their way while one is worked on: products
// on their way still read the buffers of theirs.
func (p *Pipe) ahead() int { return p.Stages - 1 - p.Flight }

// tile returns the bytes of a tile: 16 for each consumer.
func (p *Pipe) tile() int { return 16 * p.users() }

// Text prints the program with its launch.
func (p *Pipe) Text() string {
	w := &pipeText{Pipe: p}
	name := fmt.Sprintf("pipe%d", p.Seed)
	w.f("// Random pipe %d: %s, %d buffers, %d tiles.", p.Seed, p.How, p.Stages, p.Tiles)
	w.f("//: run %s grid=%d block=%d", name, p.Blocks, 32*p.Warps-p.Odd)
	w.f("//: buf %d bits %d", p.tile()*p.Tiles*p.Blocks+1024, p.Seed)
	w.f("//: buf %d zero", p.Blocks*p.users()*16)
	w.f("//: u32 %d", p.Tiles)
	head := gen.Header
	if p.Group || p.Map {
		head = strings.Replace(gen.Header, "sm_90", "sm_90a", 1)
	}
	w.out.WriteString(head)
	if p.Lines {
		w.f(".func (.reg .b32 %%z) turn(.reg .b32 %%x, .reg .b32 %%y)\n{\n.loc 1 3 5\nshf.l.wrap.b32 %%z,%%x,%%x,%d;\n.loc 1 4 5\nxor.b32 %%z,%%z,%%y;\nret;\n}", 1+p.Seed%30)
	}
	if p.Map {
		w.f(".global .align 128 .b8 maps[%d];", 128*p.Blocks) // which hold an address: no result
	}
	w.f(".visible .entry %s(.param .u64 in, .param .u64 out, .param .u32 n)", name)
	if p.Cluster {
		w.f(".explicitcluster\n.reqnctapercluster 2")
	}
	if p.Setmax {
		w.f(".maxnreg 128")
	}
	w.f("{")
	w.declare()
	switch p.How {
	case "copy":
		w.copies()
	case "bulk":
		w.bulks()
	case "load":
		w.loads()
	default:
		w.roles()
	}
	w.finish()
	if p.Lines {
		w.f(".file 1 \"pipe.cu\"")
	}
	return w.out.String()
}

// pipeText writes the text of a pipe.
type pipeText struct {
	*Pipe
	out   strings.Builder
	lines int
}

func (w *pipeText) f(format string, args ...any) {
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

// line says that what follows is of the next line of the source.
func (w *pipeText) line() {
	if w.Lines {
		w.lines++
		w.f(".loc 1 %d 1", 10+w.lines)
	}
}

// declare writes registers and buffers, and what holds in every kind: %t is
// the consumer's number, %mine its place in a tile.
func (w *pipeText) declare() {
	w.f(".reg .b32 %%half,%%t,%%n,%%i,%%s,%%buf,%%at,%%bar,%%ph,%%u,%%w<16>,%%a<4>,%%b<2>,%%c<32>,%%h<64>;\n.reg .b64 %%in,%%out,%%src,%%x,%%pl,%%da,%%db;\n.reg .b16 %%both;\n.reg .pred %%p<4>;")
	w.f(".shared .align 1024 .b8 bufs[%d];\n.shared .align 8 .b64 bars[%d];", w.tile()*w.Stages, 2*w.Stages)
	w.f("ld.param.u64 %%in,[in];\nld.param.u64 %%out,[out];\nld.param.u32 %%n,[n];\ncvta.to.global.u64 %%in,%%in;\ncvta.to.global.u64 %%out,%%out;")
	w.f("mov.u32 %%t,%%tid.x;\nmov.u32 %%u,%%ctaid.x;")
	if w.Cluster { // both blocks have the same tiles
		w.f("mov.u32 %%half,%%cluster_ctarank;\nmul.lo.u32 %%half,%%half,%d;\nmov.b16 %%both,3;\nand.b32 %%w0,%%u,-2;\nmul.wide.u32 %%x,%%w0,%d;", w.tile()/2, w.tile()*w.Tiles)
	} else {
		w.f("mul.wide.u32 %%x,%%u,%d;", w.tile()*w.Tiles)
	}
	w.f("add.u64 %%in,%%in,%%x;")
	w.f("mul.wide.u32 %%x,%%u,%d;\nadd.u64 %%out,%%out,%%x;\nmov.u32 %%buf,bufs;\nmov.u32 %%bar,bars;", w.tile())
	for k := range w.sums() {
		w.f("mov.u32 %%c%d,%d;", k, k+1)
	}
	for k := range w.Held {
		w.f("ld.global.u32 %%h%d,[%%in+%d];", k, 4*k)
	}
}

// barrier lets all consumers wait for each other.
func (w *pipeText) barrier() {
	w.line()
	if w.Cluster {
		w.f("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;")
		return
	}
	if w.Named == 0 && w.How != "roles" {
		w.f("bar.sync 0;")
		return
	}
	w.f("barrier.sync %d, %d;", max(1, w.Named), w.users())
}

// consume works on the tile at %at.
func (w *pipeText) consume() {
	w.line()
	switch {
	case w.Group:
		w.product()
	case w.Matrix:
		w.matrix()
	default:
		w.words()
	}
	if w.Lines && w.Flight == 0 {
		w.line()
		w.f("call (%%c1),turn,(%%c1,%%t);")
	}
}

// sums is how many sums a thread has.
func (p *Pipe) sums() int { return max(4, p.Columns/2) }

// product multiplies the tile, 64 lines of 32 bytes, or what a thread finds in
// it, with its first lines.
func (w *pipeText) product() {
	w.f("shr.u32 %%w0,%%at,4;\nand.b32 %%w0,%%w0,0x3fff;\ncvt.u64.u32 %%da,%%w0;\nor.b64 %%da,%%da,%d;", uint64(128>>4)<<16|uint64(256>>4)<<32)
	t := groupTypes[w.Type]
	from, scales := "%da", t[1]
	if w.Regs {
		from, scales = "{%a0,%a1,%a2,%a3}", t[2]
		w.f("shl.b32 %%w1,%%t,4;\nadd.u32 %%w1,%%at,%%w1;\nld.shared.v4.b32 {%%a0,%%a1,%%a2,%%a3},[%%w1];")
	}
	var sums []string
	for k := range w.sums() {
		sums = append(sums, fmt.Sprintf("%%c%d", k))
	}
	w.f("wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n%d%s {%s},%s,%%da,1%s;", w.Columns, t[0], strings.Join(sums, ","), from, scales)
	w.f("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned %d;", w.Flight)
}

// proxy lets products see what threads wrote to shared memory.
func (w *pipeText) proxy() {
	if w.Group {
		w.f("fence.proxy.async;")
	}
}

func (w *pipeText) words() {
	k := int(w.Seed%3)*5 + 1
	w.f("xor.b32 %%w0,%%t,%d;\nrem.u32 %%w0,%%w0,%d;\nshl.b32 %%w0,%%w0,4;\nadd.u32 %%w0,%%at,%%w0;", k, w.users())
	w.f("ld.shared.v4.b32 {%%a0,%%a1,%%a2,%%a3},[%%w0];")
	for k := range 4 {
		w.f("mad.lo.u32 %%c%d,%%c%d,33,%%a%d;", k, k, k)
	}
}

func (w *pipeText) matrix() {
	w.f("shl.b32 %%w0,%%t,4;\nadd.u32 %%w0,%%at,%%w0;\nadd.u32 %%w1,%%t,32;\nrem.u32 %%w1,%%w1,%d;\nshl.b32 %%w1,%%w1,4;\nadd.u32 %%w1,%%at,%%w1;", w.users())
	w.f("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%a0,%%a1,%%a2,%%a3},[%%w0];\nldmatrix.sync.aligned.m8n8.x2.shared.b16 {%%b0,%%b1},[%%w1];")
	w.f("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%%c0,%%c1,%%c2,%%c3},{%%a0,%%a1,%%a2,%%a3},{%%b0,%%b1},{%%c0,%%c1,%%c2,%%c3};")
}

// place sets %at to the buffer of tile %i and %s to its number.
func (w *pipeText) place() {
	w.f("rem.u32 %%s,%%i,%d;\nmad.lo.u32 %%at,%%s,%d,%%buf;", w.Stages, w.tile())
}

// issue starts the copy of tile reg, if there is one, by asynchronous copies.
func (w *pipeText) issue(reg, label string) {
	w.f("setp.ge.u32 %%p1,%s,%%n;\n@%%p1 bra %s;", reg, label)
	w.f("rem.u32 %%w2,%s,%d;\nmad.lo.u32 %%w2,%%w2,%d,%%buf;\nshl.b32 %%w3,%%t,4;\nadd.u32 %%w2,%%w2,%%w3;", reg, w.Stages, w.tile())
	w.f("mad.lo.u32 %%w3,%s,%d,%%w3;\ncvt.u64.u32 %%x,%%w3;\nadd.u64 %%src,%%in,%%x;", reg, w.tile())
	for at := 0; at < 16; at += w.Piece {
		kind := "ca"
		if w.Piece == 16 {
			kind = "cg"
		}
		w.f("cp.async.%s.shared.global [%%w2+%d],[%%src+%d],%d;", kind, at, at, w.Piece)
	}
	w.f("%s:\ncp.async.commit_group;", label)
}

func (w *pipeText) copies() {
	for k := range w.ahead() {
		w.f("mov.u32 %%w4,%d;", k)
		w.issue("%w4", fmt.Sprintf("P%d", k))
	}
	w.f("mov.u32 %%i,0;\nL:\ncp.async.wait_group %d;", w.ahead()-1)
	w.proxy()
	w.barrier()
	w.f("add.u32 %%w4,%%i,%d;", w.ahead())
	w.issue("%w4", "N")
	w.place()
	w.consume()
	w.barrier()
	w.f("add.u32 %%i,%%i,1;\nsetp.lt.u32 %%p0,%%i,%%n;\n@%%p0 bra L;\ncp.async.wait_all;")
}

// setup makes the mbarriers: full ones count one arrival, empty ones all
// consumers.
func (w *pipeText) setup() {
	if w.Map {
		w.tensorMap()
	}
	w.f("setp.ne.u32 %%p2,%%t,0;\n@%%p2 bra I;")
	for k := range w.Stages {
		w.f("mbarrier.init.shared::cta.b64 [%%bar+%d],1;\nmbarrier.init.shared::cta.b64 [%%bar+%d],%d;", 16*k, 16*k+8, w.users())
	}
	w.f("fence.proxy.async;")
	if w.Cluster {
		w.f("fence.mbarrier_init.release.cluster;\nI:")
		w.barrier()
		return
	}
	w.f("I:\nbar.sync 0;")
}

// boxLines is how many lines a tile has as a box of a tensor: they are as long as
// the span of the swizzle, for shorter ones would take as much room.
func (p *Pipe) boxLines() int { return p.users() >> p.Swizzle }

// tensorMap makes the map of a tensor, of which tiles are boxes, in shared
// memory, copies it to global memory, and lets all threads see it there.
func (w *pipeText) tensorMap() {
	const field = "tensormap.replace.tile.%s.shared::cta.b1024.b%d [%%w8],%s;"
	w.f(".reg .b64 %%map;\n.shared .align 128 .b8 map0[128];\nmov.u64 %%map,maps;\nmul.wide.u32 %%x,%%u,128;\nadd.u64 %%map,%%map,%%x;\nmov.u32 %%w8,map0;")
	w.f("setp.ge.u32 %%p1,%%t,32;\n@%%p1 bra M;\nshl.b32 %%w9,%%t,2;\nadd.u32 %%w9,%%w8,%%w9;\nst.shared.b32 [%%w9],0;\nbar.warp.sync 0xffffffff;\nsetp.ne.u32 %%p2,%%t,0;\n@%%p2 bra T;")
	w.f(field, "global_address", 64, "%in")
	w.f(field, "rank", 32, "1")
	for k, dim := range [...][2]int{{4 << w.Swizzle, 4 << w.Swizzle}, {w.boxLines(), w.boxLines() * w.Tiles}} {
		for _, x := range []struct {
			name string
			n    int
		}{{"box_dim", dim[0]}, {"global_dim", dim[1]}, {"element_stride", 1}} {
			w.f("mov.u32 %%w9,%d;", x.n)
			w.f(field, x.name, 32, fmt.Sprint(k)+",%w9")
		}
	}
	w.f("mov.u64 %%x,%d;", 16<<w.Swizzle)
	w.f(field, "global_stride", 64, "0,%x")
	for _, x := range []struct {
		name string
		n    int
	}{{"elemtype", 2}, {"interleave_layout", 0}, {"swizzle_mode", w.Swizzle}, {"fill_mode", 0}} {
		w.f(field, x.name, 32, fmt.Sprint(x.n))
	}
	w.f("T:\nbar.warp.sync 0xffffffff;\ntensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%map],[%%w8],128;\nM:\nbar.sync 0;")
	w.f("fence.proxy.tensormap::generic.acquire.gpu [%%map],128;\nbar.sync 0;")
}

// bulk starts the copy of tile reg; one thread does so.
func (w *pipeText) bulk(reg string) {
	w.f("rem.u32 %%w2,%s,%d;\nmad.lo.u32 %%w3,%%w2,%d,%%buf;\nshl.b32 %%w2,%%w2,4;\nadd.u32 %%w2,%%bar,%%w2;", reg, w.Stages, w.tile())
	w.f("mul.wide.u32 %%x,%s,%d;\nadd.u64 %%src,%%in,%%x;", reg, w.tile())
	w.f("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%%w2],%d;", w.tile())
	if w.Map {
		w.f("mov.u32 %%w6,0;\nmul.lo.u32 %%w7,%s,%d;", reg, w.boxLines())
		w.f("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%w3],[%%map,{%%w6,%%w7}],[%%w2];")
		return
	}
	if w.Cluster {
		w.f("add.u32 %%w3,%%w3,%%half;\ncvt.u64.u32 %%x,%%half;\nadd.u64 %%src,%%src,%%x;")
		w.f("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%%w3],[%%src],%d,[%%w2],%%both;", w.tile()/2)
		return
	}
	w.f("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%w3],[%%src],%d,[%%w2];", w.tile())
}

// wait waits for a phase of the mbarrier at offset off of tile %i.
func (w *pipeText) wait(off int, other bool, label string) {
	w.f("rem.u32 %%w5,%%i,%d;\nshl.b32 %%w5,%%w5,4;\nadd.u32 %%w5,%%bar,%%w5;\ndiv.u32 %%ph,%%i,%d;\nand.b32 %%ph,%%ph,1;", w.Stages, w.Stages)
	if other {
		w.f("xor.b32 %%ph,%%ph,1;")
	}
	w.f("%s:\nmbarrier.try_wait.parity.shared::cta.b64 %%p3,[%%w5+%d],%%ph;\n@!%%p3 bra %s;", label, off, label)
}

func (w *pipeText) bulks() {
	w.setup()
	for k := range w.ahead() {
		w.f("setp.le.u32 %%p1,%%n,%d;\nor.pred %%p1,%%p1,%%p2;\n@%%p1 bra P%d;\nmov.u32 %%w4,%d;", k, k, k)
		w.bulk("%w4")
		w.f("P%d:", k)
	}
	w.f("mov.u32 %%i,0;\nL:")
	w.f("add.u32 %%w4,%%i,%d;\nsetp.ge.u32 %%p1,%%w4,%%n;\nor.pred %%p1,%%p1,%%p2;\n@%%p1 bra N;", w.ahead())
	w.bulk("%w4")
	w.f("N:")
	w.wait(0, false, "W")
	w.place()
	w.consume()
	w.barrier()
	w.f("add.u32 %%i,%%i,1;\nsetp.lt.u32 %%p0,%%i,%%n;\n@%%p0 bra L;")
}

// loads holds the next tile in registers while it works on this one.
func (w *pipeText) loads() {
	w.f("shl.b32 %%w3,%%t,4;\ncvt.u64.u32 %%x,%%w3;\nadd.u64 %%src,%%in,%%x;\nld.global.v4.b32 {%%w8,%%w9,%%w10,%%w11},[%%src];\nmov.u32 %%i,0;\nL:")
	w.place()
	w.f("shl.b32 %%w3,%%t,4;\nadd.u32 %%w3,%%w3,%%at;\nst.shared.v4.b32 [%%w3],{%%w8,%%w9,%%w10,%%w11};\nadd.u32 %%w4,%%i,1;\nsetp.ge.u32 %%p1,%%w4,%%n;\n@%%p1 bra N;")
	w.f("add.u64 %%src,%%src,%d;\nld.global.v4.b32 {%%w8,%%w9,%%w10,%%w11},[%%src];\nN:", w.tile())
	w.proxy()
	w.barrier()
	w.consume()
	w.barrier()
	w.f("add.u32 %%i,%%i,1;\nsetp.lt.u32 %%p0,%%i,%%n;\n@%%p0 bra L;")
}

// roles has the first warp copy and all others consume.
func (w *pipeText) roles() {
	w.setup()
	w.f("setp.ge.u32 %%p1,%%t,%d;\n@%%p1 bra C;", w.first())
	if w.Setmax {
		w.f("setmaxnreg.dec.sync.aligned.u32 40;")
	}
	w.f("@%%p2 bra X;\nmov.u32 %%i,0;\nQ:")
	w.wait(8, true, "E")
	w.bulk("%i")
	w.f("add.u32 %%i,%%i,1;\nsetp.lt.u32 %%p0,%%i,%%n;\n@%%p0 bra Q;\nX:\nret;\nC:\nsub.u32 %%t,%%t,%d;", w.first())
	if w.Setmax {
		w.f("setmaxnreg.inc.sync.aligned.u32 216;")
	}
	w.f("mov.u32 %%i,0;\nL:")
	w.wait(0, false, "W")
	w.place()
	w.consume()
	w.f("mbarrier.arrive.shared::cta.b64 _,[%%w5+8];")
	if w.Named != 0 {
		w.barrier()
	}
	w.f("add.u32 %%i,%%i,1;\nsetp.lt.u32 %%p0,%%i,%%n;\n@%%p0 bra L;")
}

// finish stores the sums.
func (w *pipeText) finish() {
	if w.Flight > 0 {
		w.f("wgmma.wait_group.sync.aligned 0;")
	}
	w.line()
	for k := 4; k < w.sums(); k++ {
		w.f("shf.l.wrap.b32 %%c%d,%%c%d,%%c%d,%d;\nxor.b32 %%c%d,%%c%d,%%c%d;", k%4, k%4, k%4, k, k%4, k%4, k)
	}
	for k := range w.Long {
		switch a, b := k*7%4, k*5/3%4; k % 3 {
		case 0:
			w.f("mad.lo.u32 %%c%d,%%c%d,%d,%%c%d;", a, b, 2*k+1, a)
		case 1:
			w.f("shf.l.wrap.b32 %%c%d,%%c%d,%%c%d,%d;", a, a, b, k%31+1)
		default:
			w.f("xor.b32 %%c%d,%%c%d,%%c%d;", a, a, b^1)
		}
	}
	for k := range w.Held {
		w.f("xor.b32 %%c%d,%%c%d,%%h%d;", k%4, k%4, k)
	}
	if w.Store != "" {
		w.stores()
	} else {
		w.f("mul.wide.u32 %%x,%%t,16;\nadd.u64 %%out,%%out,%%x;\nst.global.v4.b32 [%%out],{%%c0,%%c1,%%c2,%%c3};")
	}
	w.f("ret;\n}")
}

// stores brings the sums of all consumers to global memory at once.
func (w *pipeText) stores() {
	w.barrier()
	w.f("shl.b32 %%w0,%%t,4;\nadd.u32 %%w0,%%buf,%%w0;\nst.shared.v4.b32 [%%w0],{%%c0,%%c1,%%c2,%%c3};\nfence.proxy.async.shared::cta;")
	w.barrier()
	w.f("setp.ne.u32 %%p1,%%t,0;\n@%%p1 bra Z;")
	if w.Store == "bulk" {
		w.f("cp.async.bulk.global.shared::cta.bulk_group [%%out],[%%buf],%d;", w.tile())
	} else {
		w.f("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%%out],[%%buf],%d;", w.tile())
	}
	w.f("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s 0;\nZ:", []string{"", ".read"}[w.Seed%2])
}
