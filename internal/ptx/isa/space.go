package isa

// spaces complains about the state spaces an instruction names.
func (c *checker) spaces() {
	in, row := c.in, c.row
	if !row.takes(SlotSpace) {
		if row.Flags&fGeneric != 0 {
			c.generic()
		}
		return
	}
	r := &row.Spaces
	if in.NSpace == 0 && r.Min == 1 {
		c.errorf("State space modifier required for instruction '%s'", row.Name)
		c.errorf("State space incorrect for instruction '%s'", row.Name)
		return
	}
	if in.NSpace < int(r.Min) || in.NSpace > int(r.Max) {
		if r.Min == 2 && in.NSpace < 2 && row.takes(SlotDone) {
			c.errorf("State space incorrect for instruction '%s'", row.Name)
		}
		c.errorf("Unexpected number of state spaces specified in instruction '%s'", row.Name)
		return
	}
	for _, s := range in.Spaces[:in.NSpace] {
		c.space(s)
	}
	if in.NSpace == 0 && row.Flags&fGeneric != 0 {
		c.generic()
	}
	c.addressSpaces()
}

// generic: addresses without a space came with PTX 2.0 and sm_20.
func (c *checker) generic() {
	if c.lacks(20, 20) {
		c.gate(&Gate{Name: "generic addressing", V: 20, SM: 20, TargetFirst: true})
	}
}

// space complains about one space that the operation does not take.
func (c *checker) space(s Space) {
	set := c.row.Spaces.Set
	if c.row.Flags&fManySpaces == 0 {
		c.spaceGate(s)
	}
	if set>>s&1 != 0 {
		return
	}
	if c.row.Flags&fClusterOnly != 0 && s.Base() == SpaceShared {
		c.errorf("State space incorrect for instruction '%s', expected '::cluster'", c.row.Name)
		return
	}
	if c.row.Flags&fManySpaces != 0 {
		return
	}
	if s.Base() != s {
		c.illegal(s.Word().String()[len(s.Base().Word().String()):])
	}
	if set>>s.Base()&1 == 0 {
		c.errorf("State space incorrect for instruction '%s'", c.row.Name)
	}
}

var (
	gSpaceCTA     = Gate{Name: "::cta", V: 78}
	gSpaceCluster = Gate{Name: "::cluster", V: 78, SM: 90}
	gSpaceEntry   = Gate{Name: "::entry", V: 83}
)

// addressSpaces: a variable lies in the space the instruction names.
func (c *checker) addressSpaces() {
	in := c.in
	if in.NSpace > 1 || c.row.Flags&fManySpaces != 0 {
		return
	}
	want := in.Space().Base()
	for i := range in.Args {
		o := &in.Args[i]
		if argRows[c.letter(i)].kinds&kReg != 0 {
			continue
		}
		if o.Kind != KAddr || o.Base != KSymbol || o.Type.IsOpaque() {
			continue
		}
		if o.Space.Base() != want && (want != Generic || o.Space.Base() == SpaceParam) {
			c.errorf("State space mismatch between instruction and address in instruction '%s'", c.row.Name)
		}
		return
	}
}

// spaceGate: the parts of spaces came after the spaces.
func (c *checker) spaceGate(s Space) {
	switch s {
	case SpaceSharedCTA:
		c.gate(&gSpaceCTA)
	case SpaceSharedCluster:
		c.gate(&gSpaceCluster)
	case SpaceParamEntry, SpaceParamFunc:
		c.gate(&gSpaceEntry)
	}
}
