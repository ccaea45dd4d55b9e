package target

import "testing"

func TestRowsAreOrderedAndFound(t *testing.T) {
	for i := range Archs {
		a := &Archs[i]
		if Find(a.Name) != a {
			t.Errorf("Find(%q) is not row %d", a.Name, i)
		}
		if i > 0 {
			p := &Archs[i-1]
			if a.SM < p.SM || a.SM == p.SM && a.Variant <= p.Variant || a.Family < p.Family {
				t.Errorf("%s stands before %s", p.Name, a.Name)
			}
		}
	}
	if Find("sm_70") != nil {
		t.Error("sm_70 found")
	}
}
