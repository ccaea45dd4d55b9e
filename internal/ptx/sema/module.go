package sema

import (
	"slices"
	"sync/atomic"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// Options are the command line's wishes that the checks depend on.
type Options struct {
	Arch           *target.Arch
	ArchName       string // as the command line spells it, when that is not Arch's name
	CompileOnly    bool   // -c: leave externs to the linker
	Debug          bool   // -g
	LineInfo       bool   // -lineinfo
	WarnDouble     bool   // -warn-double-usage
	NoMulticast    bool   // -suppress-async-bulk-multicast-advisory-warning
	NoSparse       bool   // -suppress-sparse-mma-advisory-info
	MaxNTid        [3]uint32
	MinNCTAPerSM   uint32
	MaxRRegCount   uint32
	Override       bool     // -override-directive-values
	Relocatable    bool     // -c without -ewp: all kernels are compiled
	AllKernels     bool     // Entries choose none: code for a debugger has all of them
	InOrder        bool     // kernels are compiled first to last
	Forward        bool     // functions of an object are
	Verbose        bool     // -v
	RawTextures    bool     // --set-texmode-raw
	Patch          bool     // --compile-as-tools-patch
	ExtendedShared bool     // --enable-extended-smem
	Entries        []string // -e; empty means all kernels
}

// Linkage says who else may see a symbol.
type Linkage uint8

// The linkages. Static is the absence of a word.
const (
	Static Linkage = iota
	Visible
	Extern
	Weak
	Common
)

// LinkageOf is the linkage that a word asks for.
func LinkageOf(w isa.Word) Linkage {
	switch w {
	case isa.WVisible:
		return Visible
	case isa.WExtern:
		return Extern
	case isa.WWeak:
		return Weak
	case isa.WCommon:
		return Common
	}
	return Static
}

// Shape is the type of a variable or parameter: an element type, perhaps a
// vector of it, perhaps an array of those.
type Shape struct {
	Type isa.Type
	Vec  uint8 // 1, 2, 4 or 8 elements
	// Array tells an array from a scalar; Open leaves out the first bound.
	Array bool
	Open  bool
	Align uint64 // in force: natural, or the larger one asked for
	Elems uint64 // product of the bounds; 0 while Open
	Dims  uint64 // hash of the bounds, to compare shapes
}

// Size returns the bytes the shape takes.
func (s *Shape) Size() uint64 { return s.Elems * s.Unit() }

// Unit returns the bytes of one array element.
func (s *Shape) Unit() uint64 { return uint64(s.Type.Size()) * uint64(s.Vec) }

// Same reports whether two shapes agree in everything but alignment.
func (s *Shape) Same(o *Shape) bool {
	return s.Type == o.Type && s.Vec == o.Vec && s.Array == o.Array && s.Dims == o.Dims && s.Open == o.Open
}

// Reloc makes part of a variable's initial bytes the address of a symbol.
type Reloc struct {
	Offset  uint64
	Sym     int32 // Module.Syms
	Addend  uint64
	Width   uint8 // bytes written
	Shift   uint8 // byte of the address that is taken, for masks
	Generic bool  // generic address instead of the address in the symbol's space
}

// Field is one name = value pair of an opaque variable's initialiser.
type Field struct {
	Name  string
	Value uint64
	Word  string // the value when it is a name
}

// Var is a variable with memory: of the module, or of a function's body.
type Var struct {
	Name      string
	File      int32
	Pos       src.Pos
	Space     isa.Space
	Linkage   Linkage
	Managed   bool
	Unified   bool
	Defined   bool // has memory here: not only declared .extern
	WasExtern bool // declared .extern before it was defined
	Shape     Shape
	UnifiedA  uint64
	UnifiedB  uint64
	Init      []byte // nil: zeroes. Shorter than the variable: zeroes follow
	Relocs    []Reloc
	Fields    []Field
}

// Param is a parameter or result of a function, kernel or prototype.
type Param struct {
	Name     string
	Pos      src.Pos
	Space    isa.Space // SpaceParam or SpaceReg
	Shape    Shape
	Offset   uint64    // in parameter space, in order and naturally aligned
	Ptr      bool      // .ptr was written
	PtrSpace isa.Space // what .ptr points to; Generic when not said
	PtrAlign uint64
}

// Proto is the signature of a function.
type Proto struct {
	Rets     []Param
	Params   []Param
	NoReturn bool
	// Preserve and PreserveControl are -1 when not given.
	Preserve, PreserveControl int64
}

// Launch holds the performance-tuning directives of a kernel. Zero means
// not given.
type Launch struct {
	MaxNTid         [3]uint32
	ReqNTid         [3]uint32
	MinNCTAPerSM    uint32
	MaxNReg         uint32
	LocalMaxNReg    uint32    // of one function's code alone
	Cluster         [3]uint32 // .reqnctapercluster
	HasCluster      bool
	ExplicitCluster bool
	MaxClusterRank  uint32
	HasRank         bool
	BlocksAreGrids  bool // .blocksareclusters
}

// Func is a function or kernel.
type Func struct {
	Proto
	Name     string
	File     int32
	Pos      src.Pos
	Entry    bool
	Linkage  Linkage
	HasBody  bool
	HasArgs  bool // a parameter list was written
	Unified  bool
	UnifiedA uint64
	UnifiedB uint64
	Launch   Launch
	Alias    int32 // the function this is another name of, or -1
	Pragmas  []string
	ParamLen uint64 // bytes of parameters

	funcWork
}

// funcWork is what checking knows about a function from one of its parts to
// the next; nothing behind it reads this.
type funcWork struct {
	DeclIndex int32 // Funcs of the file's tree, of the definition if there is one
	Sym       int32
	Order     int32 // symbols from this one on are not visible in the body
	Clash     bool  // defined although declared .extern
	First     bool  // no statement stands before it
	Target    Target
	Version   isa.Version
	Unit      *diag.Unit
	TexMode   TexMode
	Facts     Facts
	Kept      *Body // kept from the check; nil: to be read again
}

// Symbol is a module-level name: exactly one of the indices is not -1.
type Symbol struct {
	Name string
	Var  int32 // Module.Vars
	Func int32 // Module.Funcs
}

// SourceFile is one row of the table that .file fills.
type SourceFile struct {
	Index uint32
	Name  string
	Time  uint64
	Size  uint64
}

// Module is the checked meaning of all input files together.
type Module struct {
	Opts    Options
	Files   []*syntax.Tree
	Version isa.Version // of the last file
	Target  Target      // the last .target of the last file
	TexMode TexMode
	Debug   bool // .target … debug
	NoDwarf bool // and the last file has nothing for debuggers

	Syms     []Symbol
	Vars     []Var
	Funcs    []Func
	Pragmas  []string
	Sources  []SourceFile
	Sections []DebugSection

	NoABI []string // why the module keeps to the calling convention of the first versions

	// Syms by name: those that all files see, and by file those that only
	// it sees. Looked up once per declaration and per distinct name of a body.
	shared map[string]int32
	own    []map[string]int32

	moduleWork
}

// moduleWork is what checking knows about a module from one of its parts to
// the next; nothing behind it reads this.
type moduleWork struct {
	Wide      bool        // .address_size 64 was given
	Narrow    bool        // .address_size 32 was given
	Unified   bool        // some symbol has .attribute(.unified)
	Addressed []int32     // functions whose addresses are initial values
	Families  []string    // name<count> declarations
	Late      []LateError // by file: what its version and target would be told
	Unknown   bool        // the version of some file does not know its target
	Labels    []string    // of debug sections
}

// NoDwarf is said of a file that wants to be debugged and does not say how.
const NoDwarf = "Debug information not found in presence of .target debug"

// TexMode tells how textures and samplers go together.
type TexMode uint8

// The modes of .target.
const (
	TexUnified TexMode = iota
	TexIndependent
	TexRaw  // --set-texmode-raw: no references by name
	TexTorn // one .target or text asks for this, another for that: an error, and what follows is judged as independent
)

// DebugSection is the contents of one .section, or of all @@DWARF lines.
type DebugSection struct {
	Name string
	File int32
	Pos  src.Pos
	Body src.Pos
	End  src.Pos
}

// Lookup returns the symbol that a name means in a file, or -1.
func (m *Module) Lookup(file int32, name []byte) int32 {
	if i, ok := m.own[file][string(name)]; ok {
		return i
	}
	if i, ok := m.shared[string(name)]; ok {
		return i
	}
	return -1
}

// Anywhere returns the symbol that a name means in the first file that has
// it, or -1.
func (m *Module) Anywhere(name string) int32 {
	for f := range m.own {
		if s := m.Lookup(int32(f), []byte(name)); s >= 0 {
			return s
		}
	}
	return -1
}

// Bind makes a name mean a symbol.
func (m *Module) Bind(file int32, name string, sym int32, l Linkage) {
	if l == Static {
		m.own[file][name] = sym
		return
	}
	m.shared[name] = sym
}

// LateError is a message that waits for the end of all files. It counts once
// the list of the file's statements has ended.
type LateError struct {
	Pos   src.Pos
	Text  string
	Ended atomic.Bool
}

// Bodies returns the functions whose bodies must be checked, in source order.
func (m *Module) Bodies() []int32 {
	var list []int32
	for i := range m.Funcs {
		if m.Funcs[i].Unit != nil {
			list = append(list, int32(i))
		}
	}
	return list
}

// NewModule is a module of files that were not read yet.
func NewModule(files []*syntax.Tree, opts Options) *Module {
	m := &Module{Opts: opts, Files: files, shared: map[string]int32{}}
	m.Late = make([]LateError, len(files))
	for range files {
		m.own = append(m.own, map[string]int32{})
	}
	return m
}

// Formal returns result or parameter number i, results first.
func (f *Func) Formal(i int) *Param {
	if i < len(f.Rets) {
		return &f.Rets[i]
	}
	return &f.Params[i-len(f.Rets)]
}

// Kernels returns the kernels to compile in the order the reference compiles
// and reports them: the last one first, except where compilation is fast
// or for a debugger.
func (m *Module) Kernels() []int32 {
	var list []int32
	if len(m.Opts.Entries) > 0 && !m.Opts.Relocatable && !m.Opts.AllKernels {
		for _, name := range m.Opts.Entries {
			if sym := m.Anywhere(name); sym >= 0 && m.Syms[sym].Func >= 0 && !slices.Contains(list, m.Syms[sym].Func) {
				list = append(list, m.Syms[sym].Func)
			}
		}
	} else {
		for i := range m.Funcs {
			if f := &m.Funcs[i]; f.Entry && f.HasBody {
				list = append(list, int32(i))
			}
		}
	}
	if !m.Opts.InOrder {
		slices.Reverse(list)
	}
	return list
}

// BodyLen returns the length of the text of a body.
func (m *Module) BodyLen(fn int32) int64 {
	f := &m.Funcs[fn]
	d := &m.Files[f.File].Funcs[f.DeclIndex]
	return int64(d.BodyEnd) - int64(d.Body)
}

// Decl returns the place of the function's definition in the tree of its
// file.
func (f *Func) Decl() int32 { return f.DeclIndex }

// HasRoutines reports whether the body of the function, which was checked, has
// instructions that may be routines of the driver.
func (f *Func) HasRoutines() bool { return f.Facts.Routines }

// Drop forgets the body of a function that was kept, if it was.
func (m *Module) Drop(fn int32) { m.Funcs[fn].Kept = nil }

// FitsTarget compares the module's target with the architecture asked for,
// which is all that is judged of the whole text when no code is generated.
func (m *Module) FitsTarget(sink *diag.Sink) bool {
	why := m.Target.Mismatch(m.Opts.Arch)
	if why != "" {
		sink.Say(diag.Fatal, why)
	}
	return why == ""
}

// AnyNarrow reports whether the convention cannot pass one of the list.
func AnyNarrow(list []Param) bool {
	return slices.ContainsFunc(list, func(p Param) bool {
		t := p.Shape.Type
		return !p.Shape.Array && p.Shape.Vec <= 1 && (t == isa.Pred || t.IsInt() && t.Class() != isa.Bits && t.Bits() <= 16)
	})
}
