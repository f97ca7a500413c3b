package engine

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// identificationHashes returns one hash for each identifier of an account, in their order and each once (api-notes 5).
// Neither application nor PSU nor session nor currency enters, so the hashes match across all of them.
func (e *Engine) identificationHashes(bank openbanking.ASPSP, identifiers []openbanking.GenericIdentification) []string {
	var hashes []string
	for _, id := range identifiers {
		hash := base64.RawURLEncoding.EncodeToString(aggregator.MAC(e.secrets.Hash, canonical(bank, id)))
		if !slices.Contains(hashes, hash) {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}

// canonical is the canonical identifier of api-notes 5.
func canonical(bank openbanking.ASPSP, id openbanking.GenericIdentification) string {
	if id.SchemeName == openbanking.SchemeNameIBAN {
		return "iban|" + strings.ToUpper(strings.ReplaceAll(id.Identification, " ", ""))
	}
	return strings.Join([]string{"other", bank.Country, bank.Name, string(id.SchemeName), id.Identification}, "|")
}

// psuIDHash returns 64 hexadecimal characters over the application and its PSU id (spec: Session), so that one PSU id
// gives different hashes in different applications.
func (e *Engine) psuIDHash(applicationID, psuID string) string {
	return hex.EncodeToString(aggregator.MAC(e.secrets.Hash, "psu|"+applicationID+"|"+psuID))
}
