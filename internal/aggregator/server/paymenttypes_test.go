package server_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"florin/internal/aggregator/sandbox"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/reference"
	"florin/internal/testkit"
)

// customer is somebody who pays at a bank.
type customer struct {
	walk.Person
	accounts []openbanking.AccountResource // with a current or savings account among them
}

// customerOf links a bank as its first user of a kind.
func (s *service) customerOf(bank *sandbox.Bank, psu openbanking.PSUType) customer {
	s.t.Helper()
	var c customer
	if users := bank.SampleUsers(psu); len(users) > 0 {
		c.Person = person(users[0])
	}
	start := s.authorize(bank.ASPSP().Reference(), func(r *openbanking.StartAuthorizationRequest) { r.PSUType = &psu })
	back := must[*url.URL](s.t)(walk.New(nil).Approve(s.t.Context(), start, c.Person))
	status, session := s.redeem(back.Query().Get("code"))
	if status != 200 {
		s.t.Fatalf("POST /sessions: status %d", status)
	}
	c.accounts = session.Accounts
	return c
}

// from is an account of the customer that a payment of the type can go from: one in its currency if there is one.
func (c customer) from(t *testing.T, kind openbanking.ResponsePaymentType) *openbanking.GenericIdentification {
	t.Helper()
	var found *openbanking.GenericIdentification
	for _, a := range c.accounts {
		ids := slices.Clone(a.AllAccountIDs)
		if a.AccountID != nil && a.AccountID.IBAN != nil {
			ids = append(ids, openbanking.GenericIdentification{Identification: *a.AccountID.IBAN, SchemeName: openbanking.SchemeNameIBAN})
		}
		for _, id := range ids {
			fits := len(kind.DebtorAccountSchemas) == 0 && id.SchemeName == openbanking.SchemeNameIBAN ||
				slices.Contains(kind.DebtorAccountSchemas, id.SchemeName)
			if !fits || a.UID == nil || a.CashAccountType != openbanking.CashAccountTypeCACC && a.CashAccountType != openbanking.CashAccountTypeSVGS {
				continue
			}
			if found == nil || slices.Contains(kind.Currencies, a.Currency) {
				found = &id
			}
			if slices.Contains(kind.Currencies, a.Currency) {
				return found
			}
		}
	}
	if found == nil {
		t.Errorf("no account of the schemes %v", kind.DebtorAccountSchemas)
	}
	return found
}

