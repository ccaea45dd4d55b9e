package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// spaces complains about the state spaces an instruction names.
func (c *Checker) spaces() {
	in, row := c.In, c.Row
	if !row.Takes(isa.SlotSpace) {
		if row.Flags&FlagGeneric != 0 {
			c.generic()
		}
		return
	}
	r := &row.Spaces
	if in.NSpace == 0 && r.Min == 1 {
		c.Errorf("State space modifier required for instruction '%s'", row.Name)
		c.Errorf("State space incorrect for instruction '%s'", row.Name)
		return
	}
	if r.Max == 2 && in.NSpace > 2 {
		return // said when the third was read
	}
	if in.NSpace < int(r.Min) || in.NSpace > int(r.Max) {
		c.Errorf("Unexpected number of state spaces specified in instruction '%s'", row.Name)
		if in.NSpace == 2 && row.Flags&FlagManySpaces == 0 {
			c.space(in.Spaces[0])
			c.symbolIn(in.Spaces[1].Base())
		}
		return
	}
	for _, s := range in.Spaces[:in.NSpace] {
		c.space(s)
	}
	if in.NSpace == 0 && row.Flags&FlagGeneric != 0 {
		c.generic()
	}
}

// generic: addresses without a space came with PTX 2.0 and sm_20.
func (c *Checker) generic() {
	if c.Lacks(20, 20) {
		c.Gate(&Gate{Name: "generic addressing", V: 20, SM: 20, TargetFirst: true})
	}
}

// space complains about one space that the operation does not take.
func (c *Checker) space(s isa.Space) {
	set := c.Row.Spaces.Set
	if c.Row.Flags&FlagManySpaces == 0 {
		c.spaceGate(s)
	}
	if set>>s&1 != 0 {
		return
	}
	if c.Row.Flags&FlagClusterOnly != 0 && s.Base() == isa.SpaceShared {
		c.Errorf("State space incorrect for instruction '%s', expected '::cluster'", c.Row.Name)
		return
	}
	if c.Row.Flags&FlagManySpaces != 0 {
		return
	}
	if s.Base() != s {
		c.Illegal(s.Word().String()[len(s.Base().Word().String()):])
	}
	if set>>s.Base()&1 == 0 {
		c.Errorf("State space incorrect for instruction '%s'", c.Row.Name)
	}
}

var (
	gSpaceCTA     = Gate{Name: "::cta", V: 78}
	gSpaceCluster = Gate{Name: "::cluster", V: 78, SM: 90}
	gSpaceEntry   = Gate{Name: "::entry", V: 83}
	gSpaceFunc    = Gate{Name: "::func", V: 83}
)

// addressSpaces: a variable lies in the space the instruction names.
func (c *Checker) addressSpaces() {
	in := c.In
	if in.NSpace > 1 || c.Row.Flags&FlagManySpaces != 0 || !c.Row.Takes(isa.SlotSpace) || in.NSpace == 0 && c.Row.Spaces.Min == 1 {
		return
	}
	c.symbolIn(in.Space().Base())
}

// symbolIn: the first address that is a variable's is in a space.
func (c *Checker) symbolIn(want isa.Space) {
	in := c.In
	for i := range in.Args {
		o := &in.Args[i]
		if argRows[c.Letter(i)].kinds&kReg != 0 {
			continue
		}
		if o.Kind != isa.KAddr || o.Base != isa.KSymbol || o.Type.IsOpaque() {
			continue
		}
		if o.Space.Base() != want && (want != isa.Generic || o.Space.Base() == isa.SpaceParam) {
			c.Errorf("State space mismatch between instruction and address in instruction '%s'", c.Row.Name)
		}
		return
	}
}

// spaceGate: the parts of spaces came after the spaces.
func (c *Checker) spaceGate(s isa.Space) {
	switch s {
	case isa.SpaceSharedCTA:
		c.Gate(&gSpaceCTA)
	case isa.SpaceSharedCluster:
		c.Gate(&gSpaceCluster)
	case isa.SpaceParamEntry:
		c.Gate(&gSpaceEntry)
	case isa.SpaceParamFunc:
		c.Gate(&gSpaceFunc)
	}
}
