package pipe

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Turns is a program whose loop waits in every turn until all that it copied is
// there: a barrier, products of the tile, perhaps another barrier, and the next
// copies. Several turns may stand in one block, so that products and copies of
// neighbouring turns are only a barrier apart: whatever passes it is seen.
type Turns struct {
	Seed    uint64
	Buffers int    // one to three
	Ahead   int    // tiles that are copied while one is worked on
	Rounds  int    // times around the loop
	Unroll  int    // turns of one time around
	Warps   int    // of the block
	Blocks  int    // of the grid
	How     string // copy, load, bulk: as in Pipe
	Copies  string // behind the products and a barrier, before them, between them
	Guard   string // of the copies of tiles that are not there: branch, guard, size; peel: the last turns stand behind the loop
	Kind    string // of products: f16, s8 of matrices; fma, mad of words
	Pieces  int    // a tile has so many times 16 bytes of each thread
	Sums    int    // groups of four
	Piece   int    // bytes of an asynchronous copy
	All     bool   // wait_all, else groups
	Named   int    // number of the barrier
	Held    int    // values that live across the loop
	Reuse   bool   // the sums pass through the buffers at the end
	Again   bool   // all of it twice
	Partial bool   // a sum goes to global memory in every turn
	Few     bool   // registers
}

// fillOf is what the tiles of a kind hold, so that sums are exact.
var fillOf = map[string]string{"f16": "whole16", "s8": "bits", "fma": "f32", "mad": "bits"}

// NewTurns makes the program of a seed.
func NewTurns(seed uint64) *Turns {
	r := rand.New(rand.NewPCG(seed, 0x7475726e73))
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	p := &Turns{
		Seed: seed, Buffers: 1 + r.IntN(3), Rounds: r.IntN(4), Unroll: 1 + r.IntN(3), Warps: [...]int{1, 2, 2, 2, 2, 3, 4}[r.IntN(7)], Blocks: 1,
		How: pick("copy", "copy", "copy", "load", "load", "bulk"), Copies: pick("behind", "before", "between"), Guard: pick("branch", "guard", "size", "peel"),
		Kind: pick("f16", "f16", "s8", "fma", "mad"), Pieces: 1 + r.IntN(4), Sums: 1 + r.IntN(3), Piece: pieces[r.IntN(3)],
		All: r.IntN(2) == 0, Reuse: r.IntN(2) == 0, Again: r.IntN(4) == 0, Partial: r.IntN(4) == 0, Few: r.IntN(4) == 0,
	}
	if r.IntN(3) == 0 {
		p.Named = 1 + r.IntN(15)
	}
	if r.IntN(3) == 0 {
		p.Held = r.IntN(40)
	}
	if r.IntN(2) == 0 {
		p.Unroll = p.Buffers
	}
	if r.IntN(8) == 0 {
		p.Blocks = 2
	}
	if p.Unroll*p.Rounds > 6 {
		p.Rounds = 2
	}
	p.Ahead = 1 + r.IntN(p.Buffers)
	return p.sound()
}

// sound changes what cannot be: copies before the products need a buffer that
// nobody reads, loads hold one tile, and an mbarrier counts one round.
func (p *Turns) sound() *Turns {
	if p.How == "load" {
		p.Ahead = 1
	}
	if p.Copies != "behind" && p.Ahead >= p.Buffers {
		if p.Ahead = p.Buffers - 1; p.Ahead == 0 {
			p.Ahead, p.Copies = 1, "behind"
		}
	}
	if p.How == "bulk" {
		p.Again = false
		if p.Guard == "size" || p.Guard == "guard" {
			p.Guard = "branch"
		}
	}
	if p.Guard == "size" {
		p.Piece = 16
	}
	return p
}

// Beside reports whether it copies or multiplies beside other work.
func (p *Turns) Beside() bool { return p.How != "load" || p.matrices() }

