// Package sema turns syntax trees into a checked Module: symbols, types,
// constants, layouts and directives decided, every instruction judged by
// the instruction table, so that nothing after it has a question about the
// text. What it refuses, and in which words and order, follows the
// reference compiler, whose messages hosts parse.
//
// The types of this package are what is known then: Module, Func, Var, Body,
// Inst. Package declare reads what stands at module level of each file, in
// order. Function bodies are checked one at a time by package bodies, by any
// worker, with scratch memory that is used again for the next body; package
// whole judges what needs all of it. All report into diagnostic units opened in source
// order, so the messages come out as if the text had been read once from top
// to bottom.
package sema
