package linking

import (
	"net/http"

	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
)

func (a *Area) simulated(v *shell.Visitor) error {
	view := pages.SimulatedView{Frame: a.Frame(v), Embedded: a.Simulated != nil}
	if a.Simulated != nil {
		view.Host = a.Simulated.Host
	}
	return v.Page(http.StatusOK, pages.Simulated(view))
}
