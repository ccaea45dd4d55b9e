package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/table"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// The files whose registers are counted.
const (
	general = iota
	predicates
	uniforms
	uniformPredicates
	numCounted
	uncounted = 0xff
)

var countedAs = [...]uint8{
	target.FileR: general, target.FileP: predicates, target.FileUR: uniforms, target.FileUP: uniformPredicates, target.FileB: uncounted,
}

// counts are words of each counted file.
type counts [numCounted]int32

// value is what a word of a register holds from one write to the next.
type value struct {
	def  int32 // instruction that writes it, -1 = before the region
	unit int32 // the values that one instruction writes into one register share a unit
	file uint8
	out  bool  // read behind the region
	n    uint8 // words it stands for
	last int32 // place of its last reader, -1 = none
	left int32 // readers not yet placed
	tail int32 // its readers behind this many are placed
}

// values are the values of a region. What lives through it untouched is in
// through alone.
type values struct {
	mem     *pool.Scratch
	list    []value
	reads   table.Lists // of each instruction, the values it reads
	writes  table.Lists // of each instruction, the values it writes
	readers table.Lists // of each value, the instructions that read it
	through counts
	units   int32
	wide    bool // some unit has more than two words
}

// tracer knows, walking a block backwards, which words are alive, and turns
// regions into values.
type tracer struct {
	f      *ori.Func
	names  *numbering
	lives  *words.Lives
	file   []uint8 // of each word
	alive  []bool
	marked []int32 // words that were alive at some time in this block
	now    counts
	first  []int32 // of each word, the first instruction of the block that writes it, if nothing did before; its ID + 1
	noted  []int32 // words with an entry in first
	cur    []int32 // of each word, its value, while a region is read; -1 = none
	met    []int32 // words with an entry in cur
	list   []access
}

func newTracer(f *ori.Func, names *numbering, l *words.Lives) *tracer {
	mem := f.Scratch()
	t := &tracer{f: f, names: names, lives: l, file: pool.Make[uint8](mem, names.Size), alive: pool.Make[bool](mem, names.Size), first: pool.Make[int32](mem, names.Size), cur: pool.Make[int32](mem, names.Size)}
	for w := range t.file {
		t.file[w], t.cur[w] = uncounted, -1
	}
	for r := range f.Regs {
		info := &f.Regs[r]
		file := words.Files[info.Class]
		at := names.Base[r]
		for w := range int32(info.Width) {
			t.file[at+w] = countedAs[file]
		}
	}
	return t
}

// enter begins a block at its end.
func (t *tracer) enter(b *ori.Block) {
	for _, w := range t.marked {
		t.alive[w] = false
	}
	for _, w := range t.noted {
		t.first[w] = 0
	}
	t.marked, t.noted, t.now = t.marked[:0], t.noted[:0], counts{}
	in := t.lives.In[b.ID]
	for i := range b.Instrs {
		t.list = t.names.Accesses(i)
		for _, a := range t.list {
			for w := a.Word; a.Write && w < a.Word+int32(a.N); w++ {
				if n := t.lives.Dense[w]; t.first[w] == 0 && (n < 0 || !in.Has(n)) {
					t.first[w] = int32(i.ID) + 1
					t.noted = append(t.noted, w)
				}
			}
		}
	}
	t.lives.Out[b.ID].Each(func(n int32) { t.set(t.lives.Words[n], true) })
}

func (t *tracer) set(w int32, alive bool) {
	if t.alive[w] == alive {
		return
	}
	t.alive[w] = alive
	if alive {
		t.marked = append(t.marked, w)
	}
	if f := t.file[w]; f != uncounted {
		if alive {
			t.now[f]++
		} else {
			t.now[f]--
		}
	}
}

// kills reports whether nothing of word w from before i matters behind it.
func (t *tracer) kills(i *ori.Instr, w int32) bool {
	return i.Guard.Kind == ori.KNone && i.Op != op.PHISRC || t.first[w] == int32(i.ID)+1
}

// step goes backwards over i.
func (t *tracer) step(i *ori.Instr) {
	t.list = t.names.Accesses(i)
	for _, a := range t.list {
		for w := a.Word; a.Write && w < a.Word+int32(a.N); w++ {
			if t.kills(i, w) {
				t.set(w, false)
			}
		}
	}
	for _, a := range t.list {
		for w := a.Word; !a.Write && w < a.Word+int32(a.N); w++ {
			t.set(w, true)
		}
	}
}

// read makes the values of a region, behind which the tracer stands.
func (t *tracer) read(v *values, instrs []*ori.Instr) {
	mem := t.f.Scratch()
	v.mem, v.list, v.units, v.wide = mem, pool.Room[value](mem, 2*len(instrs)), 0, false
	v.reads.Grow(mem, len(instrs), 2*len(instrs))
	v.writes.Grow(mem, len(instrs), 2*len(instrs))
	v.reads.Reset()
	v.writes.Reset()
	for k, i := range instrs {
		t.list = t.names.Accesses(i)
		from := len(v.reads.Items)
		for _, a := range t.list {
			for w := a.Word; w < a.Word+int32(a.N); w++ {
				if t.file[w] != uncounted && (!a.Write || !t.kills(i, w)) {
					v.use(t.value(v, w), from)
				}
			}
		}
		v.reads.Close()
		for _, a := range t.list {
			if !a.Write {
				continue
			}
			for w := a.Word; w < a.Word+int32(a.N); w++ {
				if t.file[w] != uncounted {
					t.bind(v, w, int32(k))
				}
			}
			v.wide = v.wide || a.N > 2
			v.units++
		}
		v.writes.Close()
	}
	v.through = t.now
	for _, w := range t.met {
		if t.alive[w] {
			v.list[t.cur[w]].out = true
			v.through[t.file[w]]--
		}
		t.cur[w] = -1
	}
	t.met = t.met[:0]
	v.readers.Turn(v.mem, &v.reads, len(v.list), nil)
}

