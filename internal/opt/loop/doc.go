// Package loop has the phases about loops and known branches.
//
//   - Unrolling: unroll.go where the number of turns is known
//     (unroll_turns.go finds it, unroll_weigh.go says what it brings),
//     unroll_rest.go where it is not.
//   - Shape: rotate.go tests at the end, peel.go takes the first turn out,
//     unswitch.go writes loops twice, threads.go leads ways past branches
//     they decide; clone.go copies blocks, turn.go tells what a turn makes of
//     its values.
//   - Values: induction.go and pointers.go share what grows alike,
//     constants.go follows constants through control flow with evaluate.go
//     and evaluate_float.go.
package loop
