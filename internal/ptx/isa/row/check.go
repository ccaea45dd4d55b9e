package row

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// Check works in the reference's own stages, because which complaint a user
// sees depends on them:
//
//  1. words: unknown modifiers, slots set twice, features that a word alone
//     calls for;
//  2. the name; early words that no form has; a form with these types; a
//     form with these operands. The first of these that fails is the last
//     thing said;
//  3. everything else, slot by slot, each fault on its own.

// Checker is the state of one Check.
type Checker struct {
	In   *Inst
	Ctx  *Context
	Row  *Row
	Form *Form
	Bit  target.Names
	// bad counts faults; with quiet set nothing is reported.
	bad   int
	quiet bool
	// odd tells that an operand is something else than a plain register,
	// constant source or address, so that the operand checks must run.
	odd bool
	// twoOps tells of a second operation, of which the first is meant, and
	// lastVec of .v2 or .v4 behind all other words.
	twoOps, lastVec bool
}

// Check finds the row and form of in among those of its opcode, fills in the
// typed fields, and reports whatever the reference would about the
// instruction by itself. It returns whether the instruction is free of
// errors. op is nil where the opcode has no rows.
func Check(in *Inst, op *Op, ctx *Context) bool {
	ok := check(in, op, ctx)
	if c := &in.chk; c.lastVec {
		c.quiet = false
		c.Say(diag.Warning, "Vector Type not specified properly")
	}
	return ok
}

func check(in *Inst, op *Op, ctx *Context) bool {
	c := &in.chk
	*c = Checker{In: in, Ctx: ctx, Bit: target.NameOf(ctx.SM, ctx.Variant)}
	in.Row, in.Form = nil, nil
	row, used := findRow(op, in)
	c.Row = row
	c.sortMods(used)
	if row == nil {
		for i := range in.Args {
			c.vectorsOf(&in.Args[i])
		}
		if in.Guarded && (in.Guard.Kind != isa.KReg || in.Guard.Type != isa.Pred) {
			c.Errorf("Predicate expression expected")
		}
		c.Errorf("Not a name of any known instruction: '%s'", c.partName())
		return false
	}
	in.Row = row
	if !c.operandWords() || !c.match() || !c.sinkResult() {
		return false
	}
	in.Form = c.Form
	n := c.bad
	c.quiet = true
	c.late()
	if c.bad > n {
		c.bad = n
		c.quiet = false
		c.late()
	}
	return c.bad == 0
}

// Errorf reports an error.
func (c *Checker) Errorf(format string, args ...any) {
	c.bad++
	if !c.quiet {
		c.Ctx.Report(diag.Error, fmt.Sprintf(format, args...))
	}
}

// Say reports a message that does not reject the instruction. It counts as
// a fault in the quiet pass only, so that the spoken pass is run.
func (c *Checker) Say(sev diag.Severity, format string, args ...any) {
	if c.quiet {
		c.bad++
		return
	}
	c.Ctx.Report(sev, fmt.Sprintf(format, args...))
}

// findRow returns the row of op with the longest name that in begins with, and
// how many modifiers belong to that name.
func findRow(op *Op, in *Inst) (*Row, int) {
	if op == nil {
		return nil, 0
	}
	rows := op.Rows
	best, used := -1, -1
next:
	for i := range rows {
		words := rows[i].Words
		if len(words) <= used || len(words) > len(in.Mods) {
			continue
		}
		for k, w := range words {
			if in.Mods[k] != w {
				continue next
			}
		}
		best, used = i, len(words)
	}
	if best < 0 || used == 0 && isPart(in) {
		return nil, 0
	}
	return &rows[best], used
}

// partName is the name as far as it is known, for a name that is not.
func (c *Checker) partName() string {
	in := c.In
	if in.Op == isa.WNone || !in.Op.IsOpcode() {
		return in.OpText
	}
	if isPart(in) {
		return in.Op.String() + "." + in.Mods[0].String()
	}
	return in.Op.String()
}

// isPart reports whether the name begins like one of partNames.
func isPart(in *Inst) bool {
	for _, p := range partNames {
		if p.op == in.Op && len(in.Mods) > 0 && in.Mods[0] == p.word {
			return true
		}
	}
	return false
}

// partNames are beginnings of names that the reference reads as one word
// although they name no instruction by themselves.
var partNames = [...]struct{ op, word isa.Word }{
	{isa.WBarrier, isa.WCluster},
	{isa.WSuld, isa.WP},
}

