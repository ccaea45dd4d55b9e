// Package meaning is the table of the simulator: what each operation of SASS
// does, in which class it is counted, and what it wants to know of its
// mnemonic.
package meaning
