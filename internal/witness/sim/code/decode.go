package code

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
	RowZero = 255 // RZ and URZ
	RowSink = 256
	RowUni  = 257
	NumRows = RowUni + 256
)

// Predicates are masks of lanes, kept the same way: P0 to P6, PT, a sink for
// writes to PT, UP0 to UP6.
const (
	PredTrue = 7
	PredSink = 8
	PredUni  = 9
	NumPreds = PredUni + 7
)

// flags of an inst, read off the mnemonic.
const (
	FlagX     = 1 << iota // .X: with carry
	FlagHI                // .HI
	FlagU32               // .U32: unsigned
	FlagW                 // .W: counts wrap
	FlagRight             // .R
	FlagSX32              // .SX32
	FlagPAND              // .PAND
	FlagEX                // .EX
	FlagNAN               // .NAN
	FlagXS                // .XORSIGN
	FlagBF                // .BF
	FlagBF16              // .BF16_V2
	FlagF32               // .F32 of a half operation
	FlagHAND              // .H_AND
	FlagFMZ               // .FMZ: zero times anything is zero
	FlagNTZ               // .NTZ: NaN becomes zero
	FlagSH                // .SH
	FlagACC               // .ACC
	FlagH1                // .H1 of the third source
	FlagRELU              // .RELU of an integer operation
	FlagOR                // .OR
	FlagZFILL             // .ZFILL
	FlagCLEAR             // .CLEAR
	FlagALL               // .ALL
	FlagFTZ               // .FTZ
	FlagAOFFI             // .AOFFI: offsets of texels
	FlagCL                // .CL: coordinates clamped
	FlagTexel             // .P of a surface: whole texels
	FlagSCR               // .SCR: arguments split between two registers
	FlagB                 // .B: the handle is one of the arguments
	FlagF16               // .F16 of a texture: halves
)

// flagNames gives the mnemonic parts that set a flag.
var flagNames = [...]struct {
	name string
	flag uint32
}{
	{"X", FlagX},
	{"HI", FlagHI},
	{"U32", FlagU32},
	{"W", FlagW},
	{"R", FlagRight},
	{"SX32", FlagSX32},
	{"PAND", FlagPAND},
	{"EX", FlagEX},
	{"NAN", FlagNAN},
	{"XORSIGN", FlagXS},
	{"BF", FlagBF},
	{"BF16_V2", FlagBF16},
	{"F32", FlagF32},
	{"H_AND", FlagHAND},
	{"FMZ", FlagFMZ},
	{"NTZ", FlagNTZ},
	{"SH", FlagSH},
	{"ACC", FlagACC},
	{"RELU", FlagRELU},
	{"SATRELU", FlagRELU},
	{"OR", FlagOR},
	{"ZFILL", FlagZFILL},
	{"CLEAR", FlagCLEAR},
	{"ALL", FlagALL},
	{"FTZ", FlagFTZ},
	{"AOFFI", FlagAOFFI},
	{"CL", FlagCL},
	{"P", FlagTexel},
	{"SCR", FlagSCR},
}

// Operand is a source: a row and, for 64-bit sources, the row of the high
// word, with its marks.
type Operand struct {
	Row, Hi       uint16
	Neg, Abs, Inv bool
	Half          uint8 // .H0_H0, .H1_H1 and their kin: see halfOf
	Imm           int64 // of an immediate
	IsImm         bool
	isU           bool
}

// Pred is a predicate source.
type Pred struct {
	P   uint8
	Neg uint32 // all ones when negated
}

// Address is a memory operand.
type Address struct {
	Row, Hi  uint16 // register; hi is rowZero for 32-bit addresses
	Urow, Uh uint16 // uniform register
	Imm      int64
	Scale    uint8
}

