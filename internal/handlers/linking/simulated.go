package linking

import (
	"net/http"

	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
)

func (a *Area) simulated(v *shell.Visitor) error {
	return v.Page(http.StatusOK, pages.Simulated(pages.SimulatedView{Frame: a.Frame(v), Embedded: a.SimulatedHost != "", Host: a.SimulatedHost}))
}
