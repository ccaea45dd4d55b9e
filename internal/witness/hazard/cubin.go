package hazard

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// Function is the code of one function of a cubin.
type Function struct {
	Name  string
	Words []bits.Word
}

// Functions returns the code of a cubin.
func Functions(file []byte) ([]Function, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	var list []Function
	for _, s := range f.Sections {
		name, ok := strings.CutPrefix(s.Name, ".text.")
		if !ok {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		fn := Function{Name: name}
		for ; len(data) >= 16; data = data[16:] {
			fn.Words = append(fn.Words, bits.Word{Lo: binary.LittleEndian.Uint64(data), Hi: binary.LittleEndian.Uint64(data[8:])})
		}
		list = append(list, fn)
	}
	return list, nil
}

// Result is what a check of a whole cubin found.
type Result struct {
	Insts int
	Found []string // one line for each finding, the function first
}

// CheckCubin checks every function of a cubin.
func CheckCubin(a *target.Arch, file []byte, limit int) (Result, error) {
	var r Result
	list, err := Functions(file)
	if err != nil {
		return r, err
	}
	for _, fn := range list {
		c, err := Decode(a, fn.Words)
		if err != nil {
			return r, fmt.Errorf("%s: %w", fn.Name, err)
		}
		r.Insts += c.Len()
		for _, f := range c.Check(limit - len(r.Found)) {
			r.Found = append(r.Found, fn.Name+": "+f.String())
		}
		if len(r.Found) >= limit {
			break
		}
	}
	return r, nil
}
