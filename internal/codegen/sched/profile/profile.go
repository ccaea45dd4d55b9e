// Package profile finds the largest number of a run of places in an order
// while numbers of runs change.
package profile

// Profile holds a number for each place of an order while somebody walks from its
// start to its end, and finds the largest between there and a later place. Numbers
// change from where the walk stands up to some place.
//
// A number is the sum of the steps from its place to the end, so that such a change
// is one step more. Each node of a tree over runs of a power of two of places
// has the sum of the steps below it, and the largest sum from a place below it to its
// end; places behind the walk are no more.
type Profile struct {
	size  int
	nodes []node
}

type node struct{ sum, most int32 }

// gone is less than any number.
const gone = -1 << 28

// Fill begins at the start with numbers given by their differences from left to right.
func (p *Profile) Fill(step []int32) {
	p.size = 1
	for p.size < len(step) {
		p.size *= 2
	}
	if cap(p.nodes) < 2*p.size {
		p.nodes = make([]node, 2*p.size)
	}
	p.nodes = p.nodes[:2*p.size]
	leaves := p.nodes[p.size:]
	total := int32(0)
	for k, x := range step {
		total += x
		if k+1 < len(step) {
			leaves[k] = node{-step[k+1], -step[k+1]}
		} else {
			leaves[k] = node{total, total}
		}
	}
	for k := len(step); k < p.size; k++ {
		leaves[k] = node{0, gone}
	}
	for k := p.size - 1; k > 0; k-- {
		p.join(k)
	}
}

// join finds what a node has from those below it.
func (p *Profile) join(k int) {
	l, r := p.nodes[2*k], p.nodes[2*k+1]
	p.nodes[k] = node{l.sum + r.sum, max(r.most, l.most+r.sum)}
}

// Pass goes on behind a place.
func (p *Profile) Pass(at int32) {
	k := int(at) + p.size
	p.nodes[k].most = gone
	for k /= 2; k > 0; k /= 2 {
		l, r := &p.nodes[2*k], &p.nodes[2*k+1]
		most := max(r.most, l.most+r.sum)
		if p.nodes[k].most == most {
			break
		}
		p.nodes[k].most = most
	}
}

// Add adds x to all places that are left, up to but without one that is not the first of them.
func (p *Profile) Add(to, x int32) {
	k := int(to) - 1 + p.size
	p.nodes[k].sum += x
	p.nodes[k].most += x
	for k /= 2; k > 0; k /= 2 {
		r := p.nodes[2*k+1]
		p.nodes[k].sum += x
		p.nodes[k].most = max(r.most, p.nodes[2*k].most+r.sum)
	}
}

// Most returns the largest number that is left.
func (p *Profile) Most() int32 { return p.nodes[1].most }

// Max returns the largest number that is left before a place.
func (p *Profile) Max(to int32) int32 {
	if int(to) >= p.size {
		return p.Most()
	}
	k := int(to) + p.size
	behind, between, most := p.nodes[k].sum, int32(0), int32(gone)
	for ; k > 1; k /= 2 {
		x := p.nodes[k^1]
		if k&1 == 0 {
			behind += x.sum
			continue
		}
		most = max(most, x.most+between)
		between += x.sum
	}
	return most + behind
}
