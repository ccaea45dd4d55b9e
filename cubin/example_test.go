package cubin_test

import (
	"context"
	"fmt"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/cubin"
	"github.com/goptxas/goptxas/sass"
)

const text = `.version 8.0
.target sm_80
.address_size 64
.global .u32 total;
.visible .entry add(.param .u64 p, .param .u32 n)
{
	.reg .b64 %a;
	.reg .u32 %r<3>;
	ld.param.u64 %a, [p];
	ld.param.u32 %r0, [n];
	st.global.u32 [%a], %r0;
	ret;
}
`

func Example() {
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "add.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90"})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := cubin.Read(out.Cubin)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, _ := f.Function("add")
	warps, most, bound := f.Occupancy(k, 256)
	fmt.Printf("%s %s: %d registers, parameters %v, %d of %d warps (%s)\n", f.Arch, k.Name, k.Registers, k.Params, warps, most, bound)
	fmt.Println(f.Variables[0].Name, f.Variables[0].Size)
	arch, err := sass.ForArch(f.Arch)
	if err != nil {
		fmt.Println(err)
		return
	}
	for pc := 0; pc < len(k.Code); pc += sass.Size {
		in, err := arch.Decode(k.Code[pc:])
		if err != nil {
			fmt.Println(err)
		}
		if in.Op() == "STG" {
			fmt.Println("a store to global memory")
		}
	}
	// Output:
	// sm_90 add: 8 registers, parameters [{0 8} {8 4}], 64 of 64 warps (warps)
	// total 4
	// a store to global memory
}
