package target

// Predicate results: a quick path to the operands of the same units and a
// slow one to guards, branches, votes and everything outside them.
//
// Columns: alu imad half fp64 slow wide p2r break.
var predSM75 = predTable{
	ClassAlu:     {4, 5, 12, 12, 12, 5, 4, 14},
	ClassImad:    {5, 4, 12, 12, 12, 4, 5, 12},
	ClassImadHi:  {5, 4, 12, 12, 12, 5, 5, 12},
	ClassWide:    {5, 4, 12, 12, 12, 4, 5, 12},
	ClassHalfCmp: {8, 13, 12, 13, 16, 13, 8, 16},
	ClassVote:    {4, 12, 12, 12, 12, 12, 4, 12},
	ClassR2p:     {5, 17, 17, 17, 17, 17, 17, 17},
}

var predSM80 = predTable{
	ClassAlu:     {4, 5, 13, 13, 13, 5, 4, 15},
	ClassImad:    {5, 4, 13, 13, 13, 4, 5, 13},
	ClassImadHi:  {5, 4, 13, 13, 13, 5, 5, 13},
	ClassWide:    {5, 4, 13, 13, 13, 13, 13, 13},
	ClassHalfCmp: {5, 13, 6, 13, 13, 13, 5, 13},
	ClassVote:    {4, 13, 13, 13, 13, 13, 13, 13},
	ClassR2p:     {5, 17, 17, 17, 17, 17, 17, 17},
}

var predSM90 = predTable{
	ClassAlu:     {4, 5, 13, 13, 13, 5, 4, 15},
	ClassImad:    {5, 4, 13, 13, 13, 4, 5, 13},
	ClassImadHi:  {5, 4, 13, 13, 13, 5, 5, 13},
	ClassWide:    {5, 4, 13, 13, 13, 5, 5, 13},
	ClassFp64:    {6, 14, 14, 6, 14, 14, 6, 14},
	ClassHalfCmp: {5, 13, 5, 13, 13, 13, 5, 13},
	ClassVote:    {4, 13, 13, 13, 13, 13, 13, 13},
	ClassElect:   {4, 13, 13, 13, 13, 13, 13, 13},
	ClassR2p:     {5, 17, 17, 17, 17, 17, 17, 17},
}

var predSM120 = predTable{
	ClassAlu:     {4, 5, 6, 13, 13, 5, 4, 14},
	ClassImad:    {5, 4, 13, 13, 13, 4, 5, 13},
	ClassImadHi:  {5, 4, 13, 13, 13, 5, 5, 13},
	ClassWide:    {5, 4, 13, 13, 13, 5, 5, 13},
	ClassHalfCmp: {4, 13, 5, 13, 13, 13, 4, 13},
	ClassVote:    {5, 15, 15, 15, 15, 15, 15, 15},
	ClassElect:   {5, 6, 13, 13, 13, 6, 5, 13},
	ClassR2p:     {5, 18, 18, 18, 18, 18, 18, 18},
}

// Uniform results.
//
// Columns: udp umov index vector xu desc async-desc address gmma tma syncs
// branch wide.
var uniSM75 = uniTable{
	ClassUdp:   {4, 7, 12, 6, 9, 9, 12, 13, 9, 12, 12, 12, 4},
	ClassUwide: {4, 7, 12, 6, 9, 9, 12, 9, 9, 12, 12, 12, 4},
	ClassUmov:  {2, 2, 6, 6, 6, 5, 5, 6, 5, 7, 7, 5, 2},
	ClassUldc:  {2, 6, 5, 2, 2, 5, 5, 2, 5, 7, 7, 5, 2},
	ClassVoteu: {2, 5, 12, 2, 2, 9, 9, 9, 9, 12, 12, 12, 2},
}

