package webhooks

import (
	"strconv"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/web/templates/words"
)

// findingTexts say what a check of a webhook found; findingWords fills in their arguments.
var findingTexts = map[finance.FindingCode]words.Text{
	finance.FindingMethod:           "it is not a POST",
	finance.FindingContentType:      "its Content-Type is not application/json",
	finance.FindingContentEncoding:  "its body is not plain but encoded",
	finance.FindingAuthorization:    "it does not have exactly one Authorization header",
	finance.FindingNoBearer:         "its Authorization header has no bearer token",
	finance.FindingTokenLong:        "the token is too long",
	finance.FindingTokenSpace:       "the token contains a space or a line break",
	finance.FindingTokenParts:       "the token does not have three parts",
	finance.FindingTokenEncoding:    "a part of the token is not base64url",
	finance.FindingNotObject:        "this is not one JSON object",
	finance.FindingDuplicate:        "a name in the JSON occurs twice",
	finance.FindingSpelling:         "a name in the JSON has a wrong capital or small letter",
	finance.FindingMissing:          "%s is missing",
	finance.FindingNotTime:          "%s is not a time",
	finance.FindingNotUUID:          "%s is not a UUID",
	finance.FindingNotBoolean:       "%s is neither true nor false",
	finance.FindingUnknownValue:     "%s has a value that the specification does not name",
	finance.FindingBadID:            "%s is missing, too long or contains other characters than plain ones",
	finance.FindingHeaderField:      "the header of the token must not have the field %s",
	finance.FindingNotJWT:           "the type of the token is not JWT",
	finance.FindingNotRS256:         "the token is not signed with RS256",
	finance.FindingAddressMalformed: "x5u is not a valid address",
	finance.FindingAddressScheme:    "x5u does not begin with https://",
	finance.FindingAddressParts:     "x5u has a part that it must not have, or has no path",
	finance.FindingAddressHost:      "x5u is not at an address of the banking service",
	finance.FindingFetchLimit:       "Florin was told to fetch too many certificates in a short time",
	finance.FindingFetchTime:        "there was not enough time to fetch the certificate",
	finance.FindingFetchClient:      "Florin is not set up to fetch certificates of this banking service",
	finance.FindingFetchFailed:      "Florin could not fetch the certificate",
	finance.FindingFetchStatus:      "Florin could not fetch the certificate: the banking service answered with HTTP status %s",
	finance.FindingFetchBrokeOff:    "Florin could not fetch the certificate: the answer broke off",
	finance.FindingFetchLarge:       "what is at x5u is too large for a certificate",
	finance.FindingFetchChanges:     "the certificate changes too often",
	finance.FindingNoCertificate:    "what is at x5u is neither a certificate nor a public key",
	finance.FindingKeyNotRSA:        "the key is not an RSA key",
	finance.FindingKeySize:          "the key has %s bits, which Florin does not accept",
	finance.FindingKeyBare:          "this is a public key without a certificate, and this banking service must use a certificate",
	finance.FindingCertEarly:        "the certificate is not valid yet",
	finance.FindingCertExpired:      "the certificate has expired",
	finance.FindingCertUsage:        "the key of the certificate is not meant for signatures",
	finance.FindingCertExtension:    "the certificate has a critical extension that Florin does not know",
	finance.FindingCertAuthority:    "the certificate does not come from the authority of the banking service",
	finance.FindingSignature:        "the signature does not fit",
	finance.FindingTokenExpired:     "the token has expired",
	finance.FindingTokenEarly:       "the token is not valid yet",
	finance.FindingTokenFuture:      "the token was issued in the future",
	finance.FindingApplication:      "the token is for another application",
	finance.FindingEnvironment:      "the token is for another environment",
	finance.FindingBodyLarge:        "the body has more than %s bytes",
	finance.FindingBodyBrokeOff:     "the body broke off after %d bytes",
	finance.FindingBodyEmpty:        "the body is empty",
	finance.FindingDigest:           "the token is for another body",
	finance.FindingKeyUnknown:       "another key than the known one, which is still valid",
	finance.FindingEventOld:         "the event is older than a day",
	finance.FindingEventFuture:      "the event is in the future",
	finance.FindingPaymentUnknown:   "Florin did not make this payment",
	finance.FindingOtherBody:        "the same event came with another body before",
	finance.FindingFetched:          "fetched now",
	finance.FindingRemembered:       "fetched before",
	finance.FindingCertificate:      "valid until %s, SHA-256 %s",
	finance.FindingBareKey:          "a public key without a certificate, SHA-256 %s",
	finance.FindingBytes:            "%d bytes",
	finance.FindingAuthority:        "the authority of the banking service confirms it",
}

// findingWords say what a check of a webhook found, "" where there is nothing to say. Words that were kept before there were codes are shown as they
// are, and so is a code that is not known.
func findingWords(c show.Clock, check finance.DeliveryCheck) string {
	f := check.Finding
	text, known := findingTexts[f.Code]
	switch f.Code {
	case "":
		return check.Said
	case finance.FindingValue:
		return f.Of
	case finance.FindingMissing, finance.FindingNotTime, finance.FindingNotUUID, finance.FindingNotBoolean, finance.FindingUnknownValue,
		finance.FindingBadID, finance.FindingHeaderField, finance.FindingBareKey:
		return c.Say(text, f.Of)
	case finance.FindingCertificate:
		return c.Say(text, c.Day(f.Until).Text, f.Of)
	case finance.FindingFetchStatus:
		return c.Say(text, strconv.Itoa(f.Number))
	case finance.FindingKeySize, finance.FindingBodyLarge:
		return c.Say(text, c.Number(int64(f.Number)))
	case finance.FindingBodyBrokeOff, finance.FindingBytes:
		return c.Say(text, f.Number)
	}
	if !known {
		return f.String()
	}
	return c.Say(text)
}
