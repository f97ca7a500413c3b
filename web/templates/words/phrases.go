package words

import "iter"

// Phrases returns every text of the web app as English says it and as the language does, each with the places for its arguments; a text with a number in both
// of its forms. The gallery shows its made-up English in another language with it.
func (l *Language) Phrases() iter.Seq2[string, string] {
	i := l.index
	return func(yield func(english, said string) bool) {
		for text, translations := range texts {
			if i > 0 && !yield(text.english(), translations[i-1]) {
				return
			}
		}
		for _, all := range counted {
			if !yield(all[0].one, all[i].one) || !yield(all[0].other, all[i].other) {
				return
			}
		}
		if i >= int(App) {
			return
		}
		for _, area := range app {
			for text, translation := range area.texts {
				if i > 0 && !yield(text.english(), translation) {
					return
				}
			}
			for _, all := range area.counts {
				if !yield(all[0].one, all[i].one) || !yield(all[0].other, all[i].other) {
					return
				}
			}
		}
	}
}
