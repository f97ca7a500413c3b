package linking

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"net/http"
	"sync"
	"time"

	"florin/internal/handlers/shell"
	"florin/internal/logos"
)

// logoWithin is how long a page waits for a logo that is not kept yet.
const logoWithin = 4 * time.Second

// How long a browser keeps a logo, and how long it does not ask again for one that is not there.
const (
	keepLogo   = "private, max-age=604800"
	keepNoLogo = "private, max-age=3600"
)

// logo answers with the logo of a bank, from this server, whatever its service calls a logo. A bank without one has a picture through which the coin of the
// page is seen.
func (a *Area) logo(v *shell.Visitor) error {
	ctx, cancel := context.WithTimeout(v.Ctx(), logoWithin)
	defer cancel()
	choice := chosenBank(v.Request.URL.Query())
	provider, err := a.Store.Provider(ctx, choice.provider)
	if err != nil {
		return err
	}
	picture, err := a.Logo(ctx, provider, choice.aspsp)
	keep := keepLogo
	if err != nil {
		if !errors.Is(err, logos.ErrNone) {
			a.Log.WarnContext(v.Ctx(), "logo of a bank not kept", "provider", provider.ID, "error", err)
		}
		picture, keep = transparent(), keepNoLogo
	}
	header := v.Writer.Header()
	header.Set("Content-Type", "image/png")
	header.Set("Cache-Control", keep)
	v.Writer.WriteHeader(http.StatusOK)
	_, _ = v.Writer.Write(picture) // the browser went away: nothing left to tell it
	return nil
}

// transparent is a picture of one pixel that shows what is behind it.
var transparent = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 1, 1))) // a buffer takes all
	return b.Bytes()
})
