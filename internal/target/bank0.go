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
	Param   int64 // kernel parameters
	Refs    int64 // alignment of the words of textures and surfaces bound by name, which follow the parameters
}

var bank0 = [...]Bank0{
	Turing:    {NTid: 0, NCtaid: 0xc, LocalLo: 0x20, Stack: 0x28, DynSmem: 0x2c, Desc: -1, Param: 0x160, Refs: 4},
	Ampere:    {NTid: 0, NCtaid: 0xc, LocalLo: 0x20, Stack: 0x28, DynSmem: 0x2c, Desc: 0x118, Param: 0x160, Refs: 4},
	Hopper:    {NTid: 0, NCtaid: 0xc, LocalLo: 0x20, Stack: 0x28, DynSmem: 0x2c, Desc: 0x208, Param: 0x210, Refs: 4},
	Blackwell: {NTid: 0x360, NCtaid: 0x370, LocalLo: 0x2f8, Stack: 0x37c, DynSmem: -1, Desc: 0x358, Param: 0x380, Refs: 16},
}

// Bank0 returns the layout of constant bank 0 on a.
func (a *Arch) Bank0() *Bank0 { return &bank0[a.Family] }

// RefsAt returns where the words of references begin, counted from the
// parameters, which take size bytes.
func (a *Arch) RefsAt(size int64) int64 {
	n := a.Bank0().Refs
	return (size + n - 1) / n * n
}
