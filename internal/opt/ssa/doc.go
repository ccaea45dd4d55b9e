// Package ssa brings functions into SSA form (ssa.go) and out of it again
// (leave.go, leave_binds.go, leave_copies.go, leave_shared.go), copies PHIs of
// one value (phis.go), and splits registers into the webs they hold (webs.go).
package ssa
