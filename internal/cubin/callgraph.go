package cubin

import "errors"

// Call is an edge of the call graph: between symbols, or from a symbol to
// its prototype string.
type Call struct {
	From, To  *Symbol
	Prototype string
}

// CallGraph is the section .nv.callgraph: four lists, each opened by a pair
// (0, -n).
type CallGraph struct {
	Calls        []Call // caller, callee; calls between sections only
	Prototypes   []Call // external function, prototype
	Indirect     []Call // function, prototype of a call through a pointer
	AddressTaken []Call // function, function whose address it takes
}

func (c *CallGraph) lists() [4]*[]Call {
	return [4]*[]Call{&c.Calls, &c.Prototypes, &c.Indirect, &c.AddressTaken}
}

// hasPrototype tells which lists hold a symbol and a prototype.
var hasPrototype = [4]bool{1: true, 2: true}

func (c *CallGraph) encode(e *encoder) []byte {
	var b []byte
	for i, l := range c.lists() {
		b = le.AppendUint32(b, 0)
		b = le.AppendUint32(b, ^uint32(i))
		for _, x := range *l {
			b = le.AppendUint32(b, x.From.number())
			if hasPrototype[i] {
				b = le.AppendUint32(b, e.stringAt(x.Prototype))
			} else {
				b = le.AppendUint32(b, x.To.number())
			}
		}
	}
	return b
}

var errCallGraph = errors.New("call graph is malformed")

// decodeCallGraph reads the section; str resolves prototype numbers, which
// are offsets into .strtab.
func decodeCallGraph(b []byte, syms []*Symbol, str func(uint32) (string, bool)) (*CallGraph, error) {
	if len(b)%8 != 0 {
		return nil, errCallGraph
	}
	c := &CallGraph{}
	lists := c.lists()
	cur := -1
	for ; len(b) > 0; b = b[8:] {
		from, to := le.Uint32(b), le.Uint32(b[4:])
		if from == 0 && to == ^uint32(cur+1) && cur+1 < len(lists) {
			cur++
			continue
		}
		if cur < 0 {
			return nil, errCallGraph
		}
		var x Call
		var err error
		if x.From, err = symbolAt(syms, from); err != nil {
			return nil, err
		}
		if hasPrototype[cur] {
			s, ok := str(to)
			if !ok {
				return nil, errCallGraph
			}
			x.Prototype = s
		} else if x.To, err = symbolAt(syms, to); err != nil {
			return nil, err
		}
		*lists[cur] = append(*lists[cur], x)
	}
	return c, nil
}

// Prototypes is the section .nv.prototype of relocatable objects: each
// function with its prototype string, such as "#ii".
type Prototypes struct{ List []Call }

func (p *Prototypes) encode(e *encoder) []byte {
	var b []byte
	for _, x := range p.List {
		b = le.AppendUint32(b, x.From.number())
		b = le.AppendUint32(b, e.stringAt(x.Prototype))
	}
	return b
}

func decodePrototypes(b []byte, syms []*Symbol, str func(uint32) (string, bool)) (*Prototypes, error) {
	if len(b)%8 != 0 {
		return nil, errors.New("prototype table is malformed")
	}
	p := &Prototypes{}
	for ; len(b) > 0; b = b[8:] {
		from, err := symbolAt(syms, le.Uint32(b))
		if err != nil {
			return nil, err
		}
		s, ok := str(le.Uint32(b[4:]))
		if !ok {
			return nil, errors.New("prototype string out of range")
		}
		p.List = append(p.List, Call{From: from, Prototype: s})
	}
	return p, nil
}
