package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"florin/internal/attachments"
	"florin/internal/auth"
	"florin/internal/config"
	"florin/internal/finance"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// userAdd adds a person who can sign in, also while Florin runs. The password is the first line of standard input.
func userAdd(ctx context.Context, s config.Settings, u config.User, std stdio) (err error) {
	password, err := passwordLine(std.in)
	if err != nil {
		return err
	}
	db, err := openStore(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	role := finance.Role(u.Role)
	if role == "" {
		role = finance.RoleMember
		if exists, err := db.HasOwner(ctx); err != nil {
			return err
		} else if !exists {
			role = finance.RoleOwner
		}
	}
	user, err := auth.New(db).AddUser(ctx, u.Email, password, role)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s can sign in now (%s).\n", user.Email, user.Role)
	return err
}

// passwordLine reads a password: the first line of standard input.
func passwordLine(in io.Reader) (finance.Secret, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	return finance.Secret(strings.TrimRight(line, "\r\n")), nil
}

// manageUser lists the people, or changes one of them, for example for a person who is locked out. It works on an existing data directory, whether Florin
// runs or not.
func manageUser(ctx context.Context, command string, s config.Settings, u config.User, std stdio) (err error) {
	if _, err := os.Stat(filepath.Join(s.DataDir, "app.db")); err != nil {
		return fmt.Errorf("there is no Florin in the data directory %s: name the right one with --data-dir", s.DataDir)
	}
	if err := beside(ctx, s); err != nil {
		return err
	}
	db, err := openStore(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	people := auth.New(db)
	if command == config.UserList {
		return userList(ctx, db, people, std.out)
	}
	user, err := userOf(ctx, db, u.Email)
	if err != nil {
		return err
	}
	switch command {
	case config.UserPassword:
		password, err := passwordLine(std.in)
		if err != nil {
			return err
		}
		if err := people.SetPassword(ctx, user, password); err != nil {
			return err
		}
		if _, err = fmt.Fprintf(std.out, "%s has the new password and is signed out everywhere.\n", user.Email); err != nil {
			return err
		}
		return userWays(ctx, db, user, std.out)
	case config.UserLink:
		token, err := people.ResetLink(ctx, user)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.out, "%s%s?%s\n", s.PublicURL, paths.Reset, url.Values{"token": {token.Reveal()}}.Encode())
		if err == nil {
			_, err = fmt.Fprintf(std.err, "Give this link only to %s. It works once, until %s.\n", user.Email,
				time.Now().Add(auth.ResetLinkLifetime).Format("2006-01-02 15:04 MST"))
		}
		return err
	case config.UserSecond:
		return userSecond(ctx, db, user, std.out)
	case config.UserRole:
		return userRole(ctx, db, user, finance.Role(u.Role), std)
	default:
		files, err := openAttachments(s, db)
		if err != nil {
			return err
		}
		return userRemove(ctx, db, files, user, u.Yes, std)
	}
}

// userWays lists the ways in which a person can sign in besides a new password. An operator who wants to keep a person out must know them.
func userWays(ctx context.Context, db *store.Store, user finance.User, out io.Writer) error {
	ways, err := db.Ways(ctx, user.ID)
	var rest []string
	if ways.Passkeys > 0 {
		rest = append(rest, many(ways.Passkeys, "passkey"))
	}
	if ways.Provider != "" {
		rest = append(rest, "the account at "+ways.Provider)
	}
	if err != nil || rest == nil {
		return err
	}
	_, err = fmt.Fprintf(out, "What else signs in goes on: %s. The person removes it in the settings.\n", strings.Join(rest, " and "))
	return err
}

// userOf returns the user with an e-mail address.
func userOf(ctx context.Context, db *store.Store, email string) (finance.User, error) {
	normal, err := finance.NormalEmail(email)
	if err != nil {
		return finance.User{}, err
	}
	user, _, err := db.UserByEmail(ctx, normal)
	if errors.Is(err, finance.ErrNotFound) {
		return finance.User{}, fmt.Errorf("there is no user with the e-mail address %s: \"florin user list\" shows all users", normal)
	}
	return user, err
}

// userList writes a line for each person. The last column is the name of the person in the log.
func userList(ctx context.Context, db *store.Store, people *auth.Auth, out io.Writer) error {
	users, err := db.Users(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "E-MAIL\tROLE\tSINCE\tSIGN-INS\tIN THE LOG")
	for _, u := range users {
		signIns, err := people.SignIns(ctx, u.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", u.Email, u.Role, u.Created.Format(time.DateOnly), len(signIns), people.LogName(u.Email))
	}
	return table.Flush()
}

// userRemove removes a person after listing what is deleted with them, and after the answer "yes".
func userRemove(ctx context.Context, db *store.Store, files *attachments.Folder, user finance.User, yes bool, std stdio) error {
	if all, err := db.Users(ctx); err != nil || !finance.MayLeave(all, user.ID) {
		return cmp.Or(err, store.ErrOwnerStays)
	}
	b, err := db.Belongings(ctx, user.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "Removing %s also deletes, for good: %s, %s with %s, %s and %s, %s, %s, %s, %s, %s, %s, %s.\n", user.Email,
		many(b.Connections, "bank connection"), many(b.Accounts, "account"), many(b.Transactions, "transaction"), many(b.Notes, "note"),
		many(b.Attachments, "attachment"), many(b.Categories, "own category", "own categories"), many(b.Rules, "rule"), many(b.Budgets, "budget"),
		many(b.Searches, "saved search or report", "saved searches and reports"), many(b.Payments, "payment"), many(b.Payees, "payee"), many(b.SignIns, "sign-in"))
	if s := b.Stays; s.Joint+s.Expenses+s.Payments > 0 {
		fmt.Fprintf(std.err, "The others keep: %s that they have linked, too, %s, %s.\n", many(s.Joint, "joint account"), many(s.Expenses, "shared expense"),
			many(s.Payments, "settlement"))
	}
	if b.Consents > 0 {
		fmt.Fprintf(std.err, "%s at the banks too: within a quarter of an hour while Florin runs, else when it starts.\n", many(b.Consents, "consent ends", "consents end"))
	}
	if b.PaymentsUnderWay > 0 {
		fmt.Fprintf(std.err, "%s under way: the bank may still execute what was approved, and nobody will see here how it ends.\n",
			many(b.PaymentsUnderWay, "payment is", "payments are"))
	}
	if err := listDebts(ctx, db, user, std); err != nil {
		return err
	}
	if !yes {
		fmt.Fprint(std.err, "Remove this user? Type the e-mail address to confirm: ")
		line, err := bufio.NewReader(io.LimitReader(std.in, 4<<10)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the answer from standard input: %w", err)
		}
		if typed, err := finance.NormalEmail(line); err != nil || typed != user.Email {
			return errors.New("nothing was removed: this is not the e-mail address of the user. In a script, confirm with --yes")
		}
	}
	if err := errors.Join(db.RemoveUser(ctx, user.ID), files.Clean(ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s is removed.\n", user.Email)
	return err
}

// userSecond removes the second factor of a person who has lost it.
func userSecond(ctx context.Context, db *store.Store, user finance.User, out io.Writer) error {
	had, err := db.ResetSecondFactor(ctx, user.ID)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s signs in with the password alone and is signed out everywhere. Removed: %s, %s, %s.\n", user.Email, many(had.Passkeys, "passkey"),
		many(had.Apps, "authenticator app"), many(had.Codes, "unused recovery code"))
	if err == nil && had.Required {
		_, err = fmt.Fprintln(out, "Everybody here needs a second factor: the next sign-in asks for a new one.")
	}
	return err
}

// listDebts lists what a person owes others and is owed: the debts remain when the person is removed.
func listDebts(ctx context.Context, db *store.Store, user finance.User, std stdio) error {
	book, err := db.SettlingBook(ctx, user.ID)
	if err != nil {
		return err
	}
	open := false
	for _, d := range book.Ledger.Pairs() {
		switch user.ID {
		case d.From:
			fmt.Fprintf(std.err, "%s owes %s to %s.\n", user.Email, d.Amount.Format()+" "+d.Amount.Currency(), book.Person(d.To).Email)
		case d.To:
			fmt.Fprintf(std.err, "%s owes %s to %s.\n", book.Person(d.From).Email, d.Amount.Format()+" "+d.Amount.Currency(), user.Email)
		default:
			continue
		}
		open = true
	}
	if open {
		fmt.Fprintln(std.err, "This is not settled. It stays with the others, who can settle it in cash only.")
	}
	return nil
}

// userRole gives a person another role.
func userRole(ctx context.Context, db *store.Store, user finance.User, role finance.Role, std stdio) error {
	if !role.Valid() {
		return errors.New("say which role the person gets, with --role: owner, member or viewer")
	}
	if err := db.SetRole(ctx, user.ID, role); err != nil {
		return err
	}
	_, err := fmt.Fprintf(std.out, "%s has the role %s now.\n", user.Email, role)
	return err
}

// many returns a number with its noun: "1 account", "2 accounts".
func many(n int, one string, several ...string) string {
	if n == 1 {
		return "1 " + one
	}
	if len(several) > 0 {
		return strconv.Itoa(n) + " " + several[0]
	}
	return strconv.Itoa(n) + " " + one + "s"
}
