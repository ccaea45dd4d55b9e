// Package warp is the meaning of SASS operations across the lanes of a warp.
package warp
