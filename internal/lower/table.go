package lower

import "goptxas/internal/ptx/isa"

// handlers says how each PTX instruction is lowered. An instruction that is
// not here cannot be compiled.
var handlers = [isa.NumWords]func(*lowerer){
	isa.WMov:  (*lowerer).mov,
	isa.WAdd:  (*lowerer).add,
	isa.WSub:  (*lowerer).add,
	isa.WMul:  (*lowerer).mul,
	isa.WMad:  (*lowerer).mad,
	isa.WFma:  (*lowerer).fma,
	isa.WNeg:  (*lowerer).neg,
	isa.WAnd:  (*lowerer).logic,
	isa.WOr:   (*lowerer).logic,
	isa.WXor:  (*lowerer).logic,
	isa.WNot:  (*lowerer).logic,
	isa.WShl:  (*lowerer).shift,
	isa.WShr:  (*lowerer).shift,
	isa.WSetp: (*lowerer).setp,
	isa.WSelp: (*lowerer).selp,
	isa.WLd:   (*lowerer).ld,
	isa.WSt:   (*lowerer).st,
	isa.WCvta: (*lowerer).cvta,
	isa.WCvt:  (*lowerer).cvt,
	isa.WBra:  (*lowerer).bra,
	isa.WRet:  (*lowerer).retInst,
	isa.WExit: (*lowerer).exit,
	isa.WBar:  (*lowerer).bar,
}
