package lower

import "github.com/goptxas/goptxas/internal/ptx/isa"

// systemHandlers says how the instructions that talk to the rest of the
// machine are lowered: control, synchronisation, caches, textures.
var systemHandlers = [isa.NumWords]func(*lowerer){
	isa.WBrx:            (*lowerer).brx,
	isa.WCall:           (*lowerer).call,
	isa.WBarrier:        (*lowerer).bar,
	isa.WBrkpt:          (*lowerer).trap,
	isa.WPmevent:        (*lowerer).pmevent,
	isa.WGriddepcontrol: (*lowerer).griddepcontrol,
	isa.WSetmaxnreg:     (*lowerer).setmaxnreg,
	isa.WCreatepolicy:   (*lowerer).createpolicy,
	isa.WPrefetch:       (*lowerer).prefetch,
	isa.WPrefetchu:      (*lowerer).prefetch,
	isa.WApplypriority:  (*lowerer).prefetch,
	isa.WDiscard:        (*lowerer).prefetch,
	isa.WIsspacep:       (*lowerer).isspacep,
	isa.WIstypep:        (*lowerer).istypep,
	isa.WMapa:           (*lowerer).mapa,
	isa.WGetctarank:     (*lowerer).getctarank,
	isa.WLdu:            (*lowerer).ld,
	isa.WMultimem:       (*lowerer).multimem,
	isa.WTex:            (*lowerer).tex,
	isa.WTld4:           (*lowerer).tex,
	isa.WTxq:            (*lowerer).query,
	isa.WSuq:            (*lowerer).query,
	isa.WSuld:           (*lowerer).suld,
	isa.WSust:           (*lowerer).sust,
	isa.WSured:          (*lowerer).sured,
	isa.WAlloca:         (*lowerer).alloca,
	isa.WStacksave:      (*lowerer).stacksave,
	isa.WStackrestore:   (*lowerer).stackrestore,
	isa.WCp:             (*lowerer).cpAsync,
	isa.WMbarrier:       (*lowerer).mbarrier,
	isa.WLdmatrix:       (*lowerer).ldmatrix,
	isa.WStmatrix:       (*lowerer).stmatrix,
	isa.WMovmatrix:      (*lowerer).movmatrix,
	isa.WMma:            (*lowerer).mma,
	isa.WWgmma:          (*lowerer).wgmma,
	isa.WTcgen05:        (*lowerer).tcgen05,

	isa.WClusterlaunchcontrol: (*lowerer).clusterlaunchcontrol,
	isa.WTensormap:            (*lowerer).tensormap,
	isa.WWmma:                 (*lowerer).wmma,
}
