package paymentrules

import (
	"errors"
	"net/mail"
	"regexp"
	"strings"

	"florin/internal/iban"
	"florin/internal/openbanking"
)

// debtor checks the party that sends the funds.
func (c *checker) debtor(path Field, p *openbanking.PartyIdentification) {
	c.party(path, p)
	var contact openbanking.ContactDetails
	if p != nil && p.ContactDetails != nil {
		contact = *p.ContactDetails
	}
	if contact.EmailAddress == nil && stated(c.kind.DebtorContactEmailRequired) {
		c.fault(path.child("contact_details").child("email_address"), Missing{})
	}
	if contact.PhoneNumber == nil && stated(c.kind.DebtorContactPhoneRequired) {
		c.fault(path.child("contact_details").child("phone_number"), Missing{})
	}
}

// beneficiary checks who receives a transfer, and where.
func (c *checker) beneficiary(path Field, b openbanking.Beneficiary) {
	c.agent(path.child("creditor_agent"), b.CreditorAgent, stated(c.kind.CreditorAgentBICFIRequired), stated(c.kind.CreditorAgentClearingSystemMemberIDRequired))
	c.party(path.child("creditor"), b.Creditor)
	var creditor openbanking.PartyIdentification
	if b.Creditor != nil {
		creditor = *b.Creditor
	}
	if creditor.Name == nil && stated(c.kind.CreditorNameRequired) {
		c.fault(path.child("creditor").child("name"), Missing{})
	}
	address := creditor.PostalAddress
	if stated(c.kind.CreditorPostalAddressRequired) {
		switch {
		case address == nil:
			c.fault(path.child("creditor").child("postal_address"), Missing{})
		case blank(address.StreetName) && blank(address.PostCode) && blank(address.TownName) && len(address.AddressLine) == 0:
			c.fault(path.child("creditor").child("postal_address"), EmptyAddress{})
		}
	}
	if (address == nil || address.Country == nil) && stated(c.kind.CreditorCountryRequired) {
		c.fault(path.child("creditor").child("postal_address").child("country"), Missing{})
	}
	c.account(path.child("creditor_account"), b.CreditorAccount, c.creditorSchemes())
	if b.CreditorCurrency != nil {
		c.code(path.child("creditor_currency"), *b.CreditorCurrency)
	}
}

// creditorSchemes are those that the bank states; of a payment by Swedish giro, the giros where it states none.
func (c *checker) creditorSchemes() []openbanking.SchemeName {
	switch {
	case len(c.kind.CreditorAccountSchemas) > 0:
		return c.kind.CreditorAccountSchemas
	case c.kind.PaymentType == openbanking.PaymentTypeDomesticSEGiro, c.kind.PaymentType == openbanking.PaymentTypeBulkDomesticSEGiro:
		return []openbanking.SchemeName{openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR}
	}
	return nil
}

// agent checks a bank.
func (c *checker) agent(path Field, agent *openbanking.FinancialInstitutionIdentification, needsBIC, needsMember bool) {
	var a openbanking.FinancialInstitutionIdentification
	if agent != nil {
		a = *agent
	}
	if a.BICFI != nil {
		var problem *iban.Problem
		switch bic, err := iban.ParseBIC(*a.BICFI); {
		case errors.As(err, &problem):
			c.fault(path.child("bic_fi"), WrongBIC{Problem: problem})
		case bic.String() != *a.BICFI:
			c.fault(path.child("bic_fi"), BICSpelling{})
		}
	} else if needsBIC {
		c.fault(path.child("bic_fi"), Missing{})
	}
	switch m := a.ClearingSystemMemberID; {
	case m != nil:
		c.text(path.child("clearing_system_member_id").child("clearing_system_id"), m.ClearingSystemID, maxReference)
		c.text(path.child("clearing_system_member_id").child("member_id"), m.MemberID, maxReference)
		if needsMember && m.MemberID == nil {
			c.fault(path.child("clearing_system_member_id").child("member_id"), Missing{})
		}
	case needsMember:
		c.fault(path.child("clearing_system_member_id"), Missing{})
	}
	c.text(path.child("name"), a.Name, maxName)
}

// party checks a person or organisation, if there is one.
func (c *checker) party(path Field, p *openbanking.PartyIdentification) {
	if p == nil {
		return
	}
	longest := maxName
	if c.sepa() {
		longest = maxSEPAName
	}
	c.text(path.child("name"), p.Name, longest)
	c.address(path.child("postal_address"), p.PostalAddress)
	c.identification(path.child("organisation_id"), p.OrganisationID)
	c.identification(path.child("private_id"), p.PrivateID)
	if d := p.ContactDetails; d != nil {
		if d.EmailAddress != nil && !isEmail(*d.EmailAddress) {
			c.fault(path.child("contact_details").child("email_address"), WrongEmail{})
		}
		if d.PhoneNumber != nil && !isPhone(*d.PhoneNumber) {
			c.fault(path.child("contact_details").child("phone_number"), WrongPhone{})
		}
	}
}

func (c *checker) identification(path Field, id *openbanking.GenericIdentification) {
	if id == nil {
		return
	}
	c.text(path.child("identification"), &id.Identification, maxReference)
	c.text(path.child("issuer"), id.Issuer, maxReference)
}

// maxAddressLines is how many lines an address without structure has in the messages between banks (ISO 20022).
const maxAddressLines = 7

func (c *checker) address(path Field, a *openbanking.PostalAddress) {
	if a == nil {
		return
	}
	for _, part := range []struct {
		name string
		text *string
	}{
		{"department", a.Department},
		{"sub_department", a.SubDepartment},
		{"street_name", a.StreetName},
		{"building_number", a.BuildingNumber},
		{"post_code", a.PostCode},
		{"town_name", a.TownName},
		{"country_sub_division", a.CountrySubDivision},
	} {
		c.text(path.child(part.name), part.text, maxSEPAName)
	}
	if a.Country != nil && !iban.IsCountry(*a.Country) {
		c.fault(path.child("country"), WrongCountry{})
	}
	if n := len(a.AddressLine); n > maxAddressLines {
		c.fault(path.child("address_line"), TooManyLines{Count: n, Most: maxAddressLines})
		return
	}
	for i := range a.AddressLine {
		c.text(path.child("address_line").element(i), &a.AddressLine[i], maxSEPAName)
	}
}

// isEmail reports whether a text is an address alone, without a name, at a domain with a dot.
func isEmail(s string) bool {
	const longest = 254 // of an address in mails (RFC 5321)
	address, err := mail.ParseAddress(s)
	if err != nil || address.Address != s || len(s) > longest {
		return false
	}
	_, domain, _ := strings.Cut(s, "@")
	return strings.Contains(domain, ".") && strings.IndexFunc(s, func(r rune) bool { return !printed(r) }) < 0
}

var phone = regexp.MustCompile(`^\+[1-9][0-9 ()-]*[0-9]$`)

// isPhone reports whether a text is an international number: 7 to 15 digits (ITU-T E.164), maybe in groups.
func isPhone(s string) bool {
	digits := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return digits >= 7 && digits <= 15 && len(s) <= maxReference && phone.MatchString(s)
}
