package opgen

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Forms that touch memory or other threads run in a kernel of one block in
// which each thread owns a piece of every space. It fills the pieces, puts
// the address of one of them into %rd30 and %r30, runs the form, and stores
// what it left in its results and in the pieces.

const (
	placedThreads = 128
	placedResults = 64 // bytes of results for each thread
	placedPiece   = 64 // bytes of each space for each thread
	// PlacedBytes is what one form writes for each thread: results, global
	// and shared or local piece.
	PlacedBytes = placedResults + 2*placedPiece
)

// space returns the state space that a form's address lies in.
func (f *Form) space() string {
	op, _, _ := strings.Cut(f.Text, " ")
	if strings.HasPrefix(op, "cp.async") {
		return ""
	}
	for _, m := range strings.Split(op, ".")[1:] {
		switch m {
		case "shared", "shared::cta", "shared::cluster", "local", "const", "global", "param", "param::entry":
			return strings.TrimSuffix(strings.TrimSuffix(m, "::cta"), "::cluster")
		}
	}
	return ""
}

// offset returns the constant added to the address.
func (f *Form) offset() string {
	_, rest, ok := strings.Cut(f.Text, "30+")
	if !ok {
		return "0"
	}
	n, _, _ := strings.Cut(rest, "]")
	return n
}

// Placed writes a kernel that runs the forms one after another; form n
// writes to buffer n.
func Placed(name, target string, forms []Form, seed uint64) string {
	var b strings.Builder
	for n := range forms {
		fmt.Fprintf(&b, "// %d: %s\n", n, forms[n].Text)
	}
	fmt.Fprintf(&b, "//: run %s grid=1 block=%d\n//: buf %d edge %d\n", name, placedThreads, placedThreads*8*Slots, seed)
	for range forms {
		fmt.Fprintf(&b, "//: buf %d zero\n", placedThreads*PlacedBytes)
	}
	fmt.Fprintf(&b, "//: hex %x\n//: u32 %d\n", launch.Data("edge", seed, 64), 0x80000000+seed)
	fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n", target)
	fmt.Fprintf(&b, ".shared .align 64 .b8 sv[%d];\n", placedThreads*placedPiece)
	for _, v := range [...]string{".const", ".global"} {
		fmt.Fprintf(&b, "%s .align 64 .b8 %cv[1024] = {", v, v[1])
		for k := range 1024 {
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%d", (k*37+k/7)&255)
		}
		b.WriteString("};\n")
	}
	fmt.Fprintf(&b, ".visible .entry %s(\n\t.param .u64 in", name)
	for n := range forms {
		fmt.Fprintf(&b, ",\n\t.param .u64 out%d", n)
	}
	fmt.Fprintf(&b, ",\n\t.param .align 64 .b8 par[64],\n\t.param .b32 par2\n) .maxntid %d\n{\n", placedThreads)
	b.WriteString("\t.local .align 64 .b8 lv[64];\n\t.reg .b64 %i<8>;\n\t.reg .b64 %a, %o, %u<2>, %g, %sh, %lo;\n\t.reg .b32 %t, %w, %lane;\n\t.reg .pred %cond, %valid;\n" +
		"\tmov.u32 %t, %tid.x;\n\tmov.u32 %lane, %laneid;\n" +
		"\tld.param.u64 %a, [in];\n\tcvta.to.global.u64 %a, %a;\n\tmad.wide.u32 %a, %t, 64, %a;\n" +
		"\tmov.u64 %sh, sv;\n\tmad.wide.u32 %sh, %t, 64, %sh;\n\tmov.u64 %lo, lv;\n")
	finish(&b, forms, placed)
	return b.String()
}

