package report

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Diff compares two files kernel by kernel: registers, resources, sizes,
// attributes and how often each operation occurs. same is true when nothing
// differs.
func Diff(a, b *cubin.File) (out []byte, same bool, err error) {
	archA, err := a.Arch()
	if err != nil {
		return nil, false, err
	}
	archB, err := b.Arch()
	if err != nil {
		return nil, false, err
	}
	d := &differ{}
	d.pair("", "architecture", archA.Name, archB.Name)
	d.pair("", "kind", dis.KindName(a.Kind), dis.KindName(b.Kind))
	left, right := byName(a), byName(b)
	for _, k := range a.Functions() {
		other, ok := right[k.Name]
		if !ok {
			d.line("%s: only in the first", k.Name)
			continue
		}
		d.functions(&k, other, archA, archB)
	}
	for _, k := range b.Functions() {
		if _, ok := left[k.Name]; !ok {
			d.line("%s: only in the second", k.Name)
		}
	}
	return []byte(d.out.String()), d.out.Len() == 0, nil
}

func byName(f *cubin.File) map[string]*cubin.Function {
	m := map[string]*cubin.Function{}
	for _, k := range f.Functions() {
		m[k.Name] = &k
	}
	return m
}

type differ struct{ out strings.Builder }

func (d *differ) line(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

func (d *differ) pair(where, what string, a, b any) {
	if fmt.Sprint(a) != fmt.Sprint(b) {
		if where != "" {
			where += ": "
		}
		d.line("%s%s %v | %v", where, what, a, b)
	}
}

func (d *differ) functions(a, b *cubin.Function, archA, archB *target.Arch) {
	n := a.Name
	d.pair(n, "registers", a.Regs, b.Regs)
	d.pair(n, "frame", a.Frame, b.Frame)
	d.pair(n, "stack", a.MinStack, b.MinStack)
	d.pair(n, "barriers", a.Barriers, b.Barriers)
	d.pair(n, "shared", a.Shared, b.Shared)
	d.pair(n, "constants", bankText(a.Banks), bankText(b.Banks))
	d.pair(n, "parameters", a.Params, b.Params)
	d.pair(n, "code bytes", len(a.Code), len(b.Code))
	d.attrs(a, b)
	d.mix(n, a.Code, b.Code, archA, archB)
	if string(a.Code) != string(b.Code) && len(a.Code) == len(b.Code) {
		words := 0
		for i := 0; i+sass.WordBytes <= len(a.Code); i += sass.WordBytes {
			if string(a.Code[i:i+sass.WordBytes]) != string(b.Code[i:i+sass.WordBytes]) {
				words++
			}
		}
		d.line("%s: %d instructions differ", n, words)
	}
}

func (d *differ) attrs(a, b *cubin.Function) {
	texts := func(k *cubin.Function) []string {
		var list []string
		for i := range k.Attrs {
			list = append(list, attrText(&k.Attrs[i]))
		}
		sort.Strings(list)
		return list
	}
	x, y := texts(a), texts(b)
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			d.line("%s: attribute %s | -", a.Name, x[0])
			x = x[1:]
		case len(x) == 0 || y[0] < x[0]:
			d.line("%s: attribute - | %s", a.Name, y[0])
			y = y[1:]
		default:
			x, y = x[1:], y[1:]
		}
	}
}

// mix compares how often operations occur.
func (d *differ) mix(name string, a, b []byte, archA, archB *target.Arch) {
	count := map[string][2]int{}
	add := func(code []byte, arch *target.Arch, side int) {
		for i := 0; i+sass.WordBytes <= len(code); i += sass.WordBytes {
			x := sass.Decode(arch, bits.Word{Lo: binary.LittleEndian.Uint64(code[i:]), Hi: binary.LittleEndian.Uint64(code[i+8:])})
			op := x.Op().String()
			v := count[op]
			v[side]++
			count[op] = v
		}
	}
	add(a, archA, 0)
	add(b, archB, 1)
	var ops []string
	for op, v := range count {
		if v[0] != v[1] {
			ops = append(ops, op)
		}
	}
	sort.Strings(ops)
	for _, op := range ops {
		d.line("%s: %s %d | %d", name, op, count[op][0], count[op][1])
	}
}
