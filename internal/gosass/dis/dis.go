package dis

import (
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/target"
)

var le = binary.LittleEndian

// Options choose what dis prints.
type Options struct {
	Code    bool   // only code, as nvdisasm -c prints it
	Hex     bool   // the words of each instruction
	Ctrl    bool   // the control column
	Lines   bool   // source lines above the code, as nvdisasm -g prints them
	Inlined bool   // the same with where functions were inlined, as -gi does
	JSON    bool   // the code as JSON
	CFG     bool   // the control flow graph, for Graphviz
	Life    bool   // registers live at each instruction
	Only    string // one kernel
	Raw     bool   // the input is words without a file around them
	Alone   bool   // raw words as if each stood at address 0
	Arch    *target.Arch
	Base    uint64
	Source  string // name of the input, for messages
}

func errNoKernel(name string) error { return fmt.Errorf("no kernel or function %q", name) }

// List prints the code of a file as nvdisasm -c does.
func List(f *cubin.File, opt *Options) ([]byte, error) {
	p, err := load(f, opt.Only)
	if err != nil {
		return nil, err
	}
	if opt.Lines || opt.Inlined {
		if err := p.lineInfo(opt.Inlined); err != nil {
			return nil, err
		}
	}
	l := &listing{p: p, opt: opt}
	n, notes := 0, false
	for _, t := range p.sections {
		n += len(t.code)
		notes = notes || t.multi != nil
	}
	l.out = make([]byte, 0, n*6+4096) // about 80 bytes a line
	if opt.Hex || opt.Ctrl || notes {
		l.measure()
	}
	l.header()
	for _, t := range p.sections {
		l.section(t)
	}
	l.trailer()
	return l.out, nil
}

func appendHexN(dst []byte, v uint64, n int) []byte {
	for n < 16 && v>>(4*n) != 0 {
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(dst, "0123456789abcdef"[v>>(4*n)&15])
	}
	return dst
}

func appendHexSigned(dst []byte, v int64) []byte {
	if v < 0 {
		dst = append(dst, '-')
		v = -v
	}
	return appendHexN(append(dst, "0x"...), uint64(v), 1)
}