// sortMods puts the modifiers after the name into their slots.
func (c *Checker) sortMods(used int) {
	in := c.In
	in.have, in.second, in.Early = [2]uint64{}, [3]isa.Word{}, 0
	in.NTypes, in.NSpace = 0, 0
	unknown := 0
	if c.Row == nil && isPart(in) {
		used = 1
	}
	for k, w := range in.Mods {
		if w == isa.WNone {
			text := ""
			if unknown < len(in.Unknown) {
				text = in.Unknown[unknown]
			}
			unknown++
			c.Errorf("Unknown modifier '.%s'", text)
			if k > used && isShortVec(in.Mods[k-1]) {
				c.Say(diag.Warning, "Vector Type not specified properly")
			}
			continue
		}
		if k < used {
			continue
		}
		vec := k > used && isShortVec(in.Mods[k-1]) && !(w.IsType() && w.Type() != isa.TF32 && w.Type() != isa.B1024)
		switch {
		case w.IsType():
			t := w.Type()
			c.typeGate(t)
			if t == isa.Pred && c.Row != nil && c.Row.Flags&FlagPredVoid != 0 {
				continue
			}
			if in.NTypes < len(in.Types) {
				in.Types[in.NTypes] = t
			}
			in.NTypes++
		case w.IsSpace() || w == isa.WTex:
			if in.NSpace < len(in.Spaces) {
				in.Spaces[in.NSpace] = w.Space()
			}
			if in.NSpace++; in.NSpace == 3 {
				c.Errorf("Multiple state spaces specified")
			}
			c.set(isa.SlotSpace, w)
		default:
			c.lastVec = isShortVec(w) && k+1 == len(in.Mods)
			c.setWord(w)
		}
		if vec {
			c.Say(diag.Warning, "Vector Type not specified properly")
		}
	}
}

// isShortVec tells the words that a type should follow.
func isShortVec(w isa.Word) bool { return w == isa.WV2 || w == isa.WV4 }

// setWord sets the slot of a word that is neither type nor space.
func (c *Checker) setWord(w isa.Word) {
	in := c.In
	s := w.Slot()
	if s == isa.NoSlot {
		c.Errorf("Unknown modifier '.%s'", w)
		return
	}
	c.WordGate(w, true)
	in.Early |= EarlyOf[w]
	if (s == isa.SlotDim && in.Has(isa.SlotGeom) || s == isa.SlotGeom && in.Has(isa.SlotDim)) && c.Row.Takes(isa.SlotGeom) {
		c.Errorf("Multiple texture modifiers specified")
		return
	}
	if s == isa.SlotMbar && in.Has(isa.SlotDone) {
		c.dup(slotRows[isa.SlotDone].dup, w)
		in.have[isa.SlotDone>>6] &^= 1 << (isa.SlotDone & 63)
	}
	if (s == isa.SlotEvict || s == isa.SlotEvict2) && in.priorities() == 2 {
		c.Errorf("Unexpected number of '.level::eviction_priority' modifiers specified")
		c.Errorf("Unexpected number of 'cache eviction priority' modifiers specified")
		return
	}
	if in.Has(s) {
		switch s {
		case isa.SlotLayout:
			if in.second[0] != isa.WNone {
				c.Errorf("Parsing error near '.%s': too many layout specifiers", w)
				return
			}
			in.second[0] = w
			return
		case isa.SlotEvict2:
			in.second[1] = in.val[s]
		case isa.SlotEvict:
			in.second[2] = in.val[s]
		case isa.SlotOp:
			if c.Row != nil && c.Row.Flags&FlagTwoOps != 0 && w == isa.WPopc {
				return
			}
			c.twoOps = true
			return
		case isa.SlotGrid:
			if in.val[s] != w {
				c.Errorf("Modifier '.launch_dependents' cannot be combined with modifier '.wait'")
				c.set(s, w)
				return
			}
		}
		if f := slotRows[s].dup; f != "" {
			c.dup(f, w)
		}
	}
	c.set(s, w)
}

// dup complains about a slot set twice, last by w.
func (c *Checker) dup(f string, w isa.Word) {
	if hasVerb(f) {
		c.Errorf(f, "."+Spelled(w))
		return
	}
	c.Errorf("%s", f)
}

func hasVerb(f string) bool {
	for i := range len(f) {
		if f[i] == '%' {
			return true
		}
	}
	return false
}

func (c *Checker) set(s isa.Slot, w isa.Word) {
	c.In.have[s>>6] |= 1 << (s & 63)
	c.In.val[s] = w
}

// Takes reports whether the row lists slot s.
func (r *Row) Takes(s isa.Slot) bool {
	if r == nil {
		return false
	}
	for _, m := range r.Mods {
		if m == s {
			return true
		}
	}
	return false
}

// Takes reports whether the row or the form lists slot s.
func (c *Checker) Takes(s isa.Slot) bool {
	for _, m := range c.Form.Mods {
		if m == s {
			return true
		}
	}
	return c.Row.Takes(s)
}

// Spelled is a word as messages spell it. The reference disguises one.
func Spelled(w isa.Word) string {
	switch w {
	case isa.WMbarrierArriveOne:
		return "zoneevre::neevir::bar"
	case isa.WL1EvictFirst, isa.WL2EvictFirst:
		return "evict_first"
	case isa.WL1EvictLast, isa.WL2EvictLast:
		return "evict_last"
	case isa.WL1EvictNormal, isa.WL2EvictNormal:
		return "evict_normal"
	case isa.WL1EvictUnchanged, isa.WL2EvictUnchanged:
		return "evict_unchanged"
	case isa.WL1NoAllocate:
		return "no_allocate"
	}
	return w.String()
}
