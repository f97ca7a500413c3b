package strictjson

// Bound is how much a JSON text may hold. Text of a few bytes can become structures of many times its size: an object of two bytes may cost 400, a string
// of two bytes 16. So what it holds is counted before any of it is decoded.
type Bound struct {
	Values   int // of every kind
	Objects  int // in all
	Depth    int // how deep values may lie in each other; 0: no bound
	Elements int // of lists that are a field of the outermost value; 0: no bound of their own
	// PerElement is how many objects one of these elements may have; 0: no bound of its own.
	PerElement int
}

// Holds reports whether what a text holds is within the bound. It allocates nothing. Of a text that is no JSON it says little: decoding refuses that.
func (b Bound) Holds(text []byte) bool {
	var depth, values, objects, elements, inElement int
	quoted, list := false, false // list: within an array that is a field of the outermost value
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
			values++
			if depth == 2 {
				list, inElement = true, 0
				elements++
			}
		case c == '{':
			depth++
			values++
			objects++
			inElement++
		case c == ']' || c == '}':
			if depth == 2 {
				list = false
			}
			depth--
		case c == ',':
			values++
			if list && depth == 2 {
				elements++
				inElement = 0
			}
		default:
			continue
		}
		if b.Depth > 0 && depth > b.Depth || values > b.Values || objects > b.Objects || b.Elements > 0 && elements > b.Elements ||
			b.PerElement > 0 && list && inElement > b.PerElement {
			return false
		}
	}
	return true
}
