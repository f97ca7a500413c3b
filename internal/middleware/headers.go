package middleware

import "net/http"

// ContentSecurityPolicy is the policy of every page (security T19): nothing but
// the own origin, no inline script or style, no frames.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"

// Policy is what differs between sites.
type Policy struct {
	// HTTPS says that the public address is https: browsers are told to use
	// nothing else for two years.
	HTTPS bool
	// ContentSecurityPolicy replaces the constant of the same name when it is not "".
	ContentSecurityPolicy string
}

// SecurityHeaders sets the headers of security T19 and T20 before the handler
// runs. A handler may replace them: an asset sets its own Cache-Control, a page
// that ends in a redirect elsewhere its own form-action.
func SecurityHeaders(policy Policy) func(http.Handler) http.Handler {
	csp := policy.ContentSecurityPolicy
	if csp == "" {
		csp = ContentSecurityPolicy
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			header := w.Header()
			header.Set("Content-Security-Policy", csp)
			header.Set("Cross-Origin-Opener-Policy", "same-origin")
			header.Set("Cross-Origin-Resource-Policy", "same-origin")
			header.Set("X-Content-Type-Options", "nosniff")
			header.Set("Referrer-Policy", "same-origin")
			header.Set("Cache-Control", "no-store")
			if policy.HTTPS {
				header.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
			}
			next.ServeHTTP(w, r)
		})
	}
}
