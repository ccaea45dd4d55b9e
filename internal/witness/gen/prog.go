// Package gen makes random PTX programs that any witness can run: they always
// end, never read anything undefined, have no races, and leave results that
// depend neither on addresses nor on the order of threads. Each carries its
// launch description in comments, as the kernels of the zoo do.
//
// A program is a tree of statements over a fixed set of registers that are
// all written before the first statement and all stored after the last, so
// that any statement can be taken out and the rest still means something.
// That is what Shrink lives on: it takes a program that fails some test apart
// until nothing more can go.
package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Stmt is a statement: an instruction or a branch, a loop, a short sequence.
type Stmt interface {
	// print writes the statement.
	print(p *printer)
	// kids returns the lists of statements inside.
	kids() []*[]Stmt
	// clone makes a copy that shares nothing that Shrink changes.
	clone() Stmt
	// simpler returns statements that may take its place.
	simpler() [][]Stmt
}

// Prog is one program: a kernel and the functions it calls.
type Prog struct {
	Name   string
	Seed   uint64
	Grid   int
	Block  int
	Fill   string // contents of the input
	Regs   int    // .maxnreg, or 0
	Target string // the GPU that it is for; "": any
	Body   []Stmt
	Stores []Stmt // of the registers at the end
	Tail   []Stmt // behind them
	Funcs  []Func
}

// Func is a device function: two words in, one out.
type Func struct {
	Body []Stmt
}

// Clone makes a copy that shares nothing with p that changes.
func (p *Prog) Clone() *Prog {
	q := *p
	q.Body, q.Stores, q.Tail = cloneAll(p.Body), cloneAll(p.Stores), cloneAll(p.Tail)
	q.Funcs = make([]Func, len(p.Funcs))
	for n := range p.Funcs {
		q.Funcs[n].Body = cloneAll(p.Funcs[n].Body)
	}
	return &q
}

func cloneAll(list []Stmt) []Stmt {
	out := make([]Stmt, len(list))
	for n, s := range list {
		out[n] = s.clone()
	}
	return out
}

// Size counts the statements.
func (p *Prog) Size() int {
	n := count(p.Body) + count(p.Stores) + count(p.Tail)
	for k := range p.Funcs {
		n += count(p.Funcs[k].Body)
	}
	return n
}

func count(list []Stmt) int {
	n := len(list)
	for _, s := range list {
		for _, k := range s.kids() {
			n += count(*k)
		}
	}
	return n
}

// Inst is an instruction, perhaps guarded.
type Inst struct {
	Guard string // "@%p1", or ""
	Op    string
	Args  []string
}

func (i *Inst) print(p *printer) {
	text := i.Op
	if len(i.Args) > 0 {
		text += " " + strings.Join(i.Args, ", ")
	}
	if i.Guard != "" {
		text = i.Guard + " " + text
	}
	p.line(text + ";")
}

func (i *Inst) kids() []*[]Stmt { return nil }

func (i *Inst) clone() Stmt {
	c := *i
	c.Args = slices.Clone(i.Args)
	return &c
}

func (i *Inst) simpler() [][]Stmt {
	if i.Guard == "" {
		return nil
	}
	c := *i
	c.Guard = ""
	return [][]Stmt{{&c}}
}

// If branches on a predicate. With Masked the threads that part know who
// went with them, so that instructions of warps may stand inside.
type If struct {
	Pred       string // "%p1" or "!%p1"
	Masked     bool
	Then, Else []Stmt
}

func (i *If) print(p *printer) {
	n := p.label()
	outer, pred := p.mask, i.Pred
	neg := strings.HasPrefix(pred, "!")
	pred = strings.TrimPrefix(pred, "!")
	yes := outer
	if i.Masked {
		yes = p.newMask()
		arg := pred
		if neg {
			arg = "!" + pred
		}
		p.line(fmt.Sprintf("vote.sync.ballot.b32 %s, %s, %s;", yes, arg, outer))
	}
	guard := "@!" // to the other part
	if neg {
		guard = "@"
	}
	p.line(fmt.Sprintf("%s%s bra E%d;", guard, pred, n))
	p.mask = yes
	p.list(i.Then)
	p.line(fmt.Sprintf("bra%s J%d;", uni(n), n))
	p.line(fmt.Sprintf("E%d:", n))
	if i.Masked && len(i.Else) > 0 {
		no := p.newMask()
		p.line(fmt.Sprintf("not.b32 %s, %s;", no, yes))
		p.line(fmt.Sprintf("and.b32 %s, %s, %s;", no, no, outer))
		p.mask = no
	}
	p.list(i.Else)
	p.line(fmt.Sprintf("J%d:", n))
	p.mask = outer
	if i.Masked {
		p.line(fmt.Sprintf("bar.warp.sync %s;", outer))
	}
}

// uni says of every other jump or call without a guard that all threads that
// come there do it together, as compilers of C do of all.
func uni(n int) string {
	if n%2 == 0 {
		return ".uni"
	}
	return ""
}

func (i *If) kids() []*[]Stmt { return []*[]Stmt{&i.Then, &i.Else} }

func (i *If) clone() Stmt {
	c := *i
	c.Then, c.Else = cloneAll(i.Then), cloneAll(i.Else)
	return &c
}