// Inst is what the word of an instruction says: operands by row number,
// modifiers as numbers.
type Inst struct {
	Guard     uint8
	PD        [2]uint8
	Full      bool // results are uniform: runs once for the warp
	GuardNot  uint32
	Flags     uint32
	D         [2]uint16 // destination rows
	Width     uint8     // rows of the first destination
	NS        uint8
	NPS       uint8
	Sub       uint8 // a choice that only the operation knows
	Cmp       uint8
	Bop       uint8
	Size      uint8 // bytes of a memory access
	Sext      bool
	Bar       uint8
	Src       fp.Format
	Dst       fp.Format
	It        fp.Int
	Product   *matrix.Product
	Gmma      *GroupForm
	Tensor    *TensorForm
	Mode      fp.Mode
	S         [7]Operand
	PS        [3]Pred
	Addr      [2]Address
	Rel       int64 // distance to a label from the next instruction
	HasLabel  bool
	Multicast bool // a copy to several blocks
	Pair      bool // it is of a pair of blocks
	Rows      bool // a copy of four rows of a tensor
	Masked    bool // a copy that leaves bytes out
	Im2col    bool // a copy of pixels
	Strong    bool // .STRONG: other threads may rely on its order
	Op        sass.Op
	Wide      uint8 // registers of the widest source
	Mnemonic  string
	In        sass.Inst
}

// Decoder turns the words of a program into insts.
type Decoder struct {
	Arch *target.Arch
	Pool *Pool
}

// Pool keeps the rows that hold immediates and constants.
type Pool struct {
	imms  map[uint32]uint16
	Words []poolWord
}

type poolWord struct {
	Bank int8 // negative: the value itself
	Off  uint32
}

func (p *Pool) imm(v uint32) (uint16, error) {
	if v == 0 {
		return RowZero, nil
	}
	if r, ok := p.imms[v]; ok {
		return r, nil
	}
	r, err := p.add(poolWord{-1, v})
	p.imms[v] = r
	return r, err
}

func (p *Pool) constant(bank uint8, off uint32) (uint16, error) {
	w := poolWord{int8(bank), off}
	for n, x := range p.Words {
		if x == w {
			return uint16(NumRows + n), nil
		}
	}
	return p.add(w)
}

func (p *Pool) add(w poolWord) (uint16, error) {
	if len(p.Words) >= 1<<16-NumRows {
		return 0, fmt.Errorf("more than %d different immediates", 1<<16-NumRows)
	}
	p.Words = append(p.Words, w)
	return uint16(NumRows + len(p.Words) - 1), nil
}

// Decode reads one word. parts are the modifiers of its mnemonic.
func (d *Decoder) Decode(in sass.Inst, pc uint64) (i Inst, parts []string, err error) {
	if !in.Known() {
		return Inst{}, nil, fmt.Errorf("unknown instruction word %v", in.Word())
	}
	i = Inst{In: in, Op: in.Op(), D: [2]uint16{RowSink, RowSink}, PD: [2]uint8{PredSink, PredSink}}
	text := in.Text(d.Arch, pc)
	i.Mnemonic = mnemonic(text)
	parts = strings.Split(i.Mnemonic, ".")[1:]
	i.Strong = slices.Contains(parts, "STRONG")
	d.guard(&i)
	i.modifiers(parts)
	if err := d.operands(&i, strings.Contains(text, "desc[")); err != nil {
		return i, nil, err
	}
	i.halves()
	return i, parts, nil
}

func mnemonic(text string) string {
	f := strings.Fields(text)
	if len(f) > 1 && f[0][0] == '@' {
		f = f[1:]
	}
	return strings.TrimSuffix(f[0], ";")
}

func (d *Decoder) guard(i *Inst) {
	g := i.In.Guard()
	i.Guard = g.Pred
	if i.In.GuardFile() == sass.FileUP {
		i.Guard = UniPred(g.Pred)
		i.Full = true
	}
	if g.Not {
		i.GuardNot = ^uint32(0)
	}
}

// UniPred numbers uniform predicates behind the others.
func UniPred(p uint8) uint8 {
	if p == 7 {
		return PredTrue
	}
	return PredUni + p
}

// modifiers reads what many operations share.
func (i *Inst) modifiers(parts []string) {
	for _, p := range parts {
		for _, f := range flagNames {
			if f.name == p {
				i.Flags |= f.flag
			}
		}
		switch p {
		case "RM", "FLOOR":
			i.Mode.Round = fp.RM
		case "RP", "CEIL":
			i.Mode.Round = fp.RP
		case "RZ", "TRUNC":
			i.Mode.Round = fp.RZ
		case "FTZ":
			i.Mode.Ftz = true
		case "SAT":
			i.Mode.Sat = true
		case "SATFINITE":
			i.Mode.SatFinite = true
		case "RELU":
			i.Mode.Relu = true
		case "OR":
			i.Bop = 1
		case "XOR":
			i.Bop = 2
		}
	}
}