// spec: ResponsePaymentType. Every payment type of every simulated bank can be paid by what the bank says of it, and nothing
// else: with each charge bearer, priority code and reference scheme that it lists. Each payment type is paid to its end once.
func TestEveryPaymentType(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Each)
	s := run(t, "Ledger", "")
	s.clock.Stop()
	s.at(friday)
	made := map[openbanking.PaymentType]bool{}
	used := map[string]bool{}
	create := func(bank *sandbox.Bank, kind openbanking.ResponsePaymentType, from *openbanking.GenericIdentification,
		change func(*openbanking.PaymentRequestResource)) (id, start string) {
		s.t.Helper()
		return s.order(bank.ASPSP().Reference(), func(r *openbanking.CreatePaymentRequest) {
			r.PaymentType, r.PSUType, r.PaymentRequest = kind.PaymentType, kind.PSUType, contract.FillIn(kind, from)
			if change != nil {
				change(&r.PaymentRequest)
			}
		})
	}
	mocks := 0
	for _, bank := range s.everyBank() {
		if bank.Name() == sandbox.MockName {
			if mocks++; mocks > 3 && bank.Country() != "SE" && bank.Country() != "PL" && bank.Country() != "NO" {
				continue // they are alike
			}
		}
		t.Run(bank.Country()+" "+bank.Name(), func(t *testing.T) {
			defer s.during(t)()
			customers := map[openbanking.PSUType]customer{}
			for _, kind := range bank.ASPSP().Payments {
				var from *openbanking.GenericIdentification
				who, known := customers[kind.PSUType]
				if asksFor(kind.DebtorAccountRequired) || !made[kind.PaymentType] {
					if !known {
						who = s.customerOf(bank, kind.PSUType)
						customers[kind.PSUType] = who
					}
					from = who.from(t, kind)
				}
				for _, bearer := range kind.ChargeBearerValues {
					create(bank, kind, from, func(p *openbanking.PaymentRequestResource) { p.ChargeBearer = &bearer })
					used["ChargeBearerCode="+string(bearer)] = true
				}
				for _, priority := range kind.PriorityCodes {
					create(bank, kind, from, func(p *openbanking.PaymentRequestResource) { p.PaymentTypeInformation.InstructionPriority = &priority })
					used["PriorityCode="+string(priority)] = true
				}
				if asksFor(kind.ReferenceNumberSupported) { // it is assigned by the sender, who names no scheme
					id, _ := create(bank, kind, from, func(p *openbanking.PaymentRequestResource) {
						first := &p.CreditTransferTransaction[0]
						if first.ReferenceNumber = new("123"); !asksFor(kind.RemittanceReferenceSupported) {
							first.RemittanceInformation = nil
						}
					})
					if read := s.payment(id).PaymentDetails.CreditTransferTransaction[0].ReferenceNumber; read == nil || *read != "123" {
						t.Errorf("%s: the reference is read back as %v", kind.PaymentType, read)
					}
				}
				for _, scheme := range kind.ReferenceNumberSchemas {
					number := must[string](t)(reference.Make(scheme, "1234567890"))
					create(bank, kind, from, func(p *openbanking.PaymentRequestResource) {
						first := &p.CreditTransferTransaction[0]
						if first.ReferenceNumber = &number; !asksFor(kind.RemittanceReferenceSupported) {
							first.RemittanceInformation = nil
						}
					})
					used["ReferenceNumberScheme="+string(scheme)] = true
				}
				id, start := create(bank, kind, from, func(p *openbanking.PaymentRequestResource) {
					if kind.PaymentType == openbanking.PaymentTypeInternal && from != nil { // it has to stay within the bank
						p.CreditTransferTransaction[0].Beneficiary.CreditorAccount = *from
					}
				})
				if made[kind.PaymentType] {
					continue
				}
				who.Despite = true
				accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, who.Person))})
				read, had := s.course(id)
				made[kind.PaymentType] = read.FinalStatus && read.Status != rjct
				if !made[kind.PaymentType] {
					t.Errorf("%s: %v, %+v", kind.PaymentType, had, read.StatusReasonInformation)
				}
				used["PaymentType="+string(kind.PaymentType)] = true
				s.at(friday)
			}
		})
	}
	for enumeration, values := range map[string][]string{
		"ReferenceNumberScheme": texts(openbanking.ReferenceNumberScheme("").Values()),
		"PaymentType":           texts(openbanking.PaymentType("").Values()),
		"ChargeBearerCode":      texts(openbanking.ChargeBearerCode("").Values()),
		"PriorityCode":          texts(openbanking.PriorityCode("").Values()),
	} {
		for _, value := range values {
			name := enumeration + "=" + value
			if used[name] == (neverPaid[name] != "") {
				t.Errorf("%s: used %v, and the reason why no bank takes it is %q", name, used[name], neverPaid[name])
			}
		}
	}
}

func asksFor(statement *bool) bool { return statement != nil && *statement }

// spec: Enumerations. Every value that describes a payment, without a bank's say in it, is accepted and read back.
func TestEveryCodeOfAPayment(t *testing.T) {
	s := run(t, "Ledger", "")
	change := map[string]func(p *openbanking.PaymentRequestResource, value string){
		"PurposeCode": func(p *openbanking.PaymentRequestResource, value string) {
			p.Purpose = new(openbanking.PurposeCode(value))
		},
		"ServiceLevelCode": func(p *openbanking.PaymentRequestResource, value string) {
			p.PaymentTypeInformation = &openbanking.PaymentTypeInformation{ServiceLevel: new(openbanking.ServiceLevelCode(value))}
		},
		"CategoryPurposeCode": func(p *openbanking.PaymentRequestResource, value string) {
			p.PaymentTypeInformation = &openbanking.PaymentTypeInformation{CategoryPurpose: new(openbanking.CategoryPurposeCode(value))}
		},
		"FrequencyCode": func(p *openbanking.PaymentRequestResource, value string) {
			p.CreditTransferTransaction[0].Frequency = new(openbanking.FrequencyCode(value))
		},
		"ExecutionRule": func(p *openbanking.PaymentRequestResource, value string) {
			p.CreditTransferTransaction[0].Frequency = new(openbanking.FrequencyCodeMNTH)
			p.CreditTransferTransaction[0].ExecutionRule = new(openbanking.ExecutionRule(value))
		},
		"AddressType": func(p *openbanking.PaymentRequestResource, value string) {
			p.CreditTransferTransaction[0].Beneficiary.Creditor.PostalAddress = &openbanking.PostalAddress{AddressType: new(openbanking.AddressType(value)),
				TownName: new("Rostock"), Country: new("DE")}
		},
		"SchemeName": func(p *openbanking.PaymentRequestResource, value string) {
			number := "7" // of a party, whose schemes the bank does not choose
			if value == string(openbanking.SchemeNameIBAN) {
				number = payee
			}
			p.CreditTransferTransaction[0].Beneficiary.Creditor.OrganisationID = &openbanking.GenericIdentification{Identification: number,
				SchemeName: openbanking.SchemeName(value)}
		},
	}
	for enumeration, values := range map[string][]string{
		"PurposeCode":         texts(openbanking.PurposeCode("").Values()),
		"ServiceLevelCode":    texts(openbanking.ServiceLevelCode("").Values()),
		"CategoryPurposeCode": texts(openbanking.CategoryPurposeCode("").Values()),
		"FrequencyCode":       texts(openbanking.FrequencyCode("").Values()),
		"ExecutionRule":       texts(openbanking.ExecutionRule("").Values()),
		"AddressType":         texts(openbanking.AddressType("").Values()),
		"SchemeName":          texts(openbanking.SchemeName("").Values()),
	} {
		for _, value := range values {
			var sent openbanking.PaymentRequestResource
			id, _ := s.order(redirectBank, func(r *openbanking.CreatePaymentRequest) {
				change[enumeration](&r.PaymentRequest, value)
				sent = r.PaymentRequest
			})
			if missing := lost(t, sent, s.payment(id).PaymentDetails); missing != "" {
				t.Errorf("%s %s: %s is read back as something else", enumeration, value, missing)
			}
		}
		if len(values) < 2 {
			t.Errorf("%s has the values %v", enumeration, values)
		}
	}
}

