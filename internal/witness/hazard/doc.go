// Package hazard judges machine code, ours or the reference's, by what the
// reference was seen to do: how close it lets a result and its reader come,
// which results it waits for with a barrier, which registers it leaves alone
// until they are read.
//
// The numbers lie in testdata, mined from code of the reference and checked
// on a GPU; nothing here reads the latency tables, the description of
// instructions or the code of the compiler's schedulers. What both share is
// the decoder: which bits of a word name which registers. The schedulers
// never see words, so an error there is not repeated here.
//
// Every block is replayed from what its predecessors leave behind, until
// nothing changes. What is left behind is a set of facts: a register that is
// still to be written or still to be read, since when, and which barriers
// would tell that it is over.
package hazard
