// Package control is the meaning of PTX branches, calls and ends of threads.
package control
