// Command gosass prints, assembles and compares cubins, and runs them in the
// simulator.
package main

import (
	"os"

	"goptxas/internal/gosass"
	"goptxas/internal/witness/sim/cli"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && (args[0] == "run" || args[0] == "debug") {
		os.Exit(cli.Main(args, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(gosass.Main(args, os.Stdin, os.Stdout, os.Stderr))
}
