package pipe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Reads is a program of loops whose turns load from global memory what they
// work on, and nobody copies ahead: what a compiler may send a turn early, and
// what it must not. The last turn reads the last bytes of its buffer, so that a
// load of a turn that never is goes outside of it; so does the first where
// there is none.
type Reads struct {
	Seed   uint64
	Turns  string   // number: none to five; words: the launch says; threads: each its own
	Few    int      // turns, or what threads are counted from
	Head   bool     // the loop tests at its start, else at its end behind a test before it
	Loads  []Load   // of a turn
	Middle []string // what a turn does with it: shared, shuffle, store, inner, scratch, ring, exchange
	Roles  bool     // one warp writes what the other reads, a barrier between
	End    string   // what follows the loop: "", store, red, barrier, again
	Warps  int
	Fill   string
}

// Load is a load of a turn.
type Load struct {
	Op    string // ld.global and what follows
	Type  string // u8, u32, u64, v2.u32, v4.u32
	Step  int    // bytes from turn to turn
	Down  bool   // from the end of what is read
	Index bool   // the address is made of the number of the turn
	Chase bool   // what is loaded is an index of the next load
	Guard bool   // only some turns load
	Near  bool   // what the next turn loads is loaded, too
}

// widths are the bytes of a load by its type.
var widths = map[string]int{"u8": 1, "u32": 4, "u64": 8, "v2.u32": 8, "v4.u32": 16}

const (
	readBytes = 4096
	ownBytes  = 192 // of a thread in the result
	ringAt    = 64  // in these: the words that one turn writes and the next reads
)

// NewReads makes the program of a seed.
func NewReads(seed uint64) *Reads {
	r := rand.New(rand.NewPCG(seed, 0x7265616473))
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	p := &Reads{
		Seed: seed, Turns: pick("number", "words", "words", "threads"), Few: r.IntN(6), Head: r.IntN(2) == 0, Warps: 1 + r.IntN(3),
		End: pick("", "", "store", "red", "barrier", "again"), Fill: pick("bits", "edge", "small"),
	}
	all := []string{"shared", "shared", "shuffle", "store", "inner", "inner", "scratch", "ring", "exchange"}
	for range r.IntN(3) {
		p.Middle = append(p.Middle, all[r.IntN(len(all))])
	}
	p.Roles = r.IntN(8) == 0
	for range 1 + r.IntN(4) {
		l := Load{
			Op: pick("ld.global", "ld.global", "ld.global", "ld.global.nc", "ld.global.cg", "ld.relaxed.gpu.global"), Type: pick("u8", "u32", "u32", "u64", "v2.u32", "v4.u32"),
			Down: r.IntN(4) == 0, Index: r.IntN(3) == 0, Chase: r.IntN(4) == 0, Guard: r.IntN(4) == 0,
		}
		if strings.Contains(l.Op, "relaxed") && r.IntN(3) > 0 {
			l.Op = "ld.global"
		}
		l.Step = widths[l.Type] << r.IntN(4)
		switch r.IntN(10) {
		case 0: // one place
			l.Step = 0
		case 1, 2, 3:
			l.Near, l.Chase = true, false
		}
		p.Loads = append(p.Loads, l)
	}
	return p.plain()
}

// plain takes away what threads with turns of their own must not do.
func (p *Reads) plain() *Reads {
	if p.Roles {
		p.Warps, p.Turns = 2, "words"
	}
	if p.Turns == "threads" {
		p.Middle = slices.DeleteFunc(p.Middle, func(s string) bool { return s == "shared" || s == "shuffle" || s == "exchange" })
	}
	return p
}

