package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/matrix"
)

// The registers of a warp are rows of 32 lanes in one array. Vector
// registers come first, then a row that swallows writes to RZ, then the
// uniform registers, whose lanes all hold the same value: a uniform
// instruction is a vector instruction on uniform rows. Row numbers from
// numRows up are rows of the program's pool: immediates and constants,
// spread over the lanes once per launch.
const (
	rowZero = 255 // RZ and URZ
	rowSink = 256
	rowUni  = 257
	numRows = rowUni + 256
)

// Predicates are masks of lanes, kept the same way: P0 to P6, PT, a sink for
// writes to PT, UP0 to UP6.
const (
	predTrue = 7
	predSink = 8
	predUni  = 9
	numPreds = predUni + 7
)

// flags of an inst, read off the mnemonic.
const (
	fX     = 1 << iota // .X: with carry
	fHI                // .HI
	fU32               // .U32: unsigned
	fW                 // .W: counts wrap
	fRight             // .R
	fSX32              // .SX32
	fPAND              // .PAND
	fEX                // .EX
	fNAN               // .NAN
	fXS                // .XORSIGN
	fBF                // .BF
	fBF16              // .BF16_V2
	fF32               // .F32 of a half operation
	fHAND              // .H_AND
	fFMZ               // .FMZ: zero times anything is zero
	fNTZ               // .NTZ: NaN becomes zero
	fSH                // .SH
	fACC               // .ACC
	fH1                // .H1 of the third source
	fRELU              // .RELU of an integer operation
	fOR                // .OR
	fZFILL             // .ZFILL
	fCLEAR             // .CLEAR
	fALL               // .ALL
	fFTZ               // .FTZ
	fAOFFI             // .AOFFI: offsets of texels
	fCL                // .CL: coordinates clamped
	fTexel             // .P of a surface: whole texels
	fSCR               // .SCR: arguments split between two registers
	fB                 // .B: the handle is one of the arguments
	fF16               // .F16 of a texture: halves
)

// flagNames gives the mnemonic parts that set a flag.
var flagNames = [...]struct {
	name string
	flag uint32
}{
	{"X", fX},
	{"HI", fHI},
	{"U32", fU32},
	{"W", fW},
	{"R", fRight},
	{"SX32", fSX32},
	{"PAND", fPAND},
	{"EX", fEX},
	{"NAN", fNAN},
	{"XORSIGN", fXS},
	{"BF", fBF},
	{"BF16_V2", fBF16},
	{"F32", fF32},
	{"H_AND", fHAND},
	{"FMZ", fFMZ},
	{"NTZ", fNTZ},
	{"SH", fSH},
	{"ACC", fACC},
	{"RELU", fRELU},
	{"SATRELU", fRELU},
	{"OR", fOR},
	{"ZFILL", fZFILL},
	{"CLEAR", fCLEAR},
	{"ALL", fALL},
	{"FTZ", fFTZ},
	{"AOFFI", fAOFFI},
	{"CL", fCL},
	{"P", fTexel},
	{"SCR", fSCR},
}

// opnd is a source: a row and, for 64-bit sources, the row of the high
// word, with its marks.
type opnd struct {
	row, hi       uint16
	neg, abs, inv bool
	half          uint8 // .H0_H0, .H1_H1 and their kin: see halfOf
	imm           int64 // of an immediate
	isImm         bool
	isU           bool
}

type predSrc struct {
	p   uint8
	neg uint32 // all ones when negated
}

// address is a memory operand.
type address struct {
	row, hi  uint16 // register; hi is rowZero for 32-bit addresses
	urow, uh uint16 // uniform register
	imm      int64
	scale    uint8
}

