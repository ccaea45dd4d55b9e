// Package view makes one page of a compilation: for each kernel the PTX,
// every phase that changed it, the code with its control column, the control
// flow, the registers alive, the schedule and what fits on a multiprocessor.
// The page is one file that needs nothing else.
package view

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

//go:embed page.html
var page string

// Collector watches a compilation and keeps what the page shows. Its methods
// may be called from many goroutines.
type Collector struct {
	mu    sync.Mutex
	funcs map[string]*function
}

// New returns an empty Collector.
func New() *Collector { return &Collector{funcs: map[string]*function{}} }

// function is what is known of one function before it is code.
type function struct {
	Phases []phase
	last   []row
	final  []int32 // the line of the text of each instruction
}

// phase is a function as a phase left it. Rows are empty where it changed
// nothing.
type phase struct {
	Name string `json:"name"`
	Rows []row  `json:"rows,omitempty"`
}

// row is an instruction or the head of a block.
type row struct {
	Text string `json:"t"`
	Line int    `json:"l,omitempty"` // of the PTX
	Head bool   `json:"h,omitempty"`
}

// Phase keeps a function as a phase left it.
func (c *Collector) Phase(_, name string, f *ori.Func) {
	rows := rowsOf(f)
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.funcs[f.Name]
	if x == nil || name == "" { // compiled anew: what was seen before is void
		x = &function{}
		c.funcs[f.Name] = x
	}
	p := phase{Name: name}
	if name == "" {
		p.Name = "Lowered"
	}
	if !slices.Equal(rows, x.last) {
		p.Rows, x.last = rows, rows
	}
	x.Phases = append(x.Phases, p)
	x.final = x.final[:0]
	for _, r := range rows {
		if !r.Head {
			x.final = append(x.final, int32(r.Line))
		}
	}
}

// rowsOf prints a function for reading: places are the page's business.
func rowsOf(f *ori.Func) []row {
	var rows []row
	var buf []byte
	for _, b := range f.Blocks {
		buf = fmt.Appendf(buf[:0], "b%d:", b.ID)
		for n, s := range b.Succs {
			if n == 0 {
				buf = append(buf, " ->"...)
			}
			buf = fmt.Appendf(buf, " b%d", s.ID)
		}
		rows = append(rows, row{Text: string(buf), Head: true})
		for i := range b.Instrs {
			line := 0
			if f.Module != nil && f.Module.Source != nil && i.Line > 0 {
				_, line = f.Module.Source.Line(src.Pos(i.Line))
			}
			buf = f.AppendInstr(buf[:0], i)
			text, tail, _ := bytes.Cut(buf, []byte(" ; "))
			if n := bytes.LastIndexByte(tail, ' '); len(tail) > 18 && tail[len(tail)-19] == 'B' {
				text = append(slices.Clip(text), "  "+string(tail[n+1:])...)
			}
			rows = append(rows, row{Text: string(text), Line: line})
		}
	}
	return rows
}

// kernel is one function of the page.
type kernel struct {
	Name      string      `json:"name"`
	Entry     bool        `json:"entry"`
	Registers int         `json:"registers"`
	Shared    int         `json:"shared"`
	Stack     int         `json:"stack"`
	Barriers  int         `json:"barriers"`
	Phases    []phase     `json:"phases"`
	Code      []dis.Line  `json:"code"`
	Lines     []int32     `json:"lines"` // of the PTX, for each instruction
	Blocks    []dis.Block `json:"blocks"`
	Hot       []uint64    `json:"hot,omitempty"` // times each instruction was issued
}

// Page is everything the page shows.
type Page struct {
	Title   string                `json:"title"`
	Arch    string                `json:"arch"`
	Limits  target.Limits         `json:"limits"`
	Steps   []target.RegisterStep `json:"steps"`
	Sources []source              `json:"sources"`
	Kernels []*kernel             `json:"kernels"`
}

type source struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Page puts together what was seen and the file that came of it.
func (c *Collector) Page(title string, texts []src.File, file []byte) (*Page, error) {
	f, err := cubin.Read(file)
	if err != nil {
		return nil, err
	}
	arch, err := f.Arch()
	if err != nil {
		return nil, err
	}
	p := &Page{Title: title, Arch: arch.Name, Limits: arch.Limits, Steps: target.RegisterSteps(arch)}
	for i := range texts {
		p.Sources = append(p.Sources, source{texts[i].Name, string(texts[i].Text)})
	}
	list, err := dis.Analyse(f)
	if err != nil {
		return nil, err
	}
	funcs := f.Functions()
	for _, x := range list {
		k := &kernel{Name: x.Name, Code: x.Lines, Blocks: x.Blocks}
		for i := range funcs {
			if g := &funcs[i]; g.Name == x.Name {
				k.Entry, k.Registers, k.Shared, k.Stack, k.Barriers = g.Entry, g.Regs, int(g.Shared), int(g.Frame), g.Barriers
			}
		}
		c.mu.Lock()
		if seen := c.funcs[x.Name]; seen != nil {
			k.Phases = seen.Phases
			k.Lines = seen.final[:min(len(seen.final), len(k.Code))]
		}
		c.mu.Unlock()
		p.Kernels = append(p.Kernels, k)
	}
	return p, nil
}

// Render makes the page in one step.
func (c *Collector) Render(title string, texts []src.File, file []byte) ([]byte, error) {
	p, err := c.Page(title, texts, file)
	if err != nil {
		return nil, err
	}
	return p.HTML()
}

// Hot adds how often each instruction of a kernel was issued.
func (p *Page) Hot(name string, counts []uint64) {
	for _, k := range p.Kernels {
		if k.Name == name {
			k.Hot = counts
		}
	}
}

// mark is where the page has its data.
const mark = "/*DATA*/"

// HTML returns the page as one file.
func (p *Page) HTML() ([]byte, error) {
	data, err := json.Marshal(p) // escapes < and >, so it cannot end the script
	if err != nil {
		return nil, err
	}
	head, tail, ok := bytes.Cut([]byte(page), []byte(mark))
	if !ok {
		return nil, fmt.Errorf("the page has no place for its data")
	}
	return slices.Concat(head, data, tail), nil
}
