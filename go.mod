module goptxas

go 1.26
