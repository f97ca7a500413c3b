package openbanking

// RegisterApplicationRequest is the payload of POST {registration_url}/api/applications (spec: Application registration payload).
type RegisterApplicationRequest struct {
	Certificate  string       `json:"certificate"`           // content of the certificate or public key of the application
	Environment  Environment  `json:"environment"`           // SANDBOX or PRODUCTION
	Name         string       `json:"name"`                  // application name
	RedirectURLs List[string] `json:"redirect_urls"`         // allowed redirect URLs
	Description  *string      `json:"description,omitempty"` // application description; required when environment is PRODUCTION
	GDPREmail    *string      `json:"gdpr_email,omitempty"`  // e-mail for data protection matters; required when environment is PRODUCTION
	PrivacyURL   *string      `json:"privacy_url,omitempty"` // URL of the privacy policy; required when environment is PRODUCTION
	TermsURL     *string      `json:"terms_url,omitempty"`   // URL of the terms of service; required when environment is PRODUCTION
}

// RegisterApplicationResponse answers a registration.
type RegisterApplicationResponse struct {
	AppID string `json:"app_id"` // the application id, to be used as kid in tokens
}

// Application is the registered application (spec: GetApplicationResponse).
type Application struct {
	Name         string        `json:"name"` // application name
	Description  *string       `json:"description"`
	Kid          string        `json:"kid"`           // application key id
	Environment  Environment   `json:"environment"`   // PRODUCTION or SANDBOX
	RedirectURLs List[string]  `json:"redirect_urls"` // allowed redirect URLs
	Active       bool          `json:"active"`        // whether the application is active
	Countries    List[string]  `json:"countries"`     // supported countries
	Services     List[Service] `json:"services"`      // supported services (AIS, PIS)
}
