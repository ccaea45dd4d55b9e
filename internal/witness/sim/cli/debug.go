package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/sim"
)

// errQuit ends a debug session.
var errQuit = errors.New("quit")

const debugHelp = `  s [N]        run one (N) instructions of this warp
  c            go on to a breakpoint or the end
  b OFFSET     breakpoint at an offset of the code; b alone lists them
  r [LANE]     registers of a lane (the first active one)
  r N..M [L]   some of them; rN all lanes of register N
  u            uniform registers that were written
  p            predicates
  m ADDR [N]   N words of shared memory
  l [N]        the instructions around this one
  w N          watch warp N instead
  q            end
`

// debugger steps one warp of one block; the others run freely.
type debugger struct {
	in     *bufio.Scanner
	out    io.Writer
	warp   int
	block  [3]uint32
	steps  int // left before the prompt; negative: until a breakpoint
	breaks []uint64
	mod    *sim.Module
	lines  *lineTable
	lastLn string
}

// debug runs the first launch under the debugger.
func debug(o *options, in io.Reader, out io.Writer) error {
	m, list, err := o.launched()
	if err != nil {
		return err
	}
	p, err := m.Kernel(list[0].Kernel)
	if err != nil {
		return err
	}
	c, err := p.Prepare(&list[0], nil)
	if err != nil {
		return err
	}
	d := &debugger{in: bufio.NewScanner(in), out: out, warp: o.warp, mod: m, lines: readLines(m, list[0].Kernel)}
	for n, s := range strings.SplitN(o.cta, ",", 3) {
		v, err := strconv.ParseUint(s, 0, 32)
		if err != nil {
			return &usageError{"-cta " + o.cta}
		}
		d.block[n] = uint32(v)
	}
	c.Launch.MaxSteps, c.Launch.Hook = o.max, d.hook
	fmt.Fprintf(out, "%s<<<%s, %s>>>, block %s warp %d; h for help\n", list[0].Kernel, dims(list[0].Grid), dims(list[0].Block), o.cta, d.warp)
	if _, err = p.Run(&c.Launch); errors.Is(err, errQuit) {
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "the launch is complete")
	for n, b := range c.Buffers {
		if b != nil {
			o.buffer(out, n, &list[0].Args[n], b)
		}
	}
	return nil
}

func (d *debugger) hook(e *sim.Event) error {
	if e.Warp() != d.warp || e.Block() != d.block {
		return nil
	}
	if d.steps != 0 && !d.hit(e) {
		if d.steps > 0 {
			d.steps--
		}
		if d.steps != 0 {
			return nil
		}
	}
	d.steps = 0
	if s := d.lines.at(e.Section(), e.PC()); s != "" && s != d.lastLn {
		fmt.Fprintf(d.out, "%s\n", s)
		d.lastLn = s
	}
	fmt.Fprintf(d.out, "%08x %04x: %s\n", e.Executes(), e.PC(), e.Text())
	for {
		fmt.Fprint(d.out, "> ")
		if !d.in.Scan() {
			fmt.Fprintln(d.out)
			return errQuit
		}
		again, err := d.command(e, strings.Fields(d.in.Text()))
		if err != nil || !again {
			return err
		}
	}
}

func (d *debugger) hit(e *sim.Event) bool {
	for _, b := range d.breaks {
		if b == e.PC() {
			return true
		}
	}
	return false
}

// command runs one line and reports whether to ask again.
func (d *debugger) command(e *sim.Event, f []string) (bool, error) {
	if len(f) == 0 {
		f = []string{"s"}
	}
	switch f[0] {
	case "s":
		d.steps = int(number(f, 1, 1))
		return false, nil
	case "c":
		d.steps = -1
		return false, nil
	case "q":
		return false, errQuit
	case "b":
		d.breakpoint(f)
	case "u":
		d.uniform(e)
	case "p":
		d.predicates(e)
	case "m":
		d.memory(e, number(f, 1, 0), number(f, 2, 8))
	case "l":
		d.listing(e, int(number(f, 1, 4)))
	case "w":
		d.warp = int(number(f, 1, 0))
		d.steps = 1
		return false, nil
	case "h", "help", "?":
		fmt.Fprint(d.out, debugHelp)
	default:
		if f[0][0] == 'r' {
			d.registers(e, f)
		} else {
			fmt.Fprintf(d.out, "unknown command %q; h for help\n", f[0])
		}
	}
	return true, nil
}

func number(f []string, n int, def uint64) uint64 {
	if n < len(f) {
		if v, err := strconv.ParseUint(f[n], 0, 64); err == nil {
			return v
		}
	}
	return def
}

func (d *debugger) breakpoint(f []string) {
	if len(f) > 1 {
		d.breaks = append(d.breaks, number(f, 1, 0))
	}
	for _, b := range d.breaks {
		fmt.Fprintf(d.out, "breakpoint at %04x\n", b)
	}
}

// registers prints one lane's registers, or one register's lanes.
func (d *debugger) registers(e *sim.Event, f []string) {
	if len(f[0]) > 1 { // rN
		n, err := strconv.Atoi(f[0][1:])
		if err != nil || n > 255 {
			fmt.Fprintf(d.out, "no register %q\n", f[0])
			return
		}
		for l := range 32 {
			fmt.Fprintf(d.out, "%s%08x", sep(l), e.Reg(n, l))
		}
		fmt.Fprintln(d.out)
		return
	}
	first, last, lane := 0, e.Registers()-1, bits.TrailingZeros32(e.Active()|1<<31)
	for _, a := range f[1:] {
		if lo, hi, ok := strings.Cut(a, ".."); ok {
			first, last = int(number([]string{lo}, 0, 0)), int(number([]string{hi}, 0, 0))
		} else {
			lane = int(number([]string{a}, 0, 0))
		}
	}
	fmt.Fprintf(d.out, "lane %d\n", lane)
	for n := first; n <= last && n < 255; n++ {
		fmt.Fprintf(d.out, "%sR%-3d %08x", sep(n-first), n, e.Reg(n, lane))
	}
	fmt.Fprintln(d.out)
}

func sep(n int) string {
	switch {
	case n == 0:
		return ""
	case n%8 == 0:
		return "\n"
	}
	return "  "
}

func (d *debugger) uniform(e *sim.Event) {
	k := 0
	for n := range 63 {
		if v := e.Uniform(n); e.UniformWritten(n) {
			fmt.Fprintf(d.out, "%sUR%-2d %08x", sep(k), n, v)
			k++
		}
	}
	fmt.Fprintln(d.out)
}

func (d *debugger) predicates(e *sim.Event) {
	for n := range 7 {
		fmt.Fprintf(d.out, "%sP%d %08x", sep(n), n, e.Pred(n))
	}
	fmt.Fprintf(d.out, "\nactive %08x, exited %08x\n", e.Active(), e.Exited())
}

func (d *debugger) memory(e *sim.Event, addr, n uint64) {
	s := e.Shared()
	for k := range n {
		at := addr + 4*k
		if at+4 > uint64(len(s)) {
			break
		}
		fmt.Fprintf(d.out, "%s%04x %02x%02x%02x%02x", sep(int(k)), at, s[at+3], s[at+2], s[at+1], s[at])
	}
	fmt.Fprintln(d.out)
}

func (d *debugger) listing(e *sim.Event, n int) {
	for k := -n; k <= n; k++ {
		if text, ok := e.Near(k); ok {
			mark := "  "
			if k == 0 {
				mark = "> "
			}
			fmt.Fprintf(d.out, "%s%04x: %s\n", mark, int64(e.PC())+int64(16*k), text)
		}
	}
}
