package declare

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/eval"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/sema/textpos"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// initialiser fills the bytes of one variable.
type initialiser struct {
	*setting.Context
	v    *sema.Var
	dims []uint64 // bounds, outermost first
	o    *syntax.Operand
}

// initialise reads the initial value of v. It returns false after a fatal
// fault.
func initialise(c *setting.Context, v *sema.Var, d *syntax.Var) bool {
	in := initialiser{Context: c, v: v}
	for i := int32(0); i < d.Dims.Len; i++ {
		e := &c.Tree.Exprs[d.Dims.First+i]
		n := e.Val
		if e.Op == syntax.ExprWarp {
			n = eval.WarpSize
		}
		in.dims = append(in.dims, n)
	}
	o := &c.Tree.Operands[d.Init]
	in.o = o
	if v.Shape.Type.IsOpaque() {
		return in.opaque(o)
	}
	if v.Shape.Open {
		if o.Kind != syntax.OpList || elems(c, o) == 0 {
			c.Fatal(in.end(), "Initial value type mismatch")
			return false
		}
		in.dims[0] = elems(c, o)
		v.Shape.Elems = 1
		for _, n := range in.dims {
			v.Shape.Elems *= n
		}
		v.Shape.Open = false
	}
	if !in.fits() {
		return false
	}
	ok := in.value(o, in.dims, 0)
	if ok && v.Init == nil {
		v.Init = []byte{}
	}
	return ok
}

// maxInitial bounds the bytes of all initial values together: the file holds
// them, zeros too.
const maxInitial = 1000 << 20

// fits counts the variable's bytes among those of initial values.
func (in *initialiser) fits() bool {
	size := in.v.Shape.Unit()
	for _, n := range in.dims {
		high, low := bits.Mul64(size, n)
		if size = low; high != 0 {
			size = math.MaxUint64
			break
		}
	}
	if size > maxInitial-in.Initial {
		in.Fatal(in.end(), "Initial values of more than "+strconv.Itoa(maxInitial)+" bytes")
		return false
	}
	in.Initial += size
	return true
}

// end returns where faults of elements are noticed: at the end of the whole
// initial value.
func (in *initialiser) end() src.Pos {
	if in.o.Kind == syntax.OpList {
		return textpos.Closing(in.Text, in.o.Pos)
	}
	return operandEnd(in.Context, in.o)
}

// operandEnd returns where a scalar initial value is noticed: the token
// after it.
func operandEnd(c *setting.Context, o *syntax.Operand) src.Pos {
	p := o.Pos
	switch o.Kind {
	case syntax.OpImm, syntax.OpOffset, syntax.OpGeneric:
		if o.X != syntax.None {
			p = c.Eval.Last(o.X)
		}
	}
	return c.After(p)
}

// elems counts the elements of a list: runs of literals count each.
func elems(c *setting.Context, o *syntax.Operand) uint64 {
	n := uint64(0)
	for i := o.X; i < o.X+o.N; i++ {
		if k := &c.Tree.Operands[i]; k.Kind == syntax.OpRun {
			n += uint64(k.N)
		} else {
			n++
		}
	}
	return n
}

// value stores o, an element or a list of them, at byte offset at.
func (in *initialiser) value(o *syntax.Operand, dims []uint64, at uint64) bool {
	if len(dims) == 0 {
		if in.v.Shape.Vec > 1 {
			return in.vector(o, at)
		}
		return in.element(o, at)
	}
	if o.Kind != syntax.OpList {
		return in.mismatch()
	}
	if elems(in.Context, o) > dims[0] {
		in.Fatal(in.end(), "Greater number of elements in array initializer")
		return false
	}
	step := in.v.Shape.Unit()
	for _, n := range dims[1:] {
		step *= n
	}
	for i := o.X; i < o.X+o.N; i++ {
		k := &in.Tree.Operands[i]
		if k.Kind == syntax.OpRun {
			if len(dims) > 1 || in.v.Shape.Vec > 1 {
				return in.mismatch()
			}
			if !in.run(k, at) {
				return false
			}
			at += step * uint64(k.N)
			continue
		}
		if !in.value(k, dims[1:], at) {
			return false
		}
		at += step
	}
	return true
}

func (in *initialiser) vector(o *syntax.Operand, at uint64) bool {
	if o.Kind != syntax.OpList {
		return in.mismatch()
	}
	if elems(in.Context, o) != uint64(in.v.Shape.Vec) {
		in.Fatal(in.end(), "Incorrect number of elements in vector initializer")
		return false
	}
	size := uint64(in.v.Shape.Type.Size())
	for i := o.X; i < o.X+o.N; i++ {
		k := &in.Tree.Operands[i]
		if k.Kind == syntax.OpRun {
			if !in.run(k, at) {
				return false
			}
			at += size * uint64(k.N)
			continue
		}
		if !in.element(k, at) {
			return false
		}
		at += size
	}
	return true
}

func (in *initialiser) mismatch() bool {
	in.Fatal(in.end(), "Initial value type mismatch")
	return false
}

