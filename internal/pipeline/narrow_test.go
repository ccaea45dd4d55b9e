package pipeline_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/goptxas/goptxas"
)

// TestNarrowShared: instructions without a space that mean shared memory take
// an address of 32 bits; others do not.
func TestNarrowShared(t *testing.T) {
	for form, taken := range map[string]bool{
		"st.bulk [%r1], %d1, 0;":      true,
		"st.bulk.weak [%r1], %d1, 0;": true,
		"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];": true,
		"st.b32 [%r1], %r2;": false,
	} {
		text := fmt.Sprintf(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u32 a, .param .u64 b)\n{\n.reg .b32 %%r<4>; .reg .b64 %%d<4>;\nld.param.u32 %%r1, [a]; add.u32 %%r2, %%r1, 64; ld.param.u64 %%d1, [b];\n%s\nret;\n}\n", form)
		_, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_100a"})
		if (err == nil) != taken {
			t.Errorf("%s: %v", form, err)
		}
	}
}