var uniSM80 = uniTable{
	ClassUdp:   {4, 7, 12, 6, 9, 9, 12, 9, 9, 12, 12, 12, 4},
	ClassUwide: {4, 7, 12, 6, 9, 9, 12, 9, 9, 12, 12, 12, 4},
	ClassUmov:  {2, 2, 5, 2, 2, 2, 5, 5, 5, 7, 7, 5, 2},
	ClassUldc:  {2, 6, 5, 2, 5, 2, 5, 2, 5, 7, 7, 5, 2},
	ClassVoteu: {2, 5, 12, 3, 2, 9, 9, 9, 9, 12, 12, 12, 2},
}

var uniSM90 = uniTable{
	ClassUdp:   {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 4},
	ClassUwide: {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 4},
	ClassUmov:  {2, 2, 5, 2, 2, 4, 5, 5, 2, 2, 5, 3, 2},
	ClassUldc:  {2, 5, 5, 2, 2, 2, 5, 5, 6, 6, 5, 5, 2},
	ClassR2ur:  {13, 13, 15, 13, 13, 13, 15, 13, 13, 13, 15, 13, 21},
	ClassVoteu: {2, 5, 12, 3, 2, 9, 9, 9, 9, 11, 9, 12, 2},
	ClassElect: {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 4},
}

var uniSM100 = uniTable{
	ClassUdp:    {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 4},
	ClassUwide:  {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 4},
	ClassUmov:   {2, 2, 8, 2, 2, 8, 8, 8, 2, 8, 5, 3, 2},
	ClassR2ur:   {13, 13, 15, 13, 13, 13, 15, 13, 13, 13, 15, 13, 21},
	ClassCredux: {13, 13, 15, 13, 13, 13, 15, 13, 13, 13, 15, 15, 13},
	ClassVoteu:  {2, 5, 12, 2, 2, 9, 9, 9, 9, 11, 9, 12, 2},
	ClassElect:  {4, 7, 13, 6, 9, 13, 13, 13, 9, 13, 13, 12, 13},
}

var uniSM120 = uniTable{
	ClassUdp:    {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 4},
	ClassUwide:  {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 7},
	ClassUfp:    {4, 7, 12, 6, 9, 9, 12, 9, 9, 9, 9, 12, 9},
	ClassUmov:   {2, 2, 5, 2, 2, 3, 8, 5, 2, 4, 5, 3, 2},
	ClassR2ur:   {13, 13, 15, 13, 13, 13, 15, 13, 13, 13, 15, 13, 13},
	ClassCredux: {13, 13, 15, 13, 13, 13, 15, 13, 13, 13, 15, 15, 13},
	ClassVoteu:  {2, 5, 12, 2, 2, 9, 9, 9, 9, 11, 9, 12, 2},
	ClassElect:  {4, 7, 13, 6, 9, 13, 13, 13, 9, 13, 13, 12, 13},
}

// Uniform predicate results.
//
// Columns: udp vector guard async-guard branch wide.
var upSM75 = upTable{
	ClassUdp:   {4, 6, 11, 11, 12, 11},
	ClassUwide: {11, 11, 11, 11, 12, 11},
	ClassUfp:   {4, 6, 11, 11, 12, 4},
	ClassVoteu: {5, 3, 5, 5, 12, 5},
}

var upSM90 = upTable{
	ClassUdp:   {4, 6, 11, 11, 12, 11},
	ClassUwide: {4, 11, 11, 11, 12, 11},
	ClassUfp:   {4, 6, 11, 11, 12, 4},
	ClassVoteu: {5, 3, 5, 5, 12, 5},
}

var upSM100 = upTable{
	ClassUdp:   {4, 6, 11, 11, 9, 11},
	ClassUwide: {4, 11, 11, 11, 11, 11},
	ClassUfp:   {4, 6, 11, 11, 12, 4},
	ClassVoteu: {5, 5, 5, 5, 12, 5},
}

var upSM120 = upTable{
	ClassUdp:   {4, 6, 11, 11, 9, 11},
	ClassUwide: {11, 11, 11, 11, 11, 11},
	ClassUfp:   {4, 6, 11, 11, 12, 6},
	ClassVoteu: {5, 3, 5, 8, 12, 5},
}

