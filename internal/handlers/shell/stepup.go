package shell

import (
	"errors"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"florin/internal/auth"
	"florin/internal/handlers/show"
	"florin/internal/middleware"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/words"
)

// StepUp reports whether the visitor may do what purpose names. They must have proved their identity for exactly that within auth.ProofLife, or prove it now
// with the fields of the form (pages.Proof). It is used right before money moves, before Florin trusts another account for somebody, before data is deleted
// for good, and before a security setting changes (ASVS 7.5.1, 7.5.3). Only auth.StepUp decides. Each proof renews the id of the session with the answer
// (security T15). wrong says what is wrong or missing, nil when the visitor may go on; err is a *auth.WaitError after too many tries, or an internal error.
func (s *Shell) StepUp(v *Visitor, purpose auth.Purpose) (wrong *auth.ProofError, err error) {
	given := auth.Evidence{}
	for _, m := range auth.Methods {
		if text := v.Secret(string(m)); text != "" {
			given[m] = text
		}
	}
	if len(given) == 0 && s.proven(v, purpose) { // evidence in the form is checked in any case
		return nil, nil
	}
	proof, err := s.auth.StepUp(v.Ctx(), v.User, v.SignIn.ID, purpose, given)
	if errors.As(err, &wrong) {
		if !wrong.Missing {
			s.LogRefused(v, "step-up", v.User.Email, wrong.Error())
		}
		return wrong, nil
	}
	if err != nil {
		if _, wait := errors.AsType[*auth.WaitError](err); wait {
			s.LogRefused(v, "step-up", v.User.Email, "too many tries")
		}
		return nil, err
	}
	s.keepProof(v, proof)
	v.Proven()
	return nil, nil
}

// Proof returns the fields of a form in which the visitor proves their identity for a purpose, and their faults. why tells the visitor what the proof is for.
func (s *Shell) Proof(v *Visitor, purpose auth.Purpose, why string, wrong *auth.ProofError) (pages.Proof, error) {
	if s.proven(v, purpose) {
		return pages.Proof{}, nil
	}
	demand, err := s.auth.Demand(v.Ctx(), v.User.ID, purpose)
	if err != nil {
		return pages.Proof{}, err
	}
	p := pages.Proof{Email: v.User.Email, Why: why}
	for _, m := range demand.Methods {
		switch {
		case m != auth.ByPasskey:
			p.Fields = append(p.Fields, string(m))
		case s.AtOwnAddress(v):
			p.Passkey = paths.ProvePasskey(purpose.String())
		}
	}
	p.All = demand.All
	if demand.OpenID {
		p.OpenID, p.Purpose = s.auth.Provider().Name(), purpose.String()
	}
	if wrong != nil {
		p.Field, p.Problem = string(wrong.Method), words.In(v.Ctx()).Message(show.Proof(wrong))
	}
	return p, nil
}

// proven reports whether the session holds a valid proof for the purpose.
func (s *Shell) proven(v *Visitor, purpose auth.Purpose) bool {
	return slices.ContainsFunc(s.proofs(v), func(p auth.Proof) bool { return p.Good(purpose, time.Now()) })
}

// maxProofs is the number of proofs that a session keeps, the newest.
const maxProofs = 8

// proofs returns the proofs in the session. Each is stored as its purpose, "@" and its time.
func (s *Shell) proofs(v *Visitor) []auth.Proof {
	var all []auth.Proof
	for _, text := range strings.Fields(s.sessions.GetString(v.Ctx(), sessionProofs)) {
		purpose, at, _ := strings.Cut(text, "@")
		if t, err := time.Parse(time.RFC3339, at); err == nil {
			all = append(all, auth.Proof{Purpose: purpose, At: t})
		}
	}
	return all
}

