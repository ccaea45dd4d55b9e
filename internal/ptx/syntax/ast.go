package syntax

import "github.com/goptxas/goptxas/internal/engine/src"

// Name is an interned identifier: a dense index into the Names of the tree
// it stands in. Zero means no name.
type Name uint32

// List is a run of consecutive elements of one of a tree's flat slices.
// Which slice is said by the field that holds the list.
type List struct {
	First, Len int32
}

// None marks an absent index into a flat slice.
const None int32 = -1

// Tree is the parsed form of one scope: a module's own statements, or the
// statements of one function body. Nodes live in flat slices and refer to
// each other by index, so that a Tree holds no pointers per node and can be
// reset and filled again without allocating.
type Tree struct {
	File  *src.File
	Names *Names

	Stmts    []Stmt
	Instrs   []Instr
	Mods     []Mod
	Operands []Operand
	Exprs    []Expr
	Decls    []Decl
	Vars     []Var
	Attrs    []Attr
	Subs     []Attr
	Funcs    []Func
	Strs     []Str
	Locs     []Loc
	Sections []Section

	// Err is the syntax error that ended the tree, if any. The statements
	// before it are complete, except perhaps the last: see Stmt.Broken.
	Err *Error
	// Errs holds all errors when the parser was asked to recover.
	Errs []*Error
}

// Error is a fault that the grammar cannot take.
type Error struct {
	Pos src.Pos // NoPos for the byte checks, whose text names the line
	Msg string
}

// Error returns the message without its place.
func (e *Error) Error() string { return e.Msg }

// StmtKind says what a statement is and which slice Stmt.Index points into.
type StmtKind uint8

// The kinds of statements.
const (
	StmtBad         StmtKind = iota
	StmtInstr                // Instrs
	StmtLabel                // Name; Index unused
	StmtOpen                 // '{'; Index is the statement of the matching StmtClose
	StmtClose                // '}'; Index is the statement of the matching StmtOpen
	StmtDecl                 // Decls: a variable declaration in any state space
	StmtLoc                  // Locs
	StmtPragma               // Attrs: Strs are the strings
	StmtTargets              // Attrs: .branchtargets or .calltargets; Args are OpName or OpRange
	StmtProto                // Funcs: .callprototype
	StmtFunc                 // Funcs: .entry or .func with or without a body
	StmtVersion              // Attrs: Vals are major and minor
	StmtTarget               // Attrs: Args are OpName, one for each word
	StmtAddressSize          // Attrs: Vals[0]
	StmtFile                 // Attrs: Vals are index, optional time stamp and size; Strs[0]
	StmtSection              // Sections
	StmtAlias                // Attrs: Args are the two OpName
	StmtDwarf                // Sections: one @@DWARF line
)

// Stmt is one statement. A label before a statement, as in "L: .pragma…",
// is a statement of its own.
type Stmt struct {
	Kind   StmtKind
	Broken bool    // cut short by the tree's Err: only what was read is filled in
	Name   Name    // of a label
	Pos    src.Pos // first byte
	End    src.Pos // the closing ';' or last byte
	Index  int32
}

// Instr is one instruction, with calls in their own shape: the operands of
// "call (a, b), f, (c), p" are Ret, Args[0]=f, Actuals and Args[1]=p.
type Instr struct {
	Guard   int32 // Operands: OpName, with Not for @!p; or None
	Op      Word  // 0 when OpName is no static word
	Call    bool  // written with the call syntax
	HasRet  bool  // a call with a list of results, perhaps empty
	HasArgs bool  // a call with a list of arguments, perhaps empty
	Own     uint8 // how many of Mods belong to the operation's own name, as .lo in mul.lo
	OpName  Name  // only set where Op is 0: the spelling
	OpPos   src.Pos
	Mods    List // Mods
	Args    List // Operands
	Ret     List // Operands
	Actuals List // Operands
}

// Mod is one ".modifier" of an instruction.
type Mod struct {
	Word Word // 0 when it is no static word
	Len  uint32
	Pos  src.Pos // of the dot; Tree.ModText gives the spelling
}

// OperandKind says what an operand or an element of an initialiser is.
type OperandKind uint8

// The kinds of operands. X and N hold what the comment says; Kids means
// that X is the first of N children in Operands.
const (
	OpBad     OperandKind = iota
	OpName                // Name, with its Sel if any: register, variable, label, special register, function
	OpOffset              // Name + expr X, outside brackets
	OpImm                 // constant expression X
	OpSink                // _
	OpIndex               // Name[Kids[0]]: Kids[0] is OpName, OpOffset or OpImm
	OpAddr                // [Name], [Name + expr X] or [expr X]: Name may be 0, X may be None
	OpTex                 // [Name, Kids…]: one or two kids, OpName or OpVec
	OpVec                 // {Kids…}; with FlagSel, which no instruction takes, Name is the selector
	OpPair                // Kids[0] | Kids[1]
	OpRange               // Name<expr X> in a target list
	OpList                // {Kids…} in an initialiser
	OpRun                 // N plain integer literals in the text from Pos to X, in an initialiser: Tree.Run reads them
	OpGeneric             // generic(Name) [+ expr X]
	OpMask                // literal(Kids[0]): the literal is N of Exprs, Kids[0] is OpName, OpOffset, OpGeneric or OpImm
	OpField               // Name = Kids[0], in an initialiser; Kids[0] is OpName or OpImm
)

