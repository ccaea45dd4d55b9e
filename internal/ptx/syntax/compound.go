package syntax

// compounds are the operations whose names hold dots: the reference reads
// each as one token, without blanks inside and without a boundary after it
// ("mul.lox" is "mul.lo" and "x"). Sorted, so that the names of one opcode
// stand together and longer ones after their beginnings. Observed form by
// form. The four with :: are two tokens there, which makes no difference but
// in the text of an error.
var compounds = [...]string{
	"bar.arrive", "bar.cta", "bar.cta.arrive", "bar.cta.red", "bar.red", "bar.warp", "barrier.arrive",
	"barrier.cluster", "barrier.cluster.arrive", "barrier.cluster.wait", "barrier.cta", "barrier.cta.arrive",
	"barrier.cta.red", "barrier.red", "brx.idx", "clusterlaunchcontrol.query_cancel",
	"clusterlaunchcontrol.try_cancel.async", "cp.async", "cp.async.bulk", "cp.async.bulk.commit_group",
	"cp.async.bulk.prefetch", "cp.async.bulk.prefetch.tensor", "cp.async.bulk.tensor", "cp.async.bulk.wait_group",
	"cp.async.commit_group", "cp.async.mbarrier.arrive", "cp.async.wait_all", "cp.async.wait_group",
	"cp.reduce.async.bulk", "cp.reduce.async.bulk.tensor", "createpolicy.cvt", "createpolicy.fractional",
	"createpolicy.range", "cvt.pack", "cvta.to", "div.full", "dp2a.hi", "dp2a.lo", "fence.proxy", "mad.hi", "mad.lo",
	"mad.wide", "mad24.hi", "mad24.lo", "madc.hi", "madc.lo", "mbarrier.arrive", "mbarrier.arrive.expect_tx",
	"mbarrier.arrive_drop", "mbarrier.arrive_drop.expect_tx", "mbarrier.complete_tx", "mbarrier.expect_tx",
	"mbarrier.init", "mbarrier.inval", "mbarrier.pending_count", "mbarrier.test_wait", "mbarrier.test_wait.parity",
	"mbarrier.try_wait", "mbarrier.try_wait.parity", "membar.proxy", "mul.hi", "mul.lo", "mul.wide", "mul24.hi",
	"mul24.lo", "multimem.ld_reduce", "multimem.red", "multimem.st", "pmevent.mask", "red.async", "setmaxnreg.dec",
	"setmaxnreg.inc", "shf.l", "shf.r", "st.async", "st.bulk", "suld.b", "suld.p", "sured.b", "sured.p", "sust.b",
	"sust.p", "tcgen05.alloc", "tcgen05.commit", "tcgen05.cp", "tcgen05.dealloc", "tcgen05.fence",
	"tcgen05.fence::after_thread_sync", "tcgen05.fence::before_thread_sync", "tcgen05.ld", "tcgen05.ld.red",
	"tcgen05.mma", "tcgen05.mma.ws", "tcgen05.relinquish_alloc_permit", "tcgen05.shift", "tcgen05.st", "tcgen05.wait",
	"tcgen05.wait::ld", "tcgen05.wait::st", "tensormap.cp_fenceproxy", "tensormap.replace", "tex.base", "tex.grad",
	"tex.level", "txq.level", "wgmma.commit_group", "wgmma.fence", "wgmma.mma_async", "wgmma.wait_group",
	"wmma.load.a", "wmma.load.b", "wmma.load.c", "wmma.mma", "wmma.store.d",
}

// compoundStart holds for every byte that a compound begins with the range of
// those, and the set of bytes that come second, by their low five bits. It is
// written out, and held by a test, so that nothing fills it before main.
var compoundStart = [256]compoundRange{
	'b': {0x40002, 0, 15}, 'c': {0x451000, 15, 35}, 'd': {0x10200, 35, 38}, 'f': {0x20, 38, 39},
	'm': {0x200026, 39, 68}, 'p': {0x2000, 68, 69}, 'r': {0x20, 69, 70}, 's': {0x300120, 70, 82},
	't': {0x1000028, 82, 105}, 'w': {0x2080, 105, 114},
}

type compoundRange struct {
	second      uint32
	first, last uint8
}

// mayCompound reports whether the word at text[i:], of two bytes or more,
// can be an opcode with compounds.
func mayCompound(text []byte, i int) bool {
	return compoundStart[text[i]].second>>(text[i+1]&31)&1 != 0
}

// compound returns the length of the longest compound name that text begins
// with, or 0.
func compound(text []byte) int {
	r := &compoundStart[text[0]]
	best := 0
	for i := r.first; i < r.last; i++ {
		s := compounds[i]
		if len(s) > best && len(s) <= len(text) && string(text[:len(s)]) == s {
			best = len(s)
		}
	}
	return best
}