func (s *Shell) keepProof(v *Visitor, proof auth.Proof) {
	all := append([]auth.Proof{proof}, slices.DeleteFunc(s.proofs(v), func(p auth.Proof) bool { return p.Purpose == proof.Purpose })...)
	var texts []string
	for _, p := range all[:min(len(all), maxProofs)] {
		texts = append(texts, p.Purpose+"@"+p.At.UTC().Format(time.RFC3339))
	}
	s.sessions.Put(v.Ctx(), sessionProofs, strings.Join(texts, " "))
}

// PasskeyQuestion returns the options with which the script of a page asks the browser for a passkey, to prove the visitor's identity for a purpose.
func (s *Shell) PasskeyQuestion(v *Visitor) error {
	purpose := v.Request.URL.Query().Get(pages.PurposeField)
	if !purposeForm.MatchString(purpose) || !s.AtOwnAddress(v) {
		return &Problem{Status: http.StatusNotFound}
	}
	options, err := s.auth.AskPasskeyFor(v.Ctx(), v.User.ID, v.SignIn.ID, purpose)
	if err != nil {
		return err
	}
	return v.JSON(options)
}

// stepUpFirst accepts a form after StepUp. Without a proof it shows a page that asks for one; that page holds all values of the form and submits them again.
func (s *Shell) stepUpFirst(v *Visitor, purpose auth.Purpose) (asked bool, err error) {
	wrong, err := s.StepUp(v, purpose)
	if err != nil || wrong == nil {
		return false, err
	}
	if !v.Request.PostForm.Has(pages.StepUpField) {
		return true, s.stepUpPage(v, http.StatusForbidden, purpose, nil)
	}
	return true, s.stepUpPage(v, http.StatusUnprocessableEntity, purpose, wrong)
}

// stepUpPage asks for a proof before the form is submitted again. A page cannot select a file, so the text of a file in the field "key_file" is submitted in
// the field "key", where it could have been pasted, and its name in "key_file".
func (s *Shell) stepUpPage(v *Visitor, status int, purpose auth.Purpose, wrong *auth.ProofError) error {
	form := maps.Clone(v.Request.PostForm)
	form.Del(pages.StepUpField)
	for _, m := range auth.Methods {
		form.Del(string(m))
	}
	if files := v.Request.MultipartForm; files != nil {
		for name, chosen := range files.File {
			text, err := textOf(chosen[0])
			if err != nil {
				return err
			}
			if text != "" {
				form.Set(strings.TrimSuffix(name, "_file"), text)
				form.Set(name, chosen[0].Filename)
			}
		}
	}
	proof, err := s.Proof(v, purpose, "", wrong)
	if err != nil {
		return err
	}
	view := pages.StepUpView{Action: v.Request.URL.Path, Proof: proof}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			view.Fields = append(view.Fields, pages.StepUpValue{Name: name, Value: value})
		}
	}
	view.Frame = s.Frame(v)
	return v.Page(status, pages.StepUp(view))
}

func textOf(header *multipart.FileHeader) (string, error) {
	file, err := header.Open()
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	return string(text), err
}

// renewProven gives the session a new id after a request with a proof. When the client has closed the connection, it would not receive the new id and keeps
// the old one. The same happens when the new id cannot be stored, because the request itself has been carried out.
func (s *Shell) renewProven(v *Visitor) {
	v.proven = false
	if v.Ctx().Err() != nil {
		return
	}
	if err := s.renewSession(v, v.SignIn); err != nil {
		s.log.WarnContext(v.Ctx(), "id of a session not renewed after a proof of identity", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
}

// LogRefused logs that a sign-in or a step-up was refused (ASVS 16.3.1): for which account, as a keyed hash that "florin user list" also shows, from which
// address, and why. email is "" when the account is unknown.
func (s *Shell) LogRefused(v *Visitor, what, email, why string) {
	account := "unknown"
	if email != "" {
		account = s.auth.LogName(email)
	}
	s.log.WarnContext(v.Ctx(), "proof of identity refused", "for", what, "account", account, "from", middleware.ClientAddressFrom(v.Ctx()),
		"reason", why, "request_id", middleware.RequestIDFrom(v.Ctx()))
}
