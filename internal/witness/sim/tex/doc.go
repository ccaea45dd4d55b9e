// Package tex is the meaning of SASS operations on textures and surfaces.
package tex