// inst is an instruction as the simulator runs it: operands by row number,
// modifiers as numbers, and the function that is its meaning.
type inst struct {
	fn        func(*warp, *inst, uint32)
	guard     uint8
	pd        [2]uint8
	full      bool // results are uniform: runs once for the warp
	gneg      uint32
	flags     uint32
	d         [2]uint16 // destination rows
	dw        uint8     // rows of the first destination
	ns        uint8
	nps       uint8
	sub       uint8 // a choice that only the operation knows
	cmp       uint8
	bop       uint8
	size      uint8 // bytes of a memory access
	sext      bool
	bar       uint8
	src       fp.Format
	dst       fp.Format
	it        fp.Int
	product   *matrix.Product
	gmma      *gmmaForm
	tensor    *tensorForm
	mode      fp.Mode
	s         [6]opnd
	ps        [3]predSrc
	addr      [2]address
	rel       int64 // distance to a label from the next instruction
	hasL      bool
	multicast bool // a copy to several blocks
	missing   bool // it has no meaning here
	strong    bool // .STRONG: other threads may rely on its order
	kind      Class
	op        sass.Op
	wide      uint8 // registers of the widest source
	mn        string
	in        sass.Inst
}

// decoder turns the words of a program into insts.
type decoder struct {
	arch *target.Arch
	pool *pool
}

// pool keeps the rows that hold immediates and constants.
type pool struct {
	imms  map[uint32]uint16
	words []poolWord
}

type poolWord struct {
	bank int8 // negative: the value itself
	off  uint32
}

func (p *pool) imm(v uint32) (uint16, error) {
	if v == 0 {
		return rowZero, nil
	}
	if r, ok := p.imms[v]; ok {
		return r, nil
	}
	r, err := p.add(poolWord{-1, v})
	p.imms[v] = r
	return r, err
}

func (p *pool) constant(bank uint8, off uint32) (uint16, error) {
	w := poolWord{int8(bank), off}
	for n, x := range p.words {
		if x == w {
			return uint16(numRows + n), nil
		}
	}
	return p.add(w)
}

func (p *pool) add(w poolWord) (uint16, error) {
	if len(p.words) >= 1<<16-numRows {
		return 0, fmt.Errorf("more than %d different immediates", 1<<16-numRows)
	}
	p.words = append(p.words, w)
	return uint16(numRows + len(p.words) - 1), nil
}

// decode makes the inst of one word.
func (d *decoder) decode(in sass.Inst, pc uint64) (inst, error) {
	if !in.Known() {
		return inst{}, fmt.Errorf("unknown instruction word %v", in.Word())
	}
	i := inst{in: in, op: in.Op(), d: [2]uint16{rowSink, rowSink}, pd: [2]uint8{predSink, predSink}}
	text := in.Text(d.arch, pc)
	i.mn = mnemonic(text)
	parts := strings.Split(i.mn, ".")[1:]
	i.strong = slices.Contains(parts, "STRONG")
	d.guard(&i)
	i.modifiers(parts)
	if err := d.operands(&i, strings.Contains(text, "desc[")); err != nil {
		return i, err
	}
	i.halves()
	row := meaning(i.op)
	if row == nil {
		return i, fmt.Errorf("%s has no meaning in the simulator", i.mn)
	}
	i.kind, i.fn = row.class, row.fn
	if row.prepare != nil {
		if err := row.prepare(&i, parts); err != nil {
			return i, fmt.Errorf("%s: %w", strings.TrimSuffix(text, " ;"), err)
		}
	}
	if i.fn == nil {
		return i, fmt.Errorf("%s has no meaning in the simulator", i.mn)
	}
	return i, nil
}

func mnemonic(text string) string {
	f := strings.Fields(text)
	if len(f) > 1 && f[0][0] == '@' {
		f = f[1:]
	}
	return strings.TrimSuffix(f[0], ";")
}

func (d *decoder) guard(i *inst) {
	g := i.in.Guard()
	i.guard = g.Pred
	if i.in.GuardFile() == sass.FileUP {
		i.guard = uniPred(g.Pred)
		i.full = true
	}
	if g.Not {
		i.gneg = ^uint32(0)
	}
}

func uniPred(p uint8) uint8 {
	if p == 7 {
		return predTrue
	}
	return predUni + p
}

