package regalloc

// Where registers change hands a file has fewer of them in some blocks than
// in others. What lives in a block must be below what is there; a value that
// is in memory in such a block, or was split there, need not be.

// bounds lowers the upper bounds of groups to what is there wherever their
// words live.
func (g *groups) bounds(p *Problem) {
	var block []int32 // of each instruction
	for v := range p.VRegs {
		f := &p.Files[p.VRegs[v].Class]
		if f.Limits == nil || p.VRegs[v].Fixed >= 0 {
			continue
		}
		if block == nil {
			block = make([]int32, len(p.Insts))
			for b := range p.Blocks {
				for n := p.Blocks[b].First; n < p.Blocks[b].First+p.Blocks[b].N; n++ {
					block[n] = int32(b)
				}
			}
		}
		x := &g.info[v]
		for w, spans := range x.spans {
			for _, s := range spans {
				for b := block[s.from/perInst]; b <= block[(s.to-1)/perInst]; b++ {
					if hi := int16(f.Limit(int(b)) + int(x.width) - 1 - w); x.hi == 0 || hi < x.hi {
						x.hi = hi
					}
				}
			}
		}
	}
}
