package timing

// Kinds are sorts of work that goes on behind an instruction without a
// register that would tell: only the barrier the instruction sets does.
type Kinds uint8

// Sorts of work, and who needs it to be over.
const (
	// Loaded are results of loads: before the cache forgets the rest they
	// must be there.
	Loaded Kinds = 1 << iota
	// Stored are writes that do not pass through the queue of ordinary
	// stores: mbarriers made and ended, tensor maps copied to global memory.
	// Whoever tells others of them waits.
	Stored
	// Fetched are uniform registers that an asynchronous operation reads
	// when its turn comes: a warp that exits gives them away.
	Fetched
	// Copied are results of loads from tensor memory: until they are there
	// what was loaded must not be overwritten.
	Copied
	NumKinds = 4
)

// kindRow says what an operation leaves behind and what it waits for.
type kindRow struct {
	name   string
	mod    string // only with this modifier
	leaves Kinds
	awaits Kinds
}

// kindRows are as the reference does it on sm_90 and later: each pair of a
// row that leaves something and a row that awaits it was looked at in its
// code.
var kindRows = [...]kindRow{
	{"SYNCS", "EXCH", Stored | Fetched, 0},
	{"SYNCS", "CCTL", Stored, 0},
	{"SYNCS", "ARRIVE", 0, Stored},
	{"SYNCS", "PHASECHK", 0, Stored},
	{"ARRIVES", "", 0, Stored},
	{"BAR", "", 0, Stored},
	{"ELECT", "", 0, Stored},
	{"FENCE", "", 0, Stored},
	{"MEMBAR", "", 0, Stored},
	{"UCGABAR_ARV", "", 0, Stored},
	{"WARPSYNC", "", 0, Stored},
	{"WARPGROUP", "ARRIVE", 0, Stored},
	{"UBLKCP", "", Fetched, Stored},
	{"UBLKPF", "", Fetched, 0},
	{"UBLKRED", "", Fetched, Stored},
	{"UTMACCTL", "", Fetched, Stored},
	{"UTMALDG", "", Fetched, Stored},
	{"UTMAPF", "", Fetched, 0},
	{"UTMAREDG", "", Fetched, Stored},
	{"UTMASTG", "", Fetched, Stored},
	{"UTCBAR", "", Fetched, Stored},
	{"UTCCP", "", Fetched, Stored},
	{"UTCHMMA", "", Fetched, Stored},
	{"UTCIMMA", "", Fetched, Stored},
	{"UTCOMMA", "", Fetched, Stored},
	{"UTCQMMA", "", Fetched, Stored},
	{"UTCSHIFT", "", Fetched, Stored},
	{"LDTM", "", Copied, 0},
	{"CCTL", "IVALL", 0, Loaded},
	{"EXIT", "", 0, Fetched},
}

// KindsOf returns what an operation leaves behind and what must be over
// before it.
func KindsOf(name string, has func(mod string) bool) (leaves, awaits Kinds) {
	for n := range kindRows {
		if r := &kindRows[n]; r.name == name && (r.mod == "" || has(r.mod)) {
			leaves |= r.leaves
			awaits |= r.awaits
		}
	}
	return leaves, awaits
}

// InKinds reports whether an operation stands in the table of kinds.
func InKinds(name string) bool {
	for n := range kindRows {
		if kindRows[n].name == name {
			return true
		}
	}
	return false
}
