package cubin

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/target"
)

// Module is what a compiler knows when all code is generated: the input of
// Build. Lists are in the order of the PTX file.
type Module struct {
	Arch  *target.Arch
	PTXSM int    // SM of the .target line
	Tool  TKInfo // who compiled it, and how it was called

	// Relocatable asks for an object as -c makes it: every function has its
	// own section, variables keep their relocations, symbols have types.
	Relocatable bool
	// Extensible says of an object that it is a whole program but for
	// functions of the system, as -ewp makes it.
	Extensible bool
	// Patch asks for functions that instrumentation tools put into kernels:
	// sections as in an object, in a file of plain types.
	Patch bool

	// Direct says that code has the addresses of global variables, relocated,
	// and none of them a word in bank 4.
	Direct bool

	ForceRela bool   // every relocation keeps its addend beside it
	Preserve  bool   // what was relocated stays written down, in old files that run
	Host      []byte // contents of .nv.host; nil: no such section

	Kernels []Kernel
	Decls   []Decl // variables and external functions
	Refs    []Ref  // textures, samplers and surfaces bound by name
	Edges   []Edge // call graph of an object; nil: the calls of external functions

	// Indirect are the calls through pointers of an object's functions, and
	// Taken the prototypes of its own functions whose address is used.
	Indirect []Indirect
	Taken    []Indirect
	// Aliases are other names of functions, with their prototypes.
	Aliases []Indirect

	// Prototypes are the prototype strings of an object in the order of
	// their making, last function first.
	Prototypes []string

	ISAClass      uint8 // .nv.compat: 0 means 1, the base instructions
	Tensormap     uint8 // .nv.compat: tensormap instructions used
	TexIndep      bool  // .target texmode_independent
	Debug         []DebugSection
	FullDebug     bool // -g: no section for reserved shared memory
	NoCallGraph   bool
	DynamicShared bool // an .extern .shared array is declared: every kernel gets a section
	SharedAlign   uint64
}

// Edge is a call between sections, or with Taken a function whose address
// the first one takes.
type Edge struct {
	From, To string
	Taken    bool
}

// Indirect is a function with a prototype.
type Indirect struct{ From, Prototype string }

// Space tells what a Decl is.
type Space uint8

const (
	SpaceGlobal Space = iota
	SpaceConst
	SpaceFunc   // an external function; it has an address slot and no storage
	SpaceShared // shared memory at module scope; only objects declare it
)

// Decl is a module-scope variable, or an external function.
type Decl struct {
	Name    string
	Space   Space
	Bind    uint8
	Size    uint64
	Align   uint64
	Offset  uint64 // in its section: see Place
	Init    []byte // nil for variables without initialiser
	Managed bool
	Extern  bool // defined in another object
	Common  bool // .common of an object
	Kernel  bool // a kernel of this file whose address is used: a slot, but no symbol of its own
	Entry   bool // an external function is a kernel

	Prototype string // of an external function, in an object
	Listed    bool   // the prototype stands with those of the object's own functions: system calls

	Fixes []Fix // relocations of the initialiser, offsets from its start
}

// FixState tells what became of a relocation.
type FixState uint8

const (
	// Live relocations stand in the file, for the driver or the linker.
	Live FixState = iota
	// Resolved ones were patched when the code was made; from sm_90 on the
	// reference leaves an empty table behind, before that only its name.
	Resolved
	// Dropped ones leave only the names of their table.
	Dropped
)

// Fix is a relocation by name.
type Fix struct {
	Off    uint64
	Type   RelocType
	Symbol string
	Addend int64
	State  FixState
	Beside bool // the addend stands in the table, even a zero
}

// DebugSection is a debug section with its relocations. Named tells that
// tables are named even when there are no relocations.
type DebugSection struct {
	Name  string
	Data  []byte
	Fixes []Fix
}

// Param is a kernel parameter.
type Param struct {
	Offset   uint16
	Size     uint32
	Space    uint8 // 0 none, 1 local, 2 shared, 4 global, 5 generic: of .ptr
	LogAlign uint8 // of .ptr .align
}

// Sub is a device function cloned into a kernel's section. One of size 0 is
// an alias of the one at the same offset.
type Sub struct {
	Name  string
	Bind  uint8
	Off   uint64
	Size  uint64
	Frame uint32
}

// Shared says how a kernel uses static shared memory.
type Shared struct {
	Size  uint64
	Align uint64
	Used  bool // the code names shared variables
	Base  bool // the code depends on where shared memory begins, as all that names variables does
}

// Kernel is one entry, or a function of an object, with everything the file
// says about it.
type Kernel struct {
	Name   string
	Bind   uint8
	Device bool   // a device function of an object, not an entry
	Code   []byte // the whole section, padding included
	Subs   []Sub  // in the order of their symbols
	Fixes  []Fix  // relocations of the code
	Params []Param
	Slots  uint32    // bytes of bank 0 behind the parameters
	Refs   []RefWord // references whose header numbers stand there, a word each

	Regs     uint16
	Frame    uint32
	MinStack uint32
	Shared   Shared

	// Locals are the variables of an object's function that its relocations
	// name: shared memory, and parts of Const2; and the shared variables that
	// Resolved names.
	Locals []Decl
	// Resolved are the words of the code that name variables and have their
	// numbers.
	Resolved []Fix

	Const2      []byte // compiler's constant bank
	Const2Fixes []Fix
	// PointerTable says that Const2 holds the table of function pointers,
	// whose relocations are made last.
	PointerTable bool

	Frames  []dwarf.Frame // of the kernel, then of each Sub
	Calls   []string      // external functions called, in order
	Exits   []uint32
	Attrs   []Attr // any further records of .nv.info.K
	MaxRegs uint16 // 0 means 255
	Sparse  uint16

	Prototype string // of a device function seen from outside

	ErrbarAtExit bool // late faults of memory show at exit

	Tensor TensorUse
}

