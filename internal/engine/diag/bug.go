package diag

import (
	"fmt"
	"strings"
)

// Bug is a broken invariant of the compiler itself: never the user's fault.
// Code raises one with panic(&Bug{Msg: …}) or by any other panic; the Guard
// around it fills in the rest.
type Bug struct {
	Level Level  // the guard that caught it
	Phase string // the phase that ran
	Func  string // the function being compiled
	Pos   string // where in the input, "file:line", if known
	Msg   string
	Stack []byte // of the goroutine that panicked
	Repro string // file that shows the bug again; empty when none could be written
}

// Error returns the report's first line: everything but the stack.
func (b *Bug) Error() string {
	var s strings.Builder
	s.WriteString("internal compiler error")
	if b.Phase != "" {
		fmt.Fprintf(&s, " in phase %s", b.Phase)
	}
	if b.Func != "" {
		fmt.Fprintf(&s, " of function %s", b.Func)
	}
	if b.Pos != "" {
		fmt.Fprintf(&s, " at %s", b.Pos)
	}
	fmt.Fprintf(&s, ": %s", b.Msg)
	if b.Repro != "" {
		fmt.Fprintf(&s, " (reproducer: %s)", b.Repro)
	}
	return s.String()
}
