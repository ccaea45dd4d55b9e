// Command gosass prints, assembles and compares cubins, checks their waits
// and runs them in the simulator.
package main

import (
	"os"

	"github.com/goptxas/goptxas/internal/gosass"
	"github.com/goptxas/goptxas/internal/view"
	check "github.com/goptxas/goptxas/internal/witness/hazard/cli"
	"github.com/goptxas/goptxas/internal/witness/sim/cli"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && (args[0] == "run" || args[0] == "debug") {
		os.Exit(cli.Main(args, os.Stdin, os.Stdout, os.Stderr))
	}
	if len(args) > 0 && args[0] == "check" {
		os.Exit(check.Main(args[1:], os.Stdout, os.Stderr))
	}
	if len(args) > 0 && args[0] == "view" {
		os.Exit(view.Main(args[1:], os.Stdout, os.Stderr, cli.Counts))
	}
	os.Exit(gosass.Main(args, os.Stdin, os.Stdout, os.Stderr))
}
