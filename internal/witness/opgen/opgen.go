// Package opgen makes kernels that try single arithmetic instructions: every
// form of the table of accepted forms is put into a kernel that loads its
// operands from a buffer, runs it once a thread and stores what it gave. The
// buffers hold the values at which arithmetic goes wrong.
package opgen

import (
	"fmt"
	"strings"
)

// Slots is how many 8-byte operands each thread finds in the input buffer.
const Slots = 8

// OutBytes is what one form writes for each thread.
const OutBytes = 16

// Form is one instruction whose registers are %p, %h, %r and %rd with
// numbers, for predicates and values of 16, 32 and 64 bits.
type Form struct {
	Text    string
	Guarded bool   // half of the threads do not run it
	Guard   string // who runs it, if one of its own registers says so
}

// Aliased returns the form with its result written over a source of the same
// size, or false if it has none.
func (f *Form) Aliased() (Form, bool) {
	dst, src := split(f.Text)
	results := registers(dst)
	if len(results) == 0 || strings.Contains(src, results[0]+",") {
		return *f, false
	}
	for _, r := range registers(src) {
		if kind(r) != kind(results[0]) {
			continue
		}
		op, _, _ := strings.Cut(f.Text, " ")
		out := op + " " + dst
		for _, part := range strings.SplitAfter(src, ",") {
			if at := strings.Index(part, r); at >= 0 && (at+len(r) == len(part) || part[at+len(r)] < '0' || part[at+len(r)] > '9') {
				part = strings.Replace(part, r, results[0], 1)
			}
			out += part
		}
		return Form{Text: out, Guarded: f.Guarded}, true
	}
	return *f, false
}

// Op returns the mnemonic without modifiers.
func (f *Form) Op() string {
	op, _, _ := strings.Cut(f.Text, " ")
	op, _, _ = strings.Cut(op, ".")
	return op
}

// arithmetic lists the mnemonics of scalar arithmetic.
var arithmetic = strings.Fields(`abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a dp4a ex2 fma fns lg2
lop3 mad mad24 madc max min mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub subc szext
tanh testp xor vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vadd4 vsub2 vsub4 vavrg2 vavrg4 vabsdiff2 vabsdiff4 vmin2 vmin4
vmax2 vmax4 vset2 vset4`)

// IsArithmetic reports whether a form is scalar arithmetic.
func (f *Form) IsArithmetic() bool {
	op := f.Op()
	for _, a := range arithmetic {
		if a == op {
			return true
		}
	}
	return false
}

// carries reports whether a form reads or writes the condition code.
func (f *Form) carries() bool {
	op := f.Op()
	return op == "addc" || op == "subc" || op == "madc" || strings.Contains(f.Text, ".cc")
}

// chain is the instruction that leaves and takes the condition code the way
// the form does: a borrow is nothing that an addition knows.
func (f *Form) chain() string {
	if strings.HasPrefix(f.Text, "sub") {
		return "sub"
	}
	return "add"
}

// registers returns the registers a text names, each once.
func registers(text string) []string {
	var list []string
	for at := 0; at < len(text); at++ {
		if text[at] != '%' {
			continue
		}
		end := at + 1
		for end < len(text) && (text[end] >= 'a' && text[end] <= 'z' || text[end] >= '0' && text[end] <= '9') {
			end++
		}
		r := text[at:end]
		known := false
		for _, x := range list {
			known = known || x == r
		}
		if !known {
			list = append(list, r)
		}
		at = end - 1
	}
	return list
}

func kind(reg string) string { return strings.TrimRight(reg[1:], "0123456789") }

// split parts a form into its results and the rest.
func split(form string) (dst, src string) {
	_, args, _ := strings.Cut(form, " ")
	depth := 0
	for n, c := range args {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				return args[:n], args[n:]
			}
		}
	}
	return args, ""
}

// Kernel writes a kernel that runs the forms; form n writes to buffer n.
func Kernel(name string, forms []Form) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry %s(\n\t.param .u64 in", name)
	for n := range forms {
		fmt.Fprintf(&b, ",\n\t.param .u64 out%d", n)
	}
	b.WriteString("\n)\n{\n\t.reg .b64 %i<8>;\n\t.reg .b64 %a, %o, %u<2>;\n\t.reg .b32 %t, %ct, %nt, %w, %c0, %c1;\n\t.reg .pred %cond;\n" +
		"\tmov.u32 %t, %tid.x;\n\tmov.u32 %ct, %ctaid.x;\n\tmov.u32 %nt, %ntid.x;\n\tmad.lo.s32 %t, %ct, %nt, %t;\n" +
		"\tld.param.u64 %a, [in];\n\tcvta.to.global.u64 %a, %a;\n\tmad.wide.u32 %a, %t, 64, %a;\n")
	finish(&b, forms, body)
	return b.String()
}

