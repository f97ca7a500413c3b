package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
)

// keepsReceipt attaches a picture to the transaction of a page, opens it in another tab, where it is shown as a picture and nothing else, and removes it.
func (w *window) keepsReceipt(page string) {
	w.t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 30, 20))); err != nil {
		w.t.Fatal(err)
	}
	folder := w.t.TempDir()
	choose := func(name, content string) {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			w.t.Fatal(err)
		}
		w.attach("Attach a file", file)
		w.click("Attach the file")
	}
	w.visit(page)
	choose("page.pdf", "<script>document.title = 'run'</script>")
	w.see("This file is not a PDF")
	choose("receipt.png", picture.String())
	w.see("receipt.png is attached.")
	w.checkPage()
	other := w.tab()
	other.visit(w.evaluate(`document.querySelector("#attachments a[target=_blank]").href`))
	if size := other.evaluate(`document.images[0].naturalWidth + "x" + document.images[0].naturalHeight`); size != "30x20" {
		w.t.Errorf("the picture opens with %s", size)
	}
	if origin := other.evaluate(`self.origin`); origin != "null" {
		w.t.Errorf("the picture has the origin %s", origin)
	}
	other.close()
	w.press("Remove")
	w.click("Delete the file")
	w.see("The file is deleted.")
	w.seeNot("receipt.png")
}

// splits splits the transaction of a page in two, and undoes that. With JavaScript the page shows the rest while the amount is typed.
func (w *window) splits(page string) {
	w.t.Helper()
	w.visit(page)
	w.click("Split this transaction into parts")
	w.see("Still left:")
	w.put(matching("#amount-1"), "0.01")
	w.pick(matching("#category-1"), "Groceries")
	if w.look.noScript {
		w.click("Save the parts")
		w.see("The parts must add up to the whole amount.")
	}
	w.pick(matching("#category-2"), "Pets")
	w.put(matching("#note-2"), "for the parrot")
	if !w.look.noScript {
		for _, typed := range [][2]string{{"1x", "It is not clear yet what is left"}, {"0.01", "Part 2 gets the rest:"}} {
			w.put(matching("#amount-1"), typed[0])
			w.see(typed[1])
		}
	}
	w.checkPage()
	w.click("Save the parts")
	w.see("This transaction is split into 2 parts.", "Groceries", "Pets", "for the parrot")
	if !strings.HasSuffix(w.address(), page[strings.Index(page, "/accounts/"):]) {
		w.t.Errorf("it leads to %s", w.address())
	}
	w.checkPage()
	w.click("Change the parts")
	w.click("Undo the split")
	w.see("The split is undone.")
	w.seeNot("for the parrot")
}
