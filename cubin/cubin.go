// Package cubin reads CUDA binaries: which kernels a file holds, what they
// need, and their code. Package sass decodes the code.
package cubin

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/target"
)

// File is a cubin.
type File struct {
	Arch      string // such as "sm_90a"
	Functions []Function
	Variables []Variable
	Sections  []Section

	f *cubin.File
}

// Function is a kernel, or a function that is called.
type Function struct {
	Name      string
	Kernel    bool
	Registers int     // of a thread
	Stack     int     // bytes of local memory of a thread, with what it calls
	Barriers  int     // of a block
	Shared    int     // bytes of shared memory of a block, without what a launch adds
	Params    []Param // of a kernel
	Code      []byte  // instructions of 16 bytes
}

// Param is where a parameter lies among the others.
type Param struct{ Offset, Size int }

// Variable is a variable of the module.
type Variable struct {
	Name, Section string
	Offset, Size  int
}

// Section is a part of the file.
type Section struct {
	Name string
	Size int
	Data []byte // nil where the file holds no bytes of it
}

// Read reads a cubin. Its slices share the memory of data.
func Read(data []byte) (*File, error) {
	f, err := cubin.Read(data)
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	a, err := f.Arch()
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	x := &File{Arch: a.Name, f: f}
	for _, k := range f.Functions() {
		fn := Function{Name: k.Name, Kernel: k.Entry, Registers: k.Regs, Stack: int(k.MinStack), Barriers: k.Barriers, Shared: int(k.Shared), Code: k.Code}
		for _, p := range k.Params {
			fn.Params = append(fn.Params, Param{int(p.Offset), int(p.Size)})
		}
		x.Functions = append(x.Functions, fn)
	}
	for _, v := range f.Variables() {
		x.Variables = append(x.Variables, Variable{v.Symbol.Name, v.Where, int(v.Symbol.Value), int(v.Symbol.Size)})
	}
	for _, s := range f.Sections {
		x.Sections = append(x.Sections, Section{s.Name, int(s.Size()), s.Data()})
	}
	return x, nil
}

// Function finds a kernel or function by its name.
func (f *File) Function(name string) (*Function, bool) {
	for n := range f.Functions {
		if f.Functions[n].Name == name {
			return &f.Functions[n], true
		}
	}
	return nil, false
}

// Listing returns the code of the file as nvdisasm -c prints it.
func (f *File) Listing() (string, error) {
	text, err := dis.List(f.f, &dis.Options{Code: true})
	if err != nil {
		return "", fmt.Errorf("cubin: %w", err)
	}
	return string(text), nil
}

// Occupancy returns how many warps of a function run at once on a
// multiprocessor in blocks of a size, how many could, and what bounds them.
func (f *File) Occupancy(fn *Function, threads int) (warps, most int, bound string) {
	a := target.Find(f.Arch)
	warps, bound = target.Occupancy(a, threads, fn.Registers, fn.Shared)
	return warps, a.Warps, bound
}
