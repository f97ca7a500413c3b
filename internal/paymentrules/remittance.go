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
func (c *checker) reference(path Field, number *string) {
	switch {
	case number == nil:
		return
	case !stated(c.kind.ReferenceNumberSupported):
		c.fault(path, ReferenceNotSupported{})
		return
	case blank(number):
		c.fault(path, Empty{})
		return
	}
	switch scheme, named := reference.Named(*number); {
	case !named, len(c.kind.ReferenceNumberSchemas) == 0:
		c.characters(path, *number, maxReference)
	case !slices.Contains(c.kind.ReferenceNumberSchemas, scheme):
		c.fault(path, OtherReference{Scheme: scheme, Taken: c.kind.ReferenceNumberSchemas})
	default:
		if err := reference.Check(scheme, *number); err != nil {
			c.fault(path, WrongReference{Problems: []ReferenceProblem{{scheme, err}}})
		}
	}
}

// CheckReference returns a WrongReference where a number is no reference of any of the schemes, else nil. Check is not so strict; this is for
// forms, in which a person copies a reference from an invoice and may mistype it.
func CheckReference(schemes []openbanking.ReferenceNumberScheme, number string) Rule {
	var problems []ReferenceProblem
	for _, scheme := range schemes {
		err := reference.Check(scheme, number)
		if err == nil {
			return nil
		}
		problems = append(problems, ReferenceProblem{scheme, err})
	}
	if len(problems) == 0 {
		return nil
	}
	return WrongReference{Problems: problems}
}

// remittance checks the text of a transfer. A required text may be replaced by a reference number when the bank does not accept both.
func (c *checker) remittance(path Field, t openbanking.CreditTransferTransaction) {
	lines, field := t.RemittanceInformation, path.child("remittance_information")
	together := stated(c.kind.RemittanceReferenceSupported)
	given := slices.ContainsFunc(lines, func(s string) bool { return strings.TrimSpace(s) != "" })
	switch {
	case stated(c.kind.RemittanceInformationRequired) && !given && (together || t.ReferenceNumber == nil || !stated(c.kind.ReferenceNumberSupported)):
		c.fault(field, Missing{})
		return
	case len(lines) == 0:
		return
	case t.ReferenceNumber != nil && stated(c.kind.ReferenceNumberSupported) && !together:
		c.fault(field, NotWithReference{})
	}
	limits := c.kind.RemittanceInformationLines
	if len(limits) == 0 {
		c.freeLines(field, lines)
		return
	}
	if len(lines) != len(limits) {
		c.fault(field, WrongLines{Count: len(lines), Exactly: len(limits)})
		return
	}
	for i, line := range lines {
		c.line(field.element(i), line, limits[i], c.patterns[i])
	}
}

// freeLines checks the lines of the text when the bank does not describe them.
func (c *checker) freeLines(field Field, lines []string) {
	const most = 10
	if len(lines) > most {
		c.fault(field, TooManyLines{Count: len(lines), Most: most})
		return
	}
	total := 0
	for i, line := range lines {
		total += utf8.RuneCountInString(line)
		c.characters(field.element(i), line, MaxText)
	}
	if c.sepa() && len(lines) > 1 && total > MaxText {
		c.fault(field, TooLongTogether{Length: total, Most: MaxText})
	}
}

// line checks a line against what the bank says of it.
func (c *checker) line(path Field, line string, limit openbanking.RemittanceInformationLineInfo, pattern *regexp.Regexp) {
	n := utf8.RuneCountInString(line)
	switch {
	case limit.MinLength != nil && n < *limit.MinLength:
		c.fault(path, TooShortForBank{Length: n, Least: *limit.MinLength})
	case limit.MaxLength != nil && n > *limit.MaxLength:
		c.fault(path, TooLongForBank{Length: n, Most: *limit.MaxLength})
	default:
		before := len(c.faults)
		c.characters(path, line, max(n, MaxText))
		if pattern != nil && len(c.faults) == before && !pattern.MatchString(line) {
			c.fault(path, WrongPattern{Pattern: pattern.String()})
		}
	}
}

// compile compiles a pattern of the bank. As in Perl, it may match anywhere in the text unless it is anchored. It returns nil for a pattern that Go does
// not know; checking that is left to the bank.
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
func (c *checker) reports(path Field, reports []openbanking.RegulatoryReporting) {
	const most = 10 // of a transfer (ISO 20022)
	required := stated(c.kind.RegulatoryReportingCodeRequired)
	switch {
	case len(reports) == 0 && required:
		c.fault(path, MissingReportCode{})
	case len(reports) > most:
		c.fault(path, TooManyReports{Count: len(reports), Most: most})
		return
	}
	for i, r := range reports {
		report := path.element(i)
		if a := r.Authority; a != nil {
			if !iban.IsCountry(a.Country) {
				c.fault(report.child("authority").child("country"), WrongCountry{})
			}
			c.text(report.child("authority").child("name"), &a.Name, maxName)
		}
		details := report.child("details")
		if r.Details.Amount != nil {
			c.amount(details.child("amount"), *r.Details.Amount)
		}
		switch code := r.Details.Code; {
		case code == nil && required:
			c.fault(details.child("code"), Missing{})
		case code == nil:
		case c.kind.RegulatoryReportingCodes != nil:
			c.reportingCode(details.child("code"), *code)
		default:
			c.text(details.child("code"), code, 10) // Max10Text
		}
		c.text(details.child("information"), &r.Details.Information, MaxText)
	}
}

func (c *checker) reportingCode(path Field, code string) {
	var values []string
	for _, known := range c.kind.RegulatoryReportingCodes {
		values = append(values, known.Value)
	}
	choice(c, path, code, values)
}
