package warp

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// Bar is the barriers of threads, blocks and clusters.
func Bar(d *machine.Decoder) {
	d.Ignore(isa.WCta)
	switch {
	case d.Has(isa.WWarp):
		d.Gather(d.Src(0, isa.B32), nil, nil, func(*machine.Warp, uint32, []machine.Column, []machine.Column) {})
		return
	case d.Has(isa.WCluster):
		clusterBar(d)
		return
	}
	aligned := d.Has(isa.WAligned) || d.In.Op == isa.WBar
	red := machine.NoRed
	if d.Has(isa.WRed) {
		switch {
		case d.Has(isa.WPopc):
			red = machine.PopRed
		case d.Has(isa.WAnd):
			red = machine.AndRed
		case d.Has(isa.WOr):
			red = machine.OrRed
		}
	}
	wait := !d.Has(isa.WArrive)
	d.Ignore(isa.WSync)
	args := d.Args
	var dst machine.Place
	var pred machine.Operand
	at := 0
	if red != machine.NoRed {
		dst, pred = d.Dst(0), d.Src(len(args)-1, isa.Pred)
		at, args = 1, args[:len(args)-1]
	}
	number := d.Src(at, isa.U32)
	count := machine.Constant(0)
	if at+1 < len(args) {
		count = d.Src(at+1, isa.U32)
	}
	b := &machine.BarInst{Number: number, Count: count, Pred: pred, Dst: dst, Red: red, Wait: wait, Aligned: aligned}
	d.Out.Flow = b.Arrive
}

// clusterBar is barrier.cluster.
func clusterBar(d *machine.Decoder) {
	d.Ignore(isa.WAligned, isa.WRelease, isa.WAcquire, isa.WRelaxed)
	if d.Has(isa.WArrive) {
		d.Out.Run = (*machine.Warp).ArriveCluster
		return
	}
	if !d.Has(isa.WWait) {
		d.Unknown()
	}
	d.Out.Flow = (*machine.Warp).WaitCluster
}
