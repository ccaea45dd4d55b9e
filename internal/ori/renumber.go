package ori

// Renumber gives registers and instructions numbers without gaps, in the order
// of those they had. What phases make and others remove leaves three of four
// numbers unused in the end, and every table by register, word or instruction
// has a place for each. It reports whether a number changed.
func (f *Func) Renumber() bool {
	regs, ids := f.numbersInUse()
	nRegs, nIDs := pack(regs), pack(ids)
	if nRegs == len(f.Regs) && nIDs == f.NumInstrs() {
		return false
	}
	values, known := f.Recall(FactValues).(renumbered)
	for r, to := range regs {
		if to >= 0 {
			f.Regs[to] = f.Regs[r]
		}
	}
	f.Regs, f.nextInstr = f.Regs[:nRegs], int32(nIDs)
	for _, b := range f.Blocks {
		for i := b.first; i != nil; i = i.next {
			i.ID = ids[i.ID]
			for _, list := range [...][]Operand{i.Args, i.Old} {
				for k := range list {
					if o := &list[k]; o.HasReg() {
						o.Reg = Reg(regs[o.Reg])
					}
				}
			}
			if i.Guard.HasReg() {
				i.Guard.Reg = Reg(regs[i.Guard.Reg])
			}
		}
	}
	f.Touch()
	if known {
		values.Renumber(regs)
		f.Remember(FactValues, values)
	}
	return true
}

// renumbered is what is known of registers by their numbers, and stays true when they get
// others.
type renumbered interface {
	Holder
	// Renumber takes the new number of each register; below zero: no instruction names it.
	Renumber(regs []int32)
}

// numbersInUse marks registers and instructions of f with zero, all others
// with -1.
func (f *Func) numbersInUse() (regs, ids []int32) {
	all := make([]int32, len(f.Regs)+f.NumInstrs())
	for n := range all {
		all[n] = -1
	}
	regs, ids = all[:len(f.Regs)], all[len(f.Regs):]
	for _, b := range f.Blocks {
		for i := b.first; i != nil; i = i.next {
			ids[i.ID] = 0
			for _, list := range [...][]Operand{i.Args, i.Old} {
				for k := range list {
					if o := &list[k]; o.HasReg() {
						regs[o.Reg] = 0
					}
				}
			}
			if i.Guard.HasReg() {
				regs[i.Guard.Reg] = 0
			}
		}
	}
	return regs, ids
}

// pack numbers what is marked, and returns how many that are.
func pack(marks []int32) int {
	n := int32(0)
	for k := range marks {
		if marks[k] == 0 {
			marks[k] = n
			n++
		}
	}
	return int(n)
}