// Simpler lists programs with one thing less.
func (p *Turns) Simpler() []*Turns {
	var list []*Turns
	for _, change := range [...]func(q *Turns){
		func(q *Turns) { q.Again = false },
		func(q *Turns) { q.Rounds = max(q.Rounds-1, 0) },
		func(q *Turns) { q.Held = 0 },
		func(q *Turns) { q.Partial = false },
		func(q *Turns) { q.Reuse = false },
		func(q *Turns) { q.Few = false },
		func(q *Turns) { q.Named = 0 },
		func(q *Turns) { q.Blocks = 1 },
		func(q *Turns) { q.Unroll = max(q.Unroll-1, 1) },
		func(q *Turns) { q.Buffers = max(q.Buffers-1, 1); q.Ahead = min(q.Ahead, q.Buffers) },
		func(q *Turns) { q.Ahead = 1 },
		func(q *Turns) { q.Pieces = max(q.Pieces-1, 1) },
		func(q *Turns) { q.Sums = max(q.Sums-1, 1) },
		func(q *Turns) { q.Warps = max(q.Warps-1, 1) },
		func(q *Turns) { q.Piece = 16 },
		func(q *Turns) { q.Guard = "branch" },
		func(q *Turns) { q.Kind = "mad" },
		func(q *Turns) { q.All = true },
	} {
		q := *p
		if change(&q); *q.sound() != *p {
			list = append(list, &q)
		}
	}
	return list
}

func (p *Turns) threads() int { return 32 * p.Warps }

// row is the bytes of one piece of a tile, tile all of them.
func (p *Turns) row() int  { return 16 * p.threads() }
func (p *Turns) tile() int { return p.row() * p.Pieces }

// tiles is how many there are.
func (p *Turns) tiles() int {
	n := p.Unroll * p.Rounds
	if p.Guard == "peel" {
		return n + p.Ahead
	}
	return max(n, p.Unroll)
}

// parts is how many bytes a thread has for the sums of every turn.
func (p *Turns) parts() int {
	if p.Again {
		return 16 * p.tiles()
	}
	return 8 * p.tiles()
}

// fixed reports whether every turn of a round has always the same buffer.
func (p *Turns) fixed() bool { return p.Unroll%p.Buffers == 0 }

// turnsText writes the text.
type turnsText struct {
	*Turns
	out  strings.Builder
	skip int
}

