// Gpurun runs cubins on a GPU: our compiler's beside the reference's, on
// equal memory, every byte compared. It is one self-contained binary, made
// to be carried to a machine with a GPU and neither Go nor this repository.
//
//	gpurun zoo   -ours CMD -ref PTXAS -dir testdata/zoo     kernels with launch descriptions
//	gpurun plan  -corpus DIR -o PLAN                        guess arguments, try them in the PTX interpreter
//	gpurun blind -ours CMD -ref PTXAS -corpus DIR -plan …   kernels without descriptions, as planned
//	gpurun sim   -ours CMD -ref PTXAS -corpus DIR -plan …   the same in the simulator, without a GPU
//	gpurun count -ours CMD -ref PTXAS -corpus DIR -plan …   instructions that warps execute in the simulator
//	gpurun tune  -ours CMD -desc K.ptx                      settings of our compiler, ranked by launches
//	gpurun random -ours CMD -ref PTXAS -first SEED -n N     random programs, beside what the interpreter says
//	gpurun boxes -ref PTXAS -o FILE                         tensor maps made by the driver, and what copies do with them
//	gpurun cubin -kernel K … A.cubin B.cubin                ready-made cubins against each other
package main

import (
	"fmt"
	"os"

	"github.com/goptxas/goptxas/internal/witness/gpu"
)

var commands = [...]struct {
	name string
	run  func(args []string) error
}{
	{"zoo", zoo},
	{"plan", plan},
	{"blind", blind},
	{"sim", simulate},
	{"count", count},
	{"cubin", cubins},
	{"tune", tune},
	{"random", random},
	{"boxes", boxes},
	{"worker", func([]string) error { return gpu.Work(os.Stdin, os.Stdout) }},
}

func main() {
	if len(os.Args) > 1 {
		for _, c := range commands {
			if c.name == os.Args[1] {
				if err := c.run(os.Args[2:]); err != nil {
					fmt.Fprintln(os.Stderr, "gpurun:", err)
					os.Exit(1)
				}
				return
			}
		}
	}
	fmt.Fprintln(os.Stderr, "usage: gpurun zoo|plan|blind|sim|count|cubin|tune|random|boxes [options]")
	os.Exit(2)
}
