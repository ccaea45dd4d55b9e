// Package declare checks what stands at module level: the head of each file
// (check.go), variables with their types and initial values (decl.go, vars.go,
// init.go), functions with parameters and directives (funcs.go), and sections
// for debuggers. Module makes a sema.Module of the files; the bodies of its
// functions are checked by package bodies.
package declare
