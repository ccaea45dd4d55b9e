// Package memory is the meaning of SASS loads, stores, atomics and constants.
package memory
