// Package rows is the table of PTX instructions: which opcode has which rows.
// The rows themselves are in a package for each family of instructions.
package rows

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/ptx/isa/rows/matrix"
	"github.com/goptxas/goptxas/internal/ptx/isa/rows/memory"
	"github.com/goptxas/goptxas/internal/ptx/isa/rows/scalar"
)

// Of returns the rows of an opcode, nil for a word that is none.
func Of(w isa.Word) *row.Op {
	if int(w) >= len(opTable) {
		return nil
	}
	return opTable[w]
}

// opTable has the rows of every opcode.
var opTable = [...]*row.Op{
	isa.WAbs:                  &scalar.Abs,
	isa.WActivemask:           &memory.Activemask,
	isa.WAdd:                  &scalar.Add,
	isa.WAddc:                 &scalar.Addc,
	isa.WAlloca:               &memory.Alloca,
	isa.WAnd:                  &scalar.And,
	isa.WApplypriority:        &memory.Applypriority,
	isa.WAtom:                 &memory.Atom,
	isa.WBar:                  &memory.Bar,
	isa.WBarrier:              &memory.Barrier,
	isa.WBfe:                  &scalar.Bfe,
	isa.WBfi:                  &scalar.Bfi,
	isa.WBfind:                &scalar.Bfind,
	isa.WBmsk:                 &scalar.Bmsk,
	isa.WBra:                  &scalar.Bra,
	isa.WBrev:                 &scalar.Brev,
	isa.WBrkpt:                &scalar.Brkpt,
	isa.WBrx:                  &scalar.Brx,
	isa.WCall:                 &scalar.Call,
	isa.WClusterlaunchcontrol: &memory.Clusterlaunchcontrol,
	isa.WClz:                  &scalar.Clz,
	isa.WCnot:                 &scalar.Cnot,
	isa.WCopysign:             &scalar.Copysign,
	isa.WCos:                  &scalar.Cos,
	isa.WCp:                   &memory.Cp,
	isa.WCreatepolicy:         &memory.Createpolicy,
	isa.WCvt:                  &scalar.Cvt,
	isa.WCvta:                 &memory.Cvta,
	isa.WDiscard:              &memory.Discard,
	isa.WDiv:                  &scalar.Div,
	isa.WDp2a:                 &scalar.Dp2a,
	isa.WDp4a:                 &scalar.Dp4a,
	isa.WElect:                &memory.Elect,
	isa.WEx2:                  &scalar.Ex2,
	isa.WExit:                 &scalar.Exit,
	isa.WFence:                &memory.Fence,
	isa.WFma:                  &scalar.Fma,
	isa.WFns:                  &scalar.Fns,
	isa.WGetctarank:           &memory.Getctarank,
	isa.WGriddepcontrol:       &memory.Griddepcontrol,
	isa.WIsspacep:             &memory.Isspacep,
	isa.WIstypep:              &memory.Istypep,
	isa.WLd:                   &memory.Ld,
	isa.WLdmatrix:             &matrix.Ldmatrix,
	isa.WLdu:                  &memory.Ldu,
	isa.WLg2:                  &scalar.Lg2,
	isa.WLop3:                 &scalar.Lop3,
	isa.WMad:                  &scalar.Mad,
	isa.WMad24:                &scalar.Mad24,
	isa.WMadc:                 &scalar.Madc,
	isa.WMapa:                 &memory.Mapa,
	isa.WMatch:                &memory.Match,
	isa.WMax:                  &scalar.Max,
	isa.WMbarrier:             &memory.Mbarrier,
	isa.WMembar:               &memory.Membar,
	isa.WMin:                  &scalar.Min,
	isa.WMma:                  &matrix.Mma,
	isa.WMov:                  &memory.Mov,
	isa.WMovmatrix:            &matrix.Movmatrix,
	isa.WMul:                  &scalar.Mul,
	isa.WMul24:                &scalar.Mul24,
	isa.WMultimem:             &memory.Multimem,
	isa.WNanosleep:            &scalar.Nanosleep,
	isa.WNeg:                  &scalar.Neg,
	isa.WNot:                  &scalar.Not,
	isa.WOr:                   &scalar.Or,
	isa.WPmevent:              &scalar.Pmevent,
	isa.WPopc:                 &scalar.Popc,
	isa.WPrefetch:             &memory.Prefetch,
	isa.WPrefetchu:            &memory.Prefetchu,
	isa.WPrmt:                 &scalar.Prmt,
	isa.WRcp:                  &scalar.Rcp,
	isa.WRed:                  &memory.Red,
	isa.WRedux:                &memory.Redux,
	isa.WRem:                  &scalar.Rem,
	isa.WRet:                  &scalar.Ret,
	isa.WRsqrt:                &scalar.Rsqrt,
	isa.WSad:                  &scalar.Sad,
	isa.WSelp:                 &scalar.Selp,
	isa.WSet:                  &scalar.Set,
	isa.WSetmaxnreg:           &scalar.Setmaxnreg,
	isa.WSetp:                 &scalar.Setp,
	isa.WShf:                  &scalar.Shf,
	isa.WShfl:                 &memory.Shfl,
	isa.WShl:                  &scalar.Shl,
	isa.WShr:                  &scalar.Shr,
	isa.WSin:                  &scalar.Sin,
	isa.WSlct:                 &scalar.Slct,
	isa.WSqrt:                 &scalar.Sqrt,
	isa.WSt:                   &memory.St,
	isa.WStackrestore:         &memory.Stackrestore,
	isa.WStacksave:            &memory.Stacksave,
	isa.WStmatrix:             &matrix.Stmatrix,
	isa.WSub:                  &scalar.Sub,
	isa.WSubc:                 &scalar.Subc,
	isa.WSuld:                 &memory.Suld,
	isa.WSuq:                  &memory.Suq,
	isa.WSured:                &memory.Sured,
	isa.WSust:                 &memory.Sust,
	isa.WSzext:                &scalar.Szext,
	isa.WTanh:                 &scalar.Tanh,
	isa.WTcgen05:              &matrix.Tcgen05,
	isa.WTensormap:            &memory.Tensormap,
	isa.WTestp:                &scalar.Testp,
	isa.WTex:                  &memory.Tex,
	isa.WTld4:                 &memory.Tld4,
	isa.WTrap:                 &scalar.Trap,
	isa.WTxq:                  &memory.Txq,
	isa.WVabsdiff:             &scalar.Vabsdiff,
	isa.WVabsdiff2:            &scalar.Vabsdiff2,
	isa.WVabsdiff4:            &scalar.Vabsdiff4,
	isa.WVadd:                 &scalar.Vadd,
	isa.WVadd2:                &scalar.Vadd2,
	isa.WVadd4:                &scalar.Vadd4,
	isa.WVavrg2:               &scalar.Vavrg2,
	isa.WVavrg4:               &scalar.Vavrg4,
	isa.WVmad:                 &scalar.Vmad,
	isa.WVmax:                 &scalar.Vmax,
	isa.WVmax2:                &scalar.Vmax2,
	isa.WVmax4:                &scalar.Vmax4,
	isa.WVmin:                 &scalar.Vmin,
	isa.WVmin2:                &scalar.Vmin2,
	isa.WVmin4:                &scalar.Vmin4,
	isa.WVote:                 &memory.Vote,
	isa.WVset:                 &scalar.Vset,
	isa.WVset2:                &scalar.Vset2,
	isa.WVset4:                &scalar.Vset4,
	isa.WVshl:                 &scalar.Vshl,
	isa.WVshr:                 &scalar.Vshr,
	isa.WVsub:                 &scalar.Vsub,
	isa.WVsub2:                &scalar.Vsub2,
	isa.WVsub4:                &scalar.Vsub4,
	isa.WWgmma:                &matrix.Wgmma,
	isa.WWmma:                 &matrix.Wmma,
	isa.WXor:                  &scalar.Xor,
}

// Operations returns the name of every operation of the table, as messages
// spell it, in order.
func Operations() []string {
	var list []string
	for _, o := range opTable {
		if o == nil {
			continue
		}
		for i := range o.Rows {
			list = append(list, o.Rows[i].Name)
		}
	}
	return list
}

// Meaningless reports whether a word is known, but no modifier of anything and
// no part of a name that begins with op.
func Meaningless(op, w isa.Word) bool {
	if w == isa.WNone || w.Slot() != isa.NoSlot || w.IsType() || w.IsSpace() || w == isa.WTex || op == isa.WNone {
		return false
	}
	t := Of(op)
	if t == nil {
		return false
	}
	for i := range t.Rows {
		for _, x := range t.Rows[i].Words {
			if x == w {
				return false
			}
		}
	}
	return true
}