// placed writes one form with what it needs before and after.
func placed(b *strings.Builder, f *Form, n int) {
	space := f.space()
	fmt.Fprintf(b, "\tld.param.u64 %%o, [out%d];\n\tcvta.to.global.u64 %%o, %%o;\n\tmad.wide.u32 %%o, %%t, %d, %%o;\n\tadd.u64 %%g, %%o, %d;\n", n, PlacedBytes, placedResults)
	for k := range Slots { // the pieces hold the inputs
		fmt.Fprintf(b, "\tst.global.b64 [%%g+%d], %%i%d;\n\tst.shared.b64 [%%sh+%d], %%i%d;\n\tst.local.b64 [%%lo+%d], %%i%d;\n", 8*k, k, 8*k, (k+3)%Slots, 8*k, (k+5)%Slots)
	}
	regs := registers(f.Text)
	for _, r := range regs {
		for _, d := range declared {
			if kind(r) == d.kind {
				fmt.Fprintf(b, "\t.reg %s %s;\n", d.typ, r)
			}
		}
		if kind(r) == "q" {
			fmt.Fprintf(b, "\t.reg .b128 %s;\n", r)
		}
	}
	for k, r := range regs {
		s := k % Slots
		switch kind(r) {
		case "h":
			fmt.Fprintf(b, "\tld.global.b16 %s, [%%a+%d];\n", r, 8*s)
		case "r":
			fmt.Fprintf(b, "\tld.global.b32 %s, [%%a+%d];\n", r, 8*s)
		case "rd":
			fmt.Fprintf(b, "\tmov.b64 %s, %%i%d;\n", r, s)
		case "q":
			fmt.Fprintf(b, "\tmov.b128 %s, {%%i%d, %%i%d};\n", r, s, (s+1)%Slots)
		case "p":
			fmt.Fprintf(b, "\tcvt.u32.u64 %%w, %%i%d;\n\tand.b32 %%w, %%w, 1;\n\tsetp.ne.u32 %s, %%w, 0;\n", s, r)
		}
	}
	address(b, f, regs, space)
	skip := f.some()
	if skip != "" {
		fmt.Fprintf(b, "\t%s;\n\t@%%cond bra L%d;\n", skip, n)
	}
	guard := setting(b, f, regs)
	if f.neighbours() {
		b.WriteString("\tbar.sync 0;\n")
	}
	fmt.Fprintf(b, "\t%s%s;\n", guard, f.Text)
	f.settle(b, n)
	if skip != "" {
		fmt.Fprintf(b, "L%d:\n\tbar.warp.sync 0xffffffff;\n", n)
	}
	if f.neighbours() || f.block() {
		b.WriteString("\tbar.sync 7;\n")
	}
	after(b, f, space)
}

// one reports whether one thread of a warp runs the form: barriers in memory
// have an address that the reference takes from one thread.
func (f *Form) one() bool {
	return strings.HasPrefix(f.Text, "mbarrier") || f.async()
}

// neighbours reports whether the form reads what other threads put into
// shared memory.
func (f *Form) neighbours() bool { return strings.Contains(f.Text, "[sv") }

// some returns the test for the threads that do not run the form, "" if all
// do.
func (f *Form) some() string {
	switch {
	case f.one():
		return "setp.ne.u32 %cond, %lane, 0"
	case f.block() && strings.Contains(f.Text, ",64"), f.arrives():
		return "setp.ge.u32 %cond, %t, 64"
	}
	return ""
}

// address puts the address of the form's space into its registers.
func address(b *strings.Builder, f *Form, regs []string, space string) {
	src := "%g"
	switch space {
	case "shared":
		src = "%sh"
	case "local":
		src = "%lo"
	case "param", "param::entry":
		src = "%u0"
		b.WriteString("\tmov.b64 %u0, par;\n")
	case "const":
		src = "%u0"
		b.WriteString("\tand.b32 %w, %t, 15;\n\tmul.wide.u32 %u0, %w, 64;\n\tmov.u64 %u1, cv;\n\tadd.u64 %u0, %u0, %u1;\n")
	}
	if strings.HasPrefix(f.Text, "createpolicy") {
		return // an address is a number to it
	}
	if strings.Contains(f.Text, ".nc") {
		src = "%a" // what nobody writes
	}
	if f.one() && space == "" {
		src = "%u0"
		b.WriteString("\tcvta.shared.u64 %u0, %sh;\n")
	}
	for _, r := range regs {
		switch r {
		case "%rd30":
			fmt.Fprintf(b, "\tsub.s64 %%rd30, %s, %s;\n", src, f.offset())
		case "%r30", "%r120":
			src := src
			if space == "" {
				src = "%sh"
			}
			fmt.Fprintf(b, "\tcvt.u32.u64 %s, %s;\n\tsub.s32 %s, %s, %s;\n", r, src, r, r, f.offset())
		case "%rd31": // a cache policy
			b.WriteString("\tcreatepolicy.fractional.L2::evict_first.b64 %rd31, 0.5;\n")
		}
	}
}

