package hazard

import "strings"

// Spare tells why code may lose its meaning without instruction k, a fence or
// a wait for groups of asynchronous work; nothing if it keeps it: there is
// nothing that it could hold back or make known. Of other instructions it
// knows nothing.
func (c *Code) Spare(k int) string {
	i := &c.insts[k]
	switch {
	case i.is("FENCE", "MEMBAR"):
		return c.spareFence(k)
	case i.is("WARPGROUP") && i.has("ARRIVE"):
		return c.spareArrival(k)
	case i.is("WARPGROUP") && i.has("DEPBAR"), i.is("DEPBAR") && i.has("LE"):
		return c.spareGroups(k)
	case i.is("DEPBAR"):
		if c.unwaited(k) != 0 {
			return "barriers that were set and not waited for"
		}
		return ""
	}
	return "an instruction of another kind"
}

// visit follows the ways from instruction k, forward or backward, and calls
// f for each instruction; where f is true the way ends. It returns whether
// some way came to an end of the code.
func (c *Code) visit(k int, back bool, f func(x *inst) bool) (out bool) {
	seen := map[int]bool{}
	work := []int{k}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		list := c.next(n)
		if back {
			list = c.preds()[n]
		}
		x := &c.insts[n]
		if len(list) == 0 || back && n == 0 || !back && (x.is("EXIT") || x.elsewhere()) {
			out = true
		}
		for _, m := range list {
			if !seen[m] && !f(&c.insts[m]) {
				work = append(work, m)
			}
			seen[m] = true
		}
	}
	return out
}

// preds returns the instructions that may come before each.
func (c *Code) preds() [][]int {
	if c.before == nil {
		c.before = make([][]int, len(c.insts))
		for n := range c.insts {
			for _, m := range c.next(n) {
				c.before[m] = append(c.before[m], n)
			}
		}
	}
	return c.before
}

// accesses reports whether i reads or writes memory that others see;
// mbarriers are told apart.
func accesses(i *inst) bool {
	switch i.class {
	case "lds", "sts", "ldg", "stg", "ldgsts", "tma", "gmma", "tex":
		return !i.is("SHFL", "MOVM", "LDL", "STL", "UTMACCTL", "UTMACMDFLUSH")
	}
	return false
}

// spareFence: nothing was accessed since the last such fence but mbarriers,
// which the reference hands to asynchronous work without one, or nothing but
// these until the next such fence, or nothing at all is accessed behind it.
func (c *Code) spareFence(k int) string {
	why := ""
	note := func(x *inst, more bool) bool {
		if accesses(x) || more && x.class == "syncs" || x.elsewhere() {
			why = x.text
		}
		return why != ""
	}
	c.visit(k, true, func(x *inst) bool { return note(x, false) || x.text == c.insts[k].text })
	if why == "" {
		return ""
	}
	why = ""
	out := c.visit(k, false, func(x *inst) bool { return note(x, false) || x.text == c.insts[k].text })
	if why == "" && !out {
		return ""
	}
	why = ""
	c.visit(k, false, func(x *inst) bool { return note(x, true) })
	return why
}

// spareArrival: on every way to every product there is another arrival behind
// the last write of its registers.
func (c *Code) spareArrival(k int) string {
	for n := range c.insts {
		g := &c.insts[n]
		if g.class != "gmma" {
			continue
		}
		why := ""
		out := c.visit(n, true, func(x *inst) bool {
			if x.is("WARPGROUP") && x.has("ARRIVE") && x != &c.insts[k] {
				return true
			}
			for _, a := range append(g.reads, g.writes...) {
				if x.class != "gmma" && fileOf(a.cell) == fileR && x.isWritten(a.cell) {
					why = x.text
				}
			}
			return why != ""
		})
		if out && why == "" {
			why = "a product without any"
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// spareGroups: no more groups are on their way than it leaves, or such a wait follows
// before anything could depend on it.
func (c *Code) spareGroups(k int) string {
	i := &c.insts[k]
	most := lastNumber(i.text)
	again := func(x *inst) bool {
		return x.words[0] == i.words[0] && x.has("DEPBAR") == i.has("DEPBAR") && x.has("LE") && lastNumber(x.text) <= most && lastNumber(x.text) >= 0
	}
	ends := func(x *inst) bool {
		if i.is("DEPBAR") {
			return x.is("LDGDEPBAR", "UTMACMDFLUSH") || x.elsewhere()
		}
		return x.class == "gmma" && strings.Contains(x.text, "gsb0")
	}
	if c.open(k, ends, again) <= most {
		return ""
	}
	why := ""
	group := map[uint16]bool{}
	for n := range c.insts {
		if g := &c.insts[n]; i.is("WARPGROUP") && g.class == "gmma" {
			for _, a := range append(g.reads, g.writes...) {
				group[a.cell] = fileOf(a.cell) == fileR
			}
		}
	}
	out := c.visit(k, false, func(x *inst) bool {
		if again(x) {
			return true
		}
		if accesses(x) || x.class == "syncs" || x.is("BAR", "CCTL", "MEMBAR", "FENCE") {
			why = x.text
		}
		for _, a := range append(x.reads, x.writes...) {
			if group[a.cell] {
				why = x.text
			}
		}
		return why != ""
	})
	if out && why == "" {
		return "the end"
	}
	return why
}

// open returns how many groups may be on their way at instruction k, which
// itself waits for none: those that end on a way to it, and those that the
// last wait before them leaves.
func (c *Code) open(k int, ends, waits func(*inst) bool) int {
	const many = 8
	most := 0
	for n := 1; n <= many && most == n-1; n++ { // a way with n of them
		type place struct{ at, n int }
		seen := map[place]bool{}
		work := []place{{k, 0}}
		for len(work) > 0 && most < n {
			p := work[len(work)-1]
			work = work[:len(work)-1]
			for _, m := range c.preds()[p.at] {
				q := place{m, p.n}
				switch x := &c.insts[m]; {
				case ends(x):
					q.n++
				case waits(x) && m != k:
					most = max(most, q.n+lastNumber(x.text))
					continue
				}
				if most = max(most, min(q.n, n)); q.n <= n && !seen[q] {
					seen[q] = true
					work = append(work, q)
				}
			}
		}
	}
	return most
}

// unwaited returns the barriers that may be set at instruction k, behind its
// own waits.
func (c *Code) unwaited(k int) uint8 {
	set := make([]uint8, len(c.insts))
	for changed := true; changed; {
		changed = false
		for n := range c.insts {
			q := c.insts[n].ctrl
			out := set[n]&^q.Wait | mask(q.WrBar) | mask(q.RdBar)
			for _, m := range c.next(n) {
				if out&^set[m] != 0 {
					set[m] |= out
					changed = true
				}
			}
		}
	}
	return set[k] &^ c.insts[k].ctrl.Wait
}
