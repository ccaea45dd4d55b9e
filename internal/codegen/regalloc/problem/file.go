package problem

import "slices"

// Limit is how many registers of the file are there in block b.
func (f *File) Limit(b int) int {
	if f.Limits == nil {
		return f.Budget
	}
	return min(f.Budget, int(f.Limits[b]))
}

// Reserved reports whether v is fixed to a register that nothing else may
// have.
func (p *Problem) Reserved(v int32) bool {
	x := &p.VRegs[v]
	return x.Fixed >= 0 && slices.ContainsFunc(p.Files[x.Class].Taken, func(t int) bool { return int(x.Fixed) <= t && t < int(x.Fixed)+int(x.Width) })
}

// Take takes the spare registers of a file: something goes to memory. It
// reports whether there were any.
func (p *Problem) Take(class uint8) bool {
	f := p.Files[class]
	if len(f.Spare) == 0 {
		return false
	}
	f.Taken, f.Spare = slices.Concat(f.Taken, f.Spare), nil
	p.Files = slices.Clone(p.Files)
	p.Files[class] = f
	return true
}

// Crowded reports whether so many words cannot all live below a step, where some
// registers are taken. Fixed ones may have those, or others above the step.
func (f *File) Crowded(p *Problem, class uint8, words, step int) bool {
	for _, t := range f.Taken {
		if t < step {
			words++
		}
	}
	return words > step && !slices.ContainsFunc(p.VRegs, func(v VReg) bool { return v.Class == class && v.Fixed >= 0 })
}

// Step returns how many registers cost no more than n do.
func (f *File) Step(n int) int {
	if k := slices.IndexFunc(f.Steps, func(s int) bool { return s >= n }); k >= 0 {
		return min(f.Steps[k], f.Budget)
	}
	return min(n, f.Budget)
}

// SpreadTo is how far registers are spread where n are needed: the first few
// beyond them spare nearly all waits. A file with one step has registers that
// nobody counts.
func (f *File) SpreadTo(n int) int {
	step := f.Step(n)
	if len(f.Steps) == 1 {
		return step
	}
	return min(step, n+max(2, n/8))
}