// Second writers. What a first writer of another class needs to land before
// the second: the latency they differ by.
var wawSM75 = orderTable{
	ClassAlu: {5, 8}, ClassFma: {5, 8}, ClassImad: {4, 8}, ClassImadHi: {5, 8}, ClassWide: {5, 8}, ClassWideHi: {5, 8},
	ClassHalf: {6, 8}, ClassHalf32: {6, 8}, ClassHalfCmp: {6, 8}, ClassVote: {4, 8}, ClassP2r: {4, 8},
	ClassCs2r32: {4, 8}, ClassCs2r64: {6, 8},
	ClassLepc: {5, 6},
}

var wawSM80 = orderTable{
	ClassAlu: {1, 6}, ClassFma: {1, 6}, ClassImad: {1, 6}, ClassImadHi: {1, 6}, ClassWide: {1, 6}, ClassWideHi: {5, 6},
	ClassHalf: {1, 6}, ClassHalf32: {1, 6}, ClassHalfCmp: {1, 6}, ClassVote: {1, 6}, ClassP2r: {1, 6},
	ClassHmmaFma: {6, 10}, ClassImma88: {9, 13}, ClassMma1: {12, 15}, ClassMma2: {20, 23}, ClassQmma: {20, 23},
	ClassCs2r32: {1, 6}, ClassCs2r64: {2, 6},
	ClassLepc: {5, 6},
}

var wawSM90 = orderTable{
	ClassAlu: {1, 6}, ClassFma: {1, 6}, ClassImad: {1, 6}, ClassImadHi: {1, 6}, ClassWide: {1, 6}, ClassWideHi: {5, 6},
	ClassHalf: {1, 6}, ClassHalf32: {1, 6}, ClassHalfCmp: {1, 6}, ClassVote: {1, 6}, ClassP2r: {1, 6},
	ClassHmmaFma: {6, 10}, ClassFp64: {6, 10}, ClassImma88: {9, 13}, ClassMma1: {12, 15}, ClassMma2: {24, 23},
	ClassCs2r32: {1, 6}, ClassCs2r64: {2, 6},
	ClassLepc: {5, 6},
}

var wawSM100 = orderTable{
	ClassAlu: {1, 6}, ClassFma: {1, 6}, ClassImad: {1, 6}, ClassImadHi: {1, 6}, ClassWide: {1, 6}, ClassWideHi: {5, 6},
	ClassHalf: {1, 6}, ClassHalf32: {1, 6}, ClassHalfCmp: {1, 6}, ClassVote: {1, 6}, ClassP2r: {1, 6},
	ClassFp64: {6, 10}, ClassImma88: {16, 19}, ClassMma1: {17, 19}, ClassMma2: {17, 19}, ClassQmma: {16, 19},
	ClassCs2r32: {1, 6}, ClassCs2r64: {2, 6},
	ClassLepc: {5, 6},
}

var wawSM120 = orderTable{
	ClassAlu: {1, 6}, ClassFma: {1, 6}, ClassImad: {1, 6}, ClassImadHi: {1, 6}, ClassWide: {1, 6}, ClassWideHi: {5, 6},
	ClassHalf: {1, 6}, ClassHalf32: {1, 6}, ClassHalfCmp: {1, 6}, ClassVote: {1, 6}, ClassP2r: {1, 6},
	ClassImma88: {22, 26}, ClassMma1: {24, 26}, ClassMma2: {26, 26}, ClassQmma: {24, 28},
	ClassCs2r32: {1, 6}, ClassCs2r64: {2, 6},
	ClassLepc: {5, 6},
}

// Writers after readers of fixed timing. The matrix units of the larger
// shapes read their operands over several cycles.
var warSM80 = orderTable{
	ClassAlu: {1, 2}, ClassFma: {1, 2}, ClassImad: {1, 2}, ClassImadHi: {1, 2}, ClassWide: {1, 2},
	ClassHalf: {1, 2}, ClassHalf32: {1, 2}, ClassHalfCmp: {1, 2}, ClassR2ur: {1, 2}, ClassMma2: {7, 2}, ClassQmma: {7, 2},
	ClassMma1: {1, 2}, ClassFp64: {1, 2}, ClassCbu: {1, 2},
}

