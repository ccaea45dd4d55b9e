package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/sim"
)

const text = `.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p, .param .f32 by)
{
	.reg .b64 %a, %o;
	.reg .u32 %t;
	.reg .f32 %f<3>;
	ld.param.u64 %a, [p];
	ld.param.f32 %f0, [by];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %o, %t, 4;
	add.u64 %a, %a, %o;
	ld.global.f32 %f1, [%a];
	mul.f32 %f2, %f1, %f0;
	st.global.f32 [%a], %f2;
	ret;
}
`

func Example() {
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "scale.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := sim.Load(out.Cubin)
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := binary.Append(nil, binary.LittleEndian, []float32{1, 2, 3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	st, err := m.Run(context.Background(), sim.Launch{Kernel: "scale", Block: [3]int{4}, Args: []any{data, float32(2.5)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	got := make([]float32, 4)
	if _, err := binary.Decode(data, binary.LittleEndian, got); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got, st.WarpInstructions > 0)
	// Output: [2.5 5 7.5 10] true
}
