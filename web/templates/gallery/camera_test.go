package main

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// A browser whose camera shows what the test says: seen holds the contents of the codes, or the name of the error with which the camera does not start.
const withCamera = `
	window.seen = [];
	window.BarcodeDetector = class {
		static async getSupportedFormats() { return ["ean_13", "qr_code"]; }
		async detect() { return seen.map((rawValue) => ({rawValue})); }
	};
	window.tracks = [];
	navigator.mediaDevices.getUserMedia = async () => {
		if (window.broken) throw new DOMException("", broken);
		const canvas = document.createElement("canvas");
		canvas.getContext("2d").fillRect(0, 0, 8, 8);
		const stream = canvas.captureStream();
		tracks.push(...stream.getTracks());
		return stream;
	};
	document.addEventListener("submit", (event) => { event.preventDefault(); window.pasted = new FormData(event.target).get("paste"); });`

// The camera is offered where the browser reads codes, tells what it sees, and sends a payment code as if it had been pasted. Then it is off.
func TestCameraReadsACode(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	without := `document.getElementById("camera-start").hidden && document.getElementById("camera").hidden`
	do(t, ctx, chromedp.Navigate(server.URL+"/pay-start"))
	if evaluate[bool](t, ctx, `!!window.BarcodeDetector`) || !evaluate[bool](t, ctx, without) {
		t.Error("the camera is offered though this browser reads no codes")
	}
	do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: withCamera})
		return err
	}), chromedp.Navigate(server.URL+"/pay-start"))
	says := func(want string) {
		t.Helper()
		await(t, ctx, `document.getElementById("camera-says").textContent === "`+want+`"`)
	}
	start, stop := chromedp.Click(chromedp.CSS("#camera-start")), chromedp.Click(chromedp.CSS("#camera-stop"))
	off := func() {
		t.Helper()
		if !evaluate[bool](t, ctx, `tracks.every((track) => track.readyState === "ended") && document.getElementById("camera").hidden && !document.getElementById("camera-start").hidden`) {
			t.Error("the camera is still on")
		}
	}
	for name, want := range map[string]string{
		"NotAllowedError":  "The browser does not let Florin use the camera. Allow it in the settings of the browser, or choose a picture.",
		"NotFoundError":    "This device has no camera. Choose a picture instead.",
		"NotReadableError": "The camera does not start. Another program may be using it. Try again, or choose a picture.",
	} {
		evaluate[bool](t, ctx, `(window.broken = "`+name+`", true)`)
		do(t, ctx, start)
		says(want)
		off()
	}
	evaluate[bool](t, ctx, `(window.broken = "", true)`)
	do(t, ctx, start)
	says("Hold the payment code in front of the camera.")
	evaluate[bool](t, ctx, `(seen.push("otpauth://totp/Other"), true)`)
	says("This QR code is no payment code.")
	do(t, ctx, stop)
	says("The camera is off.")
	off()
	const code = `BCD\n002\n1\nSCT\n\nRote Katze\nDE89370400440532013000\nEUR12`
	evaluate[bool](t, ctx, `(seen.push("`+code+`", "SPC\n0200"), true)`)
	do(t, ctx, start)
	says("The camera sees several payment codes. Show it one of them.")
	evaluate[bool](t, ctx, `(seen.pop(), true)`)
	await(t, ctx, `window.pasted?.replaceAll("\r", "") === "`+code+`"`)
	off()
	for _, code := range []string{"SPD*1.0*ACC:CZ5855000000001265098001*CC:CZK", "0803E0007G64D3RG9C97P8IB3OCVVGB2JVD8D98ENDMODTNB0E89H061RKVSU1HJ8KPKBSOJRIPD7R1VVV871G00"} {
		do(t, ctx, chromedp.Navigate(server.URL+"/pay-start"))
		evaluate[bool](t, ctx, `(seen.push("`+code+`"), true)`)
		do(t, ctx, start)
		await(t, ctx, `window.pasted === "`+code+`"`)
		off()
	}
}