// takes reports whether a constant can initialise the type.
func takes(t isa.Type, k eval.ValueKind) bool {
	switch t.Class() {
	case isa.Bits:
		return true
	case isa.Signed, isa.Unsigned:
		return k == eval.Int || k == eval.Uint
	case isa.Float:
		return (t == isa.F32 || t == isa.F64) && (k == eval.Float || k == eval.Raw)
	}
	return false
}

// element stores one scalar.
func (in *initialiser) element(o *syntax.Operand, at uint64) bool {
	t := in.v.Shape.Type
	if t == isa.F16 {
		in.Fatal(in.end(), "No initial value is allowed for .f16 type")
		return false
	}
	var v eval.Value
	switch o.Kind {
	case syntax.OpImm:
		if v = in.Eval.Eval(o.X); v.Kind == eval.NoValue {
			return false
		}
	case syntax.OpName, syntax.OpOffset, syntax.OpGeneric:
		return in.symbol(o, at, 0xff, false)
	case syntax.OpMask:
		return in.mask(o, at)
	default:
		return in.mismatch()
	}
	if !takes(t, v.Kind) {
		return in.mismatch()
	}
	in.put(at, scalarBits(t, v))
	return true
}

// scalarBits returns the bytes of a constant in a variable of type t: a
// float in a 32-bit one is rounded to f32, wider and narrower ones take the
// low bits of the float64.
func scalarBits(t isa.Type, v eval.Value) (b []byte) {
	x := v.Bits
	if v.Kind == eval.Float && t.Bits() == 32 {
		x = uint64(v.F32())
	}
	var buf [16]byte
	binary.LittleEndian.PutUint64(buf[:], x)
	return buf[:t.Size()]
}

// put writes bytes at an offset, growing the initial image as needed. Zero
// bytes at the end are left out.
func (in *initialiser) put(at uint64, b []byte) {
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	if n == 0 {
		return
	}
	end := at + uint64(n)
	if end > uint64(cap(in.v.Init)) {
		grown := make([]byte, end, max(end, min(2*uint64(cap(in.v.Init)), in.v.Shape.Size()), 16))
		copy(grown, in.v.Init)
		in.v.Init = grown
	} else if end > uint64(len(in.v.Init)) {
		in.v.Init = in.v.Init[:end]
	}
	copy(in.v.Init[at:], b[:n])
}

// run stores a run of plain integer literals.
func (in *initialiser) run(o *syntax.Operand, at uint64) bool {
	t := in.v.Shape.Type
	if t == isa.F16 {
		in.Fatal(in.end(), "No initial value is allowed for .f16 type")
		return false
	}
	if !takes(t, eval.Int) {
		return in.mismatch()
	}
	size := uint64(t.Size())
	var buf [16]byte
	for v, flags := range in.Tree.Run(o) {
		if flags&syntax.FlagOverflow != 0 {
			in.Error(in.end(), "Constant overflow")
		}
		binary.LittleEndian.PutUint64(buf[:], v)
		in.put(at, buf[:size])
		at += size
	}
	return true
}

// symbol stores the address of a name, with the byte of it that mask asks
// for when masked.
func (in *initialiser) symbol(o *syntax.Operand, at uint64, mask uint64, masked bool) bool {
	name := in.Name(o.Name)
	r := sema.Reloc{Offset: at, Generic: o.Kind == syntax.OpGeneric}
	if in.Own != nil {
		if n, space, ok := in.Own(o.Name); ok {
			r.Sym = sema.OwnReloc(n)
			return in.inSpace(space) && in.address(o, r, false, mask, masked)
		}
	}
	sym := in.Module.Lookup(in.File, in.Tree.Names.Bytes(o.Name))
	if sym < 0 {
		if o.Kind == syntax.OpOffset || o.Kind == syntax.OpGeneric && o.X != syntax.None {
			return in.mismatch()
		}
		if o.Kind == syntax.OpGeneric {
			in.Fatal(in.end(), "Invalid initial value expression")
		} else {
			in.Fatal(in.end(), "Invalid initial value symbol '"+name+"'")
		}
		return false
	}
	r.Sym = sym
	s := &in.Module.Syms[sym]
	if s.Func < 0 {
		return in.inSpace(in.Module.Vars[s.Var].Space) && in.address(o, r, false, mask, masked)
	}
	if r.Generic {
		in.Gate(in.end(), &setting.FeatGeneric)
		in.Fatal(in.end(), "Invalid initial value expression")
		return false
	}
	in.Gate(in.end(), &setting.FeatFuncInit)
	in.Addressed = append(in.Addressed, s.Func)
	return in.address(o, r, true, mask, masked)
}

// inSpace refuses addresses that are not known before a kernel runs.
func (in *initialiser) inSpace(s isa.Space) bool {
	if s != isa.SpaceGlobal && s != isa.SpaceConst {
		in.Fatal(in.end(), "Variable used as initial value not in .global or .const state space")
		return false
	}
	return true
}

