package main

import (
	"fmt"
	"strings"
)

// statements are what kernels do: with %rd1, a pointer to global memory, %r1,
// the thread, and %r2, a parameter.
var statements = []struct {
	weight int
	make   func(*writer) string
}{
	{60, one("st.global.u32 [%rd1],%r1;")},
	{30, global},
	{20, scalar},
	{30, constant},
	{30, shared},
	{10, dynamic},
	{40, local},
	{15, texture},
	{10, surface},
	{30, one("bar.sync 0;", "bar.sync 1;", "bar.sync 5;", "bar.sync 15;", "and.b32 %r10,%r2,7; bar.sync %r10;", "bar.sync 1,64;", "barrier.sync.aligned 2;", "bar.arrive 3,64;",
		"bar.red.popc.u32 %r10,4,%p1; st.global.u32 [%rd1+52],%r10;", "bar.warp.sync -1;")},
	{30, between("ld.global.f64 %fd1,[%rd1];", "st.global.f64 [%rd1],%fd2;",
		"add.f64 %fd2,%fd1,%fd1;", "mul.f64 %fd2,%fd1,0d3FF3C0CA428C59FB;", "div.rn.f64 %fd2,%fd1,0d4008000000000000;", "ld.global.f64 %fd3,[%rd1+8]; div.rn.f64 %fd2,%fd1,%fd3;",
		"sqrt.rn.f64 %fd2,%fd1;", "fma.rn.f64 %fd2,%fd1,%fd1,0d3FF0000000000001;", "rcp.rn.f64 %fd2,%fd1;", "cvt.rn.f64.u32 %fd2,%r1;", "fma.rn.f64 %fd2,%fd1,%fd1,%fd1;",
		"setp.lt.f64 %p1,%fd1,0d3FF3C0CA428C59FB; selp.f64 %fd2,%fd1,0d3FF3C0CA428C59F0,%p1;", "abs.f64 %fd2,%fd1;",
		"mul.f64 %fd2,%fd1,0d3FF3C0CA428C59FB; add.f64 %fd2,%fd2,0d3FF3C0CA428C59F1; mul.f64 %fd2,%fd2,0d3FF0000000000000;")},
	{20, between("ld.global.f32 %f1,[%rd1];", "st.global.f32 [%rd1],%f2;",
		"div.rn.f32 %f2,%f1,0f40400000;", "ld.global.f32 %f3,[%rd1+4]; div.rn.f32 %f2,%f1,%f3;", "sqrt.rn.f32 %f2,%f1;", "rcp.rn.f32 %f2,%f1;", "sin.approx.f32 %f2,%f1;",
		"div.full.f32 %f2,%f1,%f1;", "fma.rn.f32 %f2,%f1,%f1,%f1;", "rsqrt.approx.ftz.f32 %f2,%f1;")},
	{15, one("div.u32 %r10,%r1,%r2; st.global.u32 [%rd1],%r10;", "rem.s32 %r10,%r1,%r2; st.global.u32 [%rd1],%r10;",
		"ld.global.u64 %rd10,[%rd1]; div.u64 %rd11,%rd10,%rd1; st.global.u64 [%rd1],%rd11;", "div.u32 %r10,%r1,7; st.global.u32 [%rd1],%r10;")},
	{20, labelled("mov.u32 %r13,0; LABEL: add.u32 %r13,%r13,1; ld.global.u32 %r12,[%rd1]; add.u32 %r12,%r12,%r13; st.global.u32 [%rd1],%r12; setp.lt.u32 %p1,%r13,%r2; @%p1 bra LABEL;")},
	{10, one("atom.global.add.u32 %r10,[%rd1],%r1; st.global.u32 [%rd1+4],%r10;", "red.global.add.f32 [%rd1],0f3F800000;", "atom.global.cas.b64 %rd10,[%rd1],%rd1,%rd1; st.global.u64 [%rd1+8],%rd10;")},
	{10, labelled("setp.eq.u32 %p1,%r1,0; @%p1 bra LABEL; st.global.u32 [%rd1],%r2; LABEL:")},
	{7, pressure},
	{40, calls},
	{6, pointer},
	{4, declared("ext", ".extern .func (.param .b32 r) ext(.param .b32 a);", strings.ReplaceAll(callTo, "NAME", "ext"))},
	{5, printf},
	{3, declared("malloc", ".extern .func (.param .b64 r) malloc(.param .b64 a);", "{.param .b64 q; .param .b64 o; st.param.b64 [q],64; call.uni (o),malloc,(q); ld.param.b64 %rd10,[o];} st.global.u64 [%rd1+64],%rd10;")},
	{3, one("cvt.u64.u32 %rd10,%r2; alloca.u64 %rd11,%rd10; st.local.u32 [%rd11],%r1; ld.local.u32 %r10,[%rd11]; st.global.u32 [%rd1],%r10;")},
	{10, place},
	{10, one("shfl.sync.bfly.b32 %r10,%r1,1,31,-1; st.global.u32 [%rd1],%r10;", "vote.sync.ballot.b32 %r10,%p1,-1; st.global.u32 [%rd1],%r10;", "activemask.b32 %r10; st.global.u32 [%rd1],%r10;")},
	{5, one("shfl.bfly.b32 %r10,%r1,1,31; st.global.u32 [%rd1],%r10;", "vote.ballot.b32 %r10,%p1; st.global.u32 [%rd1],%r10;", "brkpt;", "trap;", "exit;", "membar.gl;", "ld.volatile.global.u32 %r10,[%rd1]; st.global.u32 [%rd1],%r10;", "pmevent 3;")},
	{3, one("foo.bar %r1;", "add.u32 %r1,%r1;", "mov.u32 %r1,nosuch;", "st.global.u32 [%rd1],%f1;", "ld.shared.u32 %r1,[%rd1+;", "add.f32 %f1,%f2,%r3;", "bra NOWHERE;", "mov.u32 %q1,1;", "cvt.f32.s32 %f1,%r1;",
		"add.f16 %r1,%r2,%r3;", "wgmma.fence.sync.aligned;", "tcgen05.wait::ld.sync.aligned;", "cp.async.wait_all;", "mul.lo.u8 %r1,%r2,%r3;", "ld.global.v3.u32 {%r1,%r2,%r3},[%rd1];",
		"setp.eq.u32 %r1,%r2,%r3;", "call nosuchf;", "ret", ".reg .u32 %r1;")},
}

