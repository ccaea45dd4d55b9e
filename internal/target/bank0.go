package target

// Bank0 says where the driver puts what a kernel must know in constant
// bank 0. Offsets were read off the reference's code for each family.
type Bank0 struct {
	NTid    int64 // block size, three words
	NCtaid  int64 // grid size, three words
	LocalLo int64 // start of local memory as a generic address, 64 bits
	Stack   int64 // initial stack pointer
	DynSmem int64 // bytes of dynamic shared memory; negative: found another way
	Desc    int64 // memory descriptor, 64 bits; negative: not used
	Refs    int64 // alignment of the words of textures and surfaces bound by name, which follow the parameters

	Param    int64 // kernel parameters
	BigParam int64 // where they begin if they are large

	// Windows of generic addresses, 64 bits each; negative: none.

	SharedWindow int64 // of shared memory; none: its addresses tell
	ConstWindow  int64 // of constants
	BankWindow   int64 // of this bank; none: parameters have one of their own
	ParamWindow  int64 // of the parameters
	ParamEnd     int64 // its end; with BankWindow a word, counted from there

	Tables        int64 // pointer to the driver's tables of textures, the first of several
	ReservedFirst int64 // where the first part of the system's shared memory begins
	ClusterStep   int64 // words that move lie this much lower for each block of a cluster

	Canary Place // the driver's number for --device-stack-protector, 64 bits

	Words [NumBankWords]Place
}

// Place is where a word is; none is at zero.
type Place struct {
	At    int64
	Moves bool // with the size of the cluster
}

// BankWord is a word of bank 0, or several, that PTX calls a special register
// or that one is computed from.
type BankWord uint8

const (
	BankNSMID             BankWord = iota
	BankGridID                     // 64 bits
	BankDynSmem                    // bytes of dynamic shared memory
	BankReservedEnd                // parts of the system's shared memory
	BankReserved1                  //
	BankClusterSize                // three words
	BankClusterReciprocal          // three floats
	BankNClusterID                 // three words
	BankClusterRanks               // blocks of a cluster
	BankInCluster                  // whether the grid was launched in clusters
	BankAggregate                  // bytes of shared memory of all blocks
	BankTotalReserved              // bytes of a block's shared memory that are the system's
	BankGraphExec                  // 64 bits
	BankEnv                        // sixteen environment registers
	BankEnvHigh                    // sixteen more
	NumBankWords
)

var bank0Turing = Bank0{
	NTid: 0, NCtaid: 0xc, LocalLo: 0x20, Stack: 0x28, DynSmem: 0x2c, Desc: -1, Refs: 4, Param: 0x160, BigParam: 0x1a80,
	SharedWindow: 0x18, ConstWindow: 0x50, BankWindow: 0x40, ParamWindow: -1, ParamEnd: 0x114, Tables: 0x70, Canary: Place{At: 0x140},
	Words: bankWordsOld,
}

var bank0Ampere = Bank0{
	NTid: 0, NCtaid: 0xc, LocalLo: 0x20, Stack: 0x28, DynSmem: 0x2c, Desc: 0x118, Refs: 4, Param: 0x160, BigParam: 0x1a80,
	SharedWindow: 0x18, ConstWindow: 0x50, BankWindow: 0x40, ParamWindow: -1, ParamEnd: 0x12c, Tables: 0x70, Canary: Place{At: 0x150},
	Words: bankWordsOld,
}

var bankWordsOld = [NumBankWords]Place{
	BankNSMID: {At: 0x10c}, BankGridID: {At: 0x30}, BankDynSmem: {At: 0x2c}, BankReservedEnd: {At: 0x120}, BankReserved1: {At: 0x124},
	BankTotalReserved: {At: 0x114}, BankGraphExec: {At: 0x130}, BankEnv: {At: 0x88}, BankEnvHigh: {At: 0xc8},
}

var bank0Hopper = Bank0{
	NTid: 0, NCtaid: 0xc, LocalLo: 0x20, Stack: 0x28, DynSmem: 0x2c, Desc: 0x208, Refs: 4, Param: 0x210, BigParam: 0x210,
	SharedWindow: -1, ConstWindow: 0xd0, BankWindow: -1, ParamWindow: 0x198, ParamEnd: 0x1a0, Tables: 0xf0, Canary: Place{At: 0xc0},
	Words: [NumBankWords]Place{
		BankNSMID: {At: 0x10c}, BankGridID: {At: 0x30}, BankDynSmem: {At: 0x2c}, BankReservedEnd: {At: 0x68}, BankReserved1: {At: 0x6c},
		BankClusterSize: {At: 0x144}, BankClusterReciprocal: {At: 0x150}, BankNClusterID: {At: 0x15c}, BankClusterRanks: {At: 0x188},
		BankInCluster: {At: 0x140}, BankAggregate: {At: 0x13c}, BankTotalReserved: {At: 0x114}, BankGraphExec: {At: 0x190},
		BankEnv: {At: 0x40}, BankEnvHigh: {At: 0x80},
	},
}

var bank0Blackwell = Bank0{
	NTid: 0x360, NCtaid: 0x370, LocalLo: 0x2f8, Stack: 0x37c, DynSmem: -1, Desc: 0x358, Refs: 16, Param: 0x380, BigParam: 0x380,
	SharedWindow: -1, ConstWindow: 0x120, BankWindow: -1, ParamWindow: 0x348, ParamEnd: 0x350, Tables: 0x150,
	ReservedFirst: 0x40, ClusterStep: 0xa0, Canary: Place{0x200, true},
	Words: [NumBankWords]Place{
		BankNSMID: {At: 0x2d0}, BankGridID: {At: 0x140}, BankDynSmem: {0x2ac, true}, BankReservedEnd: {0x278, true}, BankReserved1: {0x27c, true},
		BankClusterSize: {0x2a0, true}, BankClusterReciprocal: {0x2b0, true}, BankNClusterID: {0x2c0, true}, BankClusterRanks: {0x2cc, true},
		BankInCluster: {At: 0x36c}, BankAggregate: {0x2bc, true}, BankTotalReserved: {At: 0x16c}, BankGraphExec: {At: 0x2e8},
		BankEnv: {0x250, true}, BankEnvHigh: {At: 0xd0},
	},
}

// Bank0 returns the layout of constant bank 0 on a.
func (a *Arch) Bank0() *Bank0 { return a.bank0 }

// RefsAt returns where the words of references begin, counted from the
// parameters, which take size bytes.
func (a *Arch) RefsAt(size int64) int64 {
	n := a.Bank0().Refs
	return (size + n - 1) / n * n
}
