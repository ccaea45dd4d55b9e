package remote

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// kernel is one kernel of a text: its name and where its statement stands.
type kernel struct {
	name     string
	from, to int
}

// cut returns texts that each have everything of a module that is no kernel,
// and some of its kernels, all of them once. Kernels that name each other stay
// together, so that each text is closed. It returns nil for a text that cannot
// be cut: one with errors, or with few kernels.
func cut(text []byte, most int, least int) [][]byte {
	kernels := kernelsOf(text)
	if len(kernels) < 2 || most < 2 {
		return nil
	}
	groups := spread(closed(text, kernels), most, least)
	if len(groups) < 2 {
		return nil
	}
	texts := make([][]byte, len(groups))
	for n, g := range groups {
		in := map[int]bool{}
		for _, k := range g.members {
			in[k] = true
		}
		at := 0
		for k, x := range kernels {
			if !in[k] {
				texts[n] = append(texts[n], text[at:x.from]...)
				at = x.to
			}
		}
		texts[n] = append(texts[n], text[at:]...)
	}
	return texts
}

// kernelsOf finds the kernels of a text, nil if it has errors.
func kernelsOf(text []byte) (list []kernel) {
	t := syntax.Scan(&src.File{Name: "module", Text: text})
	if t.Err != nil {
		return nil
	}
	for n := range t.Stmts {
		s := &t.Stmts[n]
		if s.Kind == syntax.StmtFunc && t.Funcs[s.Index].Kind == isa.WEntry {
			list = append(list, kernel{t.Names.String(t.Funcs[s.Index].Name), int(s.Pos), min(int(s.End)+1, len(text))})
		}
	}
	return list
}

// group is kernels that are compiled together.
type group struct {
	members []int
	size    int
}

// closed joins kernels of which one names the other.
func closed(text []byte, kernels []kernel) []group {
	byName := map[string]int{}
	parent := make([]int, len(kernels))
	for n, k := range kernels {
		parent[n] = n
		if first, twice := byName[k.name]; twice { // declared before: they belong together
			parent[n] = first
			continue
		}
		byName[k.name] = n
	}
	var find func(int) int
	find = func(n int) int {
		if parent[n] != n {
			parent[n] = find(parent[n])
		}
		return parent[n]
	}
	for n, k := range kernels {
		words(text[k.from:k.to], func(w []byte) {
			if m, ok := byName[string(w)]; ok {
				parent[find(m)] = find(n)
			}
		})
	}
	at := map[int]int{}
	var list []group
	for n, k := range kernels {
		root := find(n)
		g, ok := at[root]
		if !ok {
			g = len(list)
			at[root] = g
			list = append(list, group{})
		}
		list[g].members = append(list[g].members, n)
		list[g].size += k.to - k.from
	}
	return list
}

// words calls f with every word of a text that could be a name.
func words(text []byte, f func([]byte)) {
	is := func(c byte) bool {
		return c == '_' || c == '$' || c == '%' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	for at := 0; at < len(text); {
		if !is(text[at]) {
			at++
			continue
		}
		end := at
		for end < len(text) && is(text[end]) {
			end++
		}
		f(text[at:end])
		at = end
	}
}

// spread puts groups together to at most so many of about the same size, none
// below the least if that can be: the largest first, each to the smallest.
func spread(list []group, most, least int) []group {
	total := 0
	for _, g := range list {
		total += g.size
	}
	n := min(most, len(list), max(1, total/max(1, least)))
	slices.SortStableFunc(list, func(a, b group) int { return b.size - a.size })
	out := slices.Clone(list[:n])
	for _, g := range list[n:] {
		small := 0
		for k := range out {
			if out[k].size < out[small].size {
				small = k
			}
		}
		out[small].members = append(out[small].members, g.members...)
		out[small].size += g.size
	}
	return out
}
