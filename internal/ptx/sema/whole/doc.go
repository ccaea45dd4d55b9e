// Package whole makes the checks that need the whole text, once every body
// was checked: what is missing, what does not fit, which kernels are compiled.
package whole
