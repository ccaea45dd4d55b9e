// Package profile finds the largest number of a run of places in an order
// while numbers of runs change.
package profile

// Profile holds a number for each place of an order, and finds the largest
// of a run of places while runs grow and shrink. It is a tree over runs of
// a power of two of places; each node holds the largest number below it,
// and what was added to all of its places.
type Profile struct {
	size int
	most []int32
	more []int32
}

// Reset makes room for n places that hold zero.
func (p *Profile) Reset(n int) {
	p.size = 1
	for p.size < n {
		p.size *= 2
	}
	if cap(p.most) < 2*p.size {
		p.most, p.more = make([]int32, 2*p.size), make([]int32, 2*p.size)
		return
	}
	p.most, p.more = p.most[:2*p.size], p.more[:2*p.size]
	clear(p.most)
	clear(p.more)
}

// Fill sets the numbers from their differences, and leaves those summed.
func (p *Profile) Fill(step []int32) {
	for k := range step {
		if k > 0 {
			step[k] += step[k-1]
		}
		p.most[p.size+k] = step[k]
	}
	for k := p.size - 1; k > 0; k-- {
		p.most[k] = max(p.most[2*k], p.most[2*k+1])
	}
}

// Add adds x to the places [from, to).
func (p *Profile) Add(from, to, x int32) {
	if from >= to {
		return
	}
	l, r := int(from)+p.size, int(to)+p.size
	lo, hi := l, r-1
	for ; l < r; l, r = l/2, r/2 {
		if l&1 != 0 {
			p.most[l] += x
			p.more[l] += x
			l++
		}
		if r&1 != 0 {
			r--
			p.most[r] += x
			p.more[r] += x
		}
	}
	lo, hi = lo/2, hi/2
	for ; lo != hi; lo, hi = lo/2, hi/2 {
		p.again(lo)
		p.again(hi)
	}
	for ; lo > 0; lo /= 2 {
		p.again(lo)
	}
}

// again finds the largest number below a node.
func (p *Profile) again(n int) {
	p.most[n] = max(p.most[2*n], p.most[2*n+1]) + p.more[n]
}

// Most returns the largest number of all places.
func (p *Profile) Most() int32 { return p.most[1] }

// Max returns the largest number of the places [from, to).
func (p *Profile) Max(from, to int32) int32 {
	if from >= to {
		return -1 << 30
	}
	l, r := int(from)+p.size, int(to)+p.size-1
	left, right := p.most[l], p.most[r]
	if l == r {
		return p.above(l, left)
	}
	for l/2 != r/2 {
		if l&1 == 0 {
			left = max(left, p.most[l+1])
		}
		if r&1 != 0 {
			right = max(right, p.most[r-1])
		}
		l, r = l/2, r/2
		left, right = left+p.more[l], right+p.more[r]
	}
	return p.above(l/2, max(left, right)+p.more[l/2])
}

// above adds what the nodes above n say.
func (p *Profile) above(n int, x int32) int32 {
	for n /= 2; n > 0; n /= 2 {
		x += p.more[n]
	}
	return x
}
