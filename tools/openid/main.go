// Command openid runs a provider of OpenID Connect for tests: that of github.com/zitadel/oidc, with its login page, on loopback. It is a module of its own, so
// that Florin's stays small.
//
//	openid --redirect http://localhost:8080/sign-in/openid/back
//
// prints its issuer, and ends when its standard input does. It knows the client "florin" with the secret "secret of florin", and two people: "ada" with the
// password "engine of ada", and "bo" with the password "engine of bo".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

// people are those who have an account, by their subject.
type people map[string]*storage.User

func (p people) GetUserByID(id string) *storage.User { return p[id] }

func (p people) GetUserByUsername(name string) *storage.User {
	for _, user := range p {
		if user.Username == name {
			return user
		}
	}
	return nil
}

// ExampleClientID names a user that stands for a program. There is none.
func (people) ExampleClientID() string { return "" }

func main() {
	redirect := flag.String("redirect", "", "the redirect URL of the client")
	flag.Parse()
	if err := run(*redirect); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(redirect string) error {
	if redirect == "" {
		return errors.New("name the redirect URL of the client with --redirect")
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	issuer := "http://" + listener.Addr().String()
	storage.RegisterClients(storage.WebClient("florin", "secret of florin", redirect))
	accounts := people{
		"subject-of-ada": {ID: "subject-of-ada", Username: "ada", Password: "engine of ada", Email: "ada@home.example", EmailVerified: true},
		"subject-of-bo":  {ID: "subject-of-bo", Username: "bo", Password: "engine of bo", Email: "bo@home.example", EmailVerified: true},
	}
	server := &http.Server{Handler: exampleop.SetupServer(issuer, storage.NewStorage(accounts), nil, false), ReadHeaderTimeout: 10 * time.Second}
	fmt.Println(issuer)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until whoever started it has ended
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
