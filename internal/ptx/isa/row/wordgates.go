package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// wordGates are the features that one word calls for, whatever the
// instruction: early is complained about as the word is read, late when its
// slot is checked.
type wordGatePair struct{ early, late *Gate }

// WordGate complains about a word that the version or target lacks.
func (c *Checker) WordGate(w isa.Word, early bool) {
	g := wordGates[w].late
	if early {
		g = wordGates[w].early
	}
	if g == nil {
		return
	}
	if (w == isa.WKindMxf4nvf4 || w == isa.WKindMxf4) && c.In.Has(isa.SlotSparse) {
		c.Gate(&Gate{Name: g.Name, Plain: true, V: g.V})
		if g = &gSparseNvf4; w == isa.WKindMxf4 {
			g = &gSparseMxf4
		}
	}
	c.Gate(g)
}

// Sparse matrices of these kinds are of fewer targets.
var (
	gSparseNvf4 = Gate{Name: ".kind::mxf4nvf4 with .sp modifier", Plain: true, Only: target.OnA100 | target.OnA120}
	gSparseMxf4 = Gate{Name: ".kind::mxf4 with .sp modifier", Plain: true, Only: target.OnA100 | target.OnA120}
)

// Of .xorsign the version is looked at before its partner, the target behind.
var (
	gXorsign       = Gate{Name: ".xorsign", Plain: true, V: 72}
	gXorsignTarget = Gate{Name: ".xorsign", Plain: true, SM: 86, Mod: true}
)

