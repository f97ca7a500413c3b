package iban

// BIC is a valid bank identifier of 8 or 11 characters. The zero value is none.
type BIC struct{ text string }

// ParseBIC reads a BIC; spaces, dots and dashes are ignored, small letters count as
// capitals. The error is always a *Problem.
func ParseBIC(text string) (BIC, error) {
	compact, p := compact(text, OfBIC)
	if p != nil {
		return BIC{}, p
	}
	if compact == "" {
		return BIC{}, &Problem{Kind: Empty, Of: OfBIC}
	}
	if len(compact) != 8 && len(compact) != 11 {
		return BIC{}, &Problem{Kind: WrongLength, Of: OfBIC, Length: len(compact)}
	}
	country := compact[4:6]
	if !isLetter(country[0]) || !isLetter(country[1]) {
		return BIC{}, &Problem{Kind: WrongStructure, Of: OfBIC}
	}
	if !IsCountry(country) {
		return BIC{}, &Problem{Kind: UnknownCountry, Of: OfBIC, Country: country}
	}
	return BIC{compact}, nil
}

// String returns the BIC as given, with 8 or 11 characters, "" for none.
func (b BIC) String() string { return b.text }

// Country returns the two letters of the country, "" for none.
func (b BIC) Country() string {
	if b.text == "" {
		return ""
	}
	return b.text[4:6]
}
