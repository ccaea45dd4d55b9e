package messages

import (
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
)

// meant notes the name that is spelled most like word, if one is near; of two
// as near, the one that begins like it.
func meant(m *diag.Message, names []string, word string) {
	best, least, same := "", 1+len(word)/3, -1
	for _, n := range names {
		d := distance(n, word, least)
		if n == word || d > least {
			continue
		}
		if c := common(n, word); d < least || c > same {
			best, least, same = n, d, c
		}
	}
	if best != "" {
		if m.Code == "P601" && strings.HasPrefix(m.Quoted(), "-") {
			best = "-" + best
		}
		m.Notes = append(m.Notes, "did you mean '"+best+"'?")
	}
}

// common returns how many letters two words begin with alike.
func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// distance counts the letters to change, add, drop or swap between two words,
// or returns more than most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most || len(a) > 64 || len(b) > 64 {
		return most + 1
	}
	var rows [3][66]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		now, up, above := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(up[j]+1, now[j-1]+1, up[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, above[j-2]+1)
			}
			now[j] = d
		}
	}
	return rows[len(a)%3][len(b)]
}
