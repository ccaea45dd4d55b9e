package driver

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// graph writes a kernel that calls some functions, by name or through a table of
// pointers, each of which calls others; "malloc" is one of the driver's.
func graph(calls [][]string, named, pointed []string) string {
	call := func(s *strings.Builder, name, result, behind string) {
		fmt.Fprintf(s, "{ .param .b%s x; .param .b%s y; st.param.b%s [x], %%r%s; call (y), %s, (x)%s; ld.param.b%s %%r%s, [y]; }\n",
			result, result, result, result, name, behind, result, result)
	}
	s := &strings.Builder{}
	s.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b64 y) malloc(.param .b64 x);\n")
	for n := range calls {
		fmt.Fprintf(s, ".func (.param .b32 y) f%d(.param .b32 x);\n", n)
	}
	for n, list := range calls {
		fmt.Fprintf(s, ".func (.param .b32 y) f%d(.param .b32 x)\n{\n.reg .b32 %%r32; .reg .b64 %%r64; .reg .pred %%p;\nld.param.b32 %%r32, [x];\nsetp.eq.u32 %%p, %%r32, %d;\n@%%p bra END;\nsub.u32 %%r32, %%r32, 1;\nmov.b64 %%r64, 8;\n", n, n)
		for _, f := range list {
			if f == "malloc" {
				call(s, f, "64", "")
			} else {
				call(s, f, "32", "")
			}
		}
		s.WriteString("END:\nst.param.b32 [y], %r32;\nret;\n}\n")
	}
	if len(pointed) > 0 {
		fmt.Fprintf(s, ".global .u64 table[%d] = {%s};\n", len(pointed), strings.Join(pointed, ","))
	}
	s.WriteString(".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r32; .reg .b64 %rd, %f;\nld.param.u64 %rd, [p];\nld.global.u32 %r32, [%rd];\n")
	for _, f := range named {
		call(s, f, "32", "")
	}
	if len(pointed) > 0 {
		s.WriteString("ld.global.u64 %f, [table];\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n")
		call(s, "%f", "32", ", P")
	}
	s.WriteString("st.global.u32 [%rd], %r32;\nret;\n}\n")
	return s.String()
}

// TestEndless: a kernel whose calls may nest without end is told of once for each
// function that it calls and that leads there, and an extensible program once.
func TestEndless(t *testing.T) {
	for _, c := range []struct {
		calls          [][]string
		named, pointed []string
		times          int
	}{
		{[][]string{{"f0"}}, []string{"f0"}, nil, 1},
		{[][]string{{"f0"}}, []string{"f0", "f0"}, nil, 1},
		{[][]string{{"f0"}, {"f1"}}, []string{"f0", "f1"}, nil, 2},
		{[][]string{{"f1"}, {"f0"}}, []string{"f0"}, nil, 1},
		{[][]string{{"f1"}, {"f2"}, {"f0"}}, []string{"f2", "f1", "f0"}, nil, 3},
		{[][]string{{"f2"}, {"f2"}, {"f2"}}, []string{"f0", "f1"}, nil, 2},
		{[][]string{{"f1"}, {}}, []string{"f0", "f1"}, nil, 0},
		{[][]string{{"f0"}, {"f1"}}, []string{"f0"}, []string{"f1"}, 2},
		{[][]string{{"f0"}}, []string{"f0"}, []string{"f0"}, 2},
		{[][]string{{"f0"}, {}}, nil, []string{"f0", "f1"}, 1},
		{[][]string{{"malloc"}}, nil, []string{"f0"}, 0}, // one that is not here
	} {
		text := graph(c.calls, c.named, c.pointed)
		for option, want := range map[string]int{"-g": c.times, "-Ofc=max": c.times, "-ewp": min(c.times, 1)} {
			var log bytes.Buffer
			if _, ok := CompileTexts(context.Background(), []string{"-arch=sm_90", option}, []Text{{"k.ptx", []byte(text)}}, &log); !ok {
				t.Fatalf("%s of %v: %s", option, c.calls, &log)
			}
			if n := strings.Count(log.String(), "Stack size for entry function 'k' cannot be statically determined"); n != want {
				t.Errorf("%s: calls %v, %v and through %v: %d warnings, want %d", option, c.calls, c.named, c.pointed, n, want)
			}
		}
	}
}
