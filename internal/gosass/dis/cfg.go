package dis

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
)

// CFG prints the control flow of each section as a graph for dot: one node a
// block, one cluster a section.
func CFG(f *cubin.File, opt *Options) ([]byte, error) {
	p, err := load(f, opt.Only)
	if err != nil {
		return nil, err
	}
	l := &listing{p: p, opt: opt}
	l.str("digraph f {\nnode [fontname=\"Courier\",fontsize=10,shape=Mrecord];\n")
	for _, t := range p.sections {
		g := t.flow(p)
		l.str("subgraph " + strconv.Quote("cluster_"+t.name) + " {\nlabel=" + strconv.Quote(t.name) + ";\n")
		for b := range g.blocks {
			l.node(t, g, b)
		}
		l.str("}\n")
	}
	l.str("}\n")
	return l.out, nil
}

func (l *listing) node(t *textSection, g *graph, b int) {
	x := &g.blocks[b]
	name := func(b int) string {
		return strconv.Quote(t.name + "/" + t.nameAt(uint64(g.blocks[b].from)*sass.WordBytes))
	}
	l.str(name(b) + " [label=\"{")
	if at := uint64(x.from) * sass.WordBytes; t.named(at) {
		l.str(escapeDot(t.nameAt(at)) + ":\\l")
	}
	for n := x.from; n < x.to; n++ {
		pc := uint64(n) * sass.WordBytes
		l.str(string(appendHexN(nil, pc, 4)) + "  " + escapeDot(string(l.textOf(t, pc))) + "\\l")
	}
	l.str("}\"];\n")
	for i, s := range x.succs {
		style := "solid"
		if i > 0 {
			style = "dashed"
		}
		l.str(name(b) + " -> " + name(s) + " [style=" + style + "];\n")
	}
}

// dotSpecial are the characters with a meaning in record labels.
const dotSpecial = "{}|<>\"\\[] "

func escapeDot(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if strings.IndexByte(dotSpecial, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