// modifiers reads what many operations share.
func (i *inst) modifiers(parts []string) {
	for _, p := range parts {
		for _, f := range flagNames {
			if f.name == p {
				i.flags |= f.flag
			}
		}
		switch p {
		case "RM", "FLOOR":
			i.mode.Round = fp.RM
		case "RP", "CEIL":
			i.mode.Round = fp.RP
		case "RZ", "TRUNC":
			i.mode.Round = fp.RZ
		case "FTZ":
			i.mode.Ftz = true
		case "SAT":
			i.mode.Sat = true
		case "SATFINITE":
			i.mode.SatFinite = true
		case "RELU":
			i.mode.Relu = true
		case "OR":
			i.bop = 1
		case "XOR":
			i.bop = 2
		}
	}
}

func (i *inst) has(flag uint32) bool { return i.flags&flag != 0 }

func (d *decoder) operands(i *inst, desc bool) error {
	nd, npd, na := 0, 0, 0
	var ai [2]int
	half := isHalf(i.op)
	for n := range i.in.NArg() {
		o := i.in.Arg(n)
		switch {
		case o.Role == sass.Address:
			d.address(i, &o, &na, &ai, desc)
		case o.Role == sass.Write && (o.File == sass.FileR || o.File == sass.FileU):
			if nd < len(i.d) {
				i.d[nd] = destRow(&o)
				if nd == 0 {
					i.dw = o.Width
				}
				nd++
			}
			i.full = i.full || o.File == sass.FileU
		case o.Role == sass.Write && (o.File == sass.FileP || o.File == sass.FileUP):
			if npd < len(i.pd) {
				i.pd[npd] = destPred(&o)
				npd++
			}
			i.full = i.full || o.File == sass.FileUP
		case o.File == sass.FileP || o.File == sass.FileUP:
			if i.nps < 3 {
				i.ps[i.nps] = readPred(&o)
				i.nps++
			}
		case o.File == sass.FileB || o.File == sass.FileSB:
			i.bar = o.Reg
		case o.Kind == sass.KindLabel:
			i.rel, i.hasL = o.Imm, true
		case half && o.Kind == sass.KindFloat && i.ns > 0 && i.s[i.ns-1].isImm && n > 0 && i.in.Arg(n-1).Kind == sass.KindFloat:
			// the second half of an immediate already taken whole
		default:
			if int(i.ns) == len(i.s) {
				return fmt.Errorf("%s: too many operands", i.mn)
			}
			if half && o.Kind == sass.KindFloat {
				o.Imm = int64(i.in.Word().Field(32, 32))
			}
			s, err := d.source(&o)
			if err != nil {
				return err
			}
			i.s[i.ns] = s
			i.ns++
			i.wide = max(i.wide, o.Width)
		}
	}
	if i.in.GuardFile() == sass.FileUP {
		i.full = true
	}
	return nil
}

func destRow(o *sass.Operand) uint16 {
	switch {
	case o.Zero:
		return rowSink
	case o.File == sass.FileU:
		return rowUni + uint16(o.Reg)
	}
	return uint16(o.Reg)
}

func destPred(o *sass.Operand) uint8 {
	switch {
	case o.Zero:
		return predSink
	case o.File == sass.FileUP:
		return predUni + o.Reg
	}
	return o.Reg
}

func readPred(o *sass.Operand) predSrc {
	p := predSrc{p: o.Reg}
	if o.File == sass.FileUP {
		p.p = uniPred(o.Reg)
	}
	if o.Neg {
		p.neg = ^uint32(0)
	}
	return p
}

// srcRow returns the row of a register operand and of the one behind it.
func srcRow(o *sass.Operand) (lo, hi uint16) {
	if o.Zero {
		return rowZero, rowZero
	}
	lo = uint16(o.Reg)
	if o.File == sass.FileU {
		lo += rowUni
	}
	return lo, behind(lo, 1)
}

