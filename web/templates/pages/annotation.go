package pages

// AnnotationView shows what the person adds to a transaction: a note, tags, and whether it was reviewed. Its forms post reviewed ("yes" or "no"), and note
// and tags.
type AnnotationView struct {
	Review      string // path of the form that marks it as reviewed, or takes that back
	Reviewed    bool
	Save        string // path of the form with the note and the tags
	Note        string
	NoteProblem string
	Tags        string // with commas between
	TagsProblem string
	Known       []string // tags that were given before
}
