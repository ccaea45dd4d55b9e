package lower

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
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
func (l *lowerer) exit() { l.emit(op.EXIT, op.Mods{}, nil) }

// ret leaves a device function.
func (l *lowerer) ret() {
	if !l.inner {
		l.unsupported()
	}
	l.emit(op.BRA, op.Mods{}, nil, ori.Label(l.out))
	l.cur.AddEdge(l.out)
}

// bar lowers bar.sync with a constant barrier and all threads, and
// bar.warp.sync.
func (l *lowerer) bar() {
	if l.has(isa.WWarp) {
		l.knows(isa.WSync)
		l.gather(0)
		return
	}
	l.knows(isa.WCta)
	l.knows(isa.WAligned)
	if !l.has(isa.WSync) || len(l.args) != 1 || l.args[0].Kind != isa.KInt {
		l.unsupported()
	}
	n := int64(l.args[0].Value)
	l.f.Props.Barriers = max(l.f.Props.Barriers, int32(n)+1)
	l.emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ori.Imm(n))
}
