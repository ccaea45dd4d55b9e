package pool

// pageCache keeps free byte pages of a pool, so that a child which dies and
// one which is born do not go through the Go heap.
type pageCache struct {
	pages [][]byte
	bytes int
}

func (c *pageCache) take(n int) []byte {
	for i, pg := range c.pages {
		if len(pg) == n {
			last := len(c.pages) - 1
			c.pages[i] = c.pages[last]
			c.pages[last] = nil
			c.pages = c.pages[:last]
			c.bytes -= n
			return pg
		}
	}
	return nil
}

func (c *pageCache) put(pg []byte, most int) bool {
	if c.bytes+len(pg) > most {
		return false
	}
	c.pages = append(c.pages, pg)
	c.bytes += len(pg)
	return true
}

func (c *pageCache) takeAll() [][]byte {
	all := c.pages
	c.pages, c.bytes = nil, 0
	return all
}

// takePage returns a byte page of n bytes for p: one that an ancestor has
// cached, or a new one. The contents are arbitrary. The caller holds no lock.
func (p *Pool) takePage(n int) []byte {
	for q := p; q != nil; q = q.parent {
		q.mu.Lock()
		pg := q.cache.take(n)
		q.mu.Unlock()
		if pg == nil {
			continue
		}
		// The page is already booked on q and above.
		if at := p.tryCharge(int64(n), q); at == nil {
			return pg
		}
		q.mu.Lock()
		q.cache.put(pg, q.cache.bytes+n)
		q.mu.Unlock()
		break
	}
	p.charge(int64(n), nil)
	return make([]byte, n)
}

// givePages hands the byte pages of the dying pool p to its parent's cache;
// pages that do not fit there are left to the garbage collector.
func (p *Pool) givePages(pages [][]byte) {
	q := p.parent
	if q == nil {
		return // teardown books everything off the root at once
	}
	for _, pg := range pages {
		q.mu.Lock()
		kept := !q.dead && q.cache.put(pg, q.sizes.CacheMax)
		q.mu.Unlock()
		if kept {
			p.uncharge(int64(len(pg)), q)
		}
	}
}

// donor is a stock of empty typed pages that pools below may use.
type donor interface{ bytes() int64 }

// donated is the stock of one type.
type donated[T any] struct {
	pages [][]T
	size  int64 // bytes of one T
}

func (d *donated[T]) bytes() int64 {
	n := int64(0)
	for _, pg := range d.pages {
		n += int64(len(pg))
	}
	return n * d.size
}

// give hands the pages of the dying pool p to q, its parent, where the pools of
// later kernels find them; what does not fit into q's cache is dropped.
func (d *donated[T]) give(p, q *Pool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dead {
		return
	}
	var held int64
	var stock *donated[T]
	for _, x := range q.donors {
		held += x.bytes()
		if s, ok := x.(*donated[T]); ok {
			stock = s
		}
	}
	if stock == nil {
		stock = &donated[T]{size: d.size}
		q.donors = append(q.donors, stock)
	}
	for _, pg := range d.pages {
		n := int64(len(pg)) * d.size
		if held += n; held > int64(q.sizes.CacheMax) {
			return
		}
		stock.pages = append(stock.pages, pg)
		p.uncharge(n, q)
	}
}

// adopt returns an empty page from the stocks of p's ancestors with room for n
// values and at most twice want, booked on p, or nil.
func adopt[T any](p *Pool, n, want int) []T {
	for q := p.parent; q != nil; q = q.parent {
		if pg := adoptFrom[T](p, q, n, want); pg != nil {
			return pg
		}
	}
	return nil
}

func adoptFrom[T any](p, q *Pool, n, want int) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, x := range q.donors {
		d, ok := x.(*donated[T])
		if !ok {
			continue
		}
		for i := len(d.pages) - 1; i >= 0; i-- {
			pg := d.pages[i]
			if len(pg) < n || len(pg) > 2*want || p.tryCharge(int64(len(pg))*d.size, q) != nil {
				continue
			}
			last := len(d.pages) - 1
			d.pages[i] = d.pages[last]
			d.pages[last] = nil
			d.pages = d.pages[:last]
			return pg
		}
	}
	return nil
}