// Simpler lists programs with less in them.
func (p *Reads) Simpler() (list []*Reads) {
	with := func(change func(q *Reads)) {
		q := *p
		q.Loads, q.Middle = slices.Clone(p.Loads), slices.Clone(p.Middle)
		change(&q)
		if q.plain(); q.String() != p.String() {
			list = append(list, &q)
		}
	}
	for n := range p.Loads {
		if len(p.Loads) > 1 {
			with(func(q *Reads) { q.Loads = slices.Delete(q.Loads, n, n+1) })
		}
		with(func(q *Reads) {
			l := &q.Loads[n]
			*l = Load{Op: l.Op, Type: "u32", Step: 4, Chase: l.Chase, Guard: l.Guard, Near: l.Near}
		})
		with(func(q *Reads) { q.Loads[n].Chase = false })
		with(func(q *Reads) { q.Loads[n].Near = false })
		with(func(q *Reads) { q.Loads[n].Guard = false })
	}
	for n := range p.Middle {
		with(func(q *Reads) { q.Middle = slices.Delete(q.Middle, n, n+1) })
	}
	with(func(q *Reads) { q.Roles = false })
	with(func(q *Reads) { q.End = "" })
	with(func(q *Reads) { q.Head = false })
	with(func(q *Reads) { q.Warps = 1 })
	return list
}

// String says what there is of everything.
func (p *Reads) String() string { return fmt.Sprintf("%+v", *p) }

// Text prints the program with its launch.
func (p *Reads) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	fmt.Fprintf(&b, "// %s\n//: run reads grid=1 block=%d\n//: buf %d %s %d\n//: buf %d zero\n//: u32 %d\n", p, 32*p.Warps, readBytes, p.Fill, p.Seed, 32*p.Warps*ownBytes, p.Few)
	b.WriteString(".version 8.0\n.target sm_75\n.address_size 64\n\n.visible .entry reads(\n\t.param .u64 in,\n\t.param .u64 out,\n\t.param .u32 n\n)\n{\n")
	line(".reg .b32 %%t, %%turn, %%last, %%sum, %%x, %%y, %%i, %%k, %%sm, %%sp, %%nt;")
	line(".reg .b64 %%in, %%out, %%own, %%a, %%w, %%ring;")
	line(".reg .pred %%way, %%some, %%role;")
	for n := range p.Loads {
		line(".reg .b64 %%p%d, %%d%d;\n\t.reg .b32 %%v%d_<4>;\n\t.reg .b32 %%o%d;", n, n, n, n)
	}
	line(".shared .align 16 .b8 smem[%d];", 32*p.Warps*8)
	line("ld.param.u64 %%in, [in];\n\tld.param.u64 %%out, [out];\n\tcvta.to.global.u64 %%in, %%in;\n\tcvta.to.global.u64 %%out, %%out;")
	line("mov.u32 %%t, %%tid.x;\n\tmov.u32 %%nt, %%ntid.x;\n\tmad.wide.u32 %%own, %%t, %d, %%out;", ownBytes)
	line("mov.u32 %%sm, smem;\n\tmad.lo.u32 %%sp, %%t, 4, %%sm;\n\tmov.u32 %%sum, %%t;")
	switch p.Turns {
	case "number":
		line("mov.u32 %%last, %d;", p.Few)
	case "words":
		line("ld.param.u32 %%last, [n];")
	default:
		line("ld.param.u32 %%last, [n];\n\tadd.u32 %%last, %%last, %%t;\n\tand.b32 %%last, %%last, 7;")
	}
	if p.Roles {
		p.roles(line)
	}
	p.loop(line, 0)
	switch p.End {
	case "again":
		p.loop(line, 1)
	case "barrier":
		line("st.global.u32 [%%own+8], %%sum;\n\tbar.sync 0;")
	case "red":
		line("red.global.add.u32 [%%out+12], %%sum;")
	case "store":
		line("st.global.u32 [%%own+8], %%last;")
	}
	line("st.global.u32 [%%own], %%sum;\n\tret;")
	b.WriteString("}\n")
	return b.String()
}

