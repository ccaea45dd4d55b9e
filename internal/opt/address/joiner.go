package address

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// joiner finds accesses of one block to neighbouring words from one base, with
// nothing between the first and the last that keeps them apart, which can be one
// wide access.
type joiner struct {
	takes    func(i *ori.Instr) bool
	same     func(a, b *ori.Instr) bool        // they differ in width and place only
	disturbs func(i *ori.Instr, list run) bool // they cannot be joined over i
	at       func(i *ori.Instr) *ori.Operand   // its address
	words    func(i *ori.Instr) int64          // it moves
	zeros    func(i *ori.Instr) int            // at the end of the address it counts from
	spread   int                               // instructions apart they are still joined: further apart a register that waits costs more than the access
	groups   []run
	joins    []joined // found, to be made when nothing is asked any more
}

// run are accesses of one base.
type run []access

// access is one of them with its position in the block.
type access struct {
	*ori.Instr
	at int
}

// joined is a run that becomes one access of so many bytes.
type joined struct {
	list run
	size int64
}

// widen makes wide accesses of those of f.
func (j *joiner) widen(f *ori.Func, make func(list run, size int64)) bool {
	for _, b := range f.Blocks {
		j.block(b)
	}
	made := false
	for _, x := range j.joins {
		if f.Should("widen", x.list[0].Instr) {
			make(x.list, x.size)
			made = true
		}
	}
	return f.Touched(made)
}

func (j *joiner) block(b *ori.Block) {
	j.groups = j.groups[:0]
	n := 0
	for i := range b.Instrs {
		n++
		j.close(i)
		if j.takes(i) {
			j.add(i, n)
		}
	}
	j.close(nil)
}

// add puts i into the group of its like.
func (j *joiner) add(i *ori.Instr, n int) {
	for k := range j.groups {
		if g := &j.groups[k]; j.same((*g)[0].Instr, i) {
			*g = append(*g, access{i, n})
			return
		}
	}
	j.groups = append(j.groups, run{{i, n}})
}

// close ends the groups that cannot grow beyond i, all if it is nil.
func (j *joiner) close(i *ori.Instr) {
	keep := j.groups[:0]
	for _, g := range j.groups {
		if i != nil && !j.disturbs(i, g) {
			keep = append(keep, g)
			continue
		}
		j.neighbours(g)
	}
	j.groups = keep
}

// neighbours looks for those of a group that lie side by side.
func (j *joiner) neighbours(list run) {
	if len(list) < 2 {
		return
	}
	slices.SortStableFunc(list, func(a, b access) int { return cmp.Compare(j.at(a.Instr).Imm, j.at(b.Instr).Imm) })
	zeros := -1
	for n := 0; n < len(list); {
		taken := 1
		for _, size := range [...]int64{16, 8} {
			k := j.fill(list[n:], size)
			if k < 2 || j.at(list[n].Instr).Imm%size != 0 {
				continue
			}
			if zeros < 0 {
				zeros = j.zeros(list[0].Instr)
			}
			if zeros >= log(size) {
				j.joins = append(j.joins, joined{list[n : n+k], size})
				taken = k
				break
			}
		}
		n += taken
	}
}

// fill returns how many at the beginning of the list move size bytes without a
// gap and stand near each other, or 0.
func (j *joiner) fill(list run, size int64) int {
	at := j.at(list[0].Instr).Imm
	end := at + size
	first, last := list[0].at, list[0].at
	for n, i := range list {
		first, last = min(first, i.at), max(last, i.at)
		if j.at(i.Instr).Imm != at || last-first > j.spread {
			return 0
		}
		if at += 4 * j.words(i.Instr); at == end {
			return n + 1
		} else if at > end {
			return 0
		}
	}
	return 0
}
