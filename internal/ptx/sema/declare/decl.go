package declare

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// DeclHead is what the names of one declaration share.
type DeclHead struct {
	Space      isa.Space
	linkage    sema.Linkage
	Typ        isa.Type
	Vec        uint8
	align      uint64 // asked for, 0 when not
	bank       int16
	Managed    bool
	Unified    bool
	UniA       uint64
	UniB       uint64
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

// Head reads the qualifiers of a declaration and reports what is wrong with
// them before any name is looked at.
func Head(c *setting.Context, d *syntax.Decl) (h DeclHead) {
	h = DeclHead{
		Space: d.Space.Space(), linkage: sema.LinkageOf(d.Linkage), Typ: d.Type.Type(),
		Vec: uint8(d.Vec.VecLen()), bank: d.Bank, pos: d.Pos,
	}
	switch d.Linkage {
	case isa.WWeak:
		c.Gate(d.Pos, &setting.FeatWeak)
	case isa.WCommon:
		c.Gate(d.Pos, &setting.FeatCommon)
	}
	spaces := 0
	for i := d.Quals.First; i < d.Quals.First+d.Before; i++ {
		a := &c.Tree.Attrs[i]
		switch {
		case a.Word == isa.WAttribute:
			attributes(c, &h, a)
		case a.Word.Space() != isa.Generic:
			if spaces++; spaces == 1 {
				h.Space = a.Word.Space()
			} else {
				c.Error(a.Pos, "Multiple state spaces specified")
			}
		}
	}
	if d.Align != syntax.None {
		h.align = alignment(c, d.Align)
	}
	if d.Bank >= 0 {
		bank(c, d)
	}
	typeGate(c, &h, d)
	for i := d.Quals.First + int32(d.Before); i < d.Quals.First+d.Quals.Len; i++ {
		pointer(c, &h, &c.Tree.Attrs[i])
	}
	return h
}

// typeGate reports types that are too new or cannot be stored, and vectors
// of them that are too long.
func typeGate(c *setting.Context, h *DeclHead, d *syntax.Decl) {
	switch h.Typ {
	case isa.B128:
		if h.Vec == 1 {
			for range max(1, d.Vars.Len) {
				c.Gate(d.Pos, &setting.FeatB128)
			}
			if setting.VersionBefore(c.Version, setting.FeatB128.Version) {
				h.Typ = isa.B8 // what the reference goes on with: too narrow for its uses
			}
		}
	case isa.F16x2:
		c.Gate(d.Pos, &setting.FeatF16x2)
	case isa.Texref, isa.Samplerref, isa.Surfref:
		c.Gate(d.Pos, &setting.FeatOpaque)
	}
	if !storable(h.Typ) {
		for range max(1, d.Vars.Len) {
			c.Error(d.Pos, "Type "+h.Typ.String()+" may only be used as an instruction type")
		}
	}
	if h.Vec > 1 && h.Typ.IsOpaque() {
		c.Error(d.Pos, "Vector type only allowed over basic types")
	}
	if h.Vec > 1 && (h.Typ.IsOpaque() || h.Typ.Bits()*int(h.Vec) > 128) {
		c.Error(d.Pos, "Vector type too large, exceeds 128 bit limit")
	}
}

// alignment reads the number of an .align.
func alignment(c *setting.Context, x int32) uint64 {
	v := uint64(c.Word32(x))
	if v == 0 || v&(v-1) != 0 {
		c.Error(c.Tree.Exprs[x].Pos, "Alignment must be a power of two")
		return 0
	}
	return v
}

// bank checks the number of a constant bank, which only old versions have.
func bank(c *setting.Context, d *syntax.Decl) {
	if c.Version >= 22 {
		c.Error(d.Pos, "Deprecated feature: 'explicit constant banks' not supported as of PTX version 2.2")
	} else if d.Bank > 0 {
		c.Gate(d.Pos, &setting.FeatBanks)
	}
	if d.Bank > 10 {
		c.Error(d.Pos, "Illegal bank number: "+strconv.Itoa(int(d.Bank)))
	}
}

// attributes reads .attribute(…).
func attributes(c *setting.Context, h *DeclHead, a *syntax.Attr) {
	c.Gate(a.Pos, &setting.FeatAttribute)
	for i := a.Subs.First; i < a.Subs.First+a.Subs.Len; i++ {
		s := &c.Tree.Subs[i]
		switch s.Word {
		case isa.WManaged:
			c.GateTarget(s.Pos, &setting.FeatManaged)
			h.Managed = true
		case isa.WUnified:
			c.Gate(s.Pos, &setting.FeatUnified)
			h.Unified = true
			if s.Vals.Len == 2 {
				h.UniA, h.UniB = c.Word64(s.Vals.First), c.Word64(s.Vals.First+1)
			}
		}
	}
}

// pointer reads the .ptr of a kernel parameter and the alignment of what it
// points to.
func pointer(c *setting.Context, h *DeclHead, a *syntax.Attr) {
	if a.Word == isa.WAlign {
		h.ptrAligned = true
		h.ptrBy = alignment(c, a.Vals.First)
		return
	}
	c.Gate(a.Pos, &setting.FeatPtr)
	h.ptr = true
	for _, s := range c.Tree.Subs[a.Subs.First : a.Subs.First+a.Subs.Len] {
		h.ptrTo = s.Word.Space()
	}
}

// Shape computes the type of one declared name. The bounds of an array may
// overflow: as in the reference, the product wraps.
func Shape(c *setting.Context, h *DeclHead, v *syntax.Var) sema.Shape {
	s := sema.Shape{Type: h.Typ, Vec: h.Vec, Elems: 1, Array: v.Dims.Len > 0}
	for i := int32(0); i < v.Dims.Len; i++ {
		e := &c.Tree.Exprs[v.Dims.First+i]
		n := uint64(0)
		if e.Op != syntax.ExprBad {
			n = c.Word64(v.Dims.First + i)
		}
		if n == 0 && i > 0 {
			c.Error(c.After(v.Pos), "Array of incomplete type")
		}
		if n == 0 && i == 0 {
			s.Open = true
		}
		s.Elems *= n
		s.Dims = (s.Dims + n + 1) * 0x9e3779b97f4a7c15
	}
	s.Align = max(h.align, s.Unit(), 1)
	if h.Typ == isa.Pred && (s.Vec > 1 || s.Array) {
		c.Error(c.After(v.Pos), "Predicate type can only be used to define scalar register variables")
	}
	return s
}

// Legal reports faults of one name that do not depend on other names, in
// the order in which the reference looks.
func Legal(c *setting.Context, h *DeclHead, v *syntax.Var, s *sema.Shape) {
	at, name := c.After(v.Pos), c.Name(v.Name)
	if v.Range != syntax.None {
		name += "<" // as the reference calls a family
	}
	if h.Typ == isa.Pred && s.Vec == 1 && !s.Array && h.Space != isa.SpaceReg {
		c.Error(at, "Predicate variable '"+name+"' must be in register state space")
	}
	if h.Typ.IsOpaque() && h.Space != isa.SpaceTex {
		legalOpaque(c, h, s, at)
	}
	switch h.Space {
	case isa.SpaceReg:
		if s.Array || h.Typ.IsOpaque() {
			c.Error(at, "Variable '"+name+"' cannot be allocated into a register")
		}
	case isa.SpaceParam:
		legalParam(c, at, name, s)
	case isa.SpaceTex:
		legalTex(c, h, at, name)
	}
	if h.linkage == sema.Common && h.Space != isa.SpaceGlobal {
		c.Error(at, ".common variables must be declared in .global space")
	}
	if h.Managed && h.Space != isa.SpaceGlobal {
		c.Error(at, "Illegal attribute '.managed' for symbol '"+name+"'")
	}
	if s.Open && h.linkage != sema.Extern && v.Init == syntax.None && h.Space != isa.SpaceReg {
		c.Error(at, "Non-external variable '"+name+"' has incomplete type")
	}
	if h.bank > 0 && (h.linkage != sema.Extern || !s.Open) && c.Version < 22 {
		c.Error(at, "Constant banks 1..11 are reserved for external incomplete arrays")
	}
}

// rawViolated is what the mode of --set-texmode-raw says to references.
const rawViolated = "Instruction or declaration violates .target texmode_raw setting"

// legalOpaque: texture, sampler and surface references live at module level
// in .global, and samplers only beside independent textures.
func legalOpaque(c *setting.Context, h *DeclHead, s *sema.Shape, at src.Pos) {
	switch {
	case c.TexMode == sema.TexRaw:
		c.Error(at, rawViolated)
	case c.InBody:
		c.Error(at, "Texture/surface variable must be at module or entry parameter scope")
	case s.Array:
		// The reference looks at single references only.
	case h.Space != isa.SpaceGlobal:
		c.Error(at, "Texture and surface variables must be declared in .global space")
	case h.Typ == isa.Samplerref && c.TexMode == sema.TexUnified:
		c.Error(at, "Instruction or declaration violates .target texmode_unified setting")
	}
}

// maxParamAlign bounds the alignment of parameters of device functions.
const maxParamAlign = 128

// inParamSpace reports whether a parameter can have this type.
func inParamSpace(s *sema.Shape) bool {
	return s.Vec == 1 && (s.Type == isa.F16 || s.Type.Class() != isa.PackedFloat && s.Type.Class() != isa.PackedInt) &&
		storable(s.Type)
}

func legalParam(c *setting.Context, at src.Pos, name string, s *sema.Shape) {
	if !inParamSpace(s) && s.Type != isa.Pred {
		c.Error(at, "Variable '"+name+"' cannot be allocated in .param state space")
	}
	switch {
	case !c.InBody:
		c.Error(at, "Parameter variables may not be declared at module scope")
		return
	case c.Version < 20 && !c.Func.Entry:
		c.Error(at, "Parameter variables must be declared within .entry function")
	}
	if c.Version < 20 && c.Version >= 14 {
		c.Error(at, "Parameter variables must be declared within .entry parameter list")
	}
	if s.Align > maxParamAlign {
		c.Error(at, "Parameter '"+name+"' has illegal alignment (must be aligned to 1, 2, 4, 8, 16, 32, 64, or 128 bytes)")
	}
}

// legalTex checks the .tex space of the first versions.
func legalTex(c *setting.Context, h *DeclHead, at src.Pos, name string) {
	if h.Typ != isa.U32 && h.Typ != isa.U64 {
		c.Error(at, "Variable '"+name+"' must be type .u32 or .u64")
	}
	if c.InBody {
		c.Error(at, "Texture variables must be declared at module scope")
	}
	if c.Version >= 15 {
		c.Error(at, "Deprecated feature: '.tex' not supported as of PTX version 1.5")
	}
	if c.TexMode == sema.TexRaw {
		c.Error(at, rawViolated)
	}
}

// MaxFamily bounds how many variables with memory one name<count> makes.
const MaxFamily = 1 << 20

// MaxRegFamily is the largest register family.
const MaxRegFamily = 1 << 31