// one makes one of some texts.
func one(list ...string) func(*writer) string {
	return func(w *writer) string { return w.pick(list...) }
}

// between makes one of some texts between two that are always there.
func between(before, after string, list ...string) func(*writer) string {
	return func(w *writer) string { return before + w.pick(list...) + after }
}

// labelled makes a text with a label of its own.
func labelled(text string) func(*writer) string {
	return func(w *writer) string { return put(text, "LABEL", w.id("L")) }
}

// declared makes a text that needs a declaration.
func declared(name, declaration, text string) func(*writer) string {
	return func(w *writer) string {
		w.once(name, declaration)
		return text
	}
}

func global(w *writer) string {
	name, size := w.id("g"), w.number(1, 3, 4, 7, 8, 16, 30, 100, 1000, 4096)
	init := w.pick("", "", " = {1,2,3}")
	if size < 4 {
		init = ""
	}
	w.declare("%s.global .align %d .b8 %s[%d]%s;", w.pick("", ".visible ", ".weak "), w.number(1, 2, 4, 8, 16), name, size, init)
	if w.chance(20) {
		return ""
	}
	return put("mov.u64 %rd10, NAME; st.global.u8 [%rd10], %r1;", "NAME", name)
}

func scalar(w *writer) string {
	name, typ := w.id("gs"), w.pick("u8", "u16", "u32", "u64", "f32", "f64", "b32")
	init := w.pick("", " = 5")
	if typ[0] == 'f' {
		init = ""
	}
	w.declare(".global .%s %s%s;", typ, name, init)
	if w.chance(30) {
		return ""
	}
	return put("mov.u64 %rd10, NAME; ld.global.u8 %r10, [%rd10]; st.global.u32 [%rd1+20], %r10;", "NAME", name)
}

func constant(w *writer) string {
	name, size := w.id("c"), w.number(4, 12, 40, 256, 1000)
	w.declare(".const .align 4 .b8 %s[%d]%s;", name, size, w.pick("", " = {9,8,7}"))
	if w.chance(30) {
		return ""
	}
	load := w.pick("ld.const.u32 %r10,[NAME+AT];", "mov.u64 %rd10,NAME; mad.wide.u32 %rd10,%r1,4,%rd10; ld.const.u32 %r10,[%rd10];")
	return put(load, "NAME", name, "AT", w.number(0, size-4)) + " st.global.u32 [%rd1+24],%r10;"
}

func shared(w *writer) string {
	name := w.id("s")
	text := fmt.Sprintf(".shared .align %d .b8 %s[%d];", w.number(4, 8, 16, 128), name, w.number(4, 16, 100, 2048, 8192))
	if w.chance(40) {
		w.declare("%s", text)
		text = ""
	}
	return text + put("mov.u32 %r10,NAME; st.shared.u32 [%r10],%r1; ld.shared.u32 %r11,[%r10]; st.global.u32 [%rd1+28],%r11;", "NAME", name)
}

func dynamic(w *writer) string {
	w.once("dyn", ".extern .shared .align 16 .b8 dyn[];")
	return "mov.u32 %r10,dyn; st.shared.u32 [%r10+8],%r1; ld.shared.u32 %r11,[%r10+4]; st.global.u32 [%rd1+32],%r11;"
}

