// Package bodies checks the bodies of functions, one at a time, with memory
// that is used again for the next: statements in order (checker.go), names and
// blocks (scope.go, bodydecl.go), operands (operand.go), calls (call.go), and
// instructions, which the instruction table judges (instr.go, judge.go,
// rules.go).
package bodies
