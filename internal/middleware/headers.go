package middleware

import "net/http"

// ContentSecurityPolicy is the policy of every page (security T19): only the own origin, no inline script or style, no frames.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"

// Policy holds the differences between sites.
type Policy struct {
	// HTTPS says that the public address uses https: browsers are told to use nothing else for two years.
	HTTPS bool
	// ContentSecurityPolicy replaces the constant of the same name when it is not "".
	ContentSecurityPolicy string
}

// SecurityHeaders sets the headers of security T19 and T20 before the handler runs. A handler may replace them: an asset sets its own Cache-Control, a page
// that ends in a redirect to another site its own form-action.
func SecurityHeaders(policy Policy) func(http.Handler) http.Handler {
	csp := policy.ContentSecurityPolicy
	if csp == "" {
		csp = ContentSecurityPolicy
	}
	headers := []header{
		{"Content-Security-Policy", []string{csp}},
		{"Cross-Origin-Opener-Policy", []string{"same-origin"}},
		{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
		{"X-Content-Type-Options", []string{"nosniff"}},
		{"Referrer-Policy", []string{"same-origin"}},
		{"Cache-Control", []string{"no-store"}},
	}
	if policy.HTTPS {
		headers = append(headers, header{"Strict-Transport-Security", []string{"max-age=63072000; includeSubDomains"}})
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			set(w.Header(), headers)
			next.ServeHTTP(w, r)
		})
	}
}

// header is a header of an answer, with the canonical spelling of its name. Answers may share its values, so they are replaced and never changed in place.
type header struct {
	name   string
	values []string
}

func set(h http.Header, headers []header) {
	for _, one := range headers {
		h[one.name] = one.values
	}
}
