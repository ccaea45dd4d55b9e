module github.com/goptxas/goptxas/clib

go 1.26

require github.com/goptxas/goptxas v0.0.0

replace github.com/goptxas/goptxas => ../
