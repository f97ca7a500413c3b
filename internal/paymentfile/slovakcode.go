package paymentfile

import (
	"bytes"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ulikunitz/xz/lzma"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// The Slovak payment code (PAY by square) by the standard of the Slovak Banking Association: a head of two bytes, the length of what is packed (two bytes, the
// lowest first), and that packed with LZMA (lc 3, lp 0, pb 2), all written in the letters of base32hex (RFC 4648). Unpacked it is a check sum (CRC-32, four
// bytes, the lowest first) and fields with tabs between them, their order that of the schema "Pay".

// slovakForm is how such a code looks; the head begins with the kind "pay", 0.
var slovakForm = regexp.MustCompile(`^0[0-9A-V]{39,999}$`)

// slovakNewest is the first byte of a payment in the newest version, 1.2.0. Versions count from 0 (1.0.0).
const slovakNewest = 2

// lzmaHead is the head that a file would have: lc, lp and pb in one number, and the size of the dictionary. The length follows.
var lzmaHead = []byte{0x5d, 0, 0, 2, 0}

// parseSlovakCode reads such a code. The error is a *textfile.Error.
func parseSlovakCode(code string) (v Invoice, err error) {
	text, err := unpackSlovak(code)
	if err != nil {
		return v, err
	}
	fields := slovakFields{left: strings.Split(text, "\t")}
	fields.next() // id of the invoice
	if n := fields.count(); n != 1 {
		return v, refuse(map[bool]Finding{true: CodeSeveral{}, false: SlovakDamaged{}}[n > 1])
	}
	if kind := fields.count(); kind&1 == 0 { // a sum: 1 a payment, 2 a standing order, 4 a direct debit
		return v, refuse(CodeRepeats{})
	}
	sum := fields.next()
	if v.Currency = fields.next(); v.Currency == "" {
		return v, refuse(CodeField{Key: "CurrencyCode"})
	}
	if _, known := money.Exponent(v.Currency); !known {
		return v, refuse(CodeField{Key: "CurrencyCode"})
	}
	if sum != "" {
		if v.Amount, err = money.Parse(sum, v.Currency); err != nil || v.Amount.Sign() <= 0 {
			return v, refuse(CodeField{Key: "Amount"})
		}
	}
	if day := fields.next(); day != "" {
		if len(day) != 8 {
			return v, refuse(CodeField{Key: "PaymentDueDate"})
		}
		v.Due = openbanking.Date(day[:4] + "-" + day[4:6] + "-" + day[6:])
		if _, err := v.Due.Time(); err != nil {
			return v, refuse(CodeField{Key: "PaymentDueDate"})
		}
	}
	symbols := map[string]string{}
	for _, key := range []string{"X-VS", "X-KS", "X-SS", "RF", "MSG"} { // the names that they have in a Czech code
		symbols[key] = fields.next()
	}
	v.Text = finance.Typed(czechText(symbols))
	if err := fields.account(&v); err != nil {
		return v, err
	}
	if fields.count() == 1 { // standing order: four fields of its own
		fields.skip(4)
	}
	if fields.count() == 1 { // direct debit: ten
		fields.skip(10)
	}
	v.Name = finance.Typed(fields.next())
	if n := utf8.RuneCountInString(v.Name); n > maxName {
		return v, refuse(CodeField{Key: "BeneficiaryName"})
	}
	return v, nil
}

// slovakFields are the fields that are still to be read. Those that are missing at the end are empty.
type slovakFields struct{ left []string }

func (f *slovakFields) next() (field string) {
	if len(f.left) > 0 {
		field, f.left = strings.TrimSpace(f.left[0]), f.left[1:]
	}
	return field
}

// count is the next field as a number, 0 when it is none.
func (f *slovakFields) count() int {
	n, err := strconv.Atoi(f.next())
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (f *slovakFields) skip(n int) { f.left = f.left[min(n, len(f.left)):] }

// account reads the accounts to which may be paid, and takes the first.
func (f *slovakFields) account(v *Invoice) (err error) {
	accounts := f.count()
	if accounts == 0 {
		return refuse(CodeField{Key: "IBAN"})
	}
	number, bank := f.next(), f.next()
	f.skip(2 * min(accounts-1, len(f.left)))
	if v.IBAN, err = iban.Parse(number); err != nil {
		return refuse(WrongCodeIBAN{Problem: err})
	}
	if bank != "" {
		bic, err := iban.ParseBIC(bank)
		if err != nil {
			return refuse(CodeField{Key: "BIC"})
		}
		v.BIC = bic.String()
	}
	return nil
}

// unpackSlovak is the text in a code whose check sum is right. It has 65,531 bytes at most. The error is a *textfile.Error.
func unpackSlovak(code string) (string, error) {
	raw, err := base32.HexEncoding.WithPadding(base32.NoPadding).DecodeString(code)
	switch {
	case err != nil, len(raw) < 5, raw[1] != 0:
		return "", refuse(SlovakDamaged{})
	case raw[0] > slovakNewest:
		return "", refuse(SlovakVersion{})
	}
	length := binary.LittleEndian.Uint16(raw[2:])
	if length < 5 {
		return "", refuse(SlovakDamaged{})
	}
	head := binary.LittleEndian.AppendUint64(bytes.Clone(lzmaHead), uint64(length))
	packed, err := lzma.NewReader(bytes.NewReader(append(head, raw[4:]...)))
	if err != nil {
		return "", refuse(SlovakDamaged{})
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(packed, content); err != nil {
		return "", refuse(SlovakDamaged{})
	}
	sum, text := binary.LittleEndian.Uint32(content), content[4:]
	if crc32.ChecksumIEEE(text) != sum || !utf8.Valid(text) {
		return "", refuse(SlovakDamaged{})
	}
	return string(text), nil
}