// OperandFlags are the marks before and after an operand.
type OperandFlags uint8

// The marks.
const (
	FlagNot     OperandFlags = 1 << iota // !p
	FlagNeg                              // -r
	FlagSel                              // a selector follows the name: .x, .b0, …
	FlagUnified                          // [address].unified
)

// Operand is one operand or part of one.
type Operand struct {
	Kind  OperandKind
	Flags OperandFlags
	Sel   Word // selector; 0 with FlagSel: no static word, its spelling is Name(X)
	Name  Name
	Pos   src.Pos
	X     int32
	N     int32
}

// ExprOp is the operator of a constant expression.
type ExprOp uint8

// The operators.
const (
	ExprBad   ExprOp = iota
	ExprInt          // Val
	ExprFloat        // Val: bits of a float64
	ExprRaw          // Val: the 32 bits of a 0f literal, never part of an expression
	ExprWarp         // WARP_SZ
	ExprPlus         // + A
	ExprNeg          // - A
	ExprNot          // ! A
	ExprCom          // ~ A
	ExprCast         // (Word(Val)) A
	ExprMul
	ExprDiv
	ExprRem
	ExprAdd
	ExprSub
	ExprShl
	ExprShr
	ExprLt
	ExprLe
	ExprGt
	ExprGe
	ExprEq
	ExprNe
	ExprAnd
	ExprXor
	ExprOr
	ExprLand
	ExprLor
	ExprCond // A ? B : C
)

// ExprFlags tell how a literal was written.
type ExprFlags uint8

// The marks of literals.
const (
	FlagUnsigned ExprFlags = 1 << iota // U suffix
	FlagOverflow                       // no 64-bit value or normal float64 holds it
	FlagHexFloat                       // 0d form
	FlagParen                          // written in parentheses
)

// Expr is a node of a constant expression.
type Expr struct {
	Val     uint64
	Op      ExprOp
	Flags   ExprFlags
	Pos     src.Pos // of the literal or the operator
	A, B, C int32   // Exprs
}

// Decl is a variable declaration, also of one parameter of a function. The
// named fields hold the last qualifier of each kind; Quals has all of them
// in order, so that repetition and order can be judged.
type Decl struct {
	Space   Word  // .reg .local .shared .param .global .const .tex …, 0 when missing
	Bank    int16 // the number of a .const[N] bank, or -1
	Linkage Word  // .extern .visible .weak .common, 0 when none
	Type    Word  // .u32 …, .texref …; 0 when missing
	Vec     Word  // .v2 .v4 .v8, 0 when none
	Align   int32 // Exprs: the literal of the last .align, or None
	Ptr     int32 // Attrs: the .ptr of a parameter with its space and alignment, or None
	Quals   List  // Attrs
	Before  int32 // how many of Quals stand before the type: all but .ptr and its kin
	Vars    List  // Vars; a parameter has one or none
	Pos     src.Pos
	End     src.Pos
}

// Var is one declared name.
type Var struct {
	Name  Name
	Pos   src.Pos
	Range int32 // Exprs: the count of a %r<count> family, or None
	Dims  List  // Exprs: consecutive literals; an empty [] is ExprBad
	Init  int32 // Operands, or None
}

// Attr is a directive or qualifier with its arguments.
type Attr struct {
	Word Word
	Pos  src.Pos
	End  src.Pos
	Vals List // Exprs: consecutive literals
	Args List // Operands
	Strs List // Strs
	Subs List // Subs: the parts of .attribute(…), the space and .align after .ptr
}

// Func is a function or kernel, declared or defined, or a call prototype.
type Func struct {
	Kind    Word // .entry, .func or .callprototype
	Name    Name // 0 in a prototype written with _
	Pos     src.Pos
	NamePos src.Pos
	HasRet  bool // a list of results was written, perhaps empty
	HasArgs bool // a list of parameters was written, perhaps empty
	HasBody bool
	Quals   List    // Attrs: .visible .extern .weak, .attribute(…)
	Rets    List    // Decls
	Params  List    // Decls
	Attrs   List    // Attrs: .maxntid and others after the parameters
	Body    src.Pos // of '{' when HasBody
	BodyEnd src.Pos // of the matching '}'; the size of the text when there is none
}

// Str is the text of a string literal without its quotes.
type Str struct {
	Pos src.Pos // of the opening quote
	Len int32
}

// Loc is a .loc directive.
type Loc struct {
	File, Line, Col    uint32
	Func               Name   // function_name label, 0 when none
	FuncOff            int32  // Exprs: a literal, or None
	AtFile, AtLine, At uint32 // inlined_at, when Func is set; At is the column
}

// Section is a .section block or an @@DWARF line. Its contents stay in the
// text, already checked: Tree.SectionItems reads them.
type Section struct {
	Name  Name // with its dot; 0 for an @@DWARF line of data
	Dwarf bool // an @@DWARF line
	Pos   src.Pos
	Body  src.Pos // first byte of the contents
	End   src.Pos // past the contents
}
