package isa

// opTable has the rows of every opcode.
var opTable = [...]*Op{
	WAdd: &opAdd,
}
