package isa

// Version is a PTX ISA version, ten times the number: 9.0 is 90.
type Version uint8

// MakeVersion returns the version with the two numbers.
func MakeVersion(major, minor int) Version { return Version(major*10 + minor) }

// Major returns the number before the dot.
func (v Version) Major() int { return int(v) / 10 }

// Minor returns the number after the dot.
func (v Version) Minor() int { return int(v) % 10 }

// String returns the version as .version writes it.
func (v Version) String() string {
	return string([]byte{'0' + byte(v/10), '.', '0' + byte(v%10)})
}

// SpecialReg is a special register. Its value is the index of its row.
type SpecialReg uint8

// NumSpecials is the number of special registers.
const NumSpecials = SpecialReg(lastSpecial - firstSpecial + 1)

// specialRow: Vector marks those read by component (%tid.x). Version and SM
// are the first that have it, zero for always.
type specialRow struct {
	word    Word
	typ     Type
	vector  bool
	version Version
	sm      uint8
}

// Special returns the special register a word names.
func (w Word) Special() (SpecialReg, bool) {
	return SpecialReg(w - firstSpecial), w.IsSpecial()
}

// Word returns the register's name.
func (r SpecialReg) Word() Word { return specialRows[r].word }

// String returns the register's name with its percent sign.
func (r SpecialReg) String() string { return r.Word().String() }

// Type returns the type of the register or of one of its components.
func (r SpecialReg) Type() Type { return specialRows[r].typ }

// Vector reports whether the register has components x, y, z and w.
func (r SpecialReg) Vector() bool { return specialRows[r].vector }

// Version returns the first PTX version that has the register.
func (r SpecialReg) Version() Version { return specialRows[r].version }

// SM returns the first target that has the register, or zero.
func (r SpecialReg) SM() int { return int(specialRows[r].sm) }

// specialRows follows the order of the special words.
var specialRows = [NumSpecials]specialRow{
	{WSrTid, U32, true, 0, 0},
	{WSrNtid, U32, true, 0, 0},
	{WSrCtaid, U32, true, 0, 0},
	{WSrNctaid, U32, true, 0, 0},
	{WSrClusterid, U32, true, 78, 90},
	{WSrNclusterid, U32, true, 78, 90},
	{WSrClusterCtaid, U32, true, 78, 90},
	{WSrClusterNctaid, U32, true, 78, 90},
	{WSrLaneid, U32, false, 13, 0},
	{WSrWarpid, U32, false, 13, 0},
	{WSrNwarpid, U32, false, 20, 20},
	{WSrSmid, U32, false, 13, 0},
	{WSrNsmid, U32, false, 20, 20},
	{WSrGridid, U64, false, 0, 0},
	{WSrIsExplicitCluster, Pred, false, 78, 90},
	{WSrClusterCtarank, U32, false, 78, 90},
	{WSrClusterNctarank, U32, false, 78, 90},
	{WSrLanemaskEq, U32, false, 20, 20},
	{WSrLanemaskLe, U32, false, 20, 20},
	{WSrLanemaskLt, U32, false, 20, 20},
	{WSrLanemaskGe, U32, false, 20, 20},
	{WSrLanemaskGt, U32, false, 20, 20},
	{WSrClock, U32, false, 0, 0},
	{WSrClockHi, U32, false, 50, 20},
	{WSrClock64, U64, false, 20, 20},
	{WSrGlobaltimer, U64, false, 31, 30},
	{WSrGlobaltimerLo, U32, false, 31, 30},
	{WSrGlobaltimerHi, U32, false, 31, 30},
	{WSrReservedSmemOffsetBegin, B32, false, 76, 80},
	{WSrReservedSmemOffsetEnd, B32, false, 76, 80},
	{WSrReservedSmemOffsetCap, B32, false, 76, 80},
	{WSrReservedSmemOffset0, B32, false, 76, 80},
	{WSrReservedSmemOffset1, B32, false, 76, 80},
	{WSrTotalSmemSize, U32, false, 41, 20},
	{WSrAggrSmemSize, U32, false, 81, 90},
	{WSrDynamicSmemSize, U32, false, 41, 20},
	{WSrCurrentGraphExec, U64, false, 80, 50},
	{WSrPm0, U32, false, 13, 0},
	{WSrPm1, U32, false, 13, 0},
	{WSrPm2, U32, false, 13, 0},
	{WSrPm3, U32, false, 13, 0},
	{WSrPm4, U32, false, 30, 20},
	{WSrPm5, U32, false, 30, 20},
	{WSrPm6, U32, false, 30, 20},
	{WSrPm7, U32, false, 30, 20},
	{WSrPm064, U64, false, 40, 50},
	{WSrPm164, U64, false, 40, 50},
	{WSrPm264, U64, false, 40, 50},
	{WSrPm364, U64, false, 40, 50},
	{WSrPm464, U64, false, 40, 50},
	{WSrPm564, U64, false, 40, 50},
	{WSrPm664, U64, false, 40, 50},
	{WSrPm764, U64, false, 40, 50},
	{WSrEnvreg0, B32, false, 0, 0},
	{WSrEnvreg1, B32, false, 0, 0},
	{WSrEnvreg2, B32, false, 0, 0},
	{WSrEnvreg3, B32, false, 0, 0},
	{WSrEnvreg4, B32, false, 0, 0},
	{WSrEnvreg5, B32, false, 0, 0},
	{WSrEnvreg6, B32, false, 0, 0},
	{WSrEnvreg7, B32, false, 0, 0},
	{WSrEnvreg8, B32, false, 0, 0},
	{WSrEnvreg9, B32, false, 0, 0},
	{WSrEnvreg10, B32, false, 0, 0},
	{WSrEnvreg11, B32, false, 0, 0},
	{WSrEnvreg12, B32, false, 0, 0},
	{WSrEnvreg13, B32, false, 0, 0},
	{WSrEnvreg14, B32, false, 0, 0},
	{WSrEnvreg15, B32, false, 0, 0},
	{WSrEnvreg16, B32, false, 0, 0},
	{WSrEnvreg17, B32, false, 0, 0},
	{WSrEnvreg18, B32, false, 0, 0},
	{WSrEnvreg19, B32, false, 0, 0},
	{WSrEnvreg20, B32, false, 0, 0},
	{WSrEnvreg21, B32, false, 0, 0},
	{WSrEnvreg22, B32, false, 0, 0},
	{WSrEnvreg23, B32, false, 0, 0},
	{WSrEnvreg24, B32, false, 0, 0},
	{WSrEnvreg25, B32, false, 0, 0},
	{WSrEnvreg26, B32, false, 0, 0},
	{WSrEnvreg27, B32, false, 0, 0},
	{WSrEnvreg28, B32, false, 0, 0},
	{WSrEnvreg29, B32, false, 0, 0},
	{WSrEnvreg30, B32, false, 0, 0},
	{WSrEnvreg31, B32, false, 0, 0},
}