func texts[T ~string](values []T) (list []string) {
	for _, value := range values {
		list = append(list, string(value))
	}
	return list
}

// lost names the first member of a value that another one does not have, or not the same; empty when nothing is lost.
func lost(t *testing.T, sent, read any) string {
	t.Helper()
	return lostIn("", generic(t, sent), generic(t, read))
}

func lostIn(at string, sent, read any) string {
	switch sent := sent.(type) {
	case nil:
		return ""
	case map[string]any:
		object, _ := read.(map[string]any)
		for name, value := range sent {
			if missing := lostIn(at+"."+name, value, object[name]); missing != "" {
				return missing
			}
		}
		return ""
	case []any:
		list, _ := read.([]any)
		if len(list) != len(sent) {
			return at
		}
		for i, value := range sent {
			if missing := lostIn(at, value, list[i]); missing != "" {
				return missing
			}
		}
		return ""
	}
	if !reflect.DeepEqual(sent, read) {
		return at
	}
	return ""
}

// everything is a payment with every field that a request can have, but for those of one that cannot stand beside others.
func (s *service) everything() openbanking.PaymentRequestResource {
	party := func(name string) *openbanking.PartyIdentification {
		return &openbanking.PartyIdentification{
			Name: &name,
			PostalAddress: &openbanking.PostalAddress{
				AddressType: new(openbanking.AddressTypeBusiness), Department: new("Accounts"), SubDepartment: new("Payables"), StreetName: new("Lindenallee"),
				BuildingNumber: new("7"),
				PostCode:       new("18055"), TownName: new("Rostock"), CountrySubDivision: new("MV"), Country: new("DE"),
				AddressLine: []string{"Lindenallee 7", "18055 Rostock"},
			},
			OrganisationID: &openbanking.GenericIdentification{Identification: "DE123456789", SchemeName: openbanking.SchemeNameTXID, Issuer: new("DE")},
			PrivateID:      &openbanking.GenericIdentification{Identification: "L01X00T47", SchemeName: openbanking.SchemeNameNIDN, Issuer: new("DE")},
			ContactDetails: &openbanking.ContactDetails{EmailAddress: new("pay@app.example"), PhoneNumber: new("+49 381 1234567")},
		}
	}
	agent := &openbanking.FinancialInstitutionIdentification{
		BICFI: new("COBADEFFXXX"), Name: new("Northbank"),
		ClearingSystemMemberID: &openbanking.ClearingSystemMemberIdentification{ClearingSystemID: new("DEBLZ"), MemberID: new("37040044")},
	}
	first, last := openbanking.DateOf(s.clock.Now().AddDate(0, 0, 3)), openbanking.DateOf(s.clock.Now().AddDate(1, 0, 0))
	return openbanking.PaymentRequestResource{
		PaymentInformation: openbanking.PaymentInformation{
			PaymentInformationID: new("block-7"),
			PaymentTypeInformation: &openbanking.PaymentTypeInformation{
				InstructionPriority: new(openbanking.PriorityCodeNORM), ServiceLevel: new(openbanking.ServiceLevelCodeSEPA),
				CategoryPurpose: new(openbanking.CategoryPurposeCodeSUPP), LocalInstrument: new("INST"),
			},
			Debtor: party("Lena Albrecht"),
			DebtorAccount: &openbanking.GenericIdentification{Identification: "DE89370400440532013000", SchemeName: openbanking.SchemeNameIBAN,
				Issuer: new("Northbank")},
			DebtorAgent:    agent,
			DebtorCurrency: new("EUR"),
			Purpose:        new(openbanking.PurposeCodeCOMC),
			ChargeBearer:   new(openbanking.ChargeBearerCodeSLEV),
		},
		CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.50"},
			Beneficiary: openbanking.Beneficiary{
				CreditorAgent: agent, Creditor: party("Verein Lindenhof"), CreditorCurrency: new("EUR"),
				CreditorAccount: openbanking.GenericIdentification{Identification: payee, SchemeName: openbanking.SchemeNameIBAN, Issuer: new("Northbank")},
			},
			PaymentID:              &openbanking.PaymentIdentification{InstructionID: new("instruction-1"), EndToEndID: new("order-1")},
			RequestedExecutionDate: &first, EndDate: &last, ExecutionRule: new(openbanking.ExecutionRuleFWNG), Frequency: new(openbanking.FrequencyCodeMNTH),
			UltimateDebtor: party("Tom Albrecht"), UltimateCreditor: party("Verein Lindenhof Jugend"),
			RegulatoryReporting: []openbanking.RegulatoryReporting{{
				Authority: &openbanking.RegulatoryAuthority{Country: "DE", Name: "Bundesbank"},
				Details: openbanking.RegulatoryReportingDetails{Amount: &openbanking.AmountType{Currency: "EUR", Amount: "12.50"}, Code: new("110"),
					Information: "Goods"},
			}},
			RemittanceInformation: []string{"Invoice 4711"},
		}},
	}
}

