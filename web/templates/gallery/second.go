package main

import (
	"strings"

	"florin/internal/qrcode"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// secondScreens are authenticator apps, recovery codes and the second step of a sign-in.
func secondScreens() []screen {
	const example = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	code, err := qrcode.Encode("otpauth://totp/Florin%20florin.example.org:mira@example.org?secret="+example+"&issuer=Florin%20florin.example.org", qrcode.M)
	if err != nil {
		panic(err)
	}
	app := pages.NewAuthenticatorView{Frame: frame(), Code: code, Secret: pages.Groups(example, " "), Account: "Florin (mira@example.org)",
		Name: ui.Input{Name: "name", Label: "Name of the app or the device", Type: "text", Value: "Phone", Hint: "So that you recognise it later.", Required: true, MaxLength: 60, Autocomplete: "off"}}
	wrong := app
	wrong.Name.Value, wrong.Name.Problem, wrong.Account = longWord+longWord, "Give the app a name of up to 60 characters.", "Florin ("+longWord+"@example.org)"
	wrong.Problem = "This code is 2 minutes old. Either the clock of your phone is behind, or that of this server is ahead. Set the one that is wrong, and try again."
	codes := pages.RecoveryCodesView{Frame: frame(), App: "Phone"}
	for range 10 {
		codes.Codes = append(codes.Codes, pages.Groups(strings.Repeat("WXYZ", 6), "-"))
	}
	few, none := settings(), settings()
	few.Second = pages.SecondFactorCard{Any: true, Required: true, Codes: 1, Apps: []pages.AuthenticatorRow{{ID: "1", Name: "Phone", Made: at("3 October 2026"), Used: at("yesterday 22:05")},
		{ID: "2", Name: longWord + longWord, Made: at("4 October 2026")}}}
	none.Second = pages.SecondFactorCard{Any: true}
	required := people()
	required.Second = pages.SecondFactorRule{Required: true}
	both := pages.Proof{Email: "mira@example.org", Fields: []string{"password", "one_time_code"}, Passkey: "/settings/passkeys/prove?purpose=services"}
	all := both
	all.All, all.Field, all.Problem = true, "one_time_code", "This code was used before. Each code works once: wait until the app shows the next one, or take another recovery code."
	return []screen{
		{"second-step", pages.SecondStep(pages.SecondStepView{App: true, Codes: true, Passkey: true})},
		{"second-step-problem", pages.SecondStep(pages.SecondStepView{App: true, Codes: true, Problem: all.Problem})},
		{"second-step-passkey", pages.SecondStep(pages.SecondStepView{Passkey: true})},
		{"second-first", pages.SecondFactorFirst(pages.SecondFactorFirstView{Frame: frame(), Passkeys: true})},
		{"authenticator-new", pages.NewAuthenticator(app)}, {"authenticator-new-problem", pages.NewAuthenticator(wrong)},
		{"authenticator", pages.Authenticator(pages.AuthenticatorView{Frame: frame(), Title: longWord, Name: wrong.Name, Action: "/settings/authenticators/1",
			Remove: "/settings/authenticators/1/remove", Facts: []ui.Fact{{Name: "Made", Value: "3 October 2026"}, {Name: "Last used", Value: "Never used"}}})},
		{"recovery-codes", pages.RecoveryCodes(codes)},
		{"settings-second", pages.Settings(few)}, {"settings-second-no-codes", pages.Settings(none)},
		{"people-second", pages.People(required)},
		{"step-up-choice", pages.StepUp(pages.StepUpView{Frame: frame(), Action: "/settings/services", Proof: both})},
		{"step-up-all", pages.StepUp(pages.StepUpView{Frame: frame(), Action: "/settings/services", Proof: all})},
	}
}
