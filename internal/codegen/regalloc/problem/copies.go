package problem

// Joinable returns the registers that copies connect with one marked Keep.
func (p *Problem) Joinable() []bool {
	parent := make([]int32, len(p.VRegs))
	for v := range parent {
		parent[v] = int32(v)
	}
	find := func(v int32) int32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for n := range p.Insts {
		if o := p.Operands(n); p.Insts[n].Kind == Move && p.VRegs[o[0].V].Class == p.VRegs[o[1].V].Class {
			parent[find(o[0].V)] = find(o[1].V)
		}
	}
	keeps, list := make([]bool, len(parent)), make([]bool, len(parent))
	for v := range parent {
		if p.VRegs[v].Keep {
			keeps[find(int32(v))] = true
		}
	}
	for v := range parent {
		list[v] = keeps[find(int32(v))]
	}
	return list
}
