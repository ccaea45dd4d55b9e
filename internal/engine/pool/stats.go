package pool

import (
	"fmt"
	"io"
	"strings"
)

// Detail says how much WriteStats prints for each pool.
type Detail uint8

// The three levels of detail.
const (
	Compact  Detail = iota // one line
	Standard               // the table
	PerPage                // the table and a line for each page or size class
)

// Usage is what a pool itself holds, without its children.
type Usage struct {
	PageSize   int
	Allocated  int64 // bytes of pages
	Available  int64 // bytes of pages not handed out
	InUse      int64 // Allocated - Available
	SmallPages int   // pages of one size: typed pages and size-class pages
	LargePages int   // boundary-tag pages
	Longest    int   // length of the longest free list
	Average    int   // mean length of the free lists in use
}

// typedUsage is the part of one family of typed pages.
type typedUsage struct {
	size  int
	pages int
	total int64
	inUse int64
}

// Usage returns what p holds. The owner of p's typed pages must not allocate
// meanwhile.
func (p *Pool) Usage() Usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.usage()
}

func (p *Pool) usage() Usage {
	u := Usage{PageSize: p.sizes.Page}
	lists, inLists := 0, 0
	list := func(n int) {
		if n > 0 {
			lists++
			inLists += n
			u.Longest = max(u.Longest, n)
		}
	}
	for _, s := range p.sections {
		t := s.usage()
		u.Allocated += t.total
		u.Available += t.total - t.inUse
		u.SmallPages += t.pages
	}
	for _, sp := range p.bytes.small {
		u.Allocated += int64(len(sp.mem))
		u.Available += int64(sp.free * sp.size)
	}
	for i := range p.bytes.bins {
		list(p.bytes.bins[i].len())
	}
	for _, lp := range p.bytes.large.pages {
		u.Allocated += int64(len(lp.mem))
		lp.each(func(_, size int, used bool) {
			if !used {
				u.Available += int64(size)
			}
		})
	}
	for k, head := range p.bytes.large.heads {
		if head != 0 {
			list(p.bytes.large.listLen(k))
		}
	}
	u.Allocated += int64(p.cache.bytes)
	u.Available += int64(p.cache.bytes)
	list(len(p.cache.pages))
	for _, d := range p.donors {
		u.Allocated += d.bytes()
		u.Available += d.bytes()
	}
	u.SmallPages += len(p.bytes.small)
	u.LargePages = len(p.bytes.large.pages)
	u.InUse = u.Allocated - u.Available
	if lists > 0 {
		u.Average = inLists / lists
	}
	return u
}

func (l *largeSpace) listLen(k int) int {
	n := 0
	for at := l.heads[k]; at != 0; n++ {
		lp, off := l.at(at)
		at = link(lp.tag(off + tagSize))
	}
	return n
}

// WriteStats prints the statistics of p, and with children those of all pools
// below it, one tab further in for each level.
func (p *Pool) WriteStats(w io.Writer, d Detail, children bool) error {
	return p.writeStats(w, d, children, 0)
}

func (p *Pool) writeStats(w io.Writer, d Detail, children bool, depth int) error {
	var b strings.Builder
	p.mu.Lock()
	kids := append([]*Pool(nil), p.children...)
	p.format(&b, d)
	p.mu.Unlock()
	text := b.String()
	if depth > 0 {
		in := strings.Repeat("\t", depth)
		text = in + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+in) + "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	if !children {
		return nil
	}
	for _, k := range kids {
		if err := k.writeStats(w, d, children, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// format writes the statistics of p itself in the form the reference's own
// memory statistics have.
func (p *Pool) format(b *strings.Builder, d Detail) {
	u := p.usage()
	title := fmt.Sprintf("Memory space statistics for '%s'", p.name)
	fmt.Fprintf(b, "%s\n%s\n", title, strings.Repeat("=", len(title)))
	if d == Compact {
		fmt.Fprintf(b, "\t available= \t%14s, allocated= \t%14s, used= \t%14s\n",
			hex(u.Available), hex(u.Allocated), hex(u.InUse))
		return
	}
	fmt.Fprintf(b, "Page size                 : 0x%x bytes\n", u.PageSize)
	fmt.Fprintf(b, "Total allocated           : %13s bytes\n", hex(u.Allocated))
	fmt.Fprintf(b, "Total available           : %13s bytes\n", hex(u.Available))
	fmt.Fprintf(b, "Total in use              : %13s bytes\n", hex(u.InUse))
	fmt.Fprintf(b, "Nrof small block pages    : %d\n", u.SmallPages)
	fmt.Fprintf(b, "Nrof large block pages    : %d\n", u.LargePages)
	fmt.Fprintf(b, "Longest free list size    : %d\n", u.Longest)
	fmt.Fprintf(b, "Average free list size    : %d\n", u.Average)
	if d == PerPage {
		p.formatPages(b)
	}
}

func hex(n int64) string { return fmt.Sprintf("0x%x", n) }

func (p *Pool) formatPages(b *strings.Builder) {
	for i, lp := range p.bytes.large.pages {
		free, n, most := 0, 0, 0
		lp.each(func(_, size int, used bool) {
			if !used {
				free += size
				n++
				most = max(most, size)
			}
		})
		fmt.Fprintf(b, "@@ large block page %4d : 0x%x/0x%x, #=%d  max=0x%x\n", i, free, len(lp.mem), n, most)
	}
	line := func(size int, free, total int64, pages int) {
		fmt.Fprintf(b, "@@ small block size %4d: 0x%x/0x%x (%d/%d blocks) %d pages\n",
			size, free, total, free/int64(size), total/int64(size), pages)
	}
	for _, s := range p.sections {
		if t := s.usage(); t.pages > 0 {
			line(t.size, t.total-t.inUse, t.total, t.pages)
		}
	}
	for k := range p.bytes.bins {
		var free, total int64
		pages := p.bytes.bins[k].pages
		for _, sp := range pages {
			free += int64(sp.free * sp.size)
			total += int64(len(sp.mem))
		}
		if len(pages) > 0 {
			line(8*k, free, total, len(pages))
		}
	}
}
