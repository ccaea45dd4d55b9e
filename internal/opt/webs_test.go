package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestWebs(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, want string
		phase    func(*ori.Func) bool
	}{
		{"a name used twice", `b0:
MOV r0 = 0x1
STS [r1+0x0], r0
LDS r0 = [r1+0x4]
STS [r1+0x8], r0`, `MOV r0 = 0x1
STS [r1+0x0], r0
LDS r7 = [r1+0x4]
STS [r1+0x8], r7`, ssa.SplitWebs},
		{"a guarded write keeps its register", `b0:
MOV r0 = 0x1
@p6 LDS r0 = [r1+0x4]
STS [r1+0x8], r0`, `MOV r0 = 0x1
@p6 LDS r0 = [r1+0x4]
STS [r1+0x8], r0`, ssa.SplitWebs},
		{"both ways of a branch write one web", `b0: -> b2, b1
MOV r0 = 0x7
STS [r1+0x0], r0
@p6 BRA b2
b1: -> b3
MOV r0 = 0x1
BRA b3
b2: -> b3
MOV r0 = 0x2
b3:
STS [r1+0x8], r0
EXIT`, `MOV r0 = 0x7
STS [r1+0x0], r0
@p6 BRA b2
MOV r7 = 0x1
BRA b3
MOV r7 = 0x2
STS [r1+0x8], r7
EXIT`, ssa.SplitWebs},
		{"a loop carries its variable", `b0: -> b1
MOV r0 = 0x0
b1: -> b1, b2
IADD3 r0 = r0, 0x1, rz
@p6 BRA b1
b2:
STS [r1+0x0], r0
MOV r0 = 0x9
STS [r1+0x4], r0
EXIT`, `MOV r0 = 0x0
IADD3 r0 = r0, 0x1, rz
@p6 BRA b1
STS [r1+0x0], r0
MOV r7 = 0x9
STS [r1+0x4], r7
EXIT`, ssa.SplitWebs},
		{"halves stay together, and part when asked", `b0:
LDS r4[0] = [r1+0x0]
LDS r4[1] = [r1+0x4]
STS [r1+0x8], r4[1]
STS.64 [r1+0x10], r5`, `LDS r4[0] = [r1+0x0]
LDS r4[1] = [r1+0x4]
STS [r1+0x8], r4[1]
STS.64 [r1+0x10], r5`, ssa.SplitWebs},
		{"halves that nobody uses together", `b0:
LDS r4[0] = [r1+0x0]
LDS r4[1] = [r1+0x4]
STS [r1+0x8], r4[1]
STS.64 [r1+0x10], r5`, `LDS r7 = [r1+0x0]
LDS r8 = [r1+0x4]
STS [r1+0x8], r8
STS.64 [r1+0x10], r5`, ssa.SplitWords},
	} {
		head := "reg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nreg r4 2/2\nreg r5 2/2\nreg p6 1/1\n"
		if got := run(t, head+c.in, c.phase); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
