package sass_test

import (
	"fmt"

	"github.com/goptxas/goptxas/sass"
)

func Example() {
	arch, err := sass.ForArch("sm_90")
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := arch.Parse("FFMA R4, R2, R3, R4", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := in.SetControl(sass.Control{Stall: 4, Yield: true, WriteBarrier: sass.NoBarrier, ReadBarrier: sass.NoBarrier}); err != nil {
		fmt.Println(err)
		return
	}
	code, err := in.Append(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := arch.Decode(code)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%x\n%s  %s\n", code, back.Text(0), back.Control())
	// Output:
	// 23720402030000000400000000c80f00
	// FFMA R4, R2, R3, R4 ;  B------:R-:W-:Y:S04
}
