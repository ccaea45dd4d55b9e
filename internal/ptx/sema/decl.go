package sema

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// declHead is what the names of one declaration share.
type declHead struct {
	space      isa.Space
	linkage    Linkage
	typ        isa.Type
	vec        uint8
	align      uint64 // asked for, 0 when not
	bank       int16
	managed    bool
	unified    bool
	uniA       uint64
	uniB       uint64
	ptr        bool
	ptrTo      isa.Space
	ptrBy      uint64
	ptrAligned bool
	pos        src.Pos
}

// storable are the types that variables can have; the others that the
// grammar lets pass are instruction types only.
func storable(t isa.Type) bool {
	switch t.Class() {
	case isa.Bits, isa.Signed, isa.Unsigned, isa.Predicate, isa.Opaque:
		return true
	}
	return t == isa.F16 || t == isa.F16x2 || t == isa.F32 || t == isa.F64
}

// head reads the qualifiers of a declaration and reports what is wrong with
// them before any name is looked at.
func (c *context) head(d *syntax.Decl) (h declHead) {
	h = declHead{
		space: d.Space.Space(), linkage: linkageOf(d.Linkage), typ: d.Type.Type(),
		vec: vecLen(d.Vec), bank: d.Bank, pos: d.Pos,
	}
	switch d.Linkage {
	case isa.WWeak:
		c.gate(d.Pos, &featWeak)
	case isa.WCommon:
		c.gate(d.Pos, &featCommon)
	}
	spaces := 0
	for i := d.Quals.First; i < d.Quals.First+d.Before; i++ {
		a := &c.tree.Attrs[i]
		switch {
		case a.Word == isa.WAttribute:
			c.attributes(&h, a)
		case a.Word.Space() != isa.Generic:
			if spaces++; spaces == 1 {
				h.space = a.Word.Space()
			} else {
				c.error(a.Pos, "Multiple state spaces specified")
			}
		}
	}
	if d.Align != syntax.None {
		h.align = c.alignment(d.Align)
	}
	if d.Bank >= 0 {
		c.bank(d)
	}
	c.typeGate(&h, d)
	for i := d.Quals.First + int32(d.Before); i < d.Quals.First+d.Quals.Len; i++ {
		c.pointer(&h, &c.tree.Attrs[i])
	}
	return h
}

func vecLen(w isa.Word) uint8 {
	switch w {
	case isa.WV2:
		return 2
	case isa.WV4:
		return 4
	case isa.WV8:
		return 8
	}
	return 1
}

// typeGate reports types that are too new or cannot be stored, and vectors
// of them that are too long.
func (c *context) typeGate(h *declHead, d *syntax.Decl) {
	switch h.typ {
	case isa.B128:
		if h.vec == 1 {
			for range max(1, d.Vars.Len) {
				c.gate(d.Pos, &featB128)
			}
			if versionBefore(c.ver, featB128.version) {
				h.typ = isa.B8 // what the reference goes on with: too narrow for its uses
			}
		}
	case isa.F16x2:
		c.gate(d.Pos, &featF16x2)
	case isa.Texref, isa.Samplerref, isa.Surfref:
		c.gate(d.Pos, &featOpaque)
	}
	if !storable(h.typ) {
		for range max(1, d.Vars.Len) {
			c.error(d.Pos, "Type "+h.typ.String()+" may only be used as an instruction type")
		}
	}
	if h.vec > 1 && h.typ.IsOpaque() {
		c.error(d.Pos, "Vector type only allowed over basic types")
	}
	if h.vec > 1 && (h.typ.IsOpaque() || h.typ.Bits()*int(h.vec) > 128) {
		c.error(d.Pos, "Vector type too large, exceeds 128 bit limit")
	}
}

// alignment reads the number of an .align.
func (c *context) alignment(x int32) uint64 {
	v := uint64(c.word32(x))
	if v == 0 || v&(v-1) != 0 {
		c.error(c.tree.Exprs[x].Pos, "Alignment must be a power of two")
		return 0
	}
	return v
}

// bank checks the number of a constant bank, which only old versions have.
func (c *context) bank(d *syntax.Decl) {
	if c.ver >= 22 {
		c.error(d.Pos, "Deprecated feature: 'explicit constant banks' not supported as of PTX version 2.2")
	} else if d.Bank > 0 {
		c.gate(d.Pos, &featBanks)
	}
	if d.Bank > 10 {
		c.error(d.Pos, "Illegal bank number: "+strconv.Itoa(int(d.Bank)))
	}
}

// attributes reads .attribute(…).
func (c *context) attributes(h *declHead, a *syntax.Attr) {
	c.gate(a.Pos, &featAttribute)
	for i := a.Subs.First; i < a.Subs.First+a.Subs.Len; i++ {
		s := &c.tree.Subs[i]
		switch s.Word {
		case isa.WManaged:
			c.gateTarget(s.Pos, &featManaged)
			h.managed = true
		case isa.WUnified:
			c.gate(s.Pos, &featUnified)
			h.unified = true
			if s.Vals.Len == 2 {
				h.uniA, h.uniB = c.word64(s.Vals.First), c.word64(s.Vals.First+1)
			}
		}
	}
}

// pointer reads the .ptr of a kernel parameter and the alignment of what it
// points to.
func (c *context) pointer(h *declHead, a *syntax.Attr) {
	if a.Word == isa.WAlign {
		h.ptrAligned = true
		h.ptrBy = c.alignment(a.Vals.First)
		return
	}
	c.gate(a.Pos, &featPtr)
	h.ptr = true
	for _, s := range c.tree.Subs[a.Subs.First : a.Subs.First+a.Subs.Len] {
		h.ptrTo = s.Word.Space()
	}
}

