package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// bra lowers bra.
func (l *lowerer) bra() {
	l.knows(isa.WUni)
	to := l.at[l.body.Labels[l.args[0].Ref].At]
	l.emit(op.BRA, op.Mods{}, nil, ori.Label(to))
	l.cur.AddEdge(to)
}

// retInst lowers ret.
func (l *lowerer) retInst() {
	l.knows(isa.WUni)
	if l.fn.Entry {
		l.exit()
		return
	}
	l.ret()
}

// exit lowers exit.
func (l *lowerer) exit() {
	if l.opts.Errors {
		l.emit(op.MEMBAR, op.M(op.MSC, op.MVC), nil)
		l.emit(op.ERRBAR, op.Mods{}, nil)
		if l.arch.Has(target.Clusters) {
			l.emit(op.CGAERRBAR, op.Mods{}, nil)
		}
	}
	l.emit(op.EXIT, op.Mods{}, nil)
}

// ret leaves a device function through the one place where all its threads
// meet.
func (l *lowerer) ret() {
	l.emit(op.BRA, op.Mods{}, nil, ori.Label(l.out))
	l.cur.AddEdge(l.out)
}

// trap, brkpt, pmevent and the like.
func (l *lowerer) trap() { l.emit(op.BPT, op.M(op.MTRAP), nil, ori.Imm(1)) }

// numEvents is how many performance events there are.
const numEvents = 16

func (l *lowerer) pmevent() {
	n := int64(l.args[0].Value)
	if l.args[0].Kind != isa.KInt {
		l.unsupported()
	}
	if !l.has(isa.WMask) {
		n = 1 << (n % numEvents)
	}
	l.emit(op.PMTRIG, op.Mods{}, nil, ori.Imm(n))
}

// griddepcontrol lowers griddepcontrol.
func (l *lowerer) griddepcontrol() {
	switch {
	case l.has(isa.WWait):
		l.emit(op.ACQBULK, op.Mods{}, nil)
	case l.has(isa.WLaunchDependents):
		l.emit(op.PREEXIT, op.Mods{}, nil)
	default:
		l.unsupported()
	}
}

// setmaxnreg gives registers back or asks for more, again and again until
// they are there. A kernel whose launch leaves open how many it has at first
// trades none.
func (l *lowerer) setmaxnreg() {
	for _, w := range l.body.ModsOf(l.in) {
		l.knows(w)
	}
	p := &l.f.Props
	if l.plan.Keep || p.MaxNReg == 0 && (p.MinNCTA == 0 || p.ReqNTid[0] == 0 && p.MaxNTid[0] == 0) {
		return
	}
	n := ori.Imm(int64(l.args[0].Value))
	l.alone(func() {
		at := l.f.NewBlock()
		at.Kept = true
		l.emit(op.WARPSYNC, op.M(op.MALL), nil)
		l.fall(at)
		if l.has(isa.WDec) {
			l.emit(op.USETMAXREG, op.M(op.MDEALLOC, op.MCTAPOOL), nil, n)
		} else {
			u := l.f.Words(l.f.NewReg(ori.UP, 1))
			l.emit(op.USETMAXREG, op.M(op.MTRY_ALLOC, op.MCTAPOOL), value{u}, n)
			got := l.test(op.PLOP3, op.M(op.MLUT), pt(), pt(), u, ori.Imm(0x80), ori.Imm(0))
			l.branch(got.Not(), at)
			l.cur.Kept = true
			return
		}
		next := l.f.NewBlock()
		next.Kept = true
		l.fall(next)
	})
}