// finish loads the operands, writes each form in braces of its own and ends
// the kernel.
func finish(b *strings.Builder, forms []Form, body func(b *strings.Builder, f *Form, n int)) {
	for n := range Slots {
		fmt.Fprintf(b, "\tld.global.b64 %%i%d, [%%a+%d];\n", n, 8*n)
	}
	for n := range forms {
		b.WriteString("\t{\n")
		body(b, &forms[n], n)
		b.WriteString("\t}\n")
	}
	b.WriteString("\tret;\n}\n")
}

var declared = [...]struct{ kind, typ, load, widen string }{
	{"h", ".b16", "cvt.u16.u64", "cvt.u64.u16"},
	{"r", ".b32", "cvt.u32.u64", "cvt.u64.u32"},
	{"rd", ".b64", "mov.b64", "mov.b64"},
	{"p", ".pred", "", ""},
}

// body writes one form with its loads and stores.
func body(b *strings.Builder, f *Form, n int) {
	dst, src := split(f.Text)
	for _, r := range registers(f.Text) {
		for _, d := range declared {
			if kind(r) == d.kind {
				fmt.Fprintf(b, "\t.reg %s %s;\n", d.typ, r)
			}
		}
	}
	load := func(regs []string, slot int) {
		for k, r := range regs {
			s := (slot + k) % Slots
			for _, d := range declared {
				switch {
				case kind(r) != d.kind:
				case d.load == "":
					fmt.Fprintf(b, "\tcvt.u32.u64 %%w, %%i%d;\n\tand.b32 %%w, %%w, 1;\n\tsetp.ne.u32 %s, %%w, 0;\n", 7-s, r)
				default:
					fmt.Fprintf(b, "\t%s %s, %%i%d;\n", d.load, r, s)
				}
			}
		}
	}
	results := registers(dst)
	load(results, 5) // a byte merged into the destination keeps the rest
	load(registers(src), 0)
	if f.carries() {
		b.WriteString("\tcvt.u32.u64 %w, %i6;\n\t" + f.chain() + ".cc.u32 %w, %w, 0x80000000;\n")
	}
	guard := ""
	if f.Guarded {
		b.WriteString("\tcvt.u32.u64 %w, %i7;\n\tand.b32 %w, %w, 2;\n\tsetp.ne.u32 %cond, %w, 0;\n")
		guard = "@%cond "
	}
	if f.Guard != "" {
		guard = "@" + f.Guard + " "
	}
	fmt.Fprintf(b, "\t%s%s;\n", guard, f.Text)
	if f.carries() {
		b.WriteString("\t" + f.chain() + "c.u32 %c0, 0, 0;\n")
	}
	b.WriteString("\tmov.b64 %u0, 0;\n\tmov.b64 %u1, 0;\n")
	if f.carries() && strings.Contains(f.Text, ".cc") {
		b.WriteString("\tcvt.u64.u32 %u1, %c0;\n")
	}
	for k, r := range results {
		for _, d := range declared {
			switch {
			case kind(r) != d.kind:
			case d.widen == "":
				fmt.Fprintf(b, "\tselp.b32 %%w, 1, 0, %s;\n\tcvt.u64.u32 %%u%d, %%w;\n", r, k&1)
			default:
				fmt.Fprintf(b, "\t%s %%u%d, %s;\n", d.widen, k&1, r)
			}
		}
	}
	fmt.Fprintf(b, "\tld.param.u64 %%o, [out%d];\n\tcvta.to.global.u64 %%o, %%o;\n\tmad.wide.u32 %%o, %%t, %d, %%o;\n\tst.global.v2.b64 [%%o], {%%u0, %%u1};\n", n, OutBytes)
}

// File writes a PTX file with one kernel that runs the forms on a number of
// threads, with its launch description.
func File(name, target string, forms []Form, threads int, seed uint64) string {
	const block = 128
	var b strings.Builder
	for n := range forms {
		fmt.Fprintf(&b, "// %d: %s\n", n, forms[n].Text)
	}
	fmt.Fprintf(&b, "//: run %s grid=%d block=%d\n//: buf %d edge %d\n", name, threads/block, block, threads*8*Slots, seed)
	for range forms {
		fmt.Fprintf(&b, "//: buf %d zero\n", threads*OutBytes)
	}
	fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n", target)
	b.WriteString(Kernel(name, forms))
	return b.String()
}