var warSM89 = orderTable{
	ClassAlu: {1, 2}, ClassFma: {1, 2}, ClassImad: {1, 2}, ClassImadHi: {1, 2}, ClassWide: {1, 2},
	ClassHalf: {1, 2}, ClassHalf32: {1, 2}, ClassHalfCmp: {1, 2}, ClassR2ur: {1, 2}, ClassMma1: {1, 2}, ClassMma2: {7, 1}, ClassQmma: {7, 1},
	ClassFp64: {1, 2}, ClassCbu: {1, 2},
}

var warSM100 = orderTable{
	ClassAlu: {1, 2}, ClassFma: {1, 2}, ClassImad: {1, 2}, ClassImadHi: {1, 2}, ClassWide: {1, 2},
	ClassHalf: {1, 2}, ClassHalf32: {1, 2}, ClassHalfCmp: {1, 2}, ClassR2ur: {1, 2},
	ClassMma1: {1, 2}, ClassFp64: {1, 2}, ClassCbu: {1, 2},
}

var warSM120 = orderTable{
	ClassAlu: {1, 2}, ClassFma: {1, 2}, ClassImad: {1, 2}, ClassImadHi: {1, 2}, ClassWide: {1, 2},
	ClassHalf: {1, 2}, ClassHalf32: {1, 2}, ClassHalfCmp: {1, 2}, ClassR2ur: {1, 2},
	ClassImma88: {8, 2}, ClassMma1: {8, 2}, ClassMma2: {8, 1}, ClassQmma: {8, 1},
	ClassFp64: {1, 2}, ClassCbu: {1, 2},
}

// Classes that share a unit.
var (
	fmaUnit    = []Class{ClassFma, ClassImad, ClassImadHi, ClassWide, ClassHalf, ClassHalf32}
	aluUnit    = []Class{ClassAlu, ClassR2ur, ClassCs2r64}
	memoryUnit = []Class{ClassLds, ClassSts, ClassLdg, ClassStg, ClassLdgsts}
	mmaUnit    = []Class{ClassImma88, ClassMma1, ClassMma2, ClassQmma}
	fp64Unit   = []Class{ClassFp64}
	halfUnit   = []Class{ClassHmmaFma}
	xuUnit     = []Class{ClassXu, ClassXu64}
	ldcUnit    = []Class{ClassLdc, ClassS2ur}
	udpUnit    = []Class{ClassUdp, ClassUwide, ClassUfp}
)

var busyCommon = []busyRow{
	{ClassAlu, aluUnit, 2},
	{ClassCs2r64, aluUnit, 2},
	{ClassR2ur, aluUnit, 2},
	{ClassImad, fmaUnit, 2},
	{ClassImadHi, fmaUnit, 4},
	{ClassWide, fmaUnit, 4},
	{ClassHalf, fmaUnit, 2},
	{ClassHalf32, fmaUnit, 2},
	{ClassHmmaFma, halfUnit, 2},
	{ClassFp64, fp64Unit, 2},
	{ClassMma2, mmaUnit, 6},
	{ClassMma1, mmaUnit, 4},
	{ClassXu, xuUnit, 8},
	{ClassXu64, xuUnit, 8},
	{ClassLds, memoryUnit, 4},
	{ClassSts, memoryUnit, 4},
	{ClassLdg, memoryUnit, 4},
	{ClassStg, memoryUnit, 4},
	{ClassLdgsts, memoryUnit, 4},
	{ClassLdc, ldcUnit, 8},
	{ClassS2ur, ldcUnit, 8},
	{ClassUdp, udpUnit, 2},
}

