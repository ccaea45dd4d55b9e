package goptxas_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/goptxas/goptxas"
)

const double = `.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p)
{
	.reg .b64 %a;
	.reg .u32 %r<3>;
	ld.param.u64 %a, [p];
	ld.global.u32 %r0, [%a];
	add.u32 %r1, %r0, %r0;
	st.global.u32 [%a], %r1;
	ret;
}
.visible .entry nothing() { ret; }
`

func ExampleCompile() {
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "twice.ptx", Text: []byte(double)}}, goptxas.Options{Arch: "sm_90"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range out.Kernels {
		fmt.Printf("%s: %d registers, %d bytes of stack\n", k.Name, k.Registers, k.Stack)
	}
	// Output:
	// twice: 8 registers, 0 bytes of stack
	// nothing: 4 registers, 0 bytes of stack
}

func ExampleCompileKernel() {
	in := []goptxas.Input{{Name: "twice.ptx", Text: []byte(double)}}
	opts := goptxas.Options{Arch: "sm_90", Level: goptxas.O1, Entries: []string{"nothing"}}
	_, err := goptxas.CompileKernel(context.Background(), in, opts, func(k *goptxas.Kernel) {
		fmt.Println("done:", k.Name)
	})
	fmt.Println(err)
	// Output:
	// done: nothing
	// <nil>
}

func ExampleError() {
	_, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(".version 8.0\n.target sm_80\n.entry k() { ad.u32 %r1, 1, 2; ret; }\n")}}, goptxas.Options{Arch: "sm_90"})
	var e *goptxas.Error
	if errors.As(err, &e) {
		m := e.Messages[0]
		fmt.Printf("%s:%d:%d: %s: %s\n", m.File, m.Line, m.Column, m.Severity, m.Text)
		fmt.Println(m.Notes)
	}
	// Output:
	// k.ptx:3:14: error: Not a name of any known instruction: 'ad'
	// [did you mean 'add'?]
}
