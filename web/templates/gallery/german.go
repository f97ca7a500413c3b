package main

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"golang.org/x/net/html"

	"florin/web/templates/words/wordstest"
)

// read are the attributes that people read or hear.
var read = []string{"aria-label", "placeholder", "title", "alt", "data-label"}

// inGerman turns the English of the made-up content of a page into German; what the templates say themselves is German already.
func inGerman(page *bytes.Buffer) error {
	var out bytes.Buffer
	tokens := html.NewTokenizer(bytes.NewReader(page.Bytes()))
	for raw := false; ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			*page = out
			return nil
		}
		written := bytes.Clone(tokens.Raw()) // Token changes what Raw returns
		token := tokens.Token()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			raw = slices.Contains([]string{"pre", "code", "q", "textarea", "script", "style", "noscript"}, token.Data)
			for i, a := range token.Attr {
				if slices.Contains(read, a.Key) {
					token.Attr[i].Val = wordstest.German(a.Val)
				}
			}
		case html.EndTagToken:
			raw = false
		case html.TextToken:
			if raw {
				out.Write(written)
				continue
			}
			token.Data = wordstest.German(token.Data)
		}
		out.WriteString(token.String())
	}
}
