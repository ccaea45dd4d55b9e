package opgen

import (
	"fmt"
	"strings"
)

// Kernels that try one operation of exact arithmetic on very many operands.
// Thread and turn number each operand pair; the kernel makes it from the
// number, computes, and adds the result to a checksum, so that nothing but
// the checksums need be compared. With one turn the checksum is the result.

// checksumFactor multiplies the checksum before a result is added.
const checksumFactor = 0x9E3779B97F4A7C15

// Exact is one operation: its text with the operands %a and %b and the
// result %d, and the bits of its type.
type Exact struct {
	Name string // of the kernel
	Text string
	Bits int
	Kind Operands
	// Twice puts the operation in a second place, where no thread comes: the
	// slow path of one in several places is a routine.
	Twice bool
}

// Operands says how operands are chosen.
type Operands uint8

// Quotients have two floats, roots one, integers are two.
const (
	Quotients Operands = iota
	Roots
	Integers
)

// floatBits are the fields of a float format, for the text of kernels.
type floatBits struct {
	man, bias, top int // bits of the fraction, bias, highest exponent
}

func fields(bits int) floatBits {
	if bits == 32 {
		return floatBits{23, 127, 254}
	}
	return floatBits{52, 1023, 2046}
}

// ExactKernel writes the kernel of an operation. Parameters are the buffer
// of checksums and the number of turns.
func ExactKernel(x Exact) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry %s(\n\t.param .u64 out,\n\t.param .u32 turns\n)\n{\n", x.Name)
	b.WriteString("\t.reg .b64 %n, %step, %x, %y, %c, %t<8>, %a64, %b64, %sum, %o, %r64;\n\t.reg .b32 %i, %k, %w<4>;\n\t.reg .b16 %h<2>;\n\t.reg .pred %p, %more;\n")
	fmt.Fprintf(&b, "\t.reg .b%d %%a, %%b, %%d, %%q, %%e<8>;\n", x.Bits)
	b.WriteString("\tmov.u32 %i, %ctaid.x;\n\tmov.u32 %w0, %ntid.x;\n\tmov.u32 %w1, %tid.x;\n\tmad.lo.u32 %i, %i, %w0, %w1;\n\tcvt.u64.u32 %n, %i;\n" +
		"\tmov.u32 %w1, %nctaid.x;\n\tmul.wide.u32 %step, %w0, %w1;\n\tmov.u64 %sum, 0;\n\tld.param.u32 %k, [turns];\n" +
		"\tld.param.u64 %o, [out];\n\tcvta.to.global.u64 %o, %o;\n\tmad.wide.u32 %o, %i, 8, %o;\nTURN:\n")
	mix(&b, "%x", "%n", 0x9E3779B97F4A7C15)
	mix(&b, "%y", "%x", 0xD1B54A32D192ED03)
	mix(&b, "%c", "%y", 0x8CB92BA72F3D8DD7)
	if x.Kind == Integers {
		integers(&b, x.Bits)
	} else {
		floats(&b, x.Bits, x.Kind == Roots)
	}
	switch x.Bits {
	case 16:
		b.WriteString("\tcvt.u16.u64 %a, %a64;\n\tcvt.u16.u64 %b, %b64;\n")
	case 32:
		b.WriteString("\tcvt.u32.u64 %a, %a64;\n\tcvt.u32.u64 %b, %b64;\n")
	default:
		b.WriteString("\tmov.b64 %a, %a64;\n\tmov.b64 %b, %b64;\n")
	}
	b.WriteString(x.places("%k"))
	if x.Bits < 64 {
		fmt.Fprintf(&b, "\tcvt.u64.u%d %%r64, %%d;\n", x.Bits)
	} else {
		b.WriteString("\tmov.b64 %r64, %d;\n")
	}
	fmt.Fprintf(&b, "\tmad.lo.u64 %%sum, %%sum, %d, %%r64;\n", uint64(checksumFactor))
	b.WriteString("\tadd.u64 %n, %n, %step;\n\tsub.u32 %k, %k, 1;\n\tsetp.ne.u32 %more, %k, 0;\n\t@%more bra TURN;\n\tst.global.u64 [%o], %sum;\n\tret;\n}\n")
	return b.String()
}

// places writes the operation where it stands; a word is never all ones.
func (x *Exact) places(word string) string {
	s := "\t" + x.Text + ";\n"
	if x.Twice {
		s += fmt.Sprintf("\tsetp.ne.u32 %%p, %s, -1;\n\t@%%p bra ONCE;\n%sONCE:\n", word, s)
	}
	return s
}

