// Command gosass prints, assembles and compares cubins.
package main

import (
	"os"

	"goptxas/internal/gosass"
)

func main() { os.Exit(gosass.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
