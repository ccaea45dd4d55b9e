package tuning

// Nothing is the bound of a guess that is infinite unless it is zero.
const Nothing = -1

// Judge tells what the order that a function has costs when its registers are
// assigned.
type Judge interface {
	// Guess is quick and near enough to compare orders; part of the cost is
	// that of accesses to memory. It is zero where nowhere more lives than
	// there are registers, and infinite where memory costs more than most.
	Guess(most float64) (cost, memory float64)
	// Price is exact, or infinite if it is more than a bound other than zero,
	// and tells whether memory is needed.
	Price(most float64) (cost float64, memory bool)
	// Dry is what Price tells of orders that need no memory, and infinite of
	// others, which are given up before anything goes there.
	Dry(most float64) (cost float64)
	// Places tells whether everything finds a register, where groups of them may be moved but nothing goes to
	// memory.
	Places() bool
	// Keep assigns registers for the order, within what was asked for, and the
	// function gets these, and tells whether all are found without memory.
	Keep() bool
	// Takes assigns registers for the order as Keep does, and tells how many a thread
	// has then, with those that code never names, and whether memory is needed.
	Takes() (registers int, memory bool)
	// Within judges for a kernel of so many registers from now on, or as at
	// first if they are 0, and tells how many the function has then.
	Within(registers int) int
}
