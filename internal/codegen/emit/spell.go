package emit

import (
	"fmt"
	"strconv"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// filler says which operands the assembler writes that Ori leaves out: the
// second predicate result of comparisons, the predicate input of LOP3, the
// unused carries of later architectures.
type filler struct {
	op     op.Op
	family target.Family // from this one on
	preds  int           // predicate results in all
	tail   string        // what follows the sources
	args   int           // sources with which nothing follows
}

var fillers = [...]filler{
	{op: op.ISETP, preds: 2},
	{op: op.FSETP, preds: 2},
	{op: op.DSETP, preds: 2},
	{op: op.HSETP2, preds: 2},
	{op: op.PLOP3, preds: 2},
	{op: op.UISETP, preds: 2},
	{op: op.UPLOP3, preds: 2},
	{op: op.LOP3, tail: "!PT", args: 5},
	{op: op.ULOP3, tail: "!UPT", args: 5},
	{op: op.IADD3, family: target.Blackwell, preds: 2},
	{op: op.UIADD3, family: target.Blackwell, preds: 2},
}

// assemble finds the machine instruction of i: from the template of its
// shape, or from its text.
func (e *emitter) assemble(i *ori.Instr) (sass.Inst, error) {
	i = legacyForm(e.a, i)
	k, simple := keyOf(i)
	t := e.forms.templates[k]
	if simple && t != nil && !t.broken {
		if x, ok := e.fill(t, i); ok {
			return x, nil
		}
	}
	x, err := e.parse(i)
	if err != nil {
		return x, err
	}
	if err := e.floats(&x, i); err != nil {
		return x, err
	}
	if simple && t == nil {
		e.forms.templates[k] = e.learn(i, x)
	}
	return x, nil
}

// aliases are the names under which the assembler knows a multiply-add
// whose operands make it a move, an addition or a shift.
var aliases = [...]string{"", ".MOV.U32", ".IADD", ".SHL.U32", ".U32", ".MOV", ".IADD.U32", ".SHL"}

// parse spells i and reads it back as a machine instruction. Whether a word
// is written signed or unsigned depends on the operation, so both are tried,
// and for multiply-adds every alias.
func (e *emitter) parse(i *ori.Instr) (x sass.Inst, err error) {
	names := aliases[:1]
	if (i.Op == op.IMAD || i.Op == op.UIMAD) && i.Mods == (op.Mods{}) {
		names = aliases[:]
	}
	for _, e.alias = range names {
		signed := ""
		for _, e.unsigned = range [...]bool{false, true} {
			e.marks = e.marks[:0]
			e.text = e.spell(e.text[:0], i)
			text := string(e.text)
			if text == signed {
				continue // nothing in it has a sign
			}
			if x, e.forms.places, err = sass.ParsePlaces(e.a, text, uint64(e.pc()), e.forms.places); err == nil {
				return x, nil
			}
			signed = text
		}
	}
	return x, err
}

// floats sets the float immediates, which are spelled as zero: their bits
// are known, their decimal text need not be.
func (e *emitter) floats(x *sass.Inst, i *ori.Instr) error {
	n := 0
	next := func() (int64, bool) {
		for ; n < len(i.Args); n++ {
			if i.Args[n].Kind == ori.KImm {
				n++
				return i.Args[n-1].Imm, true
			}
		}
		return 0, false
	}
	if !hasFloats(i.Op) {
		return nil
	}
	for k := range x.NArg() {
		if x.Arg(k).Kind != sass.KindFloat {
			continue
		}
		v, ok := next()
		if !ok {
			return fmt.Errorf("no value for the float of operand %d", k)
		}
		if err := x.SetImm(k, v&0xffffffff); err != nil {
			return err
		}
	}
	return nil
}

// hasFloats reports whether immediates of an operation are floats.
func hasFloats(o op.Op) bool { return o.Has(op.Floats) }

// spell writes i as the assembler does.
func (e *emitter) spell(t []byte, i *ori.Instr) []byte {
	if i.Guard.Kind != ori.KNone {
		t = append(e.operand(append(t, '@'), i, i.Guard), ' ')
		e.marks = e.marks[:0]
	}
	t = append(i.Mods.Append(append(t, i.Op.String()...)), e.alias...)
	switch i.Op {
	case op.CALL, op.RET, op.BRX:
		return append(e.transfer(append(t, ' '), i), " ;"...)
	}
	sep := " "
	add := func(s string) {
		t = append(append(t, sep...), s...)
		sep = ", "
	}
	var fill filler
	for _, f := range fillers {
		if f.op == i.Op && e.a.Family >= f.family {
			fill = f
		}
	}
	preds := 0
	for k, o := range i.Args {
		if k == int(i.NDst) {
			for ; preds < fill.preds; preds++ {
				add(truth(i.Op))
			}
		}
		if k < int(i.NDst) && (o.Class == ori.P || o.Class == ori.UP) {
			preds++
		}
		// an address and what stands before or after it are one operand
		if k > 0 && (i.Args[k-1].Kind == ori.KDesc || o.Kind == ori.KUAddr) {
			sep = ""
		}
		if o.Kind == ori.KAddr && k+1 < len(i.Args) && i.Args[k+1].Kind == ori.KUAddr {
			t = append(t, sep...)
			t = e.address(t, o, &i.Args[k+1])
			sep = ", "
			continue
		}
		if o.Kind == ori.KUAddr {
			sep = ", "
			continue
		}
		t = append(t, sep...)
		t = e.operand(t, i, o)
		t = append(t, e.matrixOrder(i, k)...)
		switch {
		case k == descriptorArg && i.IsTensorMMA():
			o.Sub++
			t = append(e.register(append(t, ", idesc["...), o), ']')
		case i.Op == op.UGETNEXTWORKID: // the barrier's address stands beside the answer's
			o.Sub++
			t = append(e.register(append(t, ", ["...), o), ']')
		}
		sep = ", "
	}
	if fill.tail != "" && len(i.Srcs()) < fill.args {
		add(fill.tail)
	}
	return append(t, " ;"...)
}

// descriptorArg is the operand of a matrix operation on tensor memory whose
// second register is its instruction descriptor.
const descriptorArg = 3

// matrixOrder is what the assembler writes behind the factors of a matrix
// product: how they lie, although there is only one way.
func (e *emitter) matrixOrder(i *ori.Instr, k int) string {
	switch i.Op {
	case op.IMMA, op.BMMA:
	case op.QMMA:
		if !e.a.Has(target.MatrixOrder) {
			return ""
		}
	default:
		return ""
	}
	switch k - int(i.NDst) {
	case 0:
		return ".ROW"
	case 1:
		return ".COL"
	}
	return ""
}

// truth is the predicate that is always true, in the file of o's results.
func truth(o op.Op) string {
	if o.Has(op.Uniform) {
		return "UPT"
	}
	return "PT"
}

var (
	fileNames = [...]string{ori.R: "R", ori.UR: "UR", ori.P: "P", ori.UP: "UP", ori.B: "B"}
	zeroNames = [...]string{ori.R: "RZ", ori.UR: "URZ", ori.P: "PT", ori.UP: "UPT", ori.B: "B15"}
)

// mark notes that a register or number starts at the end of t.
func (e *emitter) mark(t []byte) { e.marks = append(e.marks, int32(len(t))) }

// register writes the first physical register an operand names.
func (e *emitter) register(t []byte, o ori.Operand) []byte {
	e.mark(t)
	t = append(t, fileNames[o.Class]...)
	sub := int64(o.Sub)
	if o.Kind == ori.KConst {
		sub = 0
	}
	if e.loose {
		return strconv.AppendInt(t, sub, 10)
	}
	return strconv.AppendInt(t, int64(e.f.Regs[o.Reg].Phys)+sub, 10)
}

// operand writes an operand with its marks.
func (e *emitter) operand(t []byte, i *ori.Instr, o ori.Operand) []byte {
	if o.Flags&ori.Neg != 0 {
		t = append(t, '-')
	}
	if o.Flags&ori.Inv != 0 {
		if o.Class == ori.P || o.Class == ori.UP {
			t = append(t, '!')
		} else {
			t = append(t, '~')
		}
	}
	if o.Flags&ori.Abs != 0 {
		t = append(t, '|')
	}
	t = e.bare(t, i, o)
	if o.Flags&ori.Abs != 0 {
		t = append(t, '|')
	}
	if o.Flags&ori.Reuse != 0 && o.Kind == ori.KReg && o.Class == ori.R {
		t = append(t, ".reuse"...)
	}
	switch {
	case o.Flags&ori.H0 != 0:
		t = append(t, ".H0_H0"...)
	case o.Flags&ori.H1 != 0 && i.Op == op.F2FP:
		t = append(t, ".H1"...)
	case o.Flags&ori.H1 != 0:
		t = append(t, ".H1_H1"...)
	}
	return t
}

// bankOffset returns the offset of a constant as its instruction spells it:
// the loads of constants have 16 bits for it, which count as signed, so that
// the upper half of a bank has negative ones.
func bankOffset(i *ori.Instr, o *ori.Operand) int64 {
	if (i.Op == op.LDC || i.Op == op.ULDC) && o.Reg == ori.NoReg && o.Imm>>15 == 1 {
		return o.Imm - 1<<16
	}
	return o.Imm
}

func (e *emitter) bare(t []byte, i *ori.Instr, o ori.Operand) []byte {
	switch o.Kind {
	case ori.KReg:
		return e.register(t, o)
	case ori.KZero:
		return append(t, zeroNames[o.Class]...)
	case ori.KImm:
		e.mark(t)
		if hasFloats(i.Op) {
			return append(t, '0')
		}
		if e.unsigned {
			return appendHex(t, o.Imm&0xffffffff)
		}
		return appendHex(t, o.Imm)
	case ori.KConst:
		e.mark(t)
		t = append(appendHex(append(t, "c["...), int64(o.Sub)), "]["...)
		if o.Reg != ori.NoReg {
			t = append(e.register(t, o), '+')
		}
		return append(appendHex(t, bankOffset(i, &o)), ']')
	case ori.KSpecial:
		return append(t, op.Special(o.Imm).String()...)
	case ori.KLabel:
		if o.Sub != 0 { // part of an absolute address
			return append(t, "0x0"...)
		}
		if i.Op == op.BSSY {
			return appendHex(t, e.meeting(i, o.Reg))
		}
		return appendHex(t, e.start[o.Reg])
	case ori.KSymbol:
		return e.symbol(t, i, o)
	case ori.KDesc:
		return append(e.register(append(t, "desc["...), o), ']')
	case ori.KGdesc:
		return e.matrices(t, o)
	case ori.KTmem:
		return e.tensor(t, i, o)
	case ori.KAddr:
		return e.address(t, o, nil)
	}
	return append(t, '?')
}

// address writes a memory operand, with a uniform register if there is one.
func (e *emitter) address(t []byte, o ori.Operand, u *ori.Operand) []byte {
	t = append(t, '[')
	plus := false
	if o.Reg != ori.NoReg {
		t = e.register(t, o)
		if o.Flags&ori.Wide != 0 {
			t = append(t, ".64"...)
		}
		plus = true
	}
	if u != nil {
		if plus {
			t = append(t, '+')
		}
		if u.Reg == ori.NoReg {
			t = append(t, zeroNames[ori.UR]...)
		} else {
			t = e.register(t, *u)
		}
		plus = true
	}
	if o.Imm != 0 || !plus {
		if plus {
			t = append(t, '+')
		}
		e.mark(t)
		t = appendHex(t, o.Imm)
	}
	return append(t, ']')
}

// marks of matrix descriptors in the order of the assembler's text.
var matrixMarks = [...]struct {
	mark int64
	text string
}{{ori.NegA, ".negA"}, {ori.NegB, ".negB"}, {ori.TnspA, ".tnspA"}, {ori.TnspB, ".tnspB"}, {ori.ReuseA, ".A_REUSE"}, {ori.KeepA, ".A_KEEP"}, {ori.ReuseB, ".B_REUSE"}, {ori.KeepB, ".B_KEEP"}}

// matrices writes the descriptors of two matrices.
func (e *emitter) matrices(t []byte, o ori.Operand) []byte {
	t = append(t, "gdesc["...)
	if o.Reg == ori.NoReg {
		t = append(t, zeroNames[ori.UR]...)
	} else {
		t = e.register(t, o)
	}
	t = append(t, ']')
	return appendMarks(t, o.Imm)
}

// appendMarks writes the marks of matrices.
func appendMarks(t []byte, marks int64) []byte {
	for _, m := range matrixMarks {
		if marks&m.mark != 0 {
			t = append(t, m.text...)
		}
	}
	if n := marks / ori.Buffer1; n > 0 {
		t = strconv.AppendInt(append(t, ".BUFFER"...), n, 10)
	}
	return t
}

// tensor writes a place in tensor memory. The first operand of a matrix
// operation has marks.
func (e *emitter) tensor(t []byte, i *ori.Instr, o ori.Operand) []byte {
	t = append(e.register(append(t, "tmem["...), o), ']')
	switch {
	case !i.IsTensorMMA():
		if o.Imm != 0 {
			t = append(appendHex(append(t[:len(t)-1], '+'), o.Imm), ']')
		}
	case i.Args[0] == o:
		t = appendMarks(t, o.Imm)
	}
	return t
}

func appendHex(t []byte, v int64) []byte {
	if v < 0 {
		t = append(t, '-')
		v = -v
	}
	return strconv.AppendInt(append(t, "0x"...), v, 16)
}
