package ori

// MbarrierUse is what an instruction does with an mbarrier, as the file
// numbers it. An arrival that expects bytes has no number.
type MbarrierUse uint8

const (
	MbarrierInit MbarrierUse = iota
	MbarrierArrive
	MbarrierArriveNoComplete
	MbarrierDrop
	MbarrierDropNoComplete
	MbarrierTestWait
	MbarrierTestWaitParity
	MbarrierCopies // cp.async.mbarrier.arrive
	MbarrierInval
	MbarrierTryWait
	MbarrierTryWaitParity
	MbarrierExpect
	MbarrierComplete
)

// UseMbarrier notes what the instruction at a place of the text does.
func (f *Func) UseMbarrier(line int32, u MbarrierUse) {
	if f.Mbarriers == nil {
		f.Mbarriers = map[int32]MbarrierUse{}
	}
	f.Mbarriers[line] = u
}
