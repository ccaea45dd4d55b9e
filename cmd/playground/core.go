package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/view"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// inputName is what messages call the text of the editor.
const inputName = "editor.ptx"

// Compiled is what the page shows of a compilation.
type Compiled struct {
	OK       bool      `json:"ok"`
	Cubin    []byte    `json:"-"` // handed over as bytes
	SASS     string    `json:"sass"`
	Messages []Message `json:"messages"`
	Report   string    `json:"report"`   // as the command prints it with -v
	Launches []Launch  `json:"launches"` // that the text describes, or one made up
}

// Message is a diagnostic with its place in the text.
type Message struct {
	Severity string   `json:"severity"`
	Code     string   `json:"code,omitempty"`
	Text     string   `json:"text"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	End      int      `json:"end"`
	Notes    []string `json:"notes,omitempty"`
}

// Launch is one start of a kernel in words.
type Launch struct {
	Run  string   `json:"run"`  // "KERNEL grid=… block=…"
	Args []string `json:"args"` // each as a launch description has it
}

// compile compiles the text of the editor for a GPU.
func compile(text, arch string, options []string) *Compiled {
	c := &Compiled{Messages: []Message{}, Launches: []Launch{}}
	var log bytes.Buffer
	r := driver.Request{
		Args: append([]string{"--gpu-name=" + arch, "-v"}, options...), Log: &log,
		Texts: []driver.Text{{Name: inputName, Text: []byte(text)}},
		Take: func(m *diag.Message) {
			x := Message{Severity: m.Severity.String(), Code: m.Code, Text: m.Text, Line: m.Line, Notes: m.Notes}
			if p, ok := m.Place(); ok {
				x.Column, x.End = p.Col, p.End
			}
			if m.Severity > diag.Advice {
				c.Messages = append(c.Messages, x)
			}
		},
	}
	c.Cubin, c.OK = r.Compile(context.Background())
	c.Report = log.String()
	if c.Cubin == nil {
		return c
	}
	f, err := cubin.Read(c.Cubin)
	if err == nil {
		var listing []byte
		listing, err = dis.List(f, &dis.Options{Code: true, Ctrl: true})
		c.SASS = string(listing)
		c.Launches = launches(text, f)
	}
	if err != nil {
		c.Messages = append(c.Messages, Message{Severity: "error", Text: err.Error()})
	}
	return c
}

// launches returns the descriptions in the comments of a text, else one for
// its first kernel: a warp, buffers for pointers and zeros for the rest.
func launches(text string, f *cubin.File) (list []Launch) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//:")
		if rest = strings.TrimSpace(rest); !ok || rest == "" {
			continue
		}
		if run, ok := strings.CutPrefix(rest, "run "); ok {
			list = append(list, Launch{Run: run, Args: []string{}})
		} else if len(list) > 0 {
			l := &list[len(list)-1]
			l.Args = append(l.Args, rest)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, k := range f.Functions() {
		if k.Entry {
			l := Launch{Run: k.Name + " grid=1 block=32", Args: []string{}}
			for _, p := range k.Params {
				l.Args = append(l.Args, map[uint32]string{1: "u8 0", 2: "u16 0", 4: "u32 0"}[p.Size])
				if last := len(l.Args) - 1; l.Args[last] == "" {
					l.Args[last] = "buf 1024 iota"
				}
			}
			return append(list, l)
		}
	}
	return list
}

// Ran is what the page shows of a launch.
type Ran struct {
	Buffers []Buffer `json:"buffers"`
	Lines   []string `json:"lines"` // counts
}

// Buffer is an argument before and after.
type Buffer struct {
	Arg     int      `json:"arg"`
	Type    string   `json:"type"`
	Before  []string `json:"before"`
	After   []string `json:"after"`
	Changed int      `json:"changed"`
}

// maxSteps bounds a launch: a page must not hang.
const maxSteps = 20_000_000

// shownValues bounds what is shown of a buffer.
const shownValues = 4096

// run starts a kernel of a file in the simulator. values replaces the first
// contents of buffers, by the number of the argument: numbers apart.
func run(file []byte, l Launch, values map[int]string) (*Ran, error) {
	m, err := sim.Load(file)
	if err != nil {
		return nil, err
	}
	desc := "//: run " + l.Run + "\n"
	for _, a := range l.Args {
		desc += "//: " + a + "\n"
	}
	list, err := launch.Parse(desc)
	if err != nil || len(list) != 1 {
		return nil, errors.Join(errors.New("the launch cannot be read"), err)
	}
	p, err := m.Kernel(list[0].Kernel)
	if err != nil {
		return nil, err
	}
	c, err := p.Prepare(&list[0], nil)
	if err != nil {
		return nil, err
	}
	before := make([][]byte, len(c.Buffers))
	for n, b := range c.Buffers {
		if err := fill(b, kind(&list[0].Args[n]), values[n]); err != nil {
			return nil, fmt.Errorf("argument %d: %w", n, err)
		}
		before[n] = slices.Clone(b)
	}
	c.Launch.MaxSteps = maxSteps
	st, err := p.Run(&c.Launch)
	if err != nil {
		return nil, err
	}
	warps, threads := st.Total()
	r := &Ran{Buffers: []Buffer{}, Lines: []string{fmt.Sprintf("%d instructions of warps, %d of threads, %d divergent branches, %d bank conflicts", warps, threads, st.Divergent, st.Conflicts)}}
	for n, b := range c.Buffers {
		if b == nil {
			continue
		}
		x := Buffer{Arg: n, Type: kind(&list[0].Args[n])}
		x.Before, x.After = numbers(before[n], x.Type), numbers(b, x.Type)
		for i := range x.After {
			if x.After[i] != x.Before[i] {
				x.Changed++
			}
		}
		r.Buffers = append(r.Buffers, x)
	}
	return r, nil
}

// kind is the type of the numbers in a buffer, as its first contents tell.
func kind(a *launch.Arg) string {
	for _, t := range [...]string{"f32", "f64", "f16", "u64"} {
		if strings.HasPrefix(a.Fill, t) {
			return t
		}
	}
	return "u32"
}

// width is the length of a number of a type in bytes.
func width(t string) int {
	switch t {
	case "f64", "u64":
		return 8
	case "f16":
		return 2
	}
	return 4
}

// numbers shows bytes as numbers of a type.
func numbers(b []byte, t string) []string {
	list := []string{}
	for w := width(t); len(b) >= w && len(list) < shownValues; b = b[w:] {
		switch t {
		case "f32":
			list = append(list, strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 'g', -1, 32))
		case "f64":
			list = append(list, strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64))
		case "u64":
			list = append(list, strconv.FormatUint(binary.LittleEndian.Uint64(b), 10))
		case "f16":
			list = append(list, fmt.Sprintf("%#04x", binary.LittleEndian.Uint16(b)))
		default:
			list = append(list, strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10))
		}
	}
	return list
}

// fill writes the numbers of a text to the start of a buffer.
func fill(b []byte, t, text string) error {
	w := width(t)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' }) {
		if len(b) < w {
			return errors.New("more numbers than the buffer holds")
		}
		var v uint64
		var err error
		switch t {
		case "f32":
			var f float64
			f, err = strconv.ParseFloat(word, 32)
			v = uint64(math.Float32bits(float32(f)))
		case "f64":
			var f float64
			f, err = strconv.ParseFloat(word, 64)
			v = math.Float64bits(f)
		default:
			var i int64
			if i, err = strconv.ParseInt(word, 0, 64); err != nil {
				v, err = strconv.ParseUint(word, 0, 64)
			} else {
				v = uint64(i)
			}
		}
		if err != nil {
			return fmt.Errorf("%q is no number", word)
		}
		var le [8]byte
		binary.LittleEndian.PutUint64(le[:], v)
		copy(b, le[:w])
		b = b[w:]
	}
	return nil
}

// page makes the view of a compilation.
func page(text, arch string) ([]byte, error) {
	c := view.New()
	var log bytes.Buffer
	r := driver.Request{Args: []string{"--gpu-name=" + arch}, Texts: []driver.Text{{Name: inputName, Text: []byte(text)}}, Log: &log, Watch: c}
	file, ok := r.Compile(context.Background())
	if !ok || file == nil {
		return nil, errors.New("the text was not compiled")
	}
	return c.Render(inputName, []src.File{{Name: inputName, Text: []byte(text)}}, file)
}
