package heap

// A ready instruction is queued with what it Promised then: how many words it
// makes alive, the fewest first, when it became ready, the last first, and its
// number, the last first.
const (
	turnBits = 20
	nodeBits = 24
	mostTurn = 1<<turnBits - 1
	MostNode = 1<<nodeBits - 1 // functions with more instructions keep their order
	mostGrow = 1<<(63-turnBits-nodeBits) - 1
)

// PromiseOf is what instruction k is queued with.
func PromiseOf(k, grow, turn int32) Node {
	return Node(Grown(grow))<<(turnBits+nodeBits) | Node(mostTurn-min(turn, mostTurn))<<nodeBits | Node(MostNode-k)
}

// Grown is a number of words that has a place in a node.
func Grown(n int32) int32 { return max(-mostGrow, min(n, mostGrow)) }

// Promised is the instruction of a node and the words it was to make alive.
func Promised(n Node) (k, grow int32) {
	return MostNode - int32(n&MostNode), int32(n >> (turnBits + nodeBits))
}
