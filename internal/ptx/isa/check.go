package isa

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/diag"
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

// checker is the state of one Check.
type checker struct {
	in   *Inst
	ctx  *Context
	row  *Row
	form *Form
	bit  target.Names
	// bad counts faults; with quiet set nothing is reported.
	bad   int
	quiet bool
	// odd tells that an operand is something else than a plain register,
	// constant source or address, so that the operand checks must run.
	odd bool
}

// Check finds the row and form of in among those of its opcode, fills in the
// typed fields, and reports whatever the reference would about the
// instruction by itself. It returns whether the instruction is free of
// errors. op is nil where the opcode has no rows.
func Check(in *Inst, op *Op, ctx *Context) bool {
	c := &in.chk
	*c = checker{in: in, ctx: ctx, bit: target.NameOf(ctx.SM, ctx.Variant)}
	in.Row, in.Form = nil, nil
	row, used := findRow(op, in)
	c.row = row
	c.sortMods(used)
	if row == nil {
		for i := range in.Args {
			c.vectorsOf(&in.Args[i])
		}
		c.errorf("Not a name of any known instruction: '%s'", c.partName())
		return false
	}
	in.Row = row
	if !c.operandWords() || !c.match() {
		return false
	}
	in.Form = c.form
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

// errorf reports an error.
func (c *checker) errorf(format string, args ...any) {
	c.bad++
	if !c.quiet {
		c.ctx.Report(diag.Error, fmt.Sprintf(format, args...))
	}
}

// say reports a message that does not reject the instruction. It counts as
// a fault in the quiet pass only, so that the spoken pass is run.
func (c *checker) say(sev diag.Severity, format string, args ...any) {
	if c.quiet {
		c.bad++
		return
	}
	c.ctx.Report(sev, fmt.Sprintf(format, args...))
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
func (c *checker) partName() string {
	in := c.in
	if in.Op == WNone || !in.Op.IsOpcode() {
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
var partNames = [...]struct{ op, word Word }{
	{WBarrier, WCluster},
	{WSuld, WP},
}

// sortMods puts the modifiers after the name into their slots.
func (c *checker) sortMods(used int) {
	in := c.in
	in.have, in.second, in.early = [2]uint64{}, [2]Word{}, 0
	in.NTypes, in.NSpace = 0, 0
	unknown := 0
	if c.row == nil && isPart(in) {
		used = 1
	}
	for k, w := range in.Mods {
		if w == WNone {
			text := ""
			if unknown < len(in.Unknown) {
				text = in.Unknown[unknown]
			}
			unknown++
			c.errorf("Unknown modifier '.%s'", text)
			continue
		}
		if k < used {
			continue
		}
		switch {
		case w.IsType():
			t := w.Type()
			c.typeGate(t)
			if in.NTypes < len(in.Types) {
				in.Types[in.NTypes] = t
			}
			in.NTypes++
		case w.IsSpace() || w == WTex:
			if in.NSpace < len(in.Spaces) {
				in.Spaces[in.NSpace] = w.Space()
			}
			if in.NSpace++; in.NSpace == 3 {
				c.errorf("Multiple state spaces specified")
			}
			c.set(SlotSpace, w)
		default:
			if (w == WV2 || w == WV4) && (k+1 == len(in.Mods) || !in.Mods[k+1].IsType()) {
				c.say(diag.Warning, "Vector Type not specified properly")
			}
			c.setWord(w)
		}
	}
}

// setWord sets the slot of a word that is neither type nor space.
func (c *checker) setWord(w Word) {
	in := c.in
	s := w.Slot()
	if s == NoSlot {
		c.errorf("Unknown modifier '.%s'", w)
		return
	}
	c.wordGate(w, true)
	in.early |= earlyOf[w]
	if (s == SlotDim && in.Has(SlotGeom) || s == SlotGeom && in.Has(SlotDim)) && c.row.takes(SlotGeom) {
		c.errorf("Multiple texture modifiers specified")
		return
	}
	if in.Has(s) {
		switch s {
		case SlotLayout:
			if in.second[0] != WNone {
				c.errorf("Parsing error near '.%s': too many layout specifiers", w)
				return
			}
			in.second[0] = w
			return
		case SlotEvict2:
			in.second[1] = in.val[s]
		case SlotOp:
			if c.row != nil && c.row.Flags&fTwoOps != 0 && w == WPopc {
				return
			}
			if c.row == nil || !c.row.takes(SlotOp) {
				return
			}
		case SlotGrid:
			if in.val[s] != w {
				c.errorf("Modifier '.launch_dependents' cannot be combined with modifier '.wait'")
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
func (c *checker) dup(f string, w Word) {
	if hasVerb(f) {
		c.errorf(f, "."+spelled(w))
		return
	}
	c.errorf("%s", f)
}

func hasVerb(f string) bool {
	for i := range len(f) {
		if f[i] == '%' {
			return true
		}
	}
	return false
}

func (c *checker) set(s Slot, w Word) {
	c.in.have[s>>6] |= 1 << (s & 63)
	c.in.val[s] = w
}

// takes reports whether the row lists slot s.
func (r *Row) takes(s Slot) bool {
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

// takes reports whether the row or the form lists slot s.
func (c *checker) takes(s Slot) bool {
	for _, m := range c.form.Mods {
		if m == s {
			return true
		}
	}
	return c.row.takes(s)
}

// spelled is a word as messages spell it. The reference disguises one.
func spelled(w Word) string {
	switch w {
	case WMbarrierArriveOne:
		return "zoneevre::neevir::bar"
	case WL1EvictFirst, WL2EvictFirst:
		return "evict_first"
	case WL1EvictLast, WL2EvictLast:
		return "evict_last"
	case WL1EvictNormal, WL2EvictNormal:
		return "evict_normal"
	case WL1EvictUnchanged, WL2EvictUnchanged:
		return "evict_unchanged"
	case WL1NoAllocate:
		return "no_allocate"
	}
	return w.String()
}
