package api

import (
	"mime"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
)

// maxPSUHeader is the most bytes of a PSU header; browsers send far fewer (our decision).
const maxPSUHeader = 2048

// psuHeaders are the headers that say that the PSU is online (spec: PSU headers), in canonical spelling, each with what its
// value has to be. An empty problem means that it is.
var psuHeaders = []struct {
	name  string
	check func(value string) (problem string)
}{
	{"Psu-Ip-Address", checkAddress},
	{"Psu-User-Agent", func(string) string { return "" }},
	{"Psu-Referer", checkReferer},
	{"Psu-Accept", checkAccept},
	{"Psu-Accept-Charset", checkList(word, "must be a list of character sets, such as utf-8, *;q=0.5")},
	{"Psu-Accept-Encoding", checkList(word, "must be a list of encodings, such as gzip, br")},
	{"Psu-Accept-Language", checkList(languageRange, "must be a list of languages, such as fi, en-GB;q=0.8")},
	{"Psu-Geo-Location", checkLocation},
}

// psu returns the PSU headers of a request. One without a value counts as not sent; one with a value that cannot be
// right is PSU_HEADER_INVALID.
func psu(r *request) (aggregator.PSU, error) {
	sent := aggregator.PSU{}
	for _, header := range psuHeaders {
		values := r.Header[header.name]
		if len(values) == 0 || len(values) == 1 && strings.TrimSpace(values[0]) == "" {
			continue
		}
		value := strings.TrimSpace(values[0])
		var problem string
		switch {
		case len(values) > 1:
			problem = "is given twice"
		case len(value) > maxPSUHeader:
			problem = "is longer than " + strconv.Itoa(maxPSUHeader) + " bytes"
		case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
			problem = "holds characters that are no text"
		default:
			problem = header.check(value)
		}
		if problem != "" {
			return nil, engine.InvalidPSUHeader(header.name, problem)
		}
		sent[header.name] = value
	}
	return sent, nil
}

func checkAddress(value string) string {
	if address, err := netip.ParseAddr(value); err != nil || address.Zone() != "" {
		return "is not an IP address"
	}
	return ""
}

func checkReferer(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "is not an http or https address"
	}
	return ""
}

// checkAccept accepts a lone asterisk too, which some clients send.
func checkAccept(value string) string {
	for item := range strings.SplitSeq(value, ",") {
		kind, _, err := mime.ParseMediaType(item)
		if err != nil || kind != "*" && !strings.Contains(kind, "/") {
			return "must be a list of media types, such as text/html, */*;q=0.8"
		}
	}
	return ""
}

// Items of lists, with the weight that may follow (RFC 9110, 12.5).
var (
	word          = regexp.MustCompile(`^[!#$%&'*+.^_|~0-9A-Za-z-]+(\s*;\s*q=[0-9.]{1,5})?$`)
	languageRange = regexp.MustCompile(`^(\*|[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*)(\s*;\s*q=[0-9.]{1,5})?$`)
)

func checkList(item *regexp.Regexp, problem string) func(string) string {
	return func(value string) string {
		for text := range strings.SplitSeq(value, ",") {
			if !item.MatchString(strings.TrimSpace(text)) {
				return problem
			}
		}
		return ""
	}
}

var geoLocation = regexp.MustCompile(`^(-?\d{1,2}\.\d{1,6}),(-?\d{1,3}\.\d{1,6})$`) // api-notes 6

func checkLocation(value string) string {
	const problem = "must be latitude and longitude, such as 60.169857,24.938379"
	parts := geoLocation.FindStringSubmatch(value)
	if parts == nil {
		return problem
	}
	for i, most := range []float64{90, 180} {
		if degrees, err := strconv.ParseFloat(parts[i+1], 64); err != nil || degrees < -most || degrees > most {
			return problem
		}
	}
	return ""
}
