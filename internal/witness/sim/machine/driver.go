package machine

// Registers of the convention that the driver's routines follow.
const (
	RoutineStack  = 1  // points to the arguments in memory
	RoutineArgs   = 4  // the first word of the others
	routineReturn = 20 // where the routine goes in the end, a pair
)

// Call jumps to a function. One of the driver's has no code: it is done, and
// the lanes go on where they wanted to come back.
func (w *Warp) Call(m uint32, to func(l int) uint64) {
	name := w.m.prog.RoutineAt(to(Lane(m)))
	if name == "" {
		w.Far(m, to)
		return
	}
	var run Routine
	if w.m.prog.driver != nil {
		run = w.m.prog.driver(name)
	}
	if run == nil {
		w.Fail(Lane(m), "calls %s of the driver, which has no meaning here", name)
		w.Leave(m)
		return
	}
	for k := m; k != 0; k &= k - 1 {
		if w.m.prog.RoutineAt(to(Lane(k))) != name {
			w.Fail(Lane(k), "calls %s of the driver and something else at once", name)
			w.Leave(m)
			return
		}
	}
	run(w, m)
	w.Far(m, func(l int) uint64 { return uint64(w.R[routineReturn+1][l])<<32 | uint64(w.R[routineReturn][l]) })
}
