package strictjson

import "testing"

// TestBound: what a text holds is counted as it stands there, texts in quotes apart.
func TestBound(t *testing.T) {
	bound := Bound{Values: 8, Objects: 3, Depth: 4, Elements: 3, PerElement: 2}
	for text, want := range map[string]bool{
		`{}`:                                 true,
		`{"a":"[[[[{{{{,,,,,,,,,,,\"[[{{"}`:  true,
		`{"a\\":[1,2,3]}`:                    true,
		`{"a":[1,2,3,4]}`:                    false, // elements
		`{"a":[{"b":{}},1]}`:                 true,
		`{"a":[{"b":{},"c":{}}]}`:            false, // objects
		`{"a":[[],[]]}`:                      true,
		`{"a":[[[[]]]]}`:                     false, // depth
		`{"a":1,"b":2,"c":3,"d":4,"e":5}`:    true,
		`["",1,null,true,"",1,null,true,""]`: false, // values
		``:                                   true,
		`{"a":"`:                             true,
	} {
		if got := bound.Holds([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if !(Bound{Values: 100, Objects: 100, Depth: 4}).Holds([]byte(`{"a":[{},{},{},{"b":{}}]}`)) {
		t.Error("zero is a bound")
	}
	if n := testing.AllocsPerRun(10, func() { bound.Holds([]byte(`{"a":"b"}`)) }); n > 0 {
		t.Errorf("counting allocates %v times", n)
	}
}