// TensorUse says how a kernel uses tensor memory: what the driver must
// prepare when a block starts.
type TensorUse struct {
	Touched           bool // something is read, written or asked for
	One, Two          bool // by one block, by a pair
	Account, Account2 bool // one block, a pair keeps account in reserved shared memory
}

// accounts reports whether a kernel keeps account of tensor memory.
func (m *Module) accounts() bool {
	for i := range m.Kernels {
		if t := &m.Kernels[i].Tensor; t.Account || t.Account2 {
			return true
		}
	}
	return false
}

// hasEntry reports whether the module has a kernel.
func (m *Module) hasEntry() bool {
	for i := range m.Kernels {
		if !m.Kernels[i].Device {
			return true
		}
	}
	return false
}

// firstBigParams is the size from which parameters use the second kind of
// record and, before sm_90, another base.
const firstBigParams = 0x1100 + 1

// ParamBase returns where parameters begin in constant bank 0.
func ParamBase(a *target.Arch, size uint32) uint32 {
	if size >= firstBigParams {
		return uint32(a.Bank0().BigParam)
	}
	return uint32(a.Bank0().Param)
}

// paramSize is where the last parameter ends.
func (k *Kernel) paramSize() uint32 {
	var end uint32
	for _, p := range k.Params {
		end = max(end, uint32(p.Offset)+p.Size)
	}
	return end
}

// Place gives the variables of a module their offsets: by descending alignment,
// and small ones first where it is equal. In a whole program the constant bank is in
// order, variables seen from outside before local ones; elsewhere that decides between equals.
func Place(decls []Decl, object bool) {
	list := make([]*Decl, 0, len(decls))
	for i := range decls {
		if decls[i].Space != SpaceFunc {
			list = append(list, &decls[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *Decl) int {
		seen := cmp.Compare(min(b.Bind, 1), min(a.Bind, 1))
		switch s := a.storage(); {
		case s != b.storage():
			return cmp.Compare(s, b.storage())
		case s == storeConst && !object:
			return seen
		}
		return cmp.Or(cmp.Compare(b.Align, a.Align), cmp.Compare(a.Size, b.Size), seen)
	})
	var at [4]uint64
	for _, d := range list {
		s, align := d.storage(), max(d.Align, 1)
		d.Offset = (at[s] + align - 1) / align * align
		at[s] = d.Offset + d.Size
	}
}

// storage numbers the sections that hold variables.
func (d *Decl) storage() int {
	switch {
	case d.Space == SpaceConst:
		return storeConst
	case d.Space == SpaceShared:
		return storeShared
	case d.Init != nil:
		return storeInit
	}
	return storeZero
}

const (
	storeConst = iota
	storeInit
	storeZero
	storeShared
)

// Memory returns how much the variables of a program take, in bytes: of
// global memory, of the constants of the user, and of addresses.
func (m *Module) Memory() (global, consts, addresses int) {
	var end [4]uint64
	for i := range m.Decls {
		d := &m.Decls[i]
		if d.Space != SpaceFunc && !d.Extern && !d.Common {
			n := d.storage()
			end[n] = max(end[n], d.Offset+d.Size)
		}
	}
	m.slots(func(int, *Decl) { addresses += slotSize })
	return int(end[storeInit] + end[storeZero]), int(end[storeConst]), addresses
}

// AddressSlots returns the offsets in constant bank 4 of the words that hold
// the addresses of global variables and external functions, by name. Slots are
// made in the order of first use: external functions with the first kernel, in
// file order, that calls them, variables with the first kernel of all.
func (m *Module) AddressSlots() map[string]uint32 {
	all, slot := map[string]uint32{}, uint32(0)
	m.slots(func(_ int, d *Decl) {
		if _, ok := all[d.Name]; !ok {
			all[d.Name] = slot
		}
		slot += slotSize
	})
	return all
}

// slots visits the declarations with address slots in slot order, with the
// kernel at which each is made.
func (m *Module) slots(visit func(kernel int, d *Decl)) {
	for i := len(m.Kernels) - 1; i >= 0; i-- {
		m.callees(i, func(d *Decl) { visit(i, d) })
		if i == len(m.Kernels)-1 {
			ordered(m.Decls, func(d *Decl) {
				if d.Space == SpaceGlobal && !m.Direct {
					visit(i, d)
				}
			})
		}
	}
}

// callees visits the external functions that no kernel before number i, in
// file order, called.
func (m *Module) callees(i int, visit func(*Decl)) {
	for n, c := range m.Kernels[i].Calls {
		seen := slices.Contains(m.Kernels[i].Calls[:n], c)
		for j := i + 1; j < len(m.Kernels) && !seen; j++ {
			seen = slices.Contains(m.Kernels[j].Calls, c)
		}
		for k := range m.Decls {
			if d := &m.Decls[k]; !seen && d.Space == SpaceFunc && d.Name == c {
				visit(d)
			}
		}
	}
}

// ordered visits declarations as the file lists them: those seen from
// outside, then local ones.
func ordered(decls []Decl, visit func(*Decl)) {
	for _, outside := range [...]bool{true, false} {
		for i := range decls {
			if (decls[i].Bind != BindLocal) == outside {
				visit(&decls[i])
			}
		}
	}
}
