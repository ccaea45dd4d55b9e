package regalloc

// Joins tells which virtual registers can be one because copies between them
// are to vanish, among those that copies connect with one marked Keep: of
// each, the register it becomes part of and the word it begins at. Registers
// with a place or an upper bound of their own stay alone, and so does what
// would need a larger alignment than the widest of its group has.
func Joins(p *Problem) (root []int32, word []int16) {
	g := newGroups(p, liveness(p, &flowRoom{}))
	free := func(x *group) bool { return x.fixed < 0 && x.hi == 0 }
	for again := true; again; {
		again = g.coalesceAmong(p, func(a, b int32) bool {
			x, y := &g.info[a], &g.info[b]
			if y.width > x.width || y.width == x.width && y.align > x.align {
				x, y = y, x
			}
			return (x.keep || y.keep) && free(x) && free(y) && (x.align >= y.align && x.width > y.width || x.align == y.align)
		})
	}
	root, word = make([]int32, len(p.VRegs)), make([]int16, len(p.VRegs))
	for v := range p.VRegs {
		root[v], word[v] = g.find(int32(v))
	}
	return root, word
}
