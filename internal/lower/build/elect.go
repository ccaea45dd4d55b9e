package build

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Which thread gives the orders: elect.sync among all threads of a warp names
// the same one every time (PTX ISA, elect.sync). Programs keep the answer in
// predicates, or as a number that is zero for all others:
//
//	mov.b32 r, 0;
//	elect.sync _|p, -1;
//	@p mov.b32 r, 1;
//	setp.eq.s32 q, r, 0;
//	@q bra skip;
//
// Or they compare the number of the thread with a constant. Then another
// comparison may name another thread, so that predicates which are written in
// several places, or put together by or, name nobody.

// SingleThread reports whether at most one thread of a warp does the current
// instruction.
func (l *Builder) SingleThread() bool {
	if l.elected == nil {
		l.findElected()
		l.findReaching()
	}
	return l.In.Guard >= 0 && l.leads(l.In.Guard, l.In.GuardNot) || l.reaching[l.index] != anybody
}

// leads reports whether predicate r, or its opposite, holds for the elected
// thread at most.
func (l *Builder) leads(r int32, not bool) bool {
	if not {
		return l.elected[r]&(others|rest) != 0
	}
	return l.elected[r]&(leader|single) != 0
}

// findElected finds out what each register has to do with elections: what all
// writes of it agree upon.
func (l *Builder) findElected() {
	body := l.Body
	l.elected = make([]election, len(body.Regs))
	writes := l.CountWrites()
	agree := make([][8]int, len(body.Regs)) // writes that make each mark true
	for changed := true; changed; {
		changed = false
		clear(agree)
		for n := range body.Instrs {
			r, e := l.electedBy(n)
			if e == 0 { // nothing is known, and there may be no registers
				continue
			}
			if writes[r] != 1 {
				e &^= single | rest
			}
			for k := range 8 {
				if e>>k&1 == 0 {
					continue
				}
				if agree[r][k]++; agree[r][k] == writes[r] && l.elected[r]>>k&1 == 0 {
					l.elected[r] |= 1 << k
					changed = true
				}
			}
		}
	}
}

// electedBy returns the register that instruction n writes and what is true of
// it afterwards if it was before, as far as that is known by now.
func (l *Builder) electedBy(n int) (r int32, e election) {
	in := &l.Body.Instrs[n]
	args := l.Body.Of(in.Args)
	if len(args) < 2 || args[0].Kind != isa.KReg && in.Op != isa.WElect {
		return 0, 0
	}
	r = args[0].Ref
	of := func(n int) election { return l.electionOf(&args[n]) }
	switch in.Op {
	case isa.WElect:
		if of(1)&ones != 0 && in.Guard < 0 && args[0].Pair >= 0 {
			return args[0].Pair, leader
		}
	case isa.WMov:
		e = of(1)
		if args[1].Kind == isa.KReg && args[1].Flags == 0 && l.justZero(n, args[1].Ref) {
			e |= zero | counts
		}
		if in.Guard >= 0 && l.leads(in.Guard, in.GuardNot) && in.Types[0] != isa.Pred {
			e |= counts
		}
		return r, e
	case isa.WSelp:
		if len(args) == 4 && of(3)&leader != 0 {
			return r, of(2) & counts
		}
	case isa.WSetp:
		return r, l.electedTest(in, args)
	case isa.WAnd, isa.WOr, isa.WNot:
		if in.Types[0] == isa.Pred {
			return r, joined(in.Op, args, of)
		}
	}
	return r, 0
}

// nearWrites is how many instructions a write is looked for in, going back.
const nearWrites = 64

// justZero reports whether register r was made zero shortly before
// instruction n, on all ways there.
func (l *Builder) justZero(n int, r int32) bool {
	v, ok := l.justMade(n, r)
	return ok && v == 0
}

// justMade returns the constant that register r was given shortly before
// instruction n, on all ways there.
func (l *Builder) justMade(n int, r int32) (value uint64, ok bool) {
	var seen [nearWrites]int
	steps, work := 0, append(make([]int, 0, nearWrites), n)
	for len(work) > 0 {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		for ; !slices.Contains(seen[:steps], k); k-- {
			from, known := l.leadTo(k)
			if k == 0 || steps == nearWrites || !known || len(work)+len(from) > nearWrites {
				return 0, false
			}
			seen[steps] = k
			steps++
			work = append(work, from...)
			in := &l.Body.Instrs[k-1]
			if leaves(in) {
				break
			}
			v, writes, plain := l.makes(in, r)
			if !plain || writes && ok && v != value {
				return 0, false
			}
			if writes {
				value, ok = v, true
				break
			}
		}
	}
	return value, ok
}

