// Package tex is the meaning of PTX instructions on textures and surfaces.
package tex
