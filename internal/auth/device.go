package auth

import "strings"

const (
	UnknownBrowser = "A browser" // for a browser that Device does not know
	DeviceOn       = " on "      // between the browser and its system
)

// Device returns a short description of a device from the User-Agent of its browser: "Firefox on Linux". It helps people to recognise it and proves nothing.
func Device(userAgent string) string {
	browser := pick(userAgent, [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS", "Firefox"},
		{"CriOS", "Chrome"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	}, UnknownBrowser)
	system := pick(userAgent, [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}, "")
	if system == "" {
		return browser
	}
	return browser + DeviceOn + system
}

func pick(text string, table [][2]string, other string) string {
	for _, row := range table {
		if strings.Contains(text, row[0]) {
			return row[1]
		}
	}
	return other
}