// Has reports whether the mnemonic has a part.
func (i *Inst) Has(flag uint32) bool { return i.Flags&flag != 0 }

func (d *Decoder) operands(i *Inst, desc bool) error {
	nd, npd, na := 0, 0, 0
	var ai [2]int
	half := isHalf(i.Op)
	for n := range i.In.NArg() {
		o := i.In.Arg(n)
		switch {
		case o.Role == sass.Address:
			d.address(i, &o, &na, &ai, desc)
		case o.Role == sass.Write && (o.File == sass.FileR || o.File == sass.FileU):
			if nd < len(i.D) {
				i.D[nd] = destRow(&o)
				if nd == 0 {
					i.Width = o.Width
				}
				nd++
			}
			i.Full = i.Full || o.File == sass.FileU
		case o.Role == sass.Write && (o.File == sass.FileP || o.File == sass.FileUP):
			if npd < len(i.PD) {
				i.PD[npd] = destPred(&o)
				npd++
			}
			i.Full = i.Full || o.File == sass.FileUP
		case o.File == sass.FileP || o.File == sass.FileUP:
			if i.NPS < 3 {
				i.PS[i.NPS] = readPred(&o)
				i.NPS++
			}
		case o.File == sass.FileB || o.File == sass.FileSB:
			i.Bar = o.Reg
		case o.Kind == sass.KindLabel:
			i.Rel, i.HasLabel = o.Imm, true
		case half && o.Kind == sass.KindFloat && i.NS > 0 && i.S[i.NS-1].IsImm && n > 0 && i.In.Arg(n-1).Kind == sass.KindFloat:
			// the second half of an immediate already taken whole
		default:
			if int(i.NS) == len(i.S) {
				return fmt.Errorf("%s: too many operands", i.Mnemonic)
			}
			if half && o.Kind == sass.KindFloat {
				o.Imm = int64(i.In.Word().Field(32, 32))
			}
			s, err := d.source(&o)
			if err != nil {
				return err
			}
			i.S[i.NS] = s
			i.NS++
			i.Wide = max(i.Wide, o.Width)
		}
	}
	if i.In.GuardFile() == sass.FileUP {
		i.Full = true
	}
	return nil
}

func destRow(o *sass.Operand) uint16 {
	switch {
	case o.Zero:
		return RowSink
	case o.File == sass.FileU:
		return RowUni + uint16(o.Reg)
	}
	return uint16(o.Reg)
}

func destPred(o *sass.Operand) uint8 {
	switch {
	case o.Zero:
		return PredSink
	case o.File == sass.FileUP:
		return PredUni + o.Reg
	}
	return o.Reg
}

func readPred(o *sass.Operand) Pred {
	p := Pred{P: o.Reg}
	if o.File == sass.FileUP {
		p.P = UniPred(o.Reg)
	}
	if o.Neg {
		p.Neg = ^uint32(0)
	}
	return p
}

// SrcRow returns the row of a register operand and of the one behind it.
func SrcRow(o *sass.Operand) (lo, hi uint16) {
	if o.Zero {
		return RowZero, RowZero
	}
	lo = uint16(o.Reg)
	if o.File == sass.FileU {
		lo += RowUni
	}
	return lo, Behind(lo, 1)
}

func (d *Decoder) source(o *sass.Operand) (Operand, error) {
	s := Operand{Neg: o.Neg, Abs: o.Abs, Inv: o.Inv, Row: RowZero, Hi: RowZero, Imm: o.Imm}
	var err error
	switch o.Kind {
	case sass.KindReg:
		s.Row, s.Hi = SrcRow(o)
		s.isU = o.File == sass.FileU
	case sass.KindImm, sass.KindFloat:
		s.IsImm = true
		if s.Row, err = d.Pool.imm(uint32(o.Imm)); err == nil {
			s.Hi, err = d.Pool.imm(uint32(o.Imm >> 32))
		}
	case sass.KindConst:
		if s.Row, err = d.Pool.constant(o.Bank, uint32(o.Imm)); err == nil {
			s.Hi, err = d.Pool.constant(o.Bank, uint32(o.Imm)+4)
		}
	}
	return s, err
}