func (d *decoder) source(o *sass.Operand) (opnd, error) {
	s := opnd{neg: o.Neg, abs: o.Abs, inv: o.Inv, row: rowZero, hi: rowZero, imm: o.Imm}
	var err error
	switch o.Kind {
	case sass.KindReg:
		s.row, s.hi = srcRow(o)
		s.isU = o.File == sass.FileU
	case sass.KindImm, sass.KindFloat:
		s.isImm = true
		if s.row, err = d.pool.imm(uint32(o.Imm)); err == nil {
			s.hi, err = d.pool.imm(uint32(o.Imm >> 32))
		}
	case sass.KindConst:
		if s.row, err = d.pool.constant(o.Bank, uint32(o.Imm)); err == nil {
			s.hi, err = d.pool.constant(o.Bank, uint32(o.Imm)+4)
		}
	}
	return s, err
}

// address gathers the parts of a memory operand. A second vector register
// opens a second address: LDGSTS has two. The uniform register of a
// descriptor, a pair that sm_80 does not even print, says nothing about the
// address.
func (d *decoder) address(i *inst, o *sass.Operand, na *int, ai *[2]int, desc bool) {
	if *na == 0 {
		for k := range i.addr {
			i.addr[k] = address{row: rowZero, hi: rowZero, urow: rowZero, uh: rowZero}
		}
		*na = 1
	}
	switch {
	case o.Kind == sass.KindReg && o.File == sass.FileU && (desc || o.Width == 2):
	case o.Kind == sass.KindReg && o.File == sass.FileU:
		a := &i.addr[*na-1]
		a.urow, a.uh = srcRow(o)
		if !slices.Contains(strings.Split(i.mn, "."), "E") {
			a.uh = rowZero
		}
	case o.Kind == sass.KindReg:
		if ai[*na-1] > 0 && *na < len(i.addr) {
			*na++
		}
		a := &i.addr[*na-1]
		a.row, a.hi = srcRow(o)
		if o.Width < 2 {
			a.hi = rowZero
		}
		ai[*na-1]++
	default:
		i.addr[*na-1].imm += o.Imm
	}
	switch v, _ := i.in.Mod(sass.ModScale); v.String() {
	case ".X4":
		i.addr[0].scale = 2
	case ".X8":
		i.addr[0].scale = 3
	case ".X16":
		i.addr[0].scale = 4
	}
}

// Half selectors.
const (
	hPair  = iota // both halves, in order
	hLow          // .H0_H0
	hHigh         // .H1_H1
	hF32          // .F32: a float
	hCross        // .H0_NH1: the low half above, the high one negated below
	hB1           // .B1
	hB2
	hB3
)

// halves gives sources their selectors, which stand in the text behind
// registers and constants only.
func (i *inst) halves() {
	n := 0
	for k := range i.in.NMod() {
		m, v := i.in.ModAt(k)
		switch m {
		case sass.ModHalf, sass.ModHalfb, sass.ModHi, sass.ModHalfpad:
		case sass.ModBsel:
			if i.op != sass.OpI2F {
				i.sub = bselOf(v.String())
				continue
			}
		case sass.ModH1:
			if v.String() == ".H1" {
				i.flags |= fH1
			}
			continue
		default:
			continue
		}
		for n < int(i.ns) && i.s[n].isImm {
			n++
		}
		if n < int(i.ns) {
			i.s[n].half = halfOf(v.String())
			n++
		}
	}
}

func bselOf(v string) uint8 {
	if len(v) == 3 {
		return v[2] - '0'
	}
	return 0
}

func halfOf(v string) uint8 {
	switch v {
	case ".H0_H0":
		return hLow
	case ".H1_H1", ".H1":
		return hHigh
	case ".F32":
		return hF32
	case ".H0_NH1":
		return hCross
	case ".B1":
		return hB1
	case ".B2":
		return hB2
	case ".B3":
		return hB3
	}
	return hPair
}

func isHalf(op sass.Op) bool {
	switch op {
	case sass.OpHADD2, sass.OpHMUL2, sass.OpHFMA2, sass.OpHFMA2_MMA, sass.OpHSET2, sass.OpHSETP2, sass.OpHMNMX2, sass.OpVHMNMX:
		return true
	}
	return false
}
