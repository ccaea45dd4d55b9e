package ori

import "fmt"

// Fact names an analysis whose result a function keeps.
type Fact uint8

const (
	FactDom     Fact = iota // dominators
	FactPostDom             // post-dominators
	FactLoops               // loop nest
	FactValues              // who writes and who reads every word
	FactLive                // words alive at the ends of blocks
	FactAlias               // what accesses to memory touch
	FactUniform             // what differs between the threads of a warp
	FactNeeded              // nothing is dead
	FactIndex               // who writes and who reads every register
	FactCopied              // nothing reads a copy that could read its source
	numFacts
)

// factRows says what each fact depends on besides blocks and edges.
var factRows = [numFacts]struct {
	name string
	code bool // instructions
}{
	FactDom: {"dominators", false}, FactPostDom: {"post-dominators", false}, FactLoops: {"loops", false},
	FactValues: {"values", true}, FactLive: {"liveness", true}, FactAlias: {"alias", true}, FactUniform: {"uniformity", true},
	FactNeeded: {"proof that all is needed", true}, FactIndex: {"index", true}, FactCopied: {"proof that no copy is read", true},
}

// Holder is the result of an analysis that can be asked whether it is still
// true.
type Holder interface {
	// Holds reports whether analysing f now would give the same.
	Holds(f *Func) bool
}

// facts are the results a function keeps, each with the version it was made
// from.
type facts [numFacts]struct {
	value     Holder
	cfg, code uint32
	regs      int
}

// Recall returns the result kept under k if the function has not changed
// since in any way that matters to it, or nil. Who changes instructions in
// place must have called Touch.
func (f *Func) Recall(k Fact) Holder {
	x := &f.facts[k]
	if x.cfg != f.cfg || factRows[k].code && (x.code != f.code || x.regs != len(f.Regs)) {
		return nil
	}
	return x.value
}

// Remember keeps a result for as long as the function stays as it is.
func (f *Func) Remember(k Fact, v Holder) {
	f.facts[k].value, f.facts[k].cfg, f.facts[k].code, f.facts[k].regs = v, f.cfg, f.code, len(f.Regs)
}

// Former returns the result last kept under k, true or not: its memory may
// be used again.
func (f *Func) Former(k Fact) Holder { return f.facts[k].value }

// Moves is Touched for do, which moves instructions and changes none: who writes and reads
// what, each before whom, and what accesses touch stays.
func (f *Func) Moves(do func(*Func) bool) bool {
	values, alias := f.Recall(FactValues), f.Recall(FactAlias)
	if !f.Touched(do(f)) {
		return false
	}
	if values != nil {
		f.Remember(FactValues, values)
	}
	if alias != nil {
		f.Remember(FactAlias, alias)
	}
	return true
}

// SetBlocks replaces the layout.
func (f *Func) SetBlocks(list []*Block) {
	f.Blocks = list
	f.cfg++
}

// facts: what would be recalled is what an analysis would find now. A phase
// that changed the function without saying so shows here.
func (v *verifier) facts() error {
	for k := range numFacts {
		if x := v.f.Recall(k); x != nil && !x.Holds(v.f) {
			return fmt.Errorf("the kept %s is out of date", factRows[k].name)
		}
	}
	return nil
}
