// Package messages knows the kinds of messages: a stable code for each, what
// it means, and what the writer of a wrong word perhaps meant. Messages are
// written where faults are found, in the reference's words; here they are
// recognised by those words, so that the words need not change for it.
package messages

import "strings"

// Kind is one kind of message. The first whose pattern fits a text gives it
// its code. In a pattern * stands for any text.
type Kind struct {
	Code    string
	Pattern string
	Why     string
}

// Kinds lists every kind. A code never changes its meaning and is never given
// to another kind.
var Kinds = [...]Kind{
	// The text itself.
	{"P101", "Parsing error near '*", "The text is no PTX from the named word on; the fault may stand just before it."},
	{"P102", "Missing .version directive*", "Every module begins with .version."},
	{"P103", "Missing .target directive*", "A module names its GPU behind .version."},
	{"P103", "Target architecture not defined*", "A module names its GPU behind .version."},
	{"P104", "Unexpected non-ASCII character*", "PTX is ASCII, in comments too."},
	{"P105", "Unexpected EOF*", "The text ends inside a string, a comment or a statement."},
	{"P106", "*address_size*", "The size of addresses is 64; what the text says about it cannot be."},
	{"P106", "*-Bit ABI*", "The size of addresses is 64; what the text says about it cannot be."},
	{"P106", "*-Bit compilation*", "The size of addresses is 64; what the text says about it cannot be."},
	{"P107", "*Constant expression*", "An expression of constants has a fault: its type, a division by zero, its size."},
	{"P107", "Constant overflow*", "An expression of constants has a fault: its type, a division by zero, its size."},
	{"P107", "Integer constant expression expected*", "An expression of constants has a fault: its type, a division by zero, its size."},
	{"P107", "Unsupported cast operation*", "An expression of constants has a fault: its type, a division by zero, its size."},
	{"P108", "*.loc directive*", "Line tables need .file before .loc."},
	{"P108", "Duplicate file index*", "Line tables need .file before .loc, each number once."},
	{"P108", "Unresolved label '*' used in function_name*", "A .loc names a label of the debug sections that is not there."},
	{"P109", "*.debug_* section not found", "-g keeps the debug sections of the text, and the text has none."},
	{"P109", "Debug information not found*", "The text says .target debug and has no debug sections."},
	{"P110", "Pragma *", "The pragma is unknown, or stands where it has no meaning."},
	// Names and declarations.
	{"P201", "Unknown symbol '*", "The name is declared nowhere that this place can see."},
	{"P202", "Duplicate definition of *", "The name is already taken in this scope."},
	{"P203", "Inconsistent redefinition of *", "Two declarations of one name differ."},
	{"P203", "Inconsistent prototypes of *", "Two declarations of one function differ."},
	{"P203", "Function definition conflicts with *", "Two declarations of one function differ."},
	{"P204", "*nresolved extern *", "The module declares a name without defining it; compile with -c and link, or define it."},
	{"P205", "*lias*", "An alias names a function with another prototype, a kernel, or itself."},
	{"P206", "*nitial value*", "The initial value does not fit the variable, its type or its state space."},
	{"P206", "Greater number of elements in array initializer*", "The initial value does not fit the variable, its type or its state space."},
	{"P206", "Invalid mask value *", "The initial value does not fit the variable, its type or its state space."},
	{"P207", "Alignment must be a power of two*", "Alignments are powers of two."},
	{"P208", "*must be declared *", "A declaration stands in a scope or a state space where it cannot be."},
	{"P208", "*cannot be allocated *", "A declaration stands in a scope or a state space where it cannot be."},
	{"P208", "Module-scoped variables in *", "A declaration stands in a scope or a state space where it cannot be."},
	{"P208", "*must be in register state space*", "A declaration stands in a scope or a state space where it cannot be."},
	{"P208", "*must have .param state space*", "A declaration stands in a scope or a state space where it cannot be."},
	{"P208", "*must be at module or entry parameter scope*", "A declaration stands in a scope or a state space where it cannot be."},
	{"P208", "Multiple state spaces specified*", "A declaration stands in a scope or a state space where it cannot be."},
	{"P208", "No variable storage specified*", "A declaration stands in a scope or a state space where it cannot be."},
	{"P209", "*incomplete *", "Only external arrays may leave their size open."},
	{"P210", "*attribute*", "An attribute or directive does not suit what it is written for."},
	{"P210", "Invalid directive '*", "An attribute or directive does not suit what it is written for."},
	{"P211", "Predicate type can only *", "Predicates live in scalar registers."},
	{"P211", "Vector type too large*", "Vectors have at most 128 bits, or 256 on GPUs that load so many."},
	{"P211", "Initial values of more than *", "The file would hold more bytes of data than it can: leave out the value of a variable that is zero."},
	{"P212", "*texmode_*", "The module's texture mode does not allow this."},
	{"P212", "Constant banks *", "Constant banks beside the first hold external arrays alone."},
	// Instructions.
	{"P301", "Not a name of any known instruction*", "There is no such instruction."},
	{"P302", "Unknown modifier '*", "There is no such modifier."},
	{"P303", "Illegal modifier '*", "The instruction does not take this modifier."},
	{"P303", "Illegal rounding modifier*", "The instruction does not take this modifier."},
	{"P303", "Multiple rounding modifiers*", "Modifiers exclude each other."},
	{"P303", "Modifier '*' cannot be *", "Modifiers exclude each other, or the state space does not take one."},
	{"P303", "Modifier '*' does not apply *", "The instruction does not take this modifier."},
	{"P303", "Illegal *layout '*", "The instruction does not take this modifier."},
	{"P303", "Illegal *operation *", "The instruction does not take this operation."},
	{"P304", "*modifier required for instruction *", "The instruction needs one of these modifiers."},
	{"P304", "*is required for instruction *", "The instruction needs one of these modifiers."},
	{"P304", "Membar level required *", "The instruction needs one of these modifiers."},
	{"P304", "Modifier '*' requires *", "One modifier needs another."},
	{"P305", "Arguments mismatch for instruction *", "The number, kinds or types of the operands are not those of the instruction."},
	{"P306", "Unexpected instruction types specified *", "The instruction does not exist for these types."},
	{"P306", "Incorrect *type*", "The instruction does not exist for these types."},
	{"P306", "Instruction '*' requires *type*", "The instruction does not exist for these types."},
	{"P306", "Operation * requires *", "The operation does not exist for these types."},
	{"P306", "Instruction '*' applies only to *", "The instruction does not exist for these types."},
	{"P306", "Integer coordinates require *", "The instruction does not exist for these types."},
	{"P306", "Mismatch between instruction type *", "The comparison does not exist for this type."},
	{"P307", "Argument * of instruction '*': *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Label expected for argument *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Barrier number '*", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Number of threads participating *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Illegal operand type *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Special register argument not allowed *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Predicate expression expected*", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Operand negation not allowed *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Result discard mode *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "*video selector*", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Video selector *", "An operand is of the wrong kind or its value is out of range."},
	{"P307", "Array indexing on non-array*", "An operand is of the wrong kind or its value is out of range."},
	{"P308", "*ector *", "The size or the elements of a vector do not suit the instruction."},
	{"P309", "*tate space*", "The address is in another state space than the instruction names, or in none it takes."},
	{"P309", "Immediate addresses allowed *", "Only .local has addresses that are numbers."},
	{"P310", "Illegal to *", "The operand may not be used so."},
	{"P310", "Read-only special register *", "Special registers cannot be written."},
	{"P311", "In ABI compilation, *", "The calling convention passes no predicates and no numbers of less than 32 bits but as plain bits."},
	{"P311", "Call *", "The call does not suit the function or its prototype."},
	{"P311", "Illegal call target*", "The call does not suit the function or its prototype."},
	{"P311", "*formal parameter '*", "The call does not suit the function or its prototype."},
	{"P312", "*label*", "A branch goes to a label of its own function."},
	{"P313", "Instruction '*' without '*", "The older form of the instruction, without .sync or .aligned, is gone or going."},
	{"P313", "Deprecated feature: *", "This is gone since the named version."},
	// Versions and GPUs.
	{"P401", "Unsupported .version *", "The version is newer than what is understood."},
	{"P402", "Unsupported .target *", "There is no such GPU."},
	{"P403", "PTX .version * does not support .target *", "The GPU is newer than the version the text names."},
	{"P404", "SM version specified by .target is higher *", "Code for a newer GPU does not run on this one: ask for another with -arch."},
	{"P404", "*cannot be compiled for architecture *", "Code for one GPU alone (sm_90a) does not run on another."},
	{"P404", "Program with .target '*' cannot be compiled *", "Code for one GPU or family alone (sm_90a, sm_100f) does not run on another."},
	{"P405", "*requires PTX ISA .version *", "Write a newer .version."},
	{"P406", "*requires .target *", "The feature needs a newer GPU, or one by name (sm_90a)."},
	{"P406", "*not supported on .target *", "The feature needs a newer GPU, or one by name (sm_90a), or is gone."},
	{"P406", "*is not supported *", "The feature needs another GPU or version."},
	{"P407", "Advisory: *", "The feature works here and is slow."},
	{"P408", "Feature '*' requires command line option *", "The feature needs an option."},
	// Resources and launches.
	{"P501", "*uses too much *", "The kernel needs more memory of this kind than the GPU has."},
	{"P508", "*.cta_group::1* and *.cta_group::2*", "Tensor memory belongs to one block or to a pair of them, for all of a kernel."},
	{"P502", "*maxnreg*", "The bound on registers cannot be kept, or is written twice."},
	{"P502", "*per thread register count*", "The bound on registers is below what the machine needs."},
	{"P502", "Overriding maximum register limit *", "An option replaces the bound of a directive."},
	{"P502", "Too big maxrregcount *", "The bound on registers is above what the machine has."},
	{"P503", "*ntid*", "The launch bounds contradict each other or are out of range."},
	{"P503", "*nctapersm*", "The launch bounds contradict each other or are out of range."},
	{"P503", "Value of threads per SM *", "The launch bounds contradict each other or are out of range."},
	{"P504", "Stack size for entry function *", "A recursion or a call through a pointer leaves the stack's size open: set it before the launch."},
	{"P505", "Local memory used for function *", "-warn-lmem-usage asked for this."},
	{"P505", "Registers are spilled *", "-warn-spills asked for this."},
	{"P506", "*double precision*", "-warn-double-usage asked for this."},
	{"P507", "(C*", "Advice about code that is slower than the text allows."},
	// Options.
	{"P601", "Unknown option '*", "There is no such option."},
	{"P602", "Value '*' is not defined for option '*", "The option takes one of a list of words."},
	{"P602", "Invalid value *", "The option does not take this value."},
	{"P602", "Invalid default cache modifier *", "The option does not take this value."},
	{"P602", "'*': expected *", "The option takes another kind of value."},
	{"P602", "*value (*) out of range*", "The option takes a smaller number."},
	{"P602", "Value of RegUsageLevel *", "The option takes a number from 0 to 10."},
	{"P602", "'*' is not in 'keyword=value' format*", "The option takes pairs."},
	{"P603", "argument expected after '*", "The option needs a value."},
	{"P603", "no argument expected after '*", "The option takes no value."},
	{"P604", "*redefinition *", "The option was given twice."},
	{"P605", "'Compile only(-c)' requires ABI", "Objects have no functions with several results and no registers of the module."},
	{"P605", "Conflicting options *", "Two options exclude each other."},
	{"P605", "Optimized debugging not supported*", "-g means -O0."},
	{"P605", "*not allowed when command line option *", "The program and an option exclude each other."},
	{"P606", "*deprecated*", "The option will go."},
	{"P607", "*ignored*", "The option or directive has no effect here."},
	{"P607", "*option should be specified when *", "One option needs another."},
	{"P607", "GNU Jobserver *", "No make offers to share its threads."},
	{"P607", "The jobserver of make *", "The threads of make cannot be shared."},
	{"P608", "Unknown function *", "No kernel has the name given with --entry."},
	{"P608", "Entry function '*' not found*", "No kernel has the name given with --entry."},
	{"P609", "*--okey*", "Scrambled PTX cannot be read."},
	{"P609", "Control files *", "The reference's private files cannot be read or written."},
	{"P609", "Unknown profile option *", "No profile option exists."},
	{"P610", "Stray '*", "A quotation mark has no partner."},
	// Files.
	{"P701", "*could not be opened*", "The file is not there, or may not be read or written."},
	{"P701", "Could not open *", "The file is not there, or may not be read or written."},
	{"P702", "*could not be written*", "The file could not be written whole; none was left."},
	{"P703", "*not in expected format*", "The file is of another kind."},
	{"P704", "*options file*", "Options files name each other too deeply."},
	{"P705", "Input file '*' is larger *", "The text is too large."},
	// Code generation.
	{"P801", "internal compiler error*", "A fault of the compiler, not of the text: please report it with the file it names."},
	{"P801", "Internal error: *", "A state that cannot be; the reference says the same."},
	{"P802", "Code generation for '*' failed*", "The messages before it say what could not be compiled."},
	{"P803", "Ptx assembly aborted *", "The messages before it say what is wrong."},
	{"P804", "* cannot be compiled yet for *", "The compiler does not know this yet, and nothing was guessed."},
	// Reports.
	{"P901", "Compiling entry function *", "-v: what follows is about this kernel."},
	{"P902", "Function properties for *", "-v: stack and spills."},
	{"P903", "Used * registers*", "-v: what a thread or block of the kernel takes."},
	{"P904", "* bytes gmem*", "-v: memory of the module."},
	{"P905", "Compile time = *", "-v: how long the kernel took."},
	{"P906", "STAT: *", "--compiler-stats."},
	{"P307", "*expected *", "Another kind of thing is expected there."},
	{"P310", "*llegal *", "The text says what the language does not allow."},
	{"P310", "*not allowed*", "The text says what the language does not allow."},
	{"P310", "*cannot *", "The text says what the language does not allow."},
	{"P304", "*required*", "Something that must be there is missing."},
	{"P306", "*ismatch*", "Two things that belong together do not suit each other."},
	{"P310", "*", "A fault of a kind of its own; the message says which."},
}

// CodeOf returns the code of a message.
func CodeOf(text string) string {
	for i := range Kinds {
		if fits(Kinds[i].Pattern, text) {
			return Kinds[i].Code
		}
	}
	return ""
}

// fits reports whether a text has the shape of a pattern.
func fits(pattern, text string) bool {
	head, rest, more := strings.Cut(pattern, "*")
	if !more {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, head)
	for ok {
		head, rest, more = strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, head)
		}
		_, text, ok = strings.Cut(text, head)
	}
	return false
}