// busyOld adds what sm_75 and sm_80 do: half as many FMA lanes.
var busyOld = []busyRow{
	{ClassFma, fmaUnit, 2},
	{ClassAlu, aluUnit, 2},
	{ClassImad, fmaUnit, 2},
	{ClassImadHi, fmaUnit, 4},
	{ClassWide, fmaUnit, 4},
	{ClassHalf, fmaUnit, 2},
	{ClassHalf32, fmaUnit, 2},
	{ClassMma2, mmaUnit, 8},
	{ClassMma1, mmaUnit, 8},
	{ClassXu, xuUnit, 8},
	{ClassXu64, xuUnit, 8},
	{ClassLds, memoryUnit, 4},
	{ClassSts, memoryUnit, 4},
	{ClassLdg, memoryUnit, 4},
	{ClassStg, memoryUnit, 4},
	{ClassLdgsts, memoryUnit, 4},
	{ClassLdc, ldcUnit, 8},
	{ClassUdp, udpUnit, 2},
}

// Before sm_90 and from sm_103 on the FP64 unit is outside the warp's own; so is
// the matrix unit of sm_75 and the path from general to uniform registers
// before sm_90.

var timingSM75 = Timing{
	gpr: &gprSM75, pred: &predSM75, uni: &uniSM75, up: &upSM75, waw: &wawSM75, war: &warSM80, wideWAW: 5,
	variable: 1<<ClassFp64 | 1<<ClassImma88 | 1<<ClassMma1 | 1<<ClassMma2 | 1<<ClassQmma | 1<<ClassR2ur,
	busy:     busyOld, barGap: 5, barBar: 5, barReads: true, barAlone: true, imadAlu: 5,
}

var timingSM80 = Timing{
	gpr: &gprSM80, pred: &predSM80, uni: &uniSM80, up: &upSM75, waw: &wawSM80, war: &warSM80, wideWAW: 5,
	variable: 1<<ClassFp64 | 1<<ClassR2ur, busy: busyOld, barGap: 6, barBar: 6,
}

// timingSM86 is that of sm_87, sm_88 and sm_89 too.
var timingSM86 = Timing{
	gpr: &gprSM89, pred: &predSM80, uni: &uniSM80, up: &upSM75, waw: &wawSM80, war: &warSM89, wideWAW: 5,
	variable: 1<<ClassFp64 | 1<<ClassR2ur, busy: busyCommon, barGap: 6, barBar: 6,
}

var timingSM90 = Timing{
	gpr: &gprSM90, pred: &predSM90, uni: &uniSM90, up: &upSM90, waw: &wawSM90, war: &warSM89, wideWAW: 3,
	busy: busyCommon, barGap: 6, barBar: 8, bssyGap: 4, exitStall: true, blockFence: true,
}

var timingSM100 = Timing{
	gpr: &gprSM100, pred: &predSM90, uni: &uniSM100, up: &upSM100, waw: &wawSM100, war: &warSM100, wideWAW: 3,
	busy: busyCommon, barGap: 6, barBar: 8, bssyGap: 4, exitStall: true, blockFence: true,
}

// timingSM110 is sm_100 with an FP64 unit like that of sm_120, whose results
// the reference announces by barriers.
var timingSM110 = Timing{
	gpr: &gprSM100, pred: &predSM90, uni: &uniSM100, up: &upSM100, waw: &wawSM100, war: &warSM100, wideWAW: 3,
	variable: 1 << ClassFp64, busy: busyCommon, barGap: 6, barBar: 8, bssyGap: 4, exitStall: true, blockFence: true,
}

// timingSM103 announces products of integers so, too.
var timingSM103 = Timing{
	gpr: &gprSM100, pred: &predSM90, uni: &uniSM100, up: &upSM100, waw: &wawSM100, war: &warSM100, wideWAW: 3,
	variable: 1 << ClassFp64, integersLate: true, busy: busyCommon, barGap: 6, barBar: 8, bssyGap: 4, exitStall: true, blockFence: true,
}

// timingSM120 is that of sm_121 too.
var timingSM120 = Timing{
	gpr: &gprSM120, pred: &predSM120, uni: &uniSM120, up: &upSM120, waw: &wawSM120, war: &warSM120, wideWAW: 3,
	variable: 1 << ClassFp64, busy: busyCommon, barGap: 6, barBar: 8, bssyGap: 4, exitStall: true, blockFence: true,
}
