// Package emit turns scheduled Ori with physical registers into machine words.
// It is the only bridge between Ori and the machine's description: tables made
// from that description (bridge_gen.go, read by bridge.go) say which forms an
// Ori instruction can become and where its operands go, so that every
// operation, modifier and operand shape Ori uses is checked against what the
// architecture has.
//
// An operand is read as a unit (units.go), units are matched with the forms of
// the operation (match.go; transfer.go for calls and jumps; legacy.go spells
// operations as older machines do), and the words are put together (emit.go).
// fits.go answers for other packages whether a form exists. Beside the words
// go relocations (relocs.go) and what tools want to know: instructions of
// several threads (coop.go), of mbarriers (mbarrier.go), and bytes of loads
// that nobody reads (usedbytes.go).
package emit