// address gathers the parts of a memory operand. A second vector register
// opens a second address: LDGSTS has two. The uniform register of a
// descriptor, a pair that sm_80 does not even print, says nothing about the
// address.
func (d *Decoder) address(i *Inst, o *sass.Operand, na *int, ai *[2]int, desc bool) {
	if *na == 0 {
		for k := range i.Addr {
			i.Addr[k] = Address{Row: RowZero, Hi: RowZero, Urow: RowZero, Uh: RowZero}
		}
		*na = 1
	}
	switch {
	case o.Kind == sass.KindReg && o.File == sass.FileU && (desc || o.Width == 2):
	case o.Kind == sass.KindReg && o.File == sass.FileU:
		a := &i.Addr[*na-1]
		a.Urow, a.Uh = SrcRow(o)
		if !slices.Contains(strings.Split(i.Mnemonic, "."), "E") {
			a.Uh = RowZero
		}
	case o.Kind == sass.KindReg:
		if ai[*na-1] > 0 && *na < len(i.Addr) {
			*na++
		}
		a := &i.Addr[*na-1]
		a.Row, a.Hi = SrcRow(o)
		if o.Width < 2 {
			a.Hi = RowZero
		}
		ai[*na-1]++
	default:
		i.Addr[*na-1].Imm += o.Imm
	}
	switch v, _ := i.In.Mod(sass.ModScale); v.String() {
	case ".X4":
		i.Addr[0].Scale = 2
	case ".X8":
		i.Addr[0].Scale = 3
	case ".X16":
		i.Addr[0].Scale = 4
	}
}

// Half selectors.
const (
	HalfPair  = iota // both halves, in order
	HalfLow          // .H0_H0
	HalfHigh         // .H1_H1
	HalfF32          // .F32: a float
	HalfCross        // .H0_NH1: the low half above, the high one negated below
	HalfB1           // .B1
	HalfB2
	HalfB3
)

// halves gives sources their selectors, which stand in the text behind
// registers and constants only.
func (i *Inst) halves() {
	n := 0
	for k := range i.In.NMod() {
		m, v := i.In.ModAt(k)
		switch m {
		case sass.ModHalf, sass.ModHalfb, sass.ModHi, sass.ModHalfpad:
		case sass.ModBsel:
			if i.Op != sass.OpI2F && i.Op != sass.OpUI2F && i.Op != sass.OpF2FP {
				i.Sub = bselOf(v.String())
				continue
			}
		case sass.ModH1:
			if v.String() == ".H1" {
				i.Flags |= FlagH1
			}
			continue
		default:
			continue
		}
		for n < int(i.NS) && i.S[n].IsImm {
			n++
		}
		if n < int(i.NS) {
			i.S[n].Half = halfOf(v.String())
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
		return HalfLow
	case ".H1_H1", ".H1":
		return HalfHigh
	case ".F32":
		return HalfF32
	case ".H0_NH1":
		return HalfCross
	case ".B1":
		return HalfB1
	case ".B2":
		return HalfB2
	case ".B3":
		return HalfB3
	}
	return HalfPair
}

func isHalf(op sass.Op) bool {
	switch op {
	case sass.OpHADD2, sass.OpHMUL2, sass.OpHFMA2, sass.OpHFMA2_MMA, sass.OpHSET2, sass.OpHSETP2, sass.OpHMNMX2, sass.OpVHMNMX:
		return true
	}
	return false
}

// Behind is the row n after a source; RZ stays RZ, and behind the last
// register of a file there is nothing.
func Behind(row, n uint16) uint16 {
	if row <= RowZero && row+n >= RowZero || row < NumRows && row+n >= NumRows {
		return RowZero
	}
	return row + n
}

// NextRow is the row of the next word of a destination; behind the last
// register of a file there is none.
func NextRow(d uint16) uint16 {
	if d >= RowZero-1 && d <= RowSink || d+1 >= NumRows {
		return RowSink
	}
	return d + 1
}

// NewPool is an empty pool.
func NewPool() Pool { return Pool{imms: map[uint32]uint16{}} }