func (i *If) simpler() [][]Stmt { return [][]Stmt{i.Then, i.Else} }

// rename rewrites the registers of statements.
func rename(list []Stmt, r *strings.Replacer) {
	for _, s := range list {
		switch s := s.(type) {
		case *Inst:
			s.Guard = r.Replace(s.Guard)
			for n := range s.Args {
				s.Args[n] = r.Replace(s.Args[n])
			}
		case *If:
			s.Pred = r.Replace(s.Pred)
		case *Loop:
			s.Break = r.Replace(s.Break)
		case *Tangle:
			s.Pred = r.Replace(s.Pred)
		case *Maze:
			s.rename(r.Replace)
		case *Carried:
			for _, v := range s.Values {
				for _, lines := range [...][]string{v.writes, v.reads} {
					for n := range lines {
						lines[n] = r.Replace(lines[n])
					}
				}
			}
		case *Seq:
			for n := range s.Lines {
				s.Lines[n] = r.Replace(s.Lines[n])
			}
		}
		for _, k := range s.kids() {
			rename(*k, r)
		}
	}
}

// Loop runs its body Count times, or as often as the low bits of a register
// say, and may leave early.
type Loop struct {
	Count int
	Reg   string // "" for a fixed count
	Break string // predicate, or ""
	Again string // register: a loop around goes on counting where this one stopped; or ""
	Body  []Stmt
}

func (l *Loop) print(p *printer) {
	n := p.label()
	c := fmt.Sprintf("%%c%d", n)
	p.counters = append(p.counters, c)
	if l.Again != "" {
		l.printAgain(p, n, c)
		return
	}
	if l.Reg != "" {
		p.line(fmt.Sprintf("and.b32 %s, %s, 7;", c, l.Reg))
		p.line(fmt.Sprintf("add.u32 %s, %s, 1;", c, c))
	} else {
		p.line(fmt.Sprintf("mov.u32 %s, %d;", c, l.Count))
	}
	p.line(fmt.Sprintf("L%d:", n))
	p.list(l.Body)
	if l.Break != "" {
		p.line(fmt.Sprintf("@%s bra X%d;", l.Break, n))
	}
	p.line(fmt.Sprintf("sub.u32 %s, %s, 1;", c, c))
	p.line(fmt.Sprintf("setp.ne.u32 %%loop, %s, 0;", c))
	p.line(fmt.Sprintf("@%%loop bra L%d;", n))
	p.line(fmt.Sprintf("X%d:", n))
}

// printAgain prints two loops whose counters are both set before the outer
// one: from its second turn on the inner one turns once.
func (l *Loop) printAgain(p *printer, n int, c string) {
	o := c + "o"
	p.counters = append(p.counters, o)
	p.line(fmt.Sprintf("mov.u32 %s, 0;", c))
	p.line(fmt.Sprintf("mov.u32 %s, 3;", o))
	p.line(fmt.Sprintf("O%d:", n))
	p.line(fmt.Sprintf("add.u32 %s, %s, %s;", l.Again, l.Again, o))
	p.line(fmt.Sprintf("L%d:", n))
	p.list(l.Body)
	if l.Break != "" {
		p.line(fmt.Sprintf("@%s bra X%d;", l.Break, n))
	}
	p.line(fmt.Sprintf("add.u32 %s, %s, 1;", c, c))
	p.line(fmt.Sprintf("setp.lt.u32 %%loop, %s, %d;", c, l.Count))
	p.line(fmt.Sprintf("@%%loop bra L%d;", n))
	p.line(fmt.Sprintf("sub.u32 %s, %s, 1;", o, o))
	p.line(fmt.Sprintf("setp.ne.u32 %%loop, %s, 0;", o))
	p.line(fmt.Sprintf("@%%loop bra O%d;", n))
	p.line(fmt.Sprintf("X%d:", n))
}

func (l *Loop) kids() []*[]Stmt { return []*[]Stmt{&l.Body} }

func (l *Loop) clone() Stmt {
	c := *l
	c.Body = cloneAll(l.Body)
	return &c
}

func (l *Loop) simpler() [][]Stmt {
	out := [][]Stmt{l.Body}
	if l.Again != "" {
		c := l.clone().(*Loop)
		c.Again = ""
		out = append(out, []Stmt{c})
	}
	if l.Break != "" {
		c := l.clone().(*Loop)
		c.Break = ""
		out = append(out, []Stmt{c})
	}
	if l.Reg == "" && l.Count > 1 {
		c := l.clone().(*Loop)
		c.Count = 1
		out = append(out, []Stmt{c})
	}
	return out
}

// Seq is lines that belong together. $M stands for the mask of the threads
// that run together, $L for a number of its own.
type Seq struct {
	Lines []string
}

func (s *Seq) print(p *printer) {
	n := fmt.Sprint(p.label())
	for _, l := range s.Lines {
		p.line(strings.NewReplacer("$M", p.mask, "$L", n).Replace(l))
	}
}

func (s *Seq) kids() []*[]Stmt   { return nil }
func (s *Seq) clone() Stmt       { return &Seq{slices.Clone(s.Lines)} }
func (s *Seq) simpler() [][]Stmt { return nil }
