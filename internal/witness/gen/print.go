package gen

import (
	"fmt"
	"strings"
)

// Sizes of the buffers and of each thread's part of the result.
const (
	inBytes  = 4096
	accBytes = 256
	stride   = 384
	scratch  = 320 // where a thread's scratch words begin
)

// file counts the registers of each kind: name, type, number, and how the
// n-th is first written. %in is the thread's place in the input.
var file = [...]struct {
	name, typ string
	n         int
	load      string
	step      int
}{
	{"%r", ".b32", 12, "ld.global.u32", 4},
	{"%d", ".b64", 6, "ld.global.u64", 8},
	{"%f", ".f32", 6, "ld.global.f32", 4},
	{"%e", ".f64", 4, "ld.global.f64", 8},
	{"%h", ".b16", 6, "ld.global.u16", 2},
	{"%x", ".b32", 4, "ld.global.u32", 4},
	{"%p", ".pred", 5, "", 0},
	{"%u", ".b32", 4, "", 0},
	{"%q", ".pred", 2, "", 0},
}

// printer writes one body.
type printer struct {
	out      strings.Builder
	n        int
	mask     string
	masks    int
	counters []string
}

func (p *printer) line(s string) {
	p.out.WriteByte('\t')
	p.out.WriteString(s)
	p.out.WriteByte('\n')
}

func (p *printer) label() int { p.n++; return p.n }

func (p *printer) newMask() string { p.masks++; return fmt.Sprintf("%%m%d", p.masks) }

func (p *printer) list(l []Stmt) {
	for _, s := range l {
		s.print(p)
	}
}

// uses reports whether the text names register n of a kind.
func uses(text, name string, n int) bool {
	want := fmt.Sprintf("%s%d", name, n)
	for {
		at := strings.Index(text, want)
		if at < 0 {
			return false
		}
		text = text[at+len(want):]
		if text == "" || text[0] < '0' || text[0] > '9' {
			return true
		}
	}
}

// Header begins a file.
const Header = ".version 9.0\n.target sm_90\n.address_size 64\n\n"

// Text prints the program as a file of its own.
func (p *Prog) Text() string {
	head := Header
	if p.Target != "" {
		head = strings.Replace(head, "sm_90", p.Target, 1)
	}
	return fmt.Sprintf("// Random program %d.\n", p.Seed) + p.launch() + head + p.kernel()
}

// launch prints the launch description.
func (p *Prog) launch() string {
	return fmt.Sprintf("//: run %s grid=%d block=%d\n//: buf %d %s %d\n//: buf %d zero\n//: buf %d bits %d\n//: u32 %d\n",
		p.Name, p.Grid, p.Block, inBytes, p.Fill, p.Seed, p.Grid*p.Block*stride, accBytes, p.Seed+1, p.Seed&0xffffffff)
}

