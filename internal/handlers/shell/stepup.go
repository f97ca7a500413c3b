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
	"florin/internal/middleware"
	"florin/web/templates/pages"
)

// provenFor is how long a proof that was made for a setting is good for others.
const provenFor = 5 * time.Minute

// StepUp asks a person who is signed in for the password once more, in the form field "password": right before money moves, before Florin believes in
// another account for somebody whom it knows, and before a setting of security is changed (ASVS 7.5.1, 7.5.3). It is the one place that decides it.
// Each proof renews the id of the session with the answer (security T15). problem says what to do about the password, "" when it is right; err is a
// *auth.WaitError after too many tries, or a fault of ours.
func (s *Shell) StepUp(v *Visitor) (problem string, err error) {
	if v.Secret("password") == "" {
		return v.Say("Enter your Florin password."), nil // which is no try
	}
	err = s.auth.StepUp(v.Ctx(), v.User, v.SignIn.ID, v.Secret("password"))
	if errors.Is(err, auth.ErrPassword) {
		s.LogRefused(v, "step-up", v.User.Email, "wrong password")
		return v.Say("This is not your password."), nil
	}
	if err != nil {
		if _, wait := errors.AsType[*auth.WaitError](err); wait {
			s.LogRefused(v, "step-up", v.User.Email, "too many tries")
		}
		return "", err
	}
	v.Proven()
	return "", nil
}

// stepUpFirst lets a form for a setting of security through when this sign-in proved itself for such a form within provenFor. Else it asks for the
// password, on a page that holds what was typed into the form and sends all of it again.
func (s *Shell) stepUpFirst(v *Visitor) (asked bool, err error) {
	if s.provenOfLate(v) {
		return false, nil
	}
	if !v.Request.PostForm.Has(pages.StepUpField) {
		return true, s.stepUpPage(v, http.StatusForbidden, "")
	}
	problem, err := s.StepUp(v)
	if err != nil {
		return false, err
	}
	if problem != "" {
		return true, s.stepUpPage(v, http.StatusUnprocessableEntity, problem)
	}
	s.sessions.Put(v.Ctx(), sessionProven, time.Now().UTC().Format(time.RFC3339))
	return false, nil
}

// provenOfLate reports whether a proof for a setting is still good. One in the future, which a clock that was wrong leaves behind, is not.
func (s *Shell) provenOfLate(v *Visitor) bool {
	at, err := time.Parse(time.RFC3339, s.sessions.GetString(v.Ctx(), sessionProven))
	age := time.Now().Round(0).Sub(at)
	return err == nil && age >= 0 && age < provenFor
}

// stepUpPage asks for the password before the form is sent again. No page can choose a file for somebody, so that of a field "key_file" is sent as the
// text of the field "key", where it could have been pasted, and its name as "key_file".
func (s *Shell) stepUpPage(v *Visitor, status int, problem string) error {
	form := maps.Clone(v.Request.PostForm)
	form.Del("password")
	form.Del(pages.StepUpField)
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
	view := pages.StepUpView{Action: v.Request.URL.Path, Problem: problem}
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

// renewProven gives the session a new id after a request that proved who makes it. Whoever closed the connection would not hear of the new one and
// keeps the old; so does everybody when it cannot be written, since what was asked for has been done.
func (s *Shell) renewProven(v *Visitor) {
	v.proven = false
	if v.Ctx().Err() != nil {
		return
	}
	if err := s.renewSession(v, v.SignIn); err != nil {
		s.log.WarnContext(v.Ctx(), "id of a session not renewed after a proof of identity", "error", err, "request_id", middleware.RequestIDFrom(v.Ctx()))
	}
}

// LogRefused writes down that a sign-in or a step-up was refused (ASVS 16.3.1): whose, as a keyed hash that "florin user list" shows too, from where, and why.
func (s *Shell) LogRefused(v *Visitor, what, email, why string) {
	s.log.WarnContext(v.Ctx(), "proof of identity refused", "for", what, "account", s.auth.LogName(email), "from", middleware.ClientAddressFrom(v.Ctx()),
		"reason", why, "request_id", middleware.RequestIDFrom(v.Ctx()))
}
