package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// slotRow: dup is the complaint about a slot set twice, with %s for the word
// that came last; illegal replaces the word in "Illegal modifier"; need is
// the complaint when an operation requires the slot and has it not.
type slotRow struct {
	dup     string
	illegal string
	need    string
}

var slotRows = [isa.NumSlots]slotRow{
	isa.SlotSync:     {need: ".sync modifier required"},
	isa.SlotOp:       {dup: "Multiple instruction post-operation flags set"},
	isa.SlotHint:     {dup: "Multiple %s modifiers specified"},
	isa.SlotPref:     {dup: "Multiple cache prefetching modifiers specified"},
	isa.SlotGroup:    {dup: "Multiple %s modifiers specified"},
	isa.SlotTile:     {dup: "Multiple .load_mode modifiers specified"},
	isa.SlotMcast:    {dup: "Multiple %s modifiers specified"},
	isa.SlotDim:      {dup: "Multiple dimension modifiers specified", illegal: "dimension", need: "Dimension modifier required"},
	isa.SlotLevel:    {dup: "Multiple cache operation modifiers specified", need: "Cache level modifier required"},
	isa.SlotEvict:    {illegal: ".level::eviction_priority"},
	isa.SlotEvict2:   {need: "Cache eviction priority modifier required"},
	isa.SlotSparse:   {dup: "Multiple sparsity modifiers specified"},
	isa.SlotAll:      {dup: "Multiple .any/.all modifiers specified", need: ".any/.all modifier required"},
	isa.SlotWarpx:    {dup: "Multiple %s modifiers specified"},
	isa.SlotTask:     {dup: "Multiple %s modifiers specified"},
	isa.SlotPack:     {dup: "Multiple %s modifiers specified"},
	isa.SlotMask:     {dup: "Multiple %s modifiers specified"},
	isa.SlotOob:      {dup: "Duplicate %s modifier"},
	isa.SlotDone:     {dup: "Multiple %s modifiers specified", need: ".completion_mechanism modifier required"},
	isa.SlotProxy:    {dup: "Multiple %s modifiers specified", need: ".proxykind modifier required"},
	isa.SlotAlias:    {dup: "Multiple %s modifiers specified"},
	isa.SlotCancel:   {dup: "Multiple %s modifiers specified", need: "Query modifier required"},
	isa.SlotGrid:     {dup: "Duplicate %s modifier", need: "'.launch_dependents' or '.wait' modifier required"},
	isa.SlotInit:     {dup: "Multiple %s modifiers specified"},
	isa.SlotRestrict: {dup: "Multiple %s modifiers specified"},
	isa.SlotAligned:  {dup: "Multiple %s modifiers specified", need: ".aligned modifier required"},
	isa.SlotNoinc:    {dup: "Multiple %s modifiers specified"},
	isa.SlotNocomp:   {dup: "Multiple %s modifiers specified"},
	isa.SlotDown:     {need: ".down modifier required"},
	isa.SlotShuffle:  {dup: "Multiple shuffle modifiers specified", need: "Shuffle modifier required"},
	isa.SlotSat:      {need: ".sat modifier required"},
	isa.SlotVote:     {dup: "Multiple vote modifiers specified"},
	isa.SlotFtz:      {dup: "Duplicate %s modifier"},
	isa.SlotVec:      {dup: "Multiple vector modifiers specified"},
	isa.SlotNoftz:    {dup: "Duplicate %s modifier"},
	isa.SlotShape:    {dup: "Multiple matrix shape modifiers specified", need: "Shape modifier required"},
	isa.SlotLayout:   {illegal: ".alayout or .blayout"},
	isa.SlotScope:    {dup: "Multiple scope modifiers specified", need: "Scope modifier required"},
	isa.SlotCmp:      {dup: "Multiple comparisons set", need: "Comparison modifier required"},
	isa.SlotSem:      {dup: "Duplicate %s modifier"},
	isa.SlotMmio:     {dup: "Multiple %s modifiers specified"},
	isa.SlotNc:       {dup: "Duplicate %s modifier"},
	isa.SlotKind:     {dup: "Multiple .kind modifiers specified", need: ".kind modifier required"},
	isa.SlotBlock:    {dup: "Multiple %s modifiers specified"},
	isa.SlotScale:    {dup: "Multiple .scale_vec_size modifiers specified"},
	isa.SlotAshift:   {dup: "Multiple %s modifiers specified"},
	isa.SlotCollA:    {dup: "Multiple .collector_usage modifiers specified"},
	isa.SlotCollB:    {dup: "Multiple .collector_usage modifiers specified"},
	isa.SlotRound:    {dup: "Multiple rounding modifiers specified", need: "Rounding modifier required"},
	isa.SlotXorsign:  {dup: "Multiple %s modifiers specified"},
	isa.SlotCop:      {dup: "Multiple cache operation modifiers specified", need: "'.ca or .cg' modifier required"},
	isa.SlotGeom:     {dup: "Multiple texture modifiers specified", illegal: "Geometry", need: "Geometry modifier required"},
	isa.SlotComp:     {dup: "Multiple component modifiers specified", illegal: "Component", need: "Component modifier required"},
	isa.SlotQuery:    {dup: "Multiple query modifiers specified", need: "Query modifier required"},
	isa.SlotClamp:    {dup: "Multiple clamp modifiers specified", illegal: "Clamp", need: "Clamp modifier required"},
	isa.SlotShr:      {dup: "Multiple shift-right modifiers specified", illegal: "Shift-right"},
	isa.SlotAbs:      {dup: "Multiple %s modifiers specified"},
	isa.SlotPermute:  {dup: "Multiple permute modifiers specified", illegal: "Permute"},
	isa.SlotNum:      {dup: "Multiple .num modifiers specified", need: ".num modifier required"},
	isa.SlotTrans:    {dup: "Multiple %s modifiers specified"},
	isa.SlotAsync:    {dup: "Multiple %s modifiers specified"},
	isa.SlotRead:     {dup: "Multiple %s modifiers specified"},
	isa.SlotAcc:      {dup: "Multiple accumulation precision modifiers specified"},
	isa.SlotField:    {dup: "Multiple %s modifiers specified"},
	isa.SlotTestp:    {dup: "Multiple testp operation modifiers specified"},
}
