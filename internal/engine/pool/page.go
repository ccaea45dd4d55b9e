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
