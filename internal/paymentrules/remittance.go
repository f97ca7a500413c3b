package paymentrules

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/reference"
)

// reference checks a reference number. It is assigned by the sender (spec: CreditTransferTransaction), who names no scheme beside it: only a
// number that names its scheme by its own form is held against those of the bank and its check digits. Any other is passed on as it is.
func (c *checker) reference(path string, number *string) {
	switch {
	case number == nil:
		return
	case !stated(c.kind.ReferenceNumberSupported):
		c.fault(path, "is not supported by the ASPSP for this payment type; use remittance_information")
		return
	case blank(number):
		c.fault(path, "is empty; leave it out or fill it in")
		return
	}
	switch scheme, named := reference.Named(*number); {
	case !named, len(c.kind.ReferenceNumberSchemas) == 0:
		c.characters(path, *number, maxReference)
	case !slices.Contains(c.kind.ReferenceNumberSchemas, scheme):
		c.fault(path, "is %s, which the ASPSP does not take for this payment type; it takes %s", reference.Name(scheme), join(c.kind.ReferenceNumberSchemas))
	default:
		if err := reference.Check(scheme, *number); err != nil {
			c.fault(path, "is not %s. %s", reference.Name(scheme), err)
		}
	}
}

// ReferenceProblem says why a number is no reference of the schemes, "" when it is one of any of them. Check is not so strict; this is for
// forms, in which a person copies a reference from an invoice and may mistype it.
func ReferenceProblem(schemes []openbanking.ReferenceNumberScheme, number string) string {
	var problems []string
	for _, scheme := range schemes {
		err := reference.Check(scheme, number)
		if err == nil {
			return ""
		}
		problems = append(problems, string(scheme)+": "+err.Error())
	}
	switch len(problems) {
	case 0:
		return ""
	case 1:
		return "is not " + reference.Name(schemes[0]) + ". " + problems[0][len("INTL: "):]
	}
	return "is none of the references that the ASPSP takes. " + strings.Join(problems, " ")
}

// remittance checks the text of a transfer. What the bank requires of it, a reference number satisfies too where the two
// cannot be given together.
func (c *checker) remittance(path string, t openbanking.CreditTransferTransaction) {
	lines, field := t.RemittanceInformation, path+".remittance_information"
	together := stated(c.kind.RemittanceReferenceSupported)
	given := slices.ContainsFunc(lines, func(s string) bool { return strings.TrimSpace(s) != "" })
	switch {
	case stated(c.kind.RemittanceInformationRequired) && !given && (together || t.ReferenceNumber == nil || !stated(c.kind.ReferenceNumberSupported)):
		c.fault(field, "is missing; the ASPSP needs it for this payment type")
		return
	case len(lines) == 0:
		return
	case t.ReferenceNumber != nil && stated(c.kind.ReferenceNumberSupported) && !together:
		c.fault(field, "cannot be given together with reference_number at this ASPSP; leave one of them out")
	}
	limits := c.kind.RemittanceInformationLines
	if len(limits) == 0 {
		c.freeLines(field, lines)
		return
	}
	if len(lines) != len(limits) {
		c.fault(field, "has %s; the ASPSP takes exactly %d", count(len(lines), "line"), len(limits))
		return
	}
	for i, line := range lines {
		c.line(element(field, i), line, limits[i], c.patterns[i])
	}
}

// freeLines checks lines of which the bank says nothing.
func (c *checker) freeLines(field string, lines []string) {
	const most = 10
	if len(lines) > most {
		c.fault(field, "has %s; at most %d are possible", count(len(lines), "line"), most)
		return
	}
	total := 0
	for i, line := range lines {
		total += utf8.RuneCountInString(line)
		c.characters(element(field, i), line, maxText)
	}
	if c.sepa() && len(lines) > 1 && total > maxText {
		c.fault(field, "has %d characters in all; at most %d are possible", total, maxText)
	}
}

// line checks a line against what the bank says of it.
func (c *checker) line(path, line string, limit openbanking.RemittanceInformationLineInfo, pattern *regexp.Regexp) {
	n := utf8.RuneCountInString(line)
	switch {
	case limit.MinLength != nil && n < *limit.MinLength:
		c.fault(path, "has %s; the ASPSP needs at least %d", count(n, "character"), *limit.MinLength)
	case limit.MaxLength != nil && n > *limit.MaxLength:
		c.fault(path, "has %s; the ASPSP takes at most %d", count(n, "character"), *limit.MaxLength)
	default:
		before := len(c.faults)
		c.characters(path, line, max(n, maxText))
		if pattern != nil && len(c.faults) == before && !pattern.MatchString(line) {
			c.fault(path, "does not have the form that the ASPSP expects: %s", pattern)
		}
	}
}

// compile reads a pattern of a bank, which is applied as Perl does: it matches somewhere, unless it says where. One that
// cannot be read here is left to the bank.
func compile(pattern *string) *regexp.Regexp {
	if pattern == nil {
		return nil
	}
	compiled, err := regexp.Compile(*pattern)
	if err != nil {
		return nil
	}
	return compiled
}

// reports checks what a transfer tells the authorities.
func (c *checker) reports(path string, reports []openbanking.RegulatoryReporting) {
	const most = 10 // of a transfer (ISO 20022)
	required := stated(c.kind.RegulatoryReportingCodeRequired)
	switch {
	case len(reports) == 0 && required:
		c.fault(path, "is missing; the ASPSP needs its details.code for this payment type")
	case len(reports) > most:
		c.fault(path, "has %d reports; at most %d are possible", len(reports), most)
		return
	}
	for i, r := range reports {
		report := element(path, i)
		if a := r.Authority; a != nil {
			if !iban.IsCountry(a.Country) {
				c.fault(report+".authority.country", "must be the code of a country in two capital letters (ISO 3166), such as FI")
			}
			c.text(report+".authority.name", &a.Name, maxName)
		}
		details := report + ".details"
		if r.Details.Amount != nil {
			c.amount(details+".amount", *r.Details.Amount)
		}
		switch code := r.Details.Code; {
		case code == nil && required:
			c.fault(details+".code", "is missing; the ASPSP needs it for this payment type")
		case code == nil:
		case c.kind.RegulatoryReportingCodes != nil:
			c.reportingCode(details+".code", *code)
		default:
			c.text(details+".code", code, 10) // Max10Text
		}
		c.text(details+".information", &r.Details.Information, maxText)
	}
}

func (c *checker) reportingCode(path, code string) {
	var values []string
	for _, known := range c.kind.RegulatoryReportingCodes {
		values = append(values, known.Value)
	}
	choice(c, path, code, values)
}
