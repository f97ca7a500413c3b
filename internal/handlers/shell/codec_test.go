package shell

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
)

// TestSessionCodec: values stored in a session are read back, also from earlier versions of Florin. Malformed data neither signs anybody in nor causes an
// error.
func TestSessionCodec(t *testing.T) {
	deadline := time.Date(2026, 11, 20, 10, 0, 0, 123456789, time.UTC)
	values := map[string]any{sessionUser: "u", sessionSignIn: "s", sessionNotice: "good|“Saved” <b>&</b>\n"}
	data, err := sessionCodec{}.Encode(deadline, values)
	if err != nil {
		t.Fatal(err)
	}
	at, got, err := sessionCodec{}.Decode(data)
	if err != nil || !at.Equal(deadline) || !reflect.DeepEqual(got, values) {
		t.Errorf("%v %v %v", at, got, err)
	}
	for _, text := range []string{"", "\x0c\xff\x81\x02\x01\x02", "null", "{}", "user=u", "deadline=x&user=u", "deadline=2026-11-20T10:00:00Z&user=%",
		`{"deadline":"2026-11-20T10:00:00Z"}`} {
		at, got, err := sessionCodec{}.Decode([]byte(text))
		if err != nil || got == nil || len(got) != 0 || !at.After(time.Now()) {
			t.Errorf("%q: %v %v %v", text, at, got, err)
		}
	}
	fromGob, err := scs.GobCodec{}.Encode(deadline, values)
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, err := json.Marshal(map[string]any{"deadline": deadline, "values": values})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{fromGob, fromJSON} {
		if at, got, err := (sessionCodec{}).Decode(data); err != nil || !at.Equal(deadline) || !reflect.DeepEqual(got, values) {
			t.Errorf("%q: %v %v %v", data, at, got, err)
		}
	}
	for name, value := range map[string]any{sessionUser: 1, sessionDeadline: "x"} {
		if data, err := (sessionCodec{}).Encode(deadline, map[string]any{name: value}); err == nil {
			t.Errorf("%s %v is written as %q", name, value, data)
		}
	}
}
