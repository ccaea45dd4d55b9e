// Package heap keeps instructions of which the best is taken next.
package heap

// Ranked is a heap of instructions: the one with the least key first, of
// equal ones the one that stood first.
type Ranked struct {
	Nodes []Node
}

// Node is a key and below it the number of an instruction, so that one
// comparison orders by both.
type Node int64

// NodeOf puts a key and an instruction together.
func NodeOf(key, node int32) Node { return Node(key)<<32 | Node(node) }

// Key is what it is ordered by.
func (n Node) Key() int32 { return int32(n >> 32) }

// Instr is its number.
func (n Node) Instr() int32 { return int32(n) }

// Push adds an instruction.
func (r *Ranked) Push(key, node int32) { r.Put(NodeOf(key, node)) }

// Put adds a node.
func (r *Ranked) Put(x Node) {
	h := append(r.Nodes, x)
	j := len(h) - 1
	for j > 0 && x < h[(j-1)/2] {
		h[j] = h[(j-1)/2]
		j = (j - 1) / 2
	}
	h[j] = x
	r.Nodes = h
}

// Pop takes the first.
func (r *Ranked) Pop() int32 { return r.Take().Instr() }

// Take takes the first node.
func (r *Ranked) Take() Node {
	h := r.Nodes
	first, last := h[0], len(h)-1
	x := h[last]
	h = h[:last]
	r.Nodes = h
	for i := 0; last > 0; {
		j := 2*i + 1
		if j+1 < len(h) && h[j+1] < h[j] {
			j++
		}
		if j >= len(h) || x <= h[j] {
			h[i] = x
			break
		}
		h[i] = h[j]
		i = j
	}
	return first
}
