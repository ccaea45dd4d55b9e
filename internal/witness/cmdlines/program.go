package main

import (
	"fmt"
	"strconv"
	"strings"
)

// writer makes a program: declarations of the module, and statements of
// kernels, which share their registers' names.
type writer struct {
	*source
	module      []string
	funcs       []string
	used        map[string]bool // declared once
	n           int
	independent bool // samplers stand beside textures
	lines       bool // there is a source file
}

// id makes a name.
func (w *writer) id(prefix string) string {
	w.n++
	return prefix + strconv.Itoa(w.n)
}

// declare adds to the module.
func (w *writer) declare(format string, args ...any) {
	w.module = append(w.module, fmt.Sprintf(format, args...))
}

// once adds to the module what must stand there once.
func (w *writer) once(name, text string) {
	if !w.used[name] {
		w.used[name] = true
		w.declare("%s", text)
	}
}

// put replaces names in a statement: old, new, old, new.
func put(text string, pairs ...any) string {
	list := make([]string, len(pairs))
	for n, x := range pairs {
		list[n] = fmt.Sprint(x)
	}
	return strings.NewReplacer(list...).Replace(text)
}

// program makes a module of one to three kernels.
func program(r *source) string {
	w := &writer{source: r, used: map[string]bool{}}
	w.independent, w.lines = r.chance(25), r.chance(25)
	version := r.pick("7.8", "8.0", "8.3", "8.5", "8.7", "8.8", "9.0", "9.0", "9.0")
	if r.chance(1) {
		version = r.pick("9.1", "6.4")
	}
	target := r.pick(strings.Fields(strings.Repeat("sm_75 ", 9) + strings.Repeat("sm_52 sm_60 sm_70 ", 2) + "sm_80 sm_86 sm_90 sm_100")...)
	if target == "sm_100" && version < "8.6" {
		target = "sm_90"
	}
	if w.independent {
		target += ", texmode_independent"
	}
	if r.chance(2) {
		target += ", debug"
	}
	for n := range r.number(1, 1, 1, 1, 2, 2, 3) {
		w.kernel(n)
	}
	if r.chance(15) {
		w.function(r.pick("leaf", "leaf", "recursive", "local", "double"))
	}
	head := fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n", version, target)
	if w.lines {
		head += ".file 1 \"x.cu\"\n"
	}
	return head + strings.Join(w.module, "\n")
}

// kernel makes a kernel of a few statements.
func (w *writer) kernel(n int) {
	name := w.pick("k", "kernel_", "_Z3foo", "a", "zz", "main_") + strconv.Itoa(n)
	params := fmt.Sprintf(".param .u64 %s_p, .param .u32 %s_n", name, name)
	if w.chance(20) {
		params += fmt.Sprintf(", .param .align 8 .b8 %s_s[%d]", name, w.number(4, 40, 1000, 4000))
	}
	if w.chance(20) {
		params += fmt.Sprintf(", .param .u8 %s_c", name)
	}
	body := put("ld.param.u64 %rd1,[NAME_p]; ld.param.u32 %r2,[NAME_n]; mov.u32 %r1,%tid.x;\n", "NAME", name)
	if w.chance(30) {
		body += "cvta.to.global.u64 %rd1,%rd1;\n"
	}
	for range w.number(1, 1, 2, 2, 3, 4) {
		body += "  " + w.statement() + "\n"
	}
	w.declare("%s.entry %s(%s)\n%s{\n  .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>; .reg .pred %%p<4>;\n  %s  ret;\n}\n",
		w.pick(".visible ", ".visible ", ".visible ", "", ".weak "), name, params, w.directives(), body)
}

// directives bounds the threads and registers of a kernel.
func (w *writer) directives() string {
	text := ""
	switch {
	case w.chance(20):
		text = ".maxntid " + w.pick("128", "256,1,1", "32,4", "1024") + "\n"
		if w.chance(40) {
			text += ".minnctapersm " + w.pick("1", "2", "4") + "\n"
		}
	case w.chance(7):
		text = ".reqntid 64\n"
	}
	if w.chance(6) {
		text += ".maxnreg " + w.pick("16", "32", "64") + "\n"
	}
	return text
}

// statement makes one of the statements, as often as each weighs.
func (w *writer) statement() string {
	sum := 0
	for _, s := range statements {
		sum += s.weight
	}
	at := w.IntN(sum)
	for _, s := range statements {
		if at -= s.weight; at < 0 {
			return s.make(w)
		}
	}
	return ""
}

// callTo calls a function of one word that returns one.
const callTo = "{.param .b32 q; .param .b32 o; st.param.b32 [q],%r1; call.uni (o),NAME,(q); ld.param.b32 %r10,[o];} st.global.u32 [%rd1+60],%r10;"

// functionBodies are what functions do with %r1.
var functionBodies = map[string]string{
	"leaf":      "add.u32 %r1,%r1,1;",
	"recursive": "setp.eq.u32 %p1,%r1,0; @%p1 bra X; add.u32 %r2,%r1,-1; {.param .b32 q; .param .b32 o; st.param.b32 [q],%r2; call.uni (o),NAME,(q); ld.param.b32 %r3,[o];} add.u32 %r1,%r1,%r3; X:",
	"local":     ".local .align 4 .b8 q[SIZE]; mov.u64 %rd1,q; mad.wide.u32 %rd2,%r1,4,%rd1; st.local.u32 [%rd2],%r1; ld.local.u32 %r1,[%rd2+4];",
	"calls":     "{.param .b32 q; .param .b32 o; st.param.b32 [q],%r1; call.uni (o),OTHER,(q); ld.param.b32 %r3,[o];} add.u32 %r1,%r1,%r3;",
	"double":    "cvt.rn.f64.u32 %fd1,%r1; div.rn.f64 %fd2,%fd1,0d4008000000000000; cvt.rzi.u32.f64 %r1,%fd2;",
	"barrier":   "bar.sync BAR;",
	"shared":    ".shared .align 4 .b8 sf[64]; mov.u32 %r2,sf; st.shared.u32 [%r2],%r1; ld.shared.u32 %r1,[%r2+4];",
}

// function makes a function and returns its name.
func (w *writer) function(kind string) string {
	name, body := w.id("f"), functionBodies[kind]
	switch {
	case kind == "big":
		for n := range 60 {
			body += fmt.Sprintf("mad.lo.u32 %%r%d,%%r1,%d,%%r%d;", 2+n%6, n*7+3, 1+(n+3)%7)
		}
		body += "xor.b32 %r1,%r5,%r6;"
	case kind == "calls" && len(w.funcs) == 0:
		body = functionBodies["leaf"]
	case kind == "calls":
		body = put(body, "OTHER", w.pick(w.funcs...))
	}
	body = put(body, "NAME", name, "SIZE", w.number(16, 32, 100), "BAR", w.IntN(16))
	w.declare("%s.func (.param .b32 ret0) %s(.param .b32 a)\n{ .reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .f64 %%fd<4>; .reg .pred %%p<2>; ld.param.b32 %%r1,[a]; %s st.param.b32 [ret0],%%r1; ret; }",
		w.pick("", ".visible ", ".weak "), name, body)
	w.funcs = append(w.funcs, name)
	return name
}
