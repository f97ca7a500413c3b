package handlers_test

import (
	"net/http"
	"testing"

	"florin/internal/handlers"
	"florin/internal/handlers/legal"
)

// The privacy notice and the terms are for everybody, also before anybody has signed in. They say who runs Florin, and what to set where that is not said.
func TestPrivacyAndTerms(t *testing.T) {
	t.Parallel()
	unsigned := newSite(t).browser()
	for _, page := range []string{"/privacy", "/terms"} {
		unsigned.get(page).status(http.StatusOK).has("The name of the operator is missing", "--operator-name", "--operator-contact", "has not entered a name yet")
	}
	half := newSite(t, func(o *handlers.Options) { o.Operator = legal.Operator{Name: "Mira Meer"} }).browser()
	half.get("/terms").has("The name of the operator is missing", "Mira Meer").lacks("has not entered a name yet", "Contact:")

	b := newSite(t, func(o *handlers.Options) {
		o.Operator = legal.Operator{Name: "Mira <Meer>", Contact: "mira@example.org"}
	}).browser()
	b.get("/privacy").status(http.StatusOK).has("Mira &lt;Meer&gt;", `href="mailto:mira@example.org"`, "Simulated banks", "None of them follows you elsewhere").
		lacks("is missing")
	b.get("/terms").status(http.StatusOK).has("Florin is not a bank", "Mira &lt;Meer&gt;").lacks("is missing")
	b.languages = "de"
	b.get("/privacy").has("Wer verantwortlich ist", "betreibt dieses Florin")
	b.get("/terms").has(`href="/privacy"`, `href="/terms"`)

	b = newSite(t, func(o *handlers.Options) {
		o.Operator = legal.Operator{Name: "Mira", Contact: "https://mira.example, or the bell at the door"}
	}).browser()
	b.get("/privacy").has("or the bell at the door").lacks("mailto:")
}