// kernel prints the functions and the kernel.
func (p *Prog) kernel() string {
	var b strings.Builder
	var body printer
	body.mask = "0xffffffff"
	body.list(p.Body)
	body.list(p.Stores)
	body.list(p.Tail)
	text := body.out.String()
	b.WriteString(p.functions(text))
	module, shared := p.crowdMemory(text)
	text = strings.ReplaceAll(text, "own_crowd", p.Name+"_own_crowd")
	b.WriteString(module)
	if strings.Contains(text, p.Name+"_str") {
		b.WriteString(strings.ReplaceAll(structs, "$", p.Name))
	}
	if strings.Contains(text, "// module") {
		fmt.Fprintf(&b, ".global .align 16 .b8 %s_own[%d];\n", p.Name, p.Grid*p.Block*16)
	}
	if strings.Contains(text, p.Name+"_dat") {
		fmt.Fprintf(&b, ".global .align 16 .u16 %s_dat[32] = {1, 2, 0x8000, 0x7fff, 0x3c00, 0xbc00, 0x7c00, 0xfc01, 9, 10, 11, 12, 13, 14, 15, 16, 0x3f80, 0xbf80, 0x4000};\n", p.Name)
	}
	if strings.Contains(text, p.Name+"_rec") {
		b.WriteString(strings.ReplaceAll(recursive, "$", p.Name))
	}
	if strings.Contains(text, p.Name+"_tab") {
		fmt.Fprintf(&b, ".const .align 16 .u32 %s_tab[16] = {1, 0x80000000, 3, 0x7fffffff, 31, 32, 0xffffffff, 0x3f800000, 0x7f800000, 0xff800001, 8, 0x12345678, 0x00800000, 17, 0x4f000000, 0};\n", p.Name)
	}
	fmt.Fprintf(&b, ".visible .entry %s(\n\t.param .u64 in,\n\t.param .u64 out,\n\t.param .u64 acc,\n\t.param .u32 n\n)\n", p.Name)
	if p.Regs > 0 {
		fmt.Fprintf(&b, ".maxnreg %d\n", p.Regs)
	}
	b.WriteString("{\n")
	b.WriteString(declare(text))
	for _, c := range body.counters {
		fmt.Fprintf(&b, "\t.reg .b32 %s;\n", c)
	}
	fmt.Fprintf(&b, "\t.reg .b32 %%m<%d>;\n\t.reg .b32 %%t, %%g, %%ct, %%nt, %%s0;\n\t.reg .b64 %%in, %%out, %%acc;\n\t.reg .pred %%loop;\n", body.masks+1)
	b.WriteString(shared)
	if strings.Contains(text, "smem") {
		b.WriteString("\t.shared .align 16 .b8 smem[2048];\n")
	}
	if strings.Contains(text, "stack;") {
		b.WriteString("\t.local .align 16 .b8 stack[64];\n")
	}
	b.WriteString(prologue(text, p.Name))
	b.WriteString(text)
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// functions prints the functions that a text calls, and those that they call,
// which come before them.
func (p *Prog) functions(text string) string {
	out := ""
	for n := len(p.Funcs) - 1; n >= 0; n-- {
		if uses(text+out, p.Name+"_f", n) {
			out = p.function(n) + out
		}
	}
	return out
}

// declare declares the registers that a body uses.
func declare(text string) string {
	var b strings.Builder
	for _, f := range file {
		if strings.Contains(text, f.name) {
			fmt.Fprintf(&b, "\t.reg %s %s<%d>;\n", f.typ, f.name, f.n)
		}
	}
	return b.String()
}

// prologue finds the thread's places and writes every register that the body
// uses.
func prologue(text, name string) string {
	var p printer
	p.line("mov.u32 %t, %tid.x;")
	p.line("mov.u32 %ct, %ctaid.x;")
	p.line("mov.u32 %nt, %ntid.x;")
	p.line("mad.lo.u32 %g, %ct, %nt, %t;")
	p.line("ld.param::entry.u64 %in, [in];")
	p.line("cvta.to.global.u64 %in, %in;")
	p.line("ld.param.u64 %out, [out];")
	p.line("cvta.to.global.u64 %out, %out;")
	p.line(fmt.Sprintf("mad.wide.u32 %%out, %%g, %d, %%out;", stride))
	p.line("ld.param.u64 %acc, [acc];")
	p.line("cvta.to.global.u64 %acc, %acc;")
	p.line("{")
	p.line(".reg .b64 %my;")
	p.line("mad.wide.u32 %my, %g, 8, %in;")
	at := 0
	for _, f := range file {
		for n := range f.n {
			at += 64
			if f.load != "" && uses(text, f.name, n) {
				p.line(fmt.Sprintf("%s %s%d, [%%my+%d];", f.load, f.name, n, at%2304))
			}
		}
	}
	p.line("}")
	p.predicates(text)
	p.memory(text, name)
	return p.out.String()
}

// predicates writes the predicates and uniform numbers that a text uses.
func (p *printer) predicates(text string) {
	for n := range 5 {
		if uses(text, "%p", n) {
			p.line(fmt.Sprintf("and.b32 %%s0, %%t, %d;", 1<<n))
			p.line(fmt.Sprintf("setp.ne.u32 %%p%d, %%s0, 0;", n))
		}
	}
	for n := range 4 {
		if uses(text, "%u", n) {
			p.line(fmt.Sprintf("ld.param.u32 %%u%d, [n];", n))
			p.line(fmt.Sprintf("mad.lo.u32 %%u%d, %%ct, %d, %%u%d;", n, 0x9e3779b1+n*0x1000, n))
		}
	}
	for n := range 2 {
		if uses(text, "%q", n) {
			p.line("ld.param.u32 %s0, [n];")
			p.line(fmt.Sprintf("and.b32 %%s0, %%s0, %d;", 1<<n))
			p.line(fmt.Sprintf("setp.ne.u32 %%q%d, %%s0, 0;", n))
		}
	}
}

// memory writes what a thread owns of its stack, of the module's variables and
// of shared memory.
func (p *printer) memory(text, name string) {
	if strings.Contains(text, "stack;") {
		for k := 0; k < 64; k += 4 {
			p.line(fmt.Sprintf("st.local.u32 [stack+%d], %%g;", k))
		}
	}
	if strings.Contains(text, "// module") {
		p.line(".reg .b64 %own;")
		p.line(fmt.Sprintf("mov.u64 %%own, %s_own;", name))
		p.line("mad.wide.u32 %own, %g, 16, %own;")
		p.line("st.global.v4.u32 [%own], {%g, %t, %ct, %nt};")
	}
	if strings.Contains(text, "smem") {
		p.line(".reg .b32 %sm, %sp;")
		p.line("mov.u32 %sm, smem;")
		p.line("mad.lo.u32 %sp, %t, 16, %sm;")
		p.line("st.shared.v4.u32 [%sp], {%g, %t, %ct, %nt};")
		p.line("bar.sync 0;")
	}
}

// function prints a device function; its body works on %r, %d and %f.
func (p *Prog) function(n int) string {
	var body printer
	body.list(p.Funcs[n].Body)
	text := body.out.String()
	var b strings.Builder
	fmt.Fprintf(&b, ".func (.param .b32 rv) %s_f%d(.param .b32 x, .param .b64 y)\n{\n\t.reg .b32 %%r<12>;\n\t.reg .b64 %%d<6>;\n\t.reg .pred %%loop;\n", p.Name, n)
	for _, f := range file[2:] {
		if strings.Contains(text, f.name) {
			fmt.Fprintf(&b, "\t.reg %s %s<%d>;\n", f.typ, f.name, f.n)
		}
	}
	for _, c := range body.counters {
		fmt.Fprintf(&b, "\t.reg .b32 %s;\n", c)
	}
	b.WriteString("\tld.param.u32 %r0, [x];\n\tld.param.u64 %d0, [y];\n")
	for k := 1; k < 12; k++ {
		if uses(text, "%r", k) {
			fmt.Fprintf(&b, "\tadd.u32 %%r%d, %%r0, %d;\n", k, k*0x10001)
		}
	}
	for k := 1; k < 6; k++ {
		if uses(text, "%d", k) {
			fmt.Fprintf(&b, "\tadd.u64 %%d%d, %%d0, %d;\n", k, k<<33|k)
		}
	}
	for _, f := range [...]struct {
		name  string
		n     int
		start string
	}{
		{"%f", 6, "\tcvt.rn.f32.u32 %%f%d, %%r0;\n"},
		{"%e", 4, "\tcvt.rn.f64.s64 %%e%d, %%d0;\n"},
		{"%h", 6, "\tcvt.u16.u32 %%h%d, %%r0;\n"},
		{"%x", 4, "\tmov.b32 %%x%d, %%r0;\n"},
	} {
		for k := range f.n {
			if uses(text, f.name, k) {
				fmt.Fprintf(&b, f.start, k)
			}
		}
	}
	for k := range 5 {
		if uses(text, "%p", k) {
			fmt.Fprintf(&b, "\tsetp.gt.u32 %%p%d, %%r0, %d;\n", k, k<<28)
		}
	}
	b.WriteString(text)
	b.WriteString("\tst.param.b32 [rv], %r0;\n\tret;\n}\n")
	return b.String()
}