// loop prints the loop, of a number.
func (p *Reads) loop(line func(string, ...any), number int) {
	line("mov.u32 %%turn, 0;")
	if slices.Contains(p.Middle, "ring") {
		line("mov.u64 %%ring, %%own;")
	}
	for n, l := range p.Loads {
		p.start(line, n, l)
	}
	if p.Head {
		line("L%d:\n\tsetp.ge.u32 %%way, %%turn, %%last;\n\t@%%way bra E%d;", number, number)
	} else {
		line("setp.eq.u32 %%way, %%last, 0;\n\t@%%way bra E%d;\n\tL%d:", number, number)
	}
	for n, l := range p.Loads {
		p.load(line, n, l)
	}
	for n, m := range p.Middle {
		p.middle(line, m, fmt.Sprintf("M%d_%d", number, n))
	}
	for n, l := range p.Loads {
		if !l.Index {
			line("add.s64 %%p%d, %%p%d, %%d%d;", n, n, n)
		}
	}
	line("add.u32 %%turn, %%turn, 1;")
	if p.Head {
		line("bra L%d;", number)
	} else {
		line("setp.lt.u32 %%way, %%turn, %%last;\n\t@%%way bra L%d;", number)
	}
	line("E%d:", number)
}

// start points a load at what the first turn reads.
func (p *Reads) start(line func(string, ...any), n int, l Load) {
	step, w, more := l.Step, widths[l.Type], 0
	if l.Near {
		more = step
	}
	switch {
	case l.Index: // the distance of the first from the end
		line("mul.lo.u32 %%o%d, %%last, %d;\n\tsub.u32 %%o%d, %d, %%o%d;", n, step, n, readBytes+step-w-more, n)
	case l.Down:
		line("sub.u32 %%x, %%last, 1;\n\tmul.lo.u32 %%x, %%x, %d;\n\tcvt.s64.s32 %%a, %%x;\n\tadd.s64 %%p%d, %%in, %%a;\n\tadd.s64 %%p%d, %%p%d, %d;\n\tmov.s64 %%d%d, %d;", step, n, n, n, more, n, -step)
	default:
		line("mul.lo.u32 %%x, %%last, %d;\n\tsub.u32 %%x, %d, %%x;\n\tcvt.s64.s32 %%a, %%x;\n\tadd.s64 %%p%d, %%in, %%a;\n\tmov.s64 %%d%d, %d;", step, readBytes+step-w-more, n, n, step)
	}
}

// load prints a load, and adds up what it brings.
func (p *Reads) load(line func(string, ...any), n int, l Load) {
	at := fmt.Sprintf("[%%p%d]", n)
	if l.Index {
		line("mad.lo.u32 %%x, %%turn, %d, %%o%d;\n\tcvt.s64.s32 %%a, %%x;\n\tadd.s64 %%w, %%in, %%a;", l.Step, n)
		at = "[%w]"
	}
	guard, list := "", []string{fmt.Sprintf("%%v%d_0", n)}
	if k := strings.IndexByte(l.Type, '.'); k > 0 {
		for i := 1; i < int(l.Type[1]-'0'); i++ {
			list = append(list, fmt.Sprintf("%%v%d_%d", n, i))
		}
	}
	if l.Guard {
		line("shl.b32 %%x, %%turn, 1;\n\tadd.u32 %%x, %%x, %%t;\n\tand.b32 %%x, %%x, 3;\n\tsetp.ne.u32 %%some, %%x, %d;", n&3)
		for _, v := range list {
			line("mov.u32 %s, 7;", v)
		}
		line("mov.u64 %%a, 9;")
		guard = "@%some "
	}
	into := "{" + strings.Join(list, ", ") + "}"
	switch {
	case l.Type == "u64":
		line("%s%s.u64 %%a, %s;\n\tcvt.u32.u64 %s, %%a;", guard, l.Op, at, list[0])
	case len(list) == 1:
		line("%s%s.%s %s, %s;", guard, l.Op, l.Type, list[0], at)
	default:
		line("%s%s.%s %s, %s;", guard, l.Op, l.Type, into, at)
	}
	if by := l.Step; l.Near && len(list) == 1 && l.Type != "u64" {
		if l.Down && !l.Index {
			by = -by
		}
		line("%s.%s %%x, %s+%d];\n\tmad.lo.u32 %%sum, %%sum, 3, %%x;", l.Op, l.Type, at[:len(at)-1], by)
	}
	if l.Chase {
		line("and.b32 %%x, %s, 1023;\n\tmul.wide.u32 %%a, %%x, 4;\n\tadd.s64 %%a, %%in, %%a;\n\tld.global.u32 %s, [%%a];", list[0], list[0])
	}
	for _, v := range list {
		line("mad.lo.u32 %%sum, %%sum, 5, %s;", v)
	}
}

