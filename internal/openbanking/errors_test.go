package openbanking_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	ob "florin/internal/openbanking"
)

func TestErrorsIsSeesTheCodeThroughAnyChain(t *testing.T) {
	cause := &ob.Error{Code: ob.ExpiredSession}
	for _, err := range []error{
		ob.ExpiredSession,
		cause,
		fmt.Errorf("balances: %w", cause),
		fmt.Errorf("sync: %w", fmt.Errorf("balances: %w", cause)),
		errors.Join(errors.New("first"), cause),
	} {
		if !errors.Is(err, ob.ExpiredSession) {
			t.Errorf("%v: not ExpiredSession", err)
		}
		if errors.Is(err, ob.ClosedSession) {
			t.Errorf("%v: also ClosedSession", err)
		}
	}
	var e *ob.Error
	if err := fmt.Errorf("sync: %w", cause); !errors.As(err, &e) || e != cause {
		t.Errorf("errors.As found %v", e)
	}
	if none := (&ob.Error{Status: 403}); errors.Is(none, ob.ErrorCode("")) || errors.Unwrap(none) != nil {
		t.Error("an error without a code has one")
	}
}

func TestErrorAnswer(t *testing.T) {
	tests := []struct {
		name   string
		err    ob.Error
		status int
		text   string
		body   string
	}{
		{
			"status and message of the code", ob.Error{Code: ob.WrongASPSPProvided}, 422,
			"API error WRONG_ASPSP_PROVIDED, status 422",
			`{"code":422,"message":"Wrong ASPSP name provided","error":"WRONG_ASPSP_PROVIDED","detail":null}`,
		},
		{
			"second DELETE of a session", ob.Error{Code: ob.ClosedSession, Status: 400}, 400,
			"API error CLOSED_SESSION, status 400",
			`{"code":400,"message":"Session is closed","error":"CLOSED_SESSION","detail":null}`,
		},
		{
			"own message and detail", ob.Error{Code: ob.WrongTransactionsPeriod, Message: "Too old", Detail: json.RawMessage(`{"date_from":"2026-01-01"}`)}, 422,
			"API error WRONG_TRANSACTIONS_PERIOD, status 422",
			`{"code":422,"message":"Too old","error":"WRONG_TRANSACTIONS_PERIOD","detail":{"date_from":"2026-01-01"}}`,
		},
		{
			"application not active: no error key", ob.Error{Status: 403, Message: "Application is not active"}, 403,
			"API error, status 403",
			`{"code":403,"message":"Application is not active","detail":null}`,
		},
		{
			"neither code nor message", ob.Error{Status: 404}, 404,
			"API error, status 404",
			`{"code":404,"message":"Not Found","detail":null}`,
		},
		{
			"nothing known", ob.Error{}, 500,
			"API error, status 500",
			`{"code":500,"message":"Internal Server Error","detail":null}`,
		},
		{
			"a code in no list", ob.Error{Code: "NEW_CODE", Status: 422, Message: "New"}, 422,
			"API error NEW_CODE, status 422",
			`{"code":422,"message":"New","error":"NEW_CODE","detail":null}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err.HTTPStatus() != tt.status || tt.err.Error() != tt.text {
				t.Errorf("got %d, %q, want %d, %q", tt.err.HTTPStatus(), tt.err.Error(), tt.status, tt.text)
			}
			body, err := json.Marshal(tt.err.Response())
			if err != nil || string(body) != tt.body {
				t.Errorf("got  %s, %v\nwant %s", body, err, tt.body)
			}
		})
	}
}

func TestErrorTextHoldsNoDetail(t *testing.T) {
	err := &ob.Error{Code: ob.ASPSPError, Message: "of Jane Doe", Detail: json.RawMessage(`"DE89370400440532013000"`)}
	if text := err.Error(); strings.Contains(text, "DE89") || strings.Contains(text, "Jane") {
		t.Error(text)
	}
}

// api-notes 1: what real services and banks send.
func TestErrorResponseOfAnyShape(t *testing.T) {
	tests := []struct {
		name, body string
		code       int
		message    string
		errorCode  ob.ErrorCode
		detail     string
	}{
		{"as specified", `{"code":422,"message":"Wrong ASPSP name provided","error":"WRONG_ASPSP_PROVIDED","detail":null}`, 422, "Wrong ASPSP name provided",
			ob.WrongASPSPProvided, ""},
		{"no error key", `{"code":403,"message":"Application is not active"}`, 403, "Application is not active", "", ""},
		{"error null", `{"code":500,"message":"Oops","error":null}`, 500, "Oops", "", ""},
		{"error empty", `{"code":500,"message":"Oops","error":""}`, 500, "Oops", "", ""},
		{"unknown error", `{"code":422,"message":"New","error":"NEW_CODE"}`, 422, "New", "NEW_CODE", ""},
		{"error is an object", `{"error":{"message":"No"}}`, 0, "", "", ""},
		{"detail is text", `{"code":422,"message":"m","error":"PSU_HEADER_NOT_PROVIDED","detail":"PSU header psuIpAddress is not provided"}`, 422, "m",
			ob.PSUHeaderNotProvided, `"PSU header psuIpAddress is not provided"`},
		{"detail is an object", `{"code":400,"message":"m","error":"ASPSP_ERROR","detail":{"message":"Service unavailable","error_name":"HttpException","error_data":{}}}`, 400, "m", ob.ASPSPError, `{"message":"Service unavailable","error_name":"HttpException","error_data":{}}`},
		{"detail has a date", `{"code":422,"message":"m","error":"WRONG_TRANSACTIONS_PERIOD","detail":{"message":"Maximum days","date_from":"2026-01-01"}}`,
			422, "m", ob.WrongTransactionsPeriod, `{"message":"Maximum days","date_from":"2026-01-01"}`},
		{"detail is a list", `{"detail":[1,[2]]}`, 0, "", "", `[1,[2]]`},
		{"detail is a number", `{"detail":1e999}`, 0, "", "", `1e999`},
		{"detail is false", `{"detail":false}`, 0, "", "", `false`},
		{"a bank's own answer", `{"title":"Bad Request","code":"FORMAT_ERROR","detail":"period"}`, 0, "Bad Request", "", `"period"`},
		{"title beside message", `{"title":"T","message":"M","code":400}`, 400, "M", "", ""},
		{"message is an object", `{"code":400,"message":{"de":"Nein"},"title":"T"}`, 400, "T", "", ""},
		{"code is text", `{"code":"400","message":"m"}`, 0, "m", "", ""},
		{"code is a fraction", `{"code":400.5,"message":"m"}`, 0, "m", "", ""},
		{"code is huge", `{"code":1e400,"message":"m"}`, 0, "m", "", ""},
		{"code is null", `{"code":null,"message":null,"error":"ASPSP_ERROR"}`, 0, "", ob.ASPSPError, ""},
		{"empty", `{}`, 0, "", "", ""},
		{"more keys", `{"code":400,"message":"m","tppMessages":[{"category":"ERROR"}]}`, 400, "m", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := ob.ErrorResponse{Code: 1, Message: "before", Detail: json.RawMessage("1")} // decoding replaces all of it
			if err := json.Unmarshal([]byte(tt.body), &r); err != nil {
				t.Fatal(err)
			}
			var code ob.ErrorCode
			if r.Error != nil {
				code = *r.Error
			}
			if r.Code != tt.code || r.Message != tt.message || code != tt.errorCode || string(r.Detail) != tt.detail {
				t.Errorf("got %d %q %q %s", r.Code, r.Message, code, r.Detail)
			}
		})
	}
	for _, body := range []string{``, `<html>`, `"text"`, `[]`, `7`, `{"code":`} {
		if err := json.Unmarshal([]byte(body), new(ob.ErrorResponse)); err == nil {
			t.Errorf("%q was read as an error answer", body)
		}
	}
}

func FuzzErrorResponse(f *testing.F) {
	f.Add([]byte(`{"code":422,"message":"m","error":"ASPSP_ERROR","detail":{"a":[1]}}`))
	f.Add([]byte(`{"title":"Bad","code":"X","detail":null}`))
	f.Add([]byte(`{"code":1e400,"message":7,"error":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var r ob.ErrorResponse
		if err := json.Unmarshal(body, &r); err != nil {
			return
		}
		out, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var again ob.ErrorResponse
		if err := json.Unmarshal(out, &again); err != nil || again.Code != r.Code || (again.Error == nil) != (r.Error == nil) {
			t.Fatalf("%q became %q, then %+v, %v", body, out, again, err)
		}
	})
}
