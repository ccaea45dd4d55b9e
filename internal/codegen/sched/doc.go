// Package sched orders the instructions of basic blocks: before registers are
// allocated for short critical paths within a number of registers (Pre), and
// after it to hide latencies (Post). docs/scheduling.md tells why it does what.
//
// Both work on regions, runs of instructions between two that keep their
// places (package places), and on their dependence graphs (package dag, which
// also has the list scheduler of Post). Pre goes through
//
//   - what is known of a function whatever its order: analysis.go, and the words
//     that live in each region: values.go, words.go;
//   - an order of each region that needs few registers: regions.go, found bottom
//     up by bottomup.go, bottomup_facts.go and pressure.go;
//   - values that are made again or moved so that fewer live: remat_constants.go,
//     remat_tests.go, remat_derived.go, remat_later.go, on packages remat and
//     sinking;
//   - a list scheduler that takes instructions out of that order to issue them
//     early: list.go, pair.go, with loads in groups (groupedloads.go) and rows in
//     turn (stagger.go);
//   - how many registers pay: registers.go, blocks.go, by the estimate of package
//     estimate and the rules of package tuning;
//   - where registers run out, several orders that the allocator judges:
//     strategies.go, oversubscribe.go.
package sched
