package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// boxes measures tensor copies: maps that the driver makes, and what the
// reference's code of a plain copy does with them. Copies run in a process
// of their own, and one that faults costs only itself.
func boxes(args []string) error {
	var s settings
	f := s.flags("boxes")
	n := f.Int("n", 600, "maps")
	cubin := f.String("cubin", "", "run this code and print results, from -first on")
	first := f.Int("first", 0, "first map")
	if err := f.Parse(args); err != nil {
		return err
	}
	list := tensor.MeasuredCases(*n)
	if *cubin != "" {
		return runBoxes(*cubin, list[*first:])
	}
	tmp, err := os.MkdirTemp("", "gpurun")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	in, out := filepath.Join(tmp, "boxes.ptx"), filepath.Join(tmp, "boxes.cubin")
	if err := os.WriteFile(in, []byte(gpu.BoxKernels()), 0o644); err != nil {
		return err
	}
	if b := compile(s.ref, []string{"-arch=sm_90a"}, in, out); b.Err != "" {
		return fmt.Errorf("%s: %s", s.ref, b.Err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	taken, done, faults := 0, 0, 0
	for k := 0; k < len(list) && faults < mostFaults; {
		c := exec.Command(self, "boxes", "-n", strconv.Itoa(*n), "-cubin", out, "-first", strconv.Itoa(k))
		c.Stderr = os.Stderr
		b, _ := c.Output() //nolint:errcheck // what it lacks tells
		for d := json.NewDecoder(bytes.NewReader(b)); k < len(list) && d.Decode(list[k]) == nil; k++ {
			if list[k].Map != "" {
				taken++
			}
			if list[k].Done {
				done++
			}
		}
		if k < len(list) {
			list[k].Fault = true
			faults++
			k++
		}
	}
	fmt.Printf("%d maps, %d taken by the driver, %d copies ended as expected, %d faults\n", len(list), taken, done, faults)
	return writeJSON(s.out, list)
}

// mostFaults bounds the processes that are started.
const mostFaults = 60

// runBoxes prints what came of each map.
func runBoxes(name string, list []*tensor.Measured) error {
	cubin, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(os.Stdout)
	return gpu.Boxes(cubin, list, func(x *tensor.Measured) error { return enc.Encode(x) })
}