// localUses are what becomes of a local array.
var localUses = [...]string{
	"st.local.u32 [NAME],%r1; ld.local.u32 %r10,[NAME]; st.global.u32 [%rd1+36],%r10;",
	"mov.u64 %rd10,NAME; mad.wide.u32 %rd11,%r2,4,%rd10; st.local.u32 [%rd11],%r1; ld.local.u32 %r10,[NAME+AT]; st.global.u32 [%rd1+36],%r10;",
	"mov.u32 %r10,NAME; add.u32 %r11,%r10,%r2; st.local.u32 [%r11],%r1; ld.local.u32 %r12,[NAME+AT]; st.global.u32 [%rd1+36],%r12;",
	"mov.u64 %rd10,NAME; cvta.local.u64 %rd11,%rd10; st.global.u64 [%rd1+40],%rd11;",
	"mov.u64 %rd10,NAME; cvta.local.u64 %rd11,%rd10; st.u32 [%rd11],%r1; mad.wide.u32 %rd12,%r2,4,%rd11; ld.u32 %r10,[%rd12]; st.global.u32 [%rd1+40],%r10;",
	"FILLmov.u64 %rd10,NAME; mad.wide.u32 %rd11,%r2,4,%rd10; ld.local.u32 %r10,[%rd11]; st.global.u32 [%rd1+36],%r10;",
	"",
}

func local(w *writer) string {
	name, words := w.id("l"), w.number(1, 2, 4, 8, 16, 25, 100)
	fill := ""
	for n := range min(words, 16) {
		fill += fmt.Sprintf("st.local.u32 [%s+%d],%%r%d;", name, 4*n, 1+n%2)
	}
	return fmt.Sprintf(".local .align %d .b8 %s[%d];", w.number(4, 8, 16), name, 4*words) + put(w.pick(localUses[:]...), "NAME", name, "AT", 4*w.IntN(words), "FILL", fill)
}

func texture(w *writer) string {
	name, sampler := w.id("t"), ""
	w.declare(".global .texref %s;", name)
	if w.independent {
		w.once("smp", ".global .samplerref smp;")
		sampler = "smp, "
	}
	return put("mov.f32 %f1,0f3F000000; tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [NAME, SMP{%f1,%f1}]; st.global.f32 [%rd1+44],%f2;", "NAME", name, "SMP", sampler)
}

func surface(w *writer) string {
	name := w.id("u")
	w.declare(".global .surfref %s;", name)
	return put("mov.u32 %r10,0; suld.b.1d.b32.trap %r11,[NAME,{%r10}]; st.global.u32 [%rd1+48],%r11;", "NAME", name)
}

func pressure(w *writer) string {
	n := w.number(20, 40, 80)
	text := fmt.Sprintf(".reg .b32 %%z<%d>;", n)
	for i := range n {
		text += fmt.Sprintf("ld.global.u32 %%z%d,[%%rd1+%d];", i, 4*i)
	}
	text += "bar.sync 0;"
	for i := range n {
		text += fmt.Sprintf("st.global.u32 [%%rd1+%d],%%z%d;", 4*((i*7)%n)+1024, i)
	}
	return text
}

func calls(w *writer) string {
	if len(w.funcs) > 0 && w.chance(40) {
		return put(callTo, "NAME", w.pick(w.funcs...))
	}
	return put(callTo, "NAME", w.function(w.pick("leaf", "leaf", "leaf", "recursive", "local", "calls", "double", "barrier", "shared", "big")))
}

func pointer(w *writer) string {
	if len(w.funcs) == 0 {
		w.function("leaf")
	}
	from := w.pick("mov.u64 %rd10,NAME;", "ld.global.u64 %rd10,[%rd1];")
	return put("PROTO: .callprototype (.param .b32 _) _ (.param .b32 _); "+from+" {.param .b32 q; .param .b32 o; st.param.b32 [q],%r1; call (o),%rd10,(q),PROTO; ld.param.b32 %r10,[o];} st.global.u32 [%rd1+60],%r10;",
		"PROTO", w.id("PR"), "NAME", w.pick(w.funcs...))
}

func printf(w *writer) string {
	w.once("vprintf", ".extern .func (.param .b32 r) vprintf(.param .b64 a,.param .b64 b);\n.global .align 1 .b8 fmt[6]={37,100,10,0,0,0};")
	return put(".local .align 8 .b8 NAME[16]; st.local.u32 [NAME],%r1; mov.u64 %rd10,NAME; cvta.local.u64 %rd11,%rd10; mov.u64 %rd12,fmt; cvta.global.u64 %rd13,%rd12; "+
		"{.param .b64 q; .param .b64 w; .param .b32 o; st.param.b64 [q],%rd13; st.param.b64 [w],%rd11; call.uni (o),vprintf,(q,w); ld.param.b32 %r10,[o];}", "NAME", w.id("bf"))
}

func place(w *writer) string {
	if !w.lines {
		return ""
	}
	return fmt.Sprintf(".loc 1 %d 3; ", 1+w.IntN(98))
}