func (w *turnsText) f(format string, args ...any) {
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

// Text prints the program with its launch.
func (p *Turns) Text() string {
	w := &turnsText{Turns: p}
	target := "sm_80"
	if p.How == "bulk" {
		target = "sm_90"
	}
	w.f("// Random turns %d: %s %s, %d of %d buffers, %d tiles.", p.Seed, p.How, p.Copies, p.Ahead, p.Buffers, p.tiles())
	w.f("//: run turns%d grid=%d block=%d", p.Seed, p.Blocks, p.threads())
	w.f("//: buf %d %s %d", p.tile()*p.tiles()*p.Blocks+1024, fillOf[p.Kind], p.Seed)
	w.f("//: buf %d zero\n//: buf %d zero\n//: u32 %d", p.Blocks*p.row(), p.Blocks*p.threads()*p.parts(), p.tiles())
	w.f(".version 9.0\n.target %s\n.address_size 64\n", target)
	w.f(".visible .entry turns%d(.param .u64 in, .param .u64 out, .param .u64 part, .param .u32 n)", p.Seed)
	if p.Few {
		w.f(".maxnreg 40")
	}
	w.f("{")
	w.declare()
	if p.Again {
		w.f("mov.u32 %%again,0;\nA:")
	}
	w.loop()
	w.finish()
	return w.out.String()
}

// declare writes registers, buffers and what no turn changes.
func (w *turnsText) declare() {
	w.f(".reg .b32 %%t,%%l,%%n,%%i,%%j,%%end,%%at,%%to,%%dst,%%ra,%%rb<4>,%%w<12>,%%a<4>,%%b<4>,%%c<16>,%%g<16>,%%h<40>,%%again;\n.reg .b64 %%in,%%src,%%out,%%po,%%x;\n.reg .pred %%p<4>;")
	w.f(".shared .align 128 .b8 bufs[%d];\n.shared .align 8 .b64 bars[%d];", w.tile()*w.Buffers, w.Buffers)
	w.f("ld.param.u64 %%in,[in];\nld.param.u64 %%out,[out];\nld.param.u64 %%po,[part];\nld.param.u32 %%n,[n];\ncvta.to.global.u64 %%in,%%in;\ncvta.to.global.u64 %%out,%%out;\ncvta.to.global.u64 %%po,%%po;")
	w.f("mov.u32 %%t,%%tid.x;\nmov.u32 %%w0,%%ctaid.x;\nmul.wide.u32 %%x,%%w0,%d;\nadd.u64 %%in,%%in,%%x;", w.tile()*w.tiles())
	w.f("mad.lo.u32 %%w1,%%w0,%d,%%t;\nmul.wide.u32 %%x,%%w1,16;\nadd.u64 %%out,%%out,%%x;\nmul.wide.u32 %%x,%%w1,%d;\nadd.u64 %%po,%%po,%%x;", w.threads(), w.parts())
	w.f("mov.u32 %%w0,bufs;\nmad.lo.u32 %%dst,%%t,16,%%w0;")
	if w.matrices() { // rows of the warp's own part, and of those of others
		w.f("mov.u32 %%ra,%%dst;\nand.b32 %%l,%%t,15;\nshr.u32 %%w1,%%t,5;")
		for k := range w.Sums {
			w.f("add.u32 %%w2,%%w1,%d;\nrem.u32 %%w2,%%w2,%d;\nmad.lo.u32 %%w2,%%w2,32,%%l;\nmad.lo.u32 %%rb%d,%%w2,16,%%w0;", k+1, w.Warps, k)
		}
	} else {
		w.f("mov.u32 %%ra,%%dst;")
		for k := range w.Sums {
			w.f("mad.lo.u32 %%w2,%%t,5,%d;\nrem.u32 %%w2,%%w2,%d;\nmad.lo.u32 %%rb%d,%%w2,16,%%w0;", 33*k+w.threads()/2, w.threads(), k)
		}
	}
	for k := range 4 * w.Sums {
		w.f("mov.u32 %%c%d,0;", k)
	}
	for k := range w.Held {
		w.f("ld.global.u32 %%h%d,[%%in+%d];", k, 4*k)
	}
	if w.How != "bulk" {
		return
	}
	w.f("setp.ne.u32 %%p2,%%t,0;\n@%%p2 bra I;")
	for k := range w.Buffers {
		w.f("mbarrier.init.shared::cta.b64 [bars+%d],1;", 8*k)
	}
	w.f("fence.proxy.async;\nI:\nbar.sync 0;")
}

func (p *Turns) matrices() bool { return p.Kind == "f16" || p.Kind == "s8" }

func (w *turnsText) barrier() {
	if w.Named != 0 {
		w.f("barrier.sync %d, %d;", w.Named, w.threads())
		return
	}
	w.f("bar.sync 0;")
}

// loop writes everything from the first copies on.
func (w *turnsText) loop() {
	mul := ""
	if w.Guard == "peel" {
		mul = fmt.Sprintf("\nsub.u32 %%end,%%n,%d;", w.Ahead)
	}
	w.f("mov.u32 %%i,0;\nmov.u32 %%j,0;\nmov.u32 %%at,0;\nmov.u32 %%to,0;\nmov.u32 %%end,%%n;%s", mul)
	switch w.How {
	case "bulk":
		w.f("mov.u64 %%src,%%in;")
	default:
		w.f("mul.wide.u32 %%x,%%t,16;\nadd.u64 %%src,%%in,%%x;")
	}
	for k := range w.Ahead {
		w.fetch(k, true)
		w.keep(k)
	}
	if w.Guard == "peel" {
		w.f("setp.eq.u32 %%p0,%%end,0;\n@%%p0 bra E;")
	}
	w.f("L:")
	for k := range w.Unroll {
		w.turn(k, true)
	}
	w.f("setp.lt.u32 %%p0,%%i,%%end;\n@%%p0 bra L;")
	if w.Guard == "peel" {
		w.f("E:")
		for k := range w.Ahead {
			w.turn(k, false)
		}
	}
	if w.How == "copy" {
		w.f("cp.async.wait_all;")
	}
	w.barrier()
}

// turn writes one turn; more says that it copies.
func (w *turnsText) turn(u int, more bool) {
	load := w.How == "load"
	fetch := func() {
		if more {
			w.fetch(u+w.Ahead, false)
		}
	}
	if load && w.Copies == "behind" {
		fetch()
	}
	w.wait(u)
	w.barrier()
	if w.Copies == "before" {
		fetch()
	}
	for k := range w.Pieces {
		if w.Copies == "between" && k == w.Pieces/2 {
			fetch()
		}
		w.product(u, k)
	}
	if w.Partial {
		w.f("st.global.u32 [%%po],%%c0;\nadd.u64 %%po,%%po,8;")
	}
	if w.Copies == "behind" || w.Buffers == 1 {
		w.barrier()
	}
	switch {
	case load && more:
		w.keep(u + w.Ahead)
	case !load && w.Copies == "behind":
		fetch()
	}
	w.f("add.u32 %%i,%%i,1;")
	w.next("%at")
}

// next moves a register to the next buffer.
func (w *turnsText) next(reg string) {
	switch {
	case w.fixed() || w.Buffers == 1:
	case w.Buffers == 2 && w.tile()&(w.tile()-1) == 0:
		w.f("xor.b32 %s,%s,%d;", reg, reg, w.tile())
	default:
		w.f("add.u32 %s,%s,%d;\nsetp.eq.u32 %%p3,%s,%d;\nselp.b32 %s,0,%s,%%p3;", reg, reg, w.tile(), reg, w.tile()*w.Buffers, reg, reg)
	}
}

// in returns a register and an offset: an address in the buffer of turn u.
func (w *turnsText) in(base, buffer, into string, u int) (string, int) {
	if w.fixed() {
		return base, u % w.Buffers * w.tile()
	}
	w.f("add.u32 %s,%s,%s;", into, base, buffer)
	return into, 0
}

// wait lets the thread wait for the tile of turn u.
func (w *turnsText) wait(u int) {
	switch {
	case w.How == "copy" && w.All:
		w.f("cp.async.wait_all;")
	case w.How == "copy":
		w.f("cp.async.wait_group 0;")
	case w.How == "bulk":
		w.skip++
		w.f("rem.u32 %%w5,%%i,%d;\nmov.u32 %%w6,bars;\nmad.lo.u32 %%w5,%%w5,8,%%w6;\ndiv.u32 %%w6,%%i,%d;\nand.b32 %%w6,%%w6,1;", w.Buffers, w.Buffers)
		w.f("W%d:\nmbarrier.try_wait.parity.shared::cta.b64 %%p3,[%%w5],%%w6;\n@!%%p3 bra W%d;", w.skip, w.skip)
	}
}

// fetch begins to copy the next tile, number %j, to the buffer of turn u, or
// loads it.
func (w *turnsText) fetch(u int, first bool) {
	guard, size, label := "", "", ""
	w.skip++
	if w.Guard != "peel" {
		w.f("setp.lt.u32 %%p1,%%j,%%n;")
	}
	switch {
	case w.Guard == "branch":
		label = fmt.Sprintf("N%d", w.skip)
		w.f("@!%%p1 bra %s;", label)
	case w.Guard == "guard":
		guard = "@%p1 "
	case w.Guard == "size" && w.How == "copy":
		w.f("selp.u32 %%w4,16,0,%%p1;")
		size = ",%w4"
	case w.Guard == "size": // what is not there is loaded from the begin
		w.f("selp.b64 %%src,%%src,%%in,%%p1;")
	}
	switch w.How {
	case "bulk":
		w.bulk(u)
	case "load":
		for k := range w.Pieces {
			if first && guard != "" {
				w.f("mov.b32 %%g%d,0;\nmov.b32 %%g%d,0;\nmov.b32 %%g%d,0;\nmov.b32 %%g%d,0;", 4*k, 4*k+1, 4*k+2, 4*k+3)
			}
			w.f("%sld.global.v4.b32 {%%g%d,%%g%d,%%g%d,%%g%d},[%%src+%d];", guard, 4*k, 4*k+1, 4*k+2, 4*k+3, k*w.row())
		}
	default:
		reg, off := w.in("%dst", "%to", "%w3", u)
		kind := "ca"
		if w.Piece == 16 {
			kind = "cg"
		}
		for k := range w.Pieces {
			for at := 0; at < 16; at += w.Piece {
				w.f("%scp.async.%s.shared.global [%s+%d],[%%src+%d],%d%s;", guard, kind, reg, off+k*w.row()+at, k*w.row()+at, w.Piece, size)
			}
		}
	}
	if label != "" {
		w.f("%s:", label)
	}
	if w.How == "copy" && !w.All {
		w.f("cp.async.commit_group;")
	}
	w.f("add.u32 %%j,%%j,1;\nadd.u64 %%src,%%src,%d;", w.tile())
	if w.How != "load" {
		w.next("%to")
	}
}

// bulk starts one copy of a whole tile; one thread does so.
func (w *turnsText) bulk(u int) {
	w.f("@%%p2 bra B%d;", w.skip)
	w.f("rem.u32 %%w7,%%j,%d;\nmov.u32 %%w8,bars;\nmad.lo.u32 %%w8,%%w7,8,%%w8;\nmov.u32 %%w9,bufs;", w.Buffers)
	reg, off := w.in("%w9", "%to", "%w9", u)
	if off != 0 {
		w.f("add.u32 %s,%s,%d;", reg, reg, off)
	}
	w.f("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%%w8],%d;", w.tile())
	w.f("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s],[%%src],%d,[%%w8];\nB%d:", reg, w.tile(), w.skip)
}

// keep stores what was loaded to the buffer of turn u.
func (w *turnsText) keep(u int) {
	if w.How != "load" {
		return
	}
	reg, off := w.in("%dst", "%to", "%w3", u)
	for k := range w.Pieces {
		w.f("st.shared.v4.b32 [%s+%d],{%%g%d,%%g%d,%%g%d,%%g%d};", reg, off+k*w.row(), 4*k, 4*k+1, 4*k+2, 4*k+3)
	}
	w.next("%to")
}

// product adds piece k of the tile of turn u to all sums.
func (w *turnsText) product(u, k int) {
	reg, off := w.in("%ra", "%at", "%w10", u)
	off += k * w.row()
	if w.matrices() {
		w.f("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%a0,%%a1,%%a2,%%a3},[%s+%d];", reg, off)
	} else {
		w.f("ld.shared.v4.b32 {%%a0,%%a1,%%a2,%%a3},[%s+%d];", reg, off)
	}
	for m := range w.Sums {
		reg, _ := w.in(fmt.Sprintf("%%rb%d", m), "%at", "%w11", u)
		c := [4]any{4 * m, 4*m + 1, 4*m + 2, 4*m + 3}
		if w.matrices() {
			w.f("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%%b0,%%b1},[%s+%d];", reg, off)
			sums := fmt.Sprintf("{%%c%d,%%c%d,%%c%d,%%c%d}", c[:]...)
			shape := map[string]string{"f16": "m16n8k16.row.col.f32.f16.f16.f32", "s8": "m16n8k32.row.col.s32.s8.s8.s32"}[w.Kind]
			w.f("mma.sync.aligned.%s %s,{%%a0,%%a1,%%a2,%%a3},{%%b0,%%b1},%s;", shape, sums, sums)
			continue
		}
		w.f("ld.shared.v4.b32 {%%b0,%%b1,%%b2,%%b3},[%s+%d];", reg, off)
		word := map[string]string{"fma": "fma.rn.f32", "mad": "mad.lo.u32"}[w.Kind]
		for n := range 4 {
			w.f("%s %%c%d,%%a%d,%%b%d,%%c%d;", word, c[n], n, (n+m)%4, c[n])
		}
	}
}

// finish brings the sums to global memory.
func (w *turnsText) finish() {
	for k := 4; k < 4*w.Sums; k++ {
		w.f("shf.l.wrap.b32 %%c%d,%%c%d,%%c%d,%d;\nxor.b32 %%c%d,%%c%d,%%c%d;", k%4, k%4, k%4, k, k%4, k%4, k)
		w.f("mov.u32 %%c%d,0;", k)
	}
	for k := range w.Held {
		w.f("xor.b32 %%c%d,%%c%d,%%h%d;", k%4, k%4, k)
	}
	if w.Reuse {
		w.f("st.shared.v4.b32 [%%dst],{%%c0,%%c1,%%c2,%%c3};")
		w.barrier()
		w.f("add.u32 %%w0,%%t,33;\nrem.u32 %%w0,%%w0,%d;\nmov.u32 %%w1,bufs;\nmad.lo.u32 %%w0,%%w0,16,%%w1;\nld.shared.v4.b32 {%%c0,%%c1,%%c2,%%c3},[%%w0];", w.threads())
	}
	if !w.Again {
		w.f("st.global.v4.b32 [%%out],{%%c0,%%c1,%%c2,%%c3};\nret;\n}")
		return
	}
	// the second time begins from other sums, behind all who read the buffers
	for k := range 4 {
		w.f("ld.global.b32 %%w%d,[%%out+%d];\nxor.b32 %%c%d,%%c%d,%%w%d;", k, 4*k, k, k, k)
	}
	w.f("st.global.v4.b32 [%%out],{%%c0,%%c1,%%c2,%%c3};")
	for k := range 4 {
		w.f("mov.u32 %%c%d,0;", k)
	}
	w.barrier()
	w.f("add.u32 %%again,%%again,1;\nsetp.lt.u32 %%p0,%%again,2;\n@%%p0 bra A;\nret;\n}")
}
