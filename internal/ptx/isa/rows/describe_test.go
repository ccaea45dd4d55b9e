package rows

import (
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	for _, c := range []struct{ op, mods, want string }{
		{"fma", ".rn.f32", ".f32"},
		{"redux", ".sync.add.s32", "sm_80"},
		{"elect", ".sync", "from PTX 8.0; from sm_90"},
		{"nosuch", "", ""},
	} {
		got := Describe(c.op, c.mods)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s%s: %q, want %q in it", c.op, c.mods, got, c.want)
		}
	}
}
