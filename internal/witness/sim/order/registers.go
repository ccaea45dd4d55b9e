package order

// Range is a run of vector registers.
type Range struct {
	First, N uint16
	Write    bool
}

// Uses is the registers of an instruction.
type Uses []Range

// announced is an instruction whose sources are read late, or whose result
// comes late.
type announced struct {
	pc           uint32
	unit         uint8
	use          Uses
	reads, write uint8 // barriers that tell the end of its reads and writes
	readDone     bool
	writeDone    bool
}

// Registers follows the registers of a warp.
type Registers struct {
	seq     uint64
	arrived uint64
	wrote   [256]uint64 // when a register was written last
	by      [256]uint32
	flying  []announced
	open    []announced // those on their way at the last arrival
}

// Step is one instruction more.
func (g *Registers) Step() { g.seq++ }

// Written notes the registers that an instruction writes.
func (g *Registers) Written(u Range, pc uint32) {
	if !u.Write {
		return
	}
	for r := u.First; r < u.First+u.N && r < 256; r++ {
		g.wrote[r], g.by[r] = g.seq, pc
	}
}

// Announce notes an instruction that uses registers late: one whose unit does,
// or one that scoreboards announce.
func (g *Registers) Announce(pc uint32, unit uint8, late bool, use Uses, wr, rd int8) {
	var reads, write uint8
	if wr >= 0 && wr < 6 {
		reads, write = 1<<wr, 1<<wr
	}
	if rd >= 0 && rd < 6 {
		reads |= 1 << rd
	}
	if reads == 0 && !late {
		return
	}
	for k := range g.flying { // units read and answer in order
		if f := &g.flying[k]; f.unit == unit {
			if f.reads == 0 {
				f.reads = reads
			}
			if f.write == 0 {
				f.write = write
			}
		}
	}
	if len(use) == 0 {
		return
	}
	g.flying = append(g.flying, announced{pc: pc, unit: unit, use: use, reads: reads, write: write, writeDone: !writes(use)})
}

// Claim checks registers that a product reads or writes from now on.
func (g *Registers) Claim(first, n uint16, write bool, tell func(pc uint32, what string, r uint16)) {
	for r := first; r < first+n && r < 255; r++ {
		if g.wrote[r] > g.arrived {
			tell(g.by[r], "is written and no WARPGROUP.ARRIVE follows", r)
		}
	}
	for _, list := range [...][]announced{g.open, g.flying} {
		for k := range list {
			for _, u := range list[k].use {
				if r, ok := u.Meets(first, n); ok && (write || u.Write) && !(u.Write && list[k].writeDone) && !(!u.Write && list[k].readDone) {
					tell(list[k].pc, "is on its way when a product may begin", r)
				}
			}
		}
	}
}

func writes(use Uses) bool {
	for _, r := range use {
		if r.Write {
			return true
		}
	}
	return false
}

// Waited ends what barrier b announces.
func (g *Registers) Waited(b int) {
	g.end(func(f *announced) (bool, bool) { return f.reads>>b&1 != 0, f.write>>b&1 != 0 })
}

func (g *Registers) end(over func(*announced) (reads, write bool)) {
	list := g.flying[:0]
	for k := range g.flying {
		f := g.flying[k]
		r, wr := over(&f)
		f.readDone, f.writeDone = f.readDone || r, f.writeDone || wr
		if !f.readDone || !f.writeDone {
			list = append(list, f)
		}
	}
	g.flying = list
}

// Arrive is WARPGROUP.ARRIVE.
func (g *Registers) Arrive() {
	g.arrived = g.seq
	g.open = append(g.open[:0], g.flying...)
}

// Meets returns a register that both runs have.
func (u *Range) Meets(first, n uint16) (uint16, bool) {
	r := max(u.First, first)
	return r, r < min(u.First+u.N, first+n)
}