// middle prints what a turn does with what it loaded.
func (p *Reads) middle(line func(string, ...any), what, label string) {
	line("add.u32 %%y, %%t, 1;\n\trem.u32 %%y, %%y, %%nt;")
	switch what {
	case "shared":
		line("st.shared.u32 [%%sp], %%sum;\n\tbar.sync 0;\n\tmad.lo.u32 %%y, %%y, 4, %%sm;\n\tld.shared.u32 %%x, [%%y];\n\tbar.sync 0;\n\txor.b32 %%sum, %%sum, %%x;")
	case "shuffle":
		line("shfl.sync.bfly.b32 %%x, %%sum, 3, 31, 0xffffffff;\n\tadd.u32 %%sum, %%sum, %%x;")
	case "store":
		line("st.global.u32 [%%own+16], %%sum;")
	case "scratch": // what the turn before stored
		line("and.b32 %%y, %%turn, 1;\n\tmad.wide.u32 %%w, %%y, 4, %%own;\n\tld.global.u32 %%x, [%%w+24];\n\tadd.u32 %%sum, %%sum, %%x;")
		line("xor.b32 %%y, %%y, 1;\n\tmad.wide.u32 %%w, %%y, 4, %%own;\n\tst.global.u32 [%%w+24], %%sum;")
	case "ring": // a word and the next one, which this turn writes and the next turn reads
		line("ld.global.u32 %%x, [%%ring+%d];\n\tld.global.u32 %%y, [%%ring+%d];\n\tmad.lo.u32 %%sum, %%sum, 3, %%x;\n\tadd.u32 %%sum, %%sum, %%y;", ringAt, ringAt+4)
		line("st.global.u32 [%%ring+%d], %%sum;\n\tadd.s64 %%ring, %%ring, 4;", ringAt+4)
	case "exchange": // what another thread stored
		line("st.global.u32 [%%own+32], %%sum;\n\tbar.sync 0;\n\tmad.wide.u32 %%w, %%y, %d, %%out;\n\tld.global.u32 %%x, [%%w+32];\n\tbar.sync 0;\n\tadd.u32 %%sum, %%sum, %%x;", ownBytes)
	default:
		line("mov.u32 %%i, 0;\n\t%s:\n\tmad.lo.u32 %%sum, %%sum, 3, %%i;\n\tadd.u32 %%i, %%i, 1;\n\tsetp.lt.u32 %%way, %%i, 3;\n\t@%%way bra %s;", label, label)
	}
}

// roles prints loops of two warps: in every turn one writes a word that the
// other reads behind a barrier.
func (p *Reads) roles(line func(string, ...any)) {
	line("setp.lt.u32 %%role, %%t, 32;\n\tand.b32 %%y, %%t, 31;\n\tmad.wide.u32 %%w, %%y, %d, %%out;\n\tmov.u32 %%i, 0;", ownBytes)
	line("setp.eq.u32 %%way, %%last, 0;\n\t@%%way bra RE;\n\t@%%role bra RW;")
	line("RR:\n\tbar.sync 1, 64;\n\tld.global.u32 %%x, [%%w+40];\n\tmad.lo.u32 %%sum, %%sum, 3, %%x;\n\tadd.u64 %%w, %%w, 4;\n\tadd.u32 %%i, %%i, 1;\n\tsetp.lt.u32 %%way, %%i, %%last;\n\t@%%way bra RR;\n\tbra RE;")
	line("RW:\n\tadd.u32 %%y, %%i, %%t;\n\tst.global.u32 [%%w+40], %%y;\n\tbar.sync 1, 64;\n\tadd.u64 %%w, %%w, 4;\n\tadd.u32 %%i, %%i, 1;\n\tsetp.lt.u32 %%way, %%i, %%last;\n\t@%%way bra RW;")
	line("RE:")
}
