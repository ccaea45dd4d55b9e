// Package control has the phases about branches, guards and what runs behind
// them: predication (ifconvert.go, ifconvert_nested.go, ifconvert_values.go), choices
// and guarded updates (selects.go, updates.go), guards and guarded loads
// (unguard.go, guarded.go), computations that move behind branches
// (sink.go), order of tests (latetest.go), waits of pipelines (coldwait.go), and
// orders that one thread gives for its warp (oneturn.go, elected.go).
package control
