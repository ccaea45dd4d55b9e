// Package scoreboard decides when instructions may issue: stall counts for
// results that arrive after a known time, the six barriers for the others.
//
// Assign (assign.go) hands out barriers (barrier.go), then follows what is
// pending through the function (walk.go) for waits and stalls, and marks
// operands that the machine keeps (reuse.go); async.go keeps copies and fences
// away from other accesses. Serial (serial.go) makes everything wait for
// everything.
//
// Check (check.go) shares none of that: it replays the control fields alone
// (replay.go, facts.go) and reports what could come too early.
package scoreboard