// DirectFile is a file with a kernel that takes operands from memory, one of
// 8 bytes a thread in each of two buffers, and its launch.
func DirectFile(x Exact, target string, threads int) string {
	var b strings.Builder
	block := min(128, threads)
	fmt.Fprintf(&b, "//: run %s grid=%d block=%d\n//: buf %d zero\n//: buf %d zero\n//: buf %d zero\n", x.Name, threads/block, block, 8*threads, 8*threads, 8*threads)
	fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n.visible .entry %s(\n\t.param .u64 out,\n\t.param .u64 as,\n\t.param .u64 bs\n)\n{\n", target, x.Name)
	fmt.Fprintf(&b, "\t.reg .b64 %%pa, %%pb, %%po;\n\t.reg .b32 %%i, %%w<2>;\n\t.reg .pred %%p;\n\t.reg .b%d %%a, %%b, %%d;\n", x.Bits)
	b.WriteString("\tmov.u32 %i, %ctaid.x;\n\tmov.u32 %w0, %ntid.x;\n\tmov.u32 %w1, %tid.x;\n\tmad.lo.u32 %i, %i, %w0, %w1;\n" +
		"\tld.param.u64 %po, [out];\n\tld.param.u64 %pa, [as];\n\tld.param.u64 %pb, [bs];\n\tmad.wide.u32 %po, %i, 8, %po;\n\tmad.wide.u32 %pa, %i, 8, %pa;\n\tmad.wide.u32 %pb, %i, 8, %pb;\n")
	fmt.Fprintf(&b, "\tld.global.b%d %%a, [%%pa];\n\tld.global.b%d %%b, [%%pb];\n%s\tst.global.b%d [%%po], %%d;\n\tret;\n}\n", x.Bits, x.Bits, x.places("%i"), x.Bits)
	return b.String()
}

// ExactFile is a file with the kernel of one operation and its launch.
func ExactFile(x Exact, target string, threads, turns int) string {
	block := min(128, threads)
	return fmt.Sprintf("//: run %s grid=%d block=%d\n//: buf %d zero\n//: u32 %d\n.version 9.0\n.target %s\n.address_size 64\n%s", x.Name, threads/block, block, 8*threads, turns, target, ExactKernel(x))
}

// mix makes a random word of another: a product, folded twice.
func mix(b *strings.Builder, to, from string, k uint64) {
	fmt.Fprintf(b, "\tadd.u64 %%t0, %s, %d;\n\tmul.lo.u64 %%t0, %%t0, %d;\n\tshr.u64 %%t1, %%t0, 30;\n\txor.b64 %%t0, %%t0, %%t1;\n\tmul.lo.u64 %%t0, %%t0, %d;\n\tshr.u64 %%t1, %%t0, 27;\n\txor.b64 %s, %%t0, %%t1;\n",
		from, k, k, uint64(0xBF58476D1CE4E5B9), to)
}

// choose sets %a64 and %b64 where the low bits of the chance say so.
func choose(b *strings.Builder, mode int, a, bb string) {
	fmt.Fprintf(b, "\tand.b64 %%t0, %%c, 7;\n\tsetp.eq.u64 %%p, %%t0, %d;\n\tselp.b64 %%a64, %s, %%a64, %%p;\n\tselp.b64 %%b64, %s, %%b64, %%p;\n", mode, a, bb)
}

// with writes a fraction and sign of a word with another exponent.
func with(b *strings.Builder, to, word string, f floatBits, bits int, base, shift, mask int) {
	keep := uint64(1)<<(bits-1) | uint64(1)<<f.man - 1
	fmt.Fprintf(b, "\tand.b64 %s, %s, %d;\n\tshr.u64 %%t7, %%c, %d;\n\tand.b64 %%t7, %%t7, %d;\n\tadd.u64 %%t7, %%t7, %d;\n\tshl.b64 %%t7, %%t7, %d;\n\tor.b64 %s, %s, %%t7;\n", to, word, keep, shift, mask, base, f.man, to, to)
}

// floats chooses floats: eight ways by three bits of the chance.
func floats(b *strings.Builder, bits int, root bool) {
	f := fields(bits)
	keep := uint64(1)<<(bits-1) | uint64(1)<<f.man - 1
	b.WriteString("\tmov.b64 %a64, %x;\n\tmov.b64 %b64, %y;\n") // any bits
	with(b, "%t2", "%x", f, bits, f.bias-8, 8, 15)
	with(b, "%t3", "%y", f, bits, f.bias-8, 12, 15)
	choose(b, 1, "%t2", "%t3") // of like size
	fmt.Fprintf(b, "\tand.b64 %%t4, %%x, %d;\n", keep)
	fmt.Fprintf(b, "\tand.b64 %%t5, %%y, %d;\n\tand.b64 %%t6, %%c, 256;\n\tsetp.eq.u64 %%p, %%t6, 0;\n\tselp.b64 %%t5, %%t5, %%t3, %%p;\n", keep)
	choose(b, 2, "%t4", "%t5") // subnormal
	with(b, "%t4", "%x", f, bits, 1, 8, 31)
	with(b, "%t5", "%y", f, bits, f.bias-8, 16, 63)
	choose(b, 3, "%t4", "%t5") // the quotient is subnormal or nearly so
	near(b, bits, root, false)
	choose(b, 4, "%t4", "%t3") // the result is nearly a number
	near(b, bits, root, true)
	choose(b, 5, "%t4", "%t3") // the result is nearly halfway
	fmt.Fprintf(b, "\tshr.s64 %%t4, %%x, %d;\n\tshl.b64 %%t4, %%t4, %d;\n\tshr.s64 %%t5, %%y, %d;\n\tshl.b64 %%t5, %%t5, %d;\n", f.man, f.man, f.man, f.man)
	b.WriteString("\tshr.u64 %t6, %c, 8;\n\tand.b64 %t6, %t6, 3;\n\tsub.u64 %t6, %t6, 2;\n\tadd.u64 %t4, %t4, %t6;\n\tshr.u64 %t6, %c, 10;\n\tand.b64 %t6, %t6, 3;\n\tsub.u64 %t6, %t6, 2;\n\tadd.u64 %t5, %t5, %t6;\n")
	choose(b, 6, "%t4", "%t5") // next to powers of two
	with(b, "%t4", "%x", f, bits, f.top-15, 8, 15)
	with(b, "%t5", "%y", f, bits, f.top-15-f.bias-8, 16, 31)
	choose(b, 7, "%t4", "%t5") // next to overflow
}

// near makes %t4 so that %t4/%t3, or the root of %t4, lies next to a number
// or to the middle of two; %t2 is about that number.
func near(b *strings.Builder, bits int, root, half bool) {
	f := fields(bits)
	cut := func(to, from string) {
		if bits == 32 {
			fmt.Fprintf(b, "\tcvt.u32.u64 %s, %s;\n", to, from)
		} else {
			fmt.Fprintf(b, "\tmov.b64 %s, %s;\n", to, from)
		}
	}
	cut("%e0", "%t2")
	cut("%e1", "%t3")
	if root {
		b.WriteString("\tmov.b" + fmt.Sprint(bits) + " %e1, %e0;\n")
	}
	if !half {
		fmt.Fprintf(b, "\tmul.rn.f%d %%e2, %%e0, %%e1;\n", bits)
	} else { // half of the last place, of a root the whole
		drop := f.man + 1
		if root {
			drop = f.man
		}
		fmt.Fprintf(b, "\tand.b64 %%t5, %%t2, %d;\n\tsub.u64 %%t5, %%t5, %d;\n", uint64(f.top+1)<<f.man|uint64(1)<<(bits-1), uint64(drop)<<f.man)
		cut("%e3", "%t5")
		fmt.Fprintf(b, "\tmul.rn.f%d %%e3, %%e3, %%e1;\n\tfma.rn.f%d %%e2, %%e0, %%e1, %%e3;\n", bits, bits)
	}
	if bits == 32 {
		b.WriteString("\tcvt.u64.u32 %t4, %e2;\n")
	} else {
		b.WriteString("\tmov.b64 %t4, %e2;\n")
	}
	b.WriteString("\tshr.u64 %t5, %c, 20;\n\tand.b64 %t5, %t5, 3;\n\tsub.u64 %t5, %t5, 1;\n\tadd.u64 %t4, %t4, %t5;\n")
}

// integers chooses integers: any bits, shorter ones, multiples and their
// neighbours, powers of two and theirs.
func integers(b *strings.Builder, bits int) {
	b.WriteString("\tmov.b64 %a64, %x;\n\tmov.b64 %b64, %y;\n\tcvt.u32.u64 %w0, %c;\n\tshr.u32 %w1, %w0, 8;\n\tand.b32 %w1, %w1, 63;\n\tshr.u32 %w2, %w0, 14;\n\tand.b32 %w2, %w2, 63;\n")
	cut := "" // to the width, with its sign
	if bits < 64 {
		cut = fmt.Sprintf("\tshl.b64 %%a64, %%a64, %d;\n\tshr.s64 %%a64, %%a64, %d;\n\tshl.b64 %%b64, %%b64, %d;\n\tshr.s64 %%b64, %%b64, %d;\n", 64-bits, 64-bits, 64-bits, 64-bits)
	}
	b.WriteString(cut)
	b.WriteString("\tshr.s64 %t2, %a64, %w1;\n\tshr.s64 %t3, %b64, %w2;\n")
	choose(b, 1, "%t2", "%t3")
	choose(b, 2, "%a64", "%t3")
	b.WriteString("\tmul.lo.u64 %t4, %t2, %t3;\n\tshr.u64 %t5, %c, 20;\n\tand.b64 %t5, %t5, 3;\n\tsub.u64 %t5, %t5, 2;\n\tadd.u64 %t4, %t4, %t5;\n")
	choose(b, 3, "%t4", "%t3")
	b.WriteString("\tmov.u64 %t6, 1;\n\tshl.b64 %t6, %t6, %w2;\n\tadd.u64 %t6, %t6, %t5;\n")
	choose(b, 4, "%a64", "%t6")
	b.WriteString("\tmov.u64 %t7, 1;\n\tshl.b64 %t7, %t7, %w1;\n\tsub.u64 %t7, %t7, %t5;\n")
	choose(b, 5, "%t7", "%t6")
	choose(b, 6, "%t7", "%t3")
	b.WriteString("\tneg.s64 %t6, %t6;\n")
	choose(b, 7, "%a64", "%t6")
}