// spec: PaymentRequestResource. Every field of a request is accepted, kept and read back.
func TestEveryFieldOfAPaymentIsKept(t *testing.T) {
	s := run(t, "Ledger", "")
	kept := seen{}
	for name, change := range map[string]func(*openbanking.CreditTransferTransaction){
		"with text": func(*openbanking.CreditTransferTransaction) {},
		"with a reference": func(t *openbanking.CreditTransferTransaction) {
			t.ReferenceNumber, t.RemittanceInformation = new("RF18539007547034"), nil
		},
	} {
		payment := s.everything()
		change(&payment.CreditTransferTransaction[0])
		id, _ := s.order(paymentBank, func(r *openbanking.CreatePaymentRequest) { r.PaymentRequest = payment })
		read := s.payment(id).PaymentDetails
		if missing := lost(t, payment, read); missing != "" {
			t.Errorf("%s: %s is read back as something else", name, missing)
		}
		kept.note("PaymentRequestResource", generic(t, payment))
		kept.note("PaymentRequestResourceDetails", generic(t, read))
	}
	for _, field := range unseen(kept, "PaymentRequestResource", "PaymentRequestResourceDetails") {
		t.Errorf("no payment has %s", field)
	}
}

// spec: PaymentRequestResourceDetails. The debtor and its account read back as they were sent, a national number as such, also once the bank knows the payment.
func TestDebtorReadsBackAsItWasSent(t *testing.T) {
	s := run(t, "Ledger", "")
	s.at(friday)
	paid := 0
	for _, bank := range s.everyBank() {
		for _, kind := range bank.ASPSP().Payments {
			if paid == 2 || bank.Name() == sandbox.MockName || !slices.Contains(kind.DebtorAccountSchemas, openbanking.SchemeNameBBAN) ||
				kind.PaymentType == openbanking.PaymentTypeInternal {
				continue
			}
			paid++
			t.Run(bank.Name()+" "+string(kind.PaymentType), func(t *testing.T) {
				defer s.during(t)()
				who := s.customerOf(bank, kind.PSUType)
				who.Despite = true
				national := kind
				national.DebtorAccountSchemas = []openbanking.SchemeName{openbanking.SchemeNameBBAN}
				sent := contract.FillIn(kind, who.from(t, national))
				sent.Debtor = &openbanking.PartyIdentification{Name: new("The name on the cheque book")}
				id, start := s.order(bank.ASPSP().Reference(), func(r *openbanking.CreatePaymentRequest) {
					r.PaymentType, r.PSUType, r.PaymentRequest = kind.PaymentType, kind.PSUType, sent
				})
				as := func(when string) {
					t.Helper()
					if read := s.payment(id).PaymentDetails; *read.Debtor.Name != *sent.Debtor.Name ||
						!reflect.DeepEqual(read.DebtorAccount, sent.DebtorAccount) ||
						read.DebtorAccount.SchemeName != openbanking.SchemeNameBBAN {
						t.Errorf("%s: %+v %+v, sent %+v", when, *read.Debtor, *read.DebtorAccount, *sent.DebtorAccount)
					}
				}
				as("before the approval")
				accepted(t, &walk.Page{Left: must[*url.URL](t)(walk.New(nil).Pay(t.Context(), start, who.Person))})
				s.clock.Advance(2 * time.Second)
				as("after the approval")
				if s.payment(id).Status == pdng {
					t.Error("the bank does not have it")
				}
			})
		}
	}
	if paid < 2 {
		t.Errorf("%d payment types from a national number", paid)
	}
}

// generic is a value as JSON says it.
func generic(t *testing.T, value any) (object map[string]any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	return object
}
