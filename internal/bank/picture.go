package bank

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"florin/internal/buildinfo"
)

// boundPicture is how large a logo may be.
var boundPicture = bound{bytes: 256 << 10}

// Picture fetches the file of a picture. It is nothing of the API: no token goes along, and the client decides where it may connect to. The caller looks at
// what it is.
func Picture(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("bank: the address of a picture is no address")
	}
	r.Header.Set("Accept", "image/png, image/webp, image/jpeg, image/gif")
	r.Header.Set("User-Agent", buildinfo.UserAgent())
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("bank: the answer for a picture has status %d", response.StatusCode)
	}
	file, large, err := boundPicture.read(response)
	if large {
		err = errors.New("bank: the file of a picture is too large")
	}
	return file, err
}