// shape computes the type of one declared name. The bounds of an array may
// overflow: as in the reference, the product wraps.
func (c *context) shape(h *declHead, v *syntax.Var) Shape {
	s := Shape{Type: h.typ, Vec: h.vec, Elems: 1, Array: v.Dims.Len > 0}
	for i := int32(0); i < v.Dims.Len; i++ {
		e := &c.tree.Exprs[v.Dims.First+i]
		n := uint64(0)
		if e.Op != syntax.ExprBad {
			n = c.word64(v.Dims.First + i)
		}
		if n == 0 && i > 0 {
			c.error(c.after(v.Pos), "Array of incomplete type")
		}
		if n == 0 && i == 0 {
			s.Open = true
		}
		s.Elems *= n
		s.dims = (s.dims + n + 1) * 0x9e3779b97f4a7c15
	}
	s.Align = max(h.align, s.unit(), 1)
	if h.typ == isa.Pred && (s.Vec > 1 || s.Array) {
		c.error(c.after(v.Pos), "Predicate type can only be used to define scalar register variables")
	}
	return s
}

// legal reports faults of one name that do not depend on other names, in
// the order in which the reference looks.
func (c *context) legal(h *declHead, v *syntax.Var, s *Shape) {
	at, name := c.after(v.Pos), c.name(v.Name)
	if v.Range != syntax.None {
		name += "<" // as the reference calls a family
	}
	if h.typ == isa.Pred && s.Vec == 1 && !s.Array && h.space != isa.SpaceReg {
		c.error(at, "Predicate variable '"+name+"' must be in register state space")
	}
	if h.typ.IsOpaque() {
		c.legalOpaque(h, s, at)
	}
	switch h.space {
	case isa.SpaceReg:
		if s.Array || h.typ.IsOpaque() {
			c.error(at, "Variable '"+name+"' cannot be allocated into a register")
		}
	case isa.SpaceParam:
		c.legalParam(at, name, s)
	case isa.SpaceTex:
		c.legalTex(h, at, name)
	}
	if h.linkage == Common && h.space != isa.SpaceGlobal {
		c.error(at, ".common variables must be declared in .global space")
	}
	if h.managed && h.space != isa.SpaceGlobal {
		c.error(at, "Illegal attribute '.managed' for symbol '"+name+"'")
	}
	if s.Open && h.linkage != Extern && v.Init == syntax.None && h.space != isa.SpaceReg {
		c.error(at, "Non-external variable '"+name+"' has incomplete type")
	}
	if h.bank > 0 && (h.linkage != Extern || !s.Open) && c.ver < 22 {
		c.error(at, "Constant banks 1..11 are reserved for external incomplete arrays")
	}
}

// rawViolated is what the mode of --set-texmode-raw says to references.
const rawViolated = "Instruction or declaration violates .target texmode_raw setting"

// legalOpaque: texture, sampler and surface references live at module level
// in .global, and samplers only beside independent textures.
func (c *context) legalOpaque(h *declHead, s *Shape, at src.Pos) {
	switch {
	case c.tex == TexRaw:
		c.error(at, rawViolated)
	case c.inBody:
		c.error(at, "Texture/surface variable must be at module or entry parameter scope")
	case s.Array:
		// The reference looks at single references only.
	case h.space != isa.SpaceGlobal:
		c.error(at, "Texture and surface variables must be declared in .global space")
	case h.typ == isa.Samplerref && c.tex == TexUnified:
		c.error(at, "Instruction or declaration violates .target texmode_unified setting")
	}
}

// maxParamAlign bounds the alignment of parameters of device functions.
const maxParamAlign = 128

// inParamSpace reports whether a parameter can have this type.
func inParamSpace(s *Shape) bool {
	return s.Vec == 1 && (s.Type == isa.F16 || s.Type.Class() != isa.PackedFloat && s.Type.Class() != isa.PackedInt) &&
		storable(s.Type)
}

func (c *context) legalParam(at src.Pos, name string, s *Shape) {
	if !inParamSpace(s) && s.Type != isa.Pred {
		c.error(at, "Variable '"+name+"' cannot be allocated in .param state space")
	}
	switch {
	case !c.inBody:
		c.error(at, "Parameter variables may not be declared at module scope")
		return
	case c.ver < 20 && !c.fn.Entry:
		c.error(at, "Parameter variables must be declared within .entry function")
	}
	if c.ver < 20 && c.ver >= 14 {
		c.error(at, "Parameter variables must be declared within .entry parameter list")
	}
	if s.Align > maxParamAlign {
		c.error(at, "Parameter '"+name+"' has illegal alignment (must be aligned to 1, 2, 4, 8, 16, 32, 64, or 128 bytes)")
	}
}

// legalTex checks the .tex space of the first versions.
func (c *context) legalTex(h *declHead, at src.Pos, name string) {
	if h.typ != isa.U32 && h.typ != isa.U64 {
		c.error(at, "Variable '"+name+"' must be type .u32 or .u64")
	}
	if c.inBody {
		c.error(at, "Texture variables must be declared at module scope")
	}
	if c.ver >= 15 {
		c.error(at, "Deprecated feature: '.tex' not supported as of PTX version 1.5")
	}
	if c.tex == TexRaw {
		c.error(at, rawViolated)
	}
}

// maxFamily bounds how many variables with memory one name<count> makes.
const maxFamily = 1 << 20

// maxRegFamily is the largest register family.
const maxRegFamily = 1 << 31
