package leaving

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/ledgerfile"
	"florin/internal/store"
	"florin/web/templates/words"
)

// takeout answers with a ZIP file of all that is the visitor's own. It is written while it is sent, a page of rows or a piece of a file at a time.
func (a *Area) takeout(v *shell.Visitor) error {
	ledger, unready, err := a.Transactions.Own(v)
	if err != nil {
		return err
	}
	if unready != nil { // never a file that lacks something
		return &shell.Problem{Status: http.StatusServiceUnavailable, What: unready.Title,
			Todo: v.Say("Until it has gone through all your transactions, some would be missing from a file. Try again in a few minutes.")}
	}
	c := a.At(v.Ctx(), time.Now())
	return a.Transactions.Download(v, "application/zip", "florin-"+string(c.Today())+".zip", func(w io.Writer) error {
		out := archive{zip.NewWriter(w), c}
		if err := a.write(v, out, ledger); err != nil {
			return err
		}
		return out.Close()
	})
}

// archive is a ZIP file, while it is written.
type archive struct {
	*zip.Writer
	show.Clock
}

// file begins a file; what was before it ends. store keeps it as it is, where it is compressed already.
func (z archive) file(name string, store bool) (io.Writer, error) {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.Now}
	if store {
		header.Method = zip.Store
	}
	return z.CreateHeader(header)
}

func (a *Area) write(v *shell.Visitor, out archive, ledger ledgerfile.Ledger) error {
	w, err := out.file("README.txt", false)
	if err == nil {
		_, err = io.WriteString(w, readme(v))
	}
	if err != nil {
		return err
	}
	options := ledgerfile.Options{Encoding: ledgerfile.UTF8BOM}
	if out.Language.Point() == "," {
		options.Separator, options.Decimal = ledgerfile.Semicolon, ledgerfile.DecimalComma
	}
	for _, format := range []ledgerfile.Format{ledgerfile.CSV, ledgerfile.JSON} {
		if w, err = out.file("transactions."+string(format), false); err == nil {
			err = ledgerfile.Write(w, format, ledger, options)
		}
		if err != nil {
			return err
		}
	}
	sections, err := a.Settling.Tables(v)
	if err != nil {
		return err
	}
	if w, err = out.file("shared-expenses.csv", false); err == nil {
		err = out.WriteTables(w, sections)
	}
	if err != nil {
		return err
	}
	for _, part := range store.TakeoutParts() {
		if err := a.writePart(v, out, part); err != nil {
			return err
		}
	}
	return a.writeFiles(v, out)
}

// writePart writes a list, one row on a line.
func (a *Area) writePart(v *shell.Visitor, out archive, part store.TakeoutPart) error {
	w, err := out.file("data/"+part.Name+".json", false)
	if err != nil {
		return err
	}
	before := "[\n"
	for row, err := range a.Store.Takeout(v.Ctx(), v.User.ID, part) {
		if err != nil {
			return err
		}
		if _, err := w.Write(append([]byte(before), row...)); err != nil {
			return err
		}
		before = ",\n"
	}
	if before == "[\n" {
		_, err = io.WriteString(w, "[]\n")
	} else {
		_, err = io.WriteString(w, "\n]\n")
	}
	return err
}

// writeFiles writes the attached files, each once. What is gone from the folder is named at the end.
func (a *Area) writeFiles(v *shell.Visitor, out archive) error {
	var missing []string
	for after := ""; ; {
		page, err := a.Store.TakeoutFiles(v.Ctx(), v.User.ID, after)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, kept := range page {
			after = kept.ID
			name := "attachments/" + kept.ID + "/" + kept.FileName()
			file, err := a.Attachments.Read(kept.ID)
			if errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, name)
				continue
			}
			if err != nil {
				return err
			}
			w, err := out.file(name, true)
			if err == nil {
				_, err = io.Copy(w, file)
			}
			if err = errors.Join(err, file.Close()); err != nil {
				return err
			}
		}
	}
	if missing == nil {
		return nil
	}
	w, err := out.file("attachments/MISSING.txt", false)
	if err == nil {
		_, err = io.WriteString(w, strings.Join(missing, "\r\n")+"\r\n")
	}
	return err
}

// readme says what is what in the file.
func readme(v *shell.Visitor) string {
	lines := []string{v.Say("Your data in Florin (%s)", v.User.Email), ""}
	for _, f := range []struct {
		name string
		text words.Text
	}{
		{"transactions.csv", "All booked transactions of your own accounts, for programs for tables: with payees, categories, tags, notes and parts."},
		{"transactions.json", "The same for other programs. Florin can import it."},
		{"shared-expenses.csv", "Who owes whom, the expenses that you share with others, and what settled them."},
		{"attachments/", "The files that you attached to transactions. data/attachments.json says which belongs to which transaction."},
		{"data/accounts.json", "Your accounts, as Florin and as the bank describe them."},
		{"data/balances.json", "What is on your accounts. Other files that begin with “balances” hold former balances."},
		{"data/values.json", "What your things are worth, as you entered it."},
		{"data/transactions-as-the-bank-sent-them.json", "Each transaction with every field that the bank sent."},
		{"data/categories.json", "Your categories. learned-categories.json and rules.json say which transactions get which."},
		{"data/budgets.json", "Your budgets. Other files that begin with “budget” hold their amounts."},
		{"data/payees.json", "Your address book."},
		{"data/payments.json", "Your payments. Other files that begin with “payment” hold their parts and what became of them."},
		{"data/saved-searches.json", "Your saved searches and reports."},
		{"data/you.json", "Your account here. Other files hold your settings, devices and notifications."},
	} {
		lines = append(lines, f.name, "    "+v.Say(f.text), "")
	}
	lines = append(lines, v.Say("Files that end with .json are lists with one line for each entry. Amounts are written with a point; dates are written 2026-11-22, times are UTC."),
		v.Say("Left out: passwords, keys, codes and addresses that give access, what is shared with you but belongs to others, and what Florin only calculates."), "")
	return strings.Join(lines, "\r\n")
}