// setting brings the threads of the warp into the state that a mask names,
// and returns the guard of the form.
func setting(b *strings.Builder, f *Form, regs []string) string {
	switch {
	case f.one():
		f.prepare(b, regs)
		return ""
	case f.arrives():
		f.meet(b, regs)
		return "@!%cond "
	case f.block():
		f.meet(b, regs)
		return ""
	case strings.HasPrefix(f.Text, "barrier.cluster.wait"):
		b.WriteString("\tbarrier.cluster.arrive;\n")
		return ""
	case strings.HasPrefix(f.Text, "cp.async"): // not more bytes than there are
		for _, r := range regs {
			if kind(r) == "r" && r != "%r120" {
				fmt.Fprintf(b, "\tand.b32 %s, %%lane, 3;\n", r)
			}
		}
		return ""
	}
	if !strings.Contains(f.Text, ".sync") || strings.HasPrefix(f.Text, "bar.sync") || strings.HasPrefix(f.Text, "barrier") {
		return ""
	}
	mask := f.mask()
	if strings.HasPrefix(mask, "%r") { // every other warp takes part as a whole
		fmt.Fprintf(b, "\tand.b32 %%w, %%t, 32;\n\tsetp.ne.u32 %%cond, %%w, 0;\n\tselp.b32 %s, 0xffff, 0xffffffff, %%cond;\n", mask)
		b.WriteString("\tsetp.lt.or.u32 %cond, %lane, 16, !%cond;\n")
	}
	if strings.HasPrefix(f.Text, "shfl") {
		f.source(b, mask)
	}
	switch {
	case strings.HasPrefix(mask, "%r"):
		return "@%cond "
	case mask == "0xff":
		b.WriteString("\tsetp.lt.u32 %cond, %lane, 8;\n")
		return "@%cond "
	case mask == "0xffff":
		b.WriteString("\tsetp.lt.u32 %cond, %lane, 16;\n")
		return "@%cond "
	}
	return ""
}

// mask returns the operand that says which threads of a warp take part.
func (f *Form) mask() string {
	_, args, _ := strings.Cut(f.Text, " ")
	return strings.TrimSpace(args[strings.LastIndexByte(args, ',')+1:])
}

// source finds out whether the lane that a shuffle reads takes part: what
// the others have is open. The same shuffle of all lanes' numbers tells it.
func (f *Form) source(b *strings.Builder, mask string) {
	op, args, _ := strings.Cut(f.Text, " ")
	a := strings.Split(args, ",")
	fmt.Fprintf(b, "\t%s %%w, %%lane,%s,%s, 0xffffffff;\n\tshr.b32 %%w, %s, %%w;\n\tand.b32 %%w, %%w, 1;\n\tsetp.ne.u32 %%valid, %%w, 0;\n", op, a[2], a[3], mask)
}

// after stores the results and the piece the form may have changed.
func after(b *strings.Builder, f *Form, space string) {
	dst, _ := split(f.Text)
	at := 0
	put := func(form string, r string) {
		fmt.Fprintf(b, form, r)
		if at < placedResults {
			fmt.Fprintf(b, "\tst.global.b64 [%%o+%d], %%u0;\n", at)
		}
		at += 8
	}
	for _, r := range registers(dst) {
		if strings.Contains(dst, "[") || f.one() {
			break // an address, or stored before
		}
		switch kind(r) {
		case "h":
			put("\tcvt.u64.u16 %%u0, %s;\n", r)
		case "r":
			if strings.HasPrefix(f.Text, "shfl") {
				fmt.Fprintf(b, "\t@!%%valid mov.b32 %s, 0;\n", r)
			}
			put("\tcvt.u64.u32 %%u0, %s;\n", r)
		case "rd":
			put("\tmov.b64 %%u0, %s;\n", r)
		case "p":
			fmt.Fprintf(b, "\tselp.b32 %%w, 1, 0, %s;\n", r)
			put("\tcvt.u64.u32 %%u0, %s;\n", "%w")
		case "q":
			fmt.Fprintf(b, "\tmov.b128 {%%u0, %%u1}, %s;\n", r)
			put("%s", "")
			put("%s", "\tmov.b64 %u0, %u1;\n")
		}
	}
	piece := ".shared.b64 %u0, [%sh"
	if space == "local" {
		piece = ".local.b64 %u0, [%lo"
	}
	first := 0
	if f.one() {
		first = 1 // behind the barrier, of which only operations tell
	}
	for k := first; k < Slots; k++ {
		fmt.Fprintf(b, "\tld%s+%d];\n\tst.global.b64 [%%g+%d], %%u0;\n", piece, 8*k, placedPiece+8*k)
	}
}
