package perfmodel

import (
	"strconv"
	"strings"
)

// unit is what an instruction keeps busy.
type unit uint8

const (
	noUnit unit = iota
	fma
	heavy // integer products
	alu
	special
	double
	uniform
	half   // matrix products of a warp
	memory // one for all four schedulers, like those below
	shared
	numUnits
)

// common reports whether the schedulers share a unit.
func (u unit) common() bool { return u >= memory }

// row says what instructions cost whose mnemonic begins with a name: the unit,
// the cycles that one of them keeps it, those until its result is there.
type row struct {
	names         string
	unit          unit
	busy, latency int
}

// rows are typical of Hopper; latencies count only where a barrier tells.
// Anything else is arithmetic of half rate.
var rows = []row{
	{"FFMA FMUL FADD HFMA2 HADD2 HMUL2 FSWZADD", fma, 1, 14},
	{"IMAD IDP", heavy, 2, 14},
	{"MUFU F2F F2I I2F FRND FCHK POPC FLO BREV", special, 8, 18},
	{"DFMA DADD DMUL DSETP", double, 2, 20},
	{"DMMA", double, 32, 40},
	{"HMMA IMMA QMMA BMMA", half, 8, 24},
	{"S2R CS2R S2UR B2R R2B", noUnit, 1, 30},
	{"SHFL VOTE MATCH REDUX", shared, 1, 24},
	{"LDSM", shared, 4, 33},
	{"LDS STS ATOMS", shared, 1, 30},
	{"LDC", noUnit, 1, 38},
	{"LDGSTS", memory, 2, 600},
	{"LDG LD LDL ATOM ATOMG RED STG ST STL", memory, 2, 600},
	{"TEX TLD TLD4 TXQ SULD SUST SURED SUATOM", memory, 4, 700},
	{"SYNCS ARRIVES", shared, 1, 30},
	{"UTMALDG UTMASTG UBLKCP UTMAREDG", memory, 4, 30},
	{"R2UR", alu, 2, 12},
	{"BRA BRX JMP EXIT RET CALL BSSY BSYNC BREAK WARPSYNC NOP BAR DEPBAR LDGDEPBAR WARPGROUP MEMBAR FENCE ERRBAR CCTL HGMMA IGMMA QGMMA BGMMA NANOSLEEP YIELD", noUnit, 1, 14},
}

// byName finds the row of the first part of a mnemonic.
func byName() map[string]*row {
	m := map[string]*row{}
	for n := range rows {
		for _, s := range strings.Fields(rows[n].names) {
			m[s] = &rows[n]
		}
	}
	return m
}

var (
	halfRate  = row{unit: alu, busy: 2, latency: 14}
	onTheSide = row{unit: uniform, busy: 2, latency: 14}
)

// costOf finds what an instruction costs.
func costOf(table map[string]*row, mnemonic string) row {
	name, rest, _ := strings.Cut(mnemonic, ".")
	r, ok := table[name]
	switch {
	case !ok && strings.HasPrefix(name, "U"):
		return onTheSide
	case !ok:
		return halfRate
	}
	x := *r
	if x.unit == shared || x.unit == memory {
		switch {
		case strings.Contains(rest, "128"):
			x.busy *= 4
		case strings.Contains(rest, "64"):
			x.busy *= 2
		}
	}
	return x
}

// productTime is how long a warp group's product keeps the unit of a
// scheduler, from the N of its shape; 0 if it is none.
func productTime(mnemonic string) int {
	name, rest, _ := strings.Cut(mnemonic, ".")
	if !strings.HasSuffix(name, "GMMA") {
		return 0
	}
	shape, _, _ := strings.Cut(rest, ".")
	parts := strings.Split(shape, "x")
	if len(parts) != 3 {
		return 0
	}
	n, _ := strconv.Atoi(parts[1])
	return max(8, n/2)
}