// address stores what r says of a variable or, with code, of a function.
func (in *initialiser) address(o *syntax.Operand, r sema.Reloc, code bool, mask uint64, masked bool) bool {
	if r.Generic {
		in.Gate(in.end(), &setting.FeatGeneric)
	}
	if (o.Kind == syntax.OpOffset || o.Kind == syntax.OpGeneric) && o.X != syntax.None {
		v := in.Eval.Eval(o.X)
		if v.Kind == eval.NoValue {
			return false
		}
		if v.Kind == eval.Float {
			in.Error(in.end(), "Integer constant expression expected")
		}
		if code {
			return in.mismatch()
		}
		r.Addend = v.Bits
	}
	t := in.v.Shape.Type
	if masked {
		if t.Class() != isa.Unsigned {
			return in.mismatch()
		}
		r.Width, r.Shift = 1, uint8(bits.TrailingZeros64(mask)/8)
	} else {
		if t != isa.U32 && t != isa.U64 {
			return in.mismatch()
		}
		r.Width = uint8(t.Size())
	}
	in.v.Relocs = append(in.v.Relocs, r)
	return true
}

// mask stores one byte of an address: 0xff00(name).
func (in *initialiser) mask(o *syntax.Operand, at uint64) bool {
	in.Gate(in.end(), &setting.FeatMask)
	mask := in.Tree.Exprs[o.N].Val
	if n := bits.TrailingZeros64(mask); mask == 0 || n%8 != 0 || mask>>n != 0xff {
		in.Error(in.end(), "Invalid mask value '0x"+strconv.FormatUint(mask, 16)+"' used in initializer")
		return in.mismatch()
	}
	return in.symbol(&in.Tree.Operands[o.X], at, mask, true)
}

// opaqueField is one field of a texture, sampler or surface reference.
type opaqueField struct {
	word                   string
	tex, sampler, surf     bool
	ignoredWhenIndependent bool
}

var opaqueFields = [...]opaqueField{
	{word: "width", tex: true, surf: true},
	{word: "height", tex: true, surf: true},
	{word: "depth", tex: true, surf: true},
	{word: "channel_data_type", tex: true, surf: true},
	{word: "channel_order", tex: true, surf: true},
	{word: "normalized_coords", tex: true},
	{word: "filter_mode", tex: true, sampler: true, ignoredWhenIndependent: true},
	{word: "addr_mode_0", tex: true, sampler: true, ignoredWhenIndependent: true},
	{word: "addr_mode_1", tex: true, sampler: true, ignoredWhenIndependent: true},
	{word: "addr_mode_2", tex: true, sampler: true, ignoredWhenIndependent: true},
	{word: "force_unnormalized_coords", sampler: true},
	{word: "array_size", tex: true, surf: true},
	{word: "num_mipmap_levels", tex: true},
	{word: "num_samples", tex: true},
	{word: "memory_layout", surf: true},
}

// opaqueWords are the names that fields of samplers can have as values.
var opaqueWords = [...]string{
	"nearest", "linear", "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border",
}

// opaque reads { field = value, … }.
func (in *initialiser) opaque(o *syntax.Operand) bool {
	if o.Kind != syntax.OpList {
		return in.mismatch()
	}
	for i := o.X; i < o.X+o.N; i++ {
		k := &in.Tree.Operands[i]
		if k.Kind != syntax.OpField {
			in.Error(in.end(), "Opaque structure initializer requires named fields")
			return false
		}
		if !in.field(k) {
			return false
		}
	}
	return true
}

func (in *initialiser) field(k *syntax.Operand) bool {
	name := in.Name(k.Name)
	row := -1
	t := in.v.Shape.Type
	for i := range opaqueFields {
		f := &opaqueFields[i]
		if f.word == name && (t == isa.Texref && f.tex || t == isa.Samplerref && f.sampler || t == isa.Surfref && f.surf) {
			row = i
		}
	}
	if row < 0 {
		in.Fatal(in.end(), "Unrecognized field name '"+name+"' in opaque struct initializer")
		return false
	}
	f := sema.Field{Name: name}
	v := &in.Tree.Operands[k.X]
	switch v.Kind {
	case syntax.OpImm:
		val := in.Eval.Eval(v.X)
		if val.Kind == eval.NoValue {
			return false
		}
		f.Value = val.Bits
	case syntax.OpName:
		f.Word = in.Name(v.Name)
		if !knownOpaqueWord(f.Word) {
			in.Error(in.end(), "Unrecognized initial value symbol '"+f.Word+"'")
			return true
		}
	}
	if t == isa.Texref && in.TexMode == sema.TexIndependent && opaqueFields[row].ignoredWhenIndependent {
		in.Unit.Report(diag.Info, in.end(), "Field '"+name+"' is ignored in .texref variables in independent texture mode")
		return true
	}
	in.v.Fields = append(in.v.Fields, f)
	return true
}

func knownOpaqueWord(w string) bool {
	for _, k := range opaqueWords {
		if k == w {
			return true
		}
	}
	return false
}