var wordGates = [isa.NumWords]wordGatePair{
	isa.WM16n8:                     {early: &Gate{Name: ".m16n8", Plain: true, V: 86, Only: target.OnF100 | target.OnF120, TargetFirst: true, ModV: true}},
	isa.WM16n16:                    {early: &Gate{Name: ".m16n16", Plain: true, V: 86, Only: target.OnF100 | target.OnF120, TargetFirst: true, ModV: true}},
	isa.W4x256b:                    {early: &Gate{Name: ".4x256b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W16x32bx2:                  {early: &Gate{Name: ".16x32bx2", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W16x64b:                    {early: &Gate{Name: ".16x64b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W16x128b:                   {early: &Gate{Name: ".16x128b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W16x256b:                   {early: &Gate{Name: ".16x256b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W32x32b:                    {early: &Gate{Name: ".32x32b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W32x128b:                   {early: &Gate{Name: ".32x128b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W64x128b:                   {early: &Gate{Name: ".64x128b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W128x128b:                  {early: &Gate{Name: ".128x128b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.W128x256b:                  {early: &Gate{Name: ".128x256b", Plain: true, V: 86, Only: target.OnF100, TargetFirst: true, ModV: true}},
	isa.WAligned:                   {early: &Gate{Name: ".aligned", Plain: true, V: 60, SM: 20}},
	isa.WSatfinite:                 {early: &Gate{Name: ".satfinite", Plain: true, V: 60, SM: 70}},
	isa.WWeak:                      {early: &Gate{Name: ".weak", Plain: true, V: 60, SM: 70}},
	isa.WRelu:                      {early: &Gate{Name: ".relu", Plain: true, V: 70}},
	isa.WAsync:                     {early: &Gate{Name: ".async", Plain: true, V: 80, SM: 90, Mod: true, ModV: true, TargetFirst: true}},
	isa.WRead:                      {early: &Gate{Name: ".read", Plain: true, V: 80, SM: 90, Mod: true, ModV: true, TargetFirst: true}},
	isa.WLaunchDependents:          {early: &Gate{Name: ".launch_dependents", Plain: true, V: 78, SM: 90, Mod: true, ModV: true, TargetFirst: true}},
	isa.WWait:                      {early: &Gate{Name: ".wait", Plain: true, V: 78, SM: 90, Mod: true, ModV: true, TargetFirst: true}},
	isa.WOob:                       {early: &Gate{Name: ".oob", Plain: true, V: 81, SM: 90, Mod: true, TargetFirst: true}},
	isa.WGetFirstCtaid:             {early: &Gate{Name: ".get_first_ctaid", Plain: true, V: 86, SM: 100}},
	isa.WGetFirstCtaidX:            {early: &Gate{Name: ".get_first_ctaid::x", Plain: true, V: 86, SM: 100}},
	isa.WGetFirstCtaidY:            {early: &Gate{Name: ".get_first_ctaid::y", Plain: true, V: 86, SM: 100}},
	isa.WGetFirstCtaidZ:            {early: &Gate{Name: ".get_first_ctaid::z", Plain: true, V: 86, SM: 100}},
	isa.WIsCanceled:                {early: &Gate{Name: ".is_canceled", Plain: true, V: 86, SM: 100}},
	isa.WMmio:                      {early: &Gate{Name: ".mmio", Plain: true, V: 82, SM: 70}},
	isa.WSpOrderedMetadata:         {early: &Gate{Name: ".sp::ordered_metadata", Plain: true, V: 85, SM: 80}},
	isa.WAbs:                       {early: &Gate{Name: ".abs", Plain: true, V: 72, SM: 86, TargetFirst: true}},
	isa.WAlias:                     {early: &Gate{Name: ".alias", Plain: true, TargetFirst: true, V: 75, SM: 60, Mod: true, ModV: true}},
	isa.W2dms:                      {late: &Gate{Name: "multi-sample textures", Plain: true, TargetFirst: true, V: 32, SM: 30}},
	isa.WA2dms:                     {late: &Gate{Name: "multi-sample textures", Plain: true, TargetFirst: true, V: 32, SM: 30}},
	isa.WCa:                        {late: &Gate{Name: "cache operation", Plain: true, V: 20}},
	isa.WCg:                        {late: &Gate{Name: "cache operation", Plain: true, V: 20}},
	isa.WCs:                        {late: &Gate{Name: "cache operation", Plain: true, V: 20}},
	isa.WCv:                        {late: &Gate{Name: "cache operation", Plain: true, V: 20}},
	isa.WLu:                        {late: &Gate{Name: "cache operation", Plain: true, V: 20}},
	isa.WWb:                        {late: &Gate{Name: "cache operation", Plain: true, V: 20}},
	isa.WWt:                        {late: &Gate{Name: "cache operation", Plain: true, V: 20}},
	isa.WNaN:                       {late: &Gate{Name: ".NaN", Plain: true, V: 70, SM: 80, Mod: true}},
	isa.WA1d:                       {late: &Gate{Name: "array geometry", Plain: true, V: 23}},
	isa.WA2d:                       {late: &Gate{Name: "array geometry", Plain: true, V: 23}},
	isa.WAcube:                     {late: &Gate{Name: "cubemap textures", Plain: true, V: 30}},
	isa.WCube:                      {late: &Gate{Name: "cubemap textures", Plain: true, V: 30}},
	isa.WMma:                       {late: &Gate{Name: ".mma", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WLd:                        {late: &Gate{Name: ".ld", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WSt:                        {late: &Gate{Name: ".st", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WCp:                        {late: &Gate{Name: ".cp", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WAlloc:                     {late: &Gate{Name: ".alloc", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WDealloc:                   {late: &Gate{Name: ".dealloc", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WPack16b:                   {late: &Gate{Name: ".pack::16b", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WShift:                     {late: &Gate{Name: ".shift", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WUnpack16b:                 {late: &Gate{Name: ".unpack::16b", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WWarpx20123:                {late: &Gate{Name: ".warpx2::01_23", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WWarpx20213:                {late: &Gate{Name: ".warpx2::02_13", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WWarpx4:                    {late: &Gate{Name: ".warpx4", Plain: true, V: 86, Only: target.OnF100, Arch: true}},
	isa.WAshift:                    {late: &Gate{Name: ".ashift", Plain: true, V: 86, Only: target.OnF100}},
	isa.WKindF16:                   {late: &Gate{Name: ".kind::f16", Plain: true, V: 86, Only: target.OnF100}},
	isa.WKindTf32:                  {late: &Gate{Name: ".kind::tf32", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorADiscard:         {late: &Gate{Name: ".collector::a::discard", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorAFill:            {late: &Gate{Name: ".collector::a::fill", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorALastuse:         {late: &Gate{Name: ".collector::a::lastuse", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorAUse:             {late: &Gate{Name: ".collector::a::use", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB0Discard:        {late: &Gate{Name: ".collector::b0::discard", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB0Fill:           {late: &Gate{Name: ".collector::b0::fill", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB0Lastuse:        {late: &Gate{Name: ".collector::b0::lastuse", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB0Use:            {late: &Gate{Name: ".collector::b0::use", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB1Discard:        {late: &Gate{Name: ".collector::b1::discard", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB1Fill:           {late: &Gate{Name: ".collector::b1::fill", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB1Lastuse:        {late: &Gate{Name: ".collector::b1::lastuse", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB1Use:            {late: &Gate{Name: ".collector::b1::use", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB2Discard:        {late: &Gate{Name: ".collector::b2::discard", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB2Fill:           {late: &Gate{Name: ".collector::b2::fill", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB2Lastuse:        {late: &Gate{Name: ".collector::b2::lastuse", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB2Use:            {late: &Gate{Name: ".collector::b2::use", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB3Discard:        {late: &Gate{Name: ".collector::b3::discard", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB3Fill:           {late: &Gate{Name: ".collector::b3::fill", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB3Lastuse:        {late: &Gate{Name: ".collector::b3::lastuse", Plain: true, V: 86, Only: target.OnF100}},
	isa.WCollectorB3Use:            {late: &Gate{Name: ".collector::b3::use", Plain: true, V: 86, Only: target.OnF100}},
	isa.WKindI8:                    {late: &Gate{Name: ".kind::i8", Plain: true, V: 86, Only: target.On100a | target.On101a | target.On110a}},
	isa.WKindF8f6f4:                {late: &Gate{Name: ".kind::f8f6f4", Plain: true, V: 86, Only: target.OnF100 | target.OnF120}},
	isa.WKindMxf4:                  {late: &Gate{Name: ".kind::mxf4", Plain: true, V: 86, Only: target.OnF100 | target.OnF120}},
	isa.WKindMxf8f6f4:              {late: &Gate{Name: ".kind::mxf8f6f4", Plain: true, V: 86, Only: target.OnF100 | target.OnF120}},
	isa.WBlockScale:                {late: &Gate{Name: ".block_scale", Plain: true, V: 86, Only: target.OnF100 | target.OnF120}},
	isa.WKindMxf4nvf4:              {late: &Gate{Name: ".kind::mxf4nvf4", Plain: true, V: 87, Only: target.OnF100 | target.OnF120}},
	isa.WScaleVec1X:                {late: &Gate{Name: ".scale_vec::1X", Plain: true, V: 86, Only: target.OnA100 | target.OnF120}},
	isa.WScaleVec2X:                {late: &Gate{Name: ".scale_vec::2X", Plain: true, V: 86, Only: target.OnA100 | target.OnF120}},
	isa.WScaleVec4X:                {late: &Gate{Name: ".scale_vec::4X", Plain: true, V: 87, Only: target.OnA100 | target.OnF120}},
	isa.WBlock16:                   {late: &Gate{Name: ".block16", Plain: true, V: 88, Only: target.OnF100}},
	isa.WBlock32:                   {late: &Gate{Name: ".block32", Plain: true, V: 88, Only: target.OnF100}},
	isa.WRs:                        {late: &Gate{Name: ".rs", Plain: true, V: 87, Only: target.On100a | target.On103a}},
	isa.WApprox:                    {late: &Gate{Name: ".approx", Plain: true, V: 14}},
	isa.WFtz:                       {late: &Gate{Name: ".ftz", Plain: true, V: 14}},
	isa.WArraySize:                 {late: &Gate{Name: "array_size attribute", Plain: true, V: 41}},
	isa.WChannelDataType:           {late: &Gate{Name: "channel_data_type attribute", Plain: true, V: 21}},
	isa.WChannelOrder:              {late: &Gate{Name: "channel_order attribute", Plain: true, V: 21}},
	isa.WForceUnnormalizedCoords:   {late: &Gate{Name: "force_unnormalized_coords attribute", Plain: true, V: 22}},
	isa.WMemoryLayout:              {late: &Gate{Name: "memory_layout attribute", Plain: true, V: 42}},
	isa.WNumMipmapLevels:           {late: &Gate{Name: "num_mipmap_levels attribute", Plain: true, V: 41, SM: 20}},
	isa.WNumSamples:                {late: &Gate{Name: "num_samples attribute", Plain: true, V: 41, SM: 30}},
	isa.WBulkGroup:                 {late: &Gate{Name: ".bulk_group", Plain: true, V: 80, SM: 90, TargetFirst: true}},
	isa.WMbarrierCompleteTxBytes:   {late: &Gate{Name: ".mbarrier::complete_tx::bytes", Plain: true, V: 80, SM: 90, TargetFirst: true}},
	isa.WMbarrierArriveOne:         {late: &Gate{Name: ".zoneevre::neevir::bar", Plain: true, V: 86, SM: 90, TargetFirst: true}},
	isa.WCpMask:                    {late: &Gate{Name: ".cp_mask", Plain: true, V: 86, SM: 100, TargetFirst: true}},
	isa.WMbarrierInit:              {late: &Gate{Name: ".op_restrict", Plain: true, V: 80, SM: 90, TargetFirst: true}},
	isa.WSyncRestrictSharedCluster: {late: &Gate{Name: ".sync_restrict", Plain: true, V: 86, SM: 90, TargetFirst: true}},
	isa.WSyncRestrictSharedCta:     {late: &Gate{Name: ".sync_restrict", Plain: true, V: 86, SM: 90, TargetFirst: true}},
	isa.WXorsign:                   {late: &gXorsign},
	isa.WTensormap:                 {late: &Gate{Name: ".tensormap", Plain: true, V: 80, SM: 90, Mod: true, ModV: true, TargetFirst: true}},
}
