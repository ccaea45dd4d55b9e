package opgen

import (
	"fmt"
	"strings"
)

// The words of a barrier in memory and the states its operations return are
// nobody's business: forms that touch one are watched through other
// operations on it. A barrier lies in the first word of its thread's piece.

// async reports whether a form writes shared memory and tells a barrier.
func (f *Form) async() bool {
	return strings.HasPrefix(f.Text, "st.async") || strings.HasPrefix(f.Text, "red.async")
}

// block reports whether a form is a barrier of the block.
func (f *Form) block() bool {
	return (strings.HasPrefix(f.Text, "bar.") || strings.HasPrefix(f.Text, "barrier.")) &&
		!strings.HasPrefix(f.Text, "bar.warp") && !strings.HasPrefix(f.Text, "barrier.cluster")
}

// arrives reports whether a form arrives at a barrier for which others wait.
func (f *Form) arrives() bool { return f.block() && strings.Contains(f.Text, ".arrive") }

// meet puts a barrier's number and its count of threads into the registers
// of a form, and lets the second warp wait where the first only arrives.
func (f *Form) meet(b *strings.Builder, regs []string) {
	count := 128
	if f.some() != "" {
		count = 64
	}
	number := "3"
	for _, r := range regs {
		if kind(r) != "r" || strings.Contains(f.Text, ".u32 "+r+",") {
			continue // the result of a reduction
		}
		fmt.Fprintf(b, "\tmov.b32 %s, %s;\n", r, number)
		number = fmt.Sprint(count)
		if strings.Contains(f.Text, "0,"+r) || strings.Contains(f.Text, "15,"+r) {
			fmt.Fprintf(b, "\tmov.b32 %s, %d;\n", r, count)
		}
	}
	if f.arrives() {
		_, args, _ := strings.Cut(f.Text, " ")
		fmt.Fprintf(b, "\tsetp.ge.u32 %%cond, %%t, 32;\n\t@%%cond bar.sync %s;\n", args)
	}
}

// waits returns the bytes that a barrier is told to wait for, "" if none.
func (f *Form) waits() string {
	if !strings.Contains(f.Text, "_tx") {
		return ""
	}
	if strings.HasSuffix(f.Text, ",16") {
		return "16"
	}
	return "1"
}

// prepare makes a barrier that waits for three, and what the form needs of
// it. Counts are small.
func (f *Form) prepare(b *strings.Builder, regs []string) {
	if f.async() {
		b.WriteString("\tcvt.u32.u64 %r121, %sh;\n\tadd.u32 %r120, %r121, 16;\n\tmbarrier.init.shared.b64 [%r121], 1;\n")
		fmt.Fprintf(b, "\tmbarrier.arrive.expect_tx.shared.b64 %%u0, [%%r121], %d;\n", f.bytes())
		return
	}
	for _, r := range regs {
		if kind(r) == "r" && r != "%r120" {
			fmt.Fprintf(b, "\tmov.b32 %s, 1;\n", r)
		}
	}
	b.WriteString("\tmbarrier.init.shared.b64 [%sh], 3;\n")
	if strings.Contains(f.Text, "_wait") || strings.Contains(f.Text, "pending_count") {
		b.WriteString("\tmbarrier.arrive.shared.b64 %u0, [%sh];\n")
		if strings.Contains(f.Text, "%rd1") {
			b.WriteString("\tmov.b64 %rd1, %u0;\n")
		}
	}
	if strings.HasPrefix(f.Text, "mbarrier.complete_tx") {
		fmt.Fprintf(b, "\tmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%sh], %s;\n", f.waits())
	}
}

// bytes is what an asynchronous store writes.
func (f *Form) bytes() int {
	op, _, _ := strings.Cut(f.Text, " ")
	n := 4
	if strings.HasSuffix(op, "64") {
		n = 8
	}
	for _, v := range [...]int{2, 4} {
		if strings.Contains(op, fmt.Sprintf(".v%d", v)) {
			n *= v
		}
	}
	return n
}

// settle waits for what the form began, and shows what it did to a barrier:
// whether the state it returned is over and how many it was to wait for, and
// after how many arrivals its phases end.
func (f *Form) settle(b *strings.Builder, n int) {
	switch {
	case strings.HasPrefix(f.Text, "cp.async"):
		b.WriteString("\tcp.async.wait_all;\n")
	case strings.HasPrefix(f.Text, "barrier.cluster.arrive"):
		b.WriteString("\tbarrier.cluster.wait;\n")
	case f.async():
		fmt.Fprintf(b, "W%d:\n\tmbarrier.try_wait.parity.shared.b64 %%cond, [%%r121], 0;\n\t@!%%cond bra W%d;\n", n, n)
	case f.one():
		f.watch(b)
	}
}

func (f *Form) watch(b *strings.Builder) {
	dst, _ := split(f.Text)
	show := func(at int, code string, args ...any) {
		fmt.Fprintf(b, code, args...)
		fmt.Fprintf(b, "\tcvt.u64.u32 %%u0, %%w;\n\tst.global.b64 [%%o+%d], %%u0;\n", at)
	}
	switch {
	case dst == "%rd1":
		show(0, "\tmbarrier.pending_count.b64 %%w, %%rd1;\n")
		show(8, "\tmbarrier.test_wait.shared.b64 %%cond, [%%sh], %%rd1;\n\tselp.b32 %%w, 1, 0, %%cond;\n")
	case dst == "%p1":
		show(0, "\tselp.b32 %%w, 1, 0, %%p1;\n")
	case dst == "%r1":
		show(0, "\tmov.b32 %%w, %%r1;\n")
	}
	if strings.Contains(f.Text, ".inval") {
		b.WriteString("\tmbarrier.init.shared.b64 [%sh], 3;\n")
	}
	if strings.Contains(f.Text, "expect_tx") {
		fmt.Fprintf(b, "\tmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%sh], %s;\n", f.waits())
	}
	b.WriteString("\tmov.b64 %u1, 0;\n")
	for k := range 8 {
		fmt.Fprintf(b, "\tmbarrier.test_wait.parity.shared.b64 %%cond, [%%sh], 0;\n\t@%%cond or.b64 %%u1, %%u1, %d;\n\tmbarrier.arrive.shared.b64 %%u0, [%%sh];\n", 1<<k)
	}
	b.WriteString("\tst.global.b64 [%o+16], %u1;\n")
}