// widestRun is how many words a run of registers may have of which nothing is
// of use to others before all of its words are dead. Accumulators of
// warp-group products are longer.
const widestRun = 16

// joined returns the values with those of each unit of more than two words
// made one: what is left of a short aligned run of registers, once some of its
// words are dead, is of little use to others.
func (v *values) joined() *values {
	if !v.wide {
		return v
	}
	j := &values{mem: v.mem, list: pool.Room[value](v.mem, len(v.list)), through: v.through, units: v.units}
	j.reads.Grow(v.mem, v.reads.Keys(), len(v.reads.Items))
	j.writes.Grow(v.mem, v.writes.Keys(), len(v.writes.Items))
	mark := v.mem.Mark()
	count := pool.Make[int32](v.mem, int(v.units))
	for x := range v.list {
		count[v.list[x].unit]++
	}
	to, of := pool.Make[int32](v.mem, len(v.list)), pool.Make[int32](v.mem, int(v.units)) // new number of each value, and of each unit's first + 1
	for x := range v.list {
		y := v.list[x]
		if count[y.unit] <= 2 || count[y.unit] > widestRun || of[y.unit] == 0 {
			j.list = append(j.list, y)
			of[y.unit] = int32(len(j.list))
			to[x] = int32(len(j.list)) - 1
			continue
		}
		to[x] = of[y.unit] - 1
		j.list[to[x]].n++
		j.list[to[x]].out = j.list[to[x]].out || y.out
	}
	rename := func(from, list *table.Lists) {
		list.Reset()
		for k := range int32(from.Keys()) {
			at := len(list.Items)
			for _, x := range from.Of(k) {
				list.Add(at, to[x])
			}
			list.Close()
		}
	}
	rename(&v.reads, &j.reads)
	rename(&v.writes, &j.writes)
	v.mem.Release(mark)
	j.readers.Turn(v.mem, &j.reads, len(j.list), nil)
	return j
}

// sort puts the readers of every value in an order of the region.
func (v *values) sort(order []int32) { v.readers.Turn(v.mem, &v.reads, len(v.list), order) }

// use notes that the instruction whose reads begin at from reads value x.
func (v *values) use(x int32, from int) {
	for _, y := range v.reads.Items[from:] {
		if x == y {
			return
		}
	}
	v.reads.Items = append(v.reads.Items, x)
}

// value returns what word w holds.
func (t *tracer) value(v *values, w int32) int32 {
	if t.cur[w] < 0 {
		t.met = append(t.met, w)
		t.cur[w] = int32(len(v.list))
		v.list = append(v.list, value{def: -1, unit: v.units, file: t.file[w], n: 1})
		v.units++
	}
	return t.cur[w]
}

// bind makes a new value of word w.
func (t *tracer) bind(v *values, w, def int32) {
	if t.cur[w] < 0 {
		t.met = append(t.met, w)
	}
	t.cur[w] = int32(len(v.list))
	v.writes.Items = append(v.writes.Items, t.cur[w])
	v.list = append(v.list, value{def: def, unit: v.units, file: t.file[w], n: 1})
}

// least is how many words are alive in every order: those before the region, or
// those behind it.
func (v *values) least() counts {
	before, behind := v.through, v.through
	for x := range v.list {
		y := &v.list[x]
		if y.def < 0 {
			before[y.file] += int32(y.n)
		}
		if y.out {
			behind[y.file] += int32(y.n)
		}
	}
	before.raise(&behind)
	return before
}

// measure fills the numbers of words alive behind each place of an order,
// in which the readers of values stand and of which pos gives each instruction's place, and sets every value's last
// place. It returns the most of each file.
func (v *values) measure(pos []int32, step *[numCounted][]int32) counts {
	n := len(pos)
	for f := range step {
		step[f] = table.Again(nil, step[f], n+1)
		step[f][0] = v.through[f]
	}
	start := v.through
	for x := range v.list {
		y := &v.list[x]
		y.last = -1
		list := v.readers.Of(int32(x))
		if y.left = int32(len(list)); y.left > 0 {
			y.last = pos[list[y.left-1]]
		}
		y.tail = y.left
		from, to := int32(0), y.last
		if y.def >= 0 {
			from = pos[y.def]
		} else {
			start[y.file] += int32(y.n)
		}
		if to = max(to, from+1); y.out {
			to = int32(n)
		}
		if y.def < 0 && y.last == 0 && !y.out {
			continue // gone behind the first place
		}
		step[y.file][from] += int32(y.n)
		step[y.file][to] -= int32(y.n)
	}
	most := start
	for f := range step {
		sum := int32(0)
		for k := range n {
			sum += step[f][k]
			most[f] = max(most[f], sum)
		}
		step[f] = step[f][:n]
	}
	return most
}