// makes tells whether in writes register r, and the constant it makes of it;
// plain is false if that is no constant, or not known.
func (l *Builder) makes(in *sema.Inst, r int32) (value uint64, writes, plain bool) {
	args := l.Body.Of(in.Args)
	if in.Call >= 0 || len(args) > 0 && (args[0].Pair == r || args[0].Elems.Len > 0) {
		return 0, false, false
	}
	if len(args) == 0 || args[0].Kind != isa.KReg || args[0].Ref != r {
		return 0, false, true
	}
	if in.Op != isa.WMov || in.Guard >= 0 || args[1].Kind != isa.KInt || args[1].Flags != 0 {
		return 0, true, false
	}
	return args[1].Value, true, true
}

// Near is Src1 of a 32-bit operand, but a register that was given a constant
// shortly before is that constant: masks and lanes of a warp are kept in
// registers that later hold something else.
func (l *Builder) Near(n int) ori.Operand {
	a := &l.Args[n]
	if a.Kind == isa.KReg && a.Flags == 0 && !isSum(a) {
		if v, ok := l.justMade(l.index, a.Ref); ok {
			return ori.Imm32(uint32(v))
		}
	}
	return l.Src1(n, isa.B32)
}

// joined is what is known of predicates put together.
func joined(o isa.Word, args []sema.Operand, of func(int) election) (e election) {
	if o == isa.WNot {
		return opposite(of(1))
	}
	if len(args) != 3 {
		return 0
	}
	any, all := of(1)|of(2), of(1)&of(2)
	if o == isa.WAnd {
		return any&(leader|single) | all&others
	}
	return any&(others|rest) | all&leader
}

// opposite is what is known of the opposite of a predicate.
func opposite(e election) (out election) {
	if e&leader != 0 {
		out |= others
	}
	if e&others != 0 {
		out |= leader
	}
	if e&single != 0 {
		out |= rest
	}
	if e&rest != 0 {
		out |= single
	}
	return out
}

// electedTest is what is known of the result of a comparison with zero, or of
// the number of a thread with a constant.
func (l *Builder) electedTest(in *sema.Inst, args []sema.Operand) election {
	if len(args) != 3 || args[0].Pair >= 0 {
		return 0
	}
	var equal election
	if l.electionOf(&args[1])&counts != 0 && l.electionOf(&args[2])&zero != 0 {
		equal = others
	}
	if in.Types[0].Bits() == 32 && l.electionOf(&args[1])&number != 0 && args[2].Kind == isa.KInt && args[2].Flags == 0 {
		equal |= single
	}
	for _, w := range l.Body.ModsOf(in) {
		switch w {
		case isa.WEq:
			return equal
		case isa.WNe:
			return opposite(equal)
		}
	}
	return 0
}

// apart reports whether no two threads of a warp have the same special
// register: their lanes, and their first indices where a row of them fills
// warps or is all there is.
func (l *Builder) apart(a *sema.Operand) bool {
	switch isa.SpecialReg(a.Ref).Word() {
	case isa.WSrLaneid:
		return true
	case isa.WSrTid:
		n := &l.F.Props.ReqNTid
		return l.F.Kernel && a.Comp == 1 && n[0] > 0 && (n[0]%32 == 0 || n[1] <= 1 && n[2] <= 1)
	}
	return false
}

// electionOf is what is known of an operand.
func (l *Builder) electionOf(a *sema.Operand) election {
	switch {
	case a.Kind == isa.KReg && a.Flags == sema.Not:
		return opposite(l.elected[a.Ref])
	case a.Kind == isa.KReg && a.Flags == 0:
		return l.elected[a.Ref]
	case a.Kind == isa.KInt && a.Flags == 0 && uint32(a.Value) == 0xffffffff:
		return ones
	case a.Kind == isa.KInt && a.Flags == 0 && a.Value == 0:
		return zero | counts
	case a.Kind == isa.KSpecial && a.Flags == 0 && l.apart(a):
		return number
	}
	return 0
}
