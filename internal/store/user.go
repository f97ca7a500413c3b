package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

var (
	// ErrEmailTaken says that another user has this e-mail address.
	ErrEmailTaken = errors.New("there is a user with this e-mail address already")
	// ErrOwnerExists says that the installation is set up.
	ErrOwnerExists = errors.New("there is an owner already")
	// ErrSetupToken says that the setup token is wrong, used or too old.
	ErrSetupToken = errors.New("the setup link is not valid, was used already or is too old")
)

const userColumns = `id, email, role, language, currency, created`

func scanUser(row scanner) (finance.User, error) {
	var u finance.User
	var created sqlite.Time
	err := row.Scan(&u.ID, &u.Email, &u.Role, &u.Language, &u.Currency, &created)
	u.Created = created.Time
	return u, err
}

// HasOwner reports whether the owner exists, that is whether the installation is set up.
func (s *Store) HasOwner(ctx context.Context) (_ bool, err error) {
	defer doing("look for the owner", &err)
	return hasOwner(ctx, s.db.Read())
}

func hasOwner(ctx context.Context, q querier) (bool, error) {
	var yes bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM user WHERE role = 'owner')`).Scan(&yes)
	return yes, err
}

// CreateOwner uses the setup token up and creates the owner, both or neither. Errors: ErrOwnerExists, ErrSetupToken, ErrEmailTaken.
func (s *Store) CreateOwner(ctx context.Context, token finance.Secret, email, passwordHash string) (_ finance.User, err error) {
	defer doing("create owner", &err)
	u := finance.User{ID: finance.NewID(), Email: email, Role: finance.RoleOwner}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		exists, err := hasOwner(ctx, tx)
		if err != nil {
			return err
		}
		if exists {
			return ErrOwnerExists
		}
		err = changed(tx.ExecContext(ctx, `UPDATE setup_token SET used = $1 WHERE token_hash = $2 AND used IS NULL AND expires > $1`,
			sqlite.At(tx.Now), hashOf(token)))
		if errors.Is(err, finance.ErrNotFound) {
			return ErrSetupToken
		}
		if err != nil {
			return err
		}
		u.Created = tx.Now
		return insertUser(ctx, tx, u, passwordHash)
	})
	return u, err
}

// CreateUser creates a user; email is normalised. ErrEmailTaken when there is one with that address.
func (s *Store) CreateUser(ctx context.Context, email string, role finance.Role, passwordHash string) (_ finance.User, err error) {
	defer doing("create user", &err)
	u := finance.User{ID: finance.NewID(), Email: email, Role: role}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		u.Created = tx.Now
		return insertUser(ctx, tx, u, passwordHash)
	})
	return u, err
}

func insertUser(ctx context.Context, tx *sqlite.Tx, u finance.User, passwordHash string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO user (id, email, password_hash, role, created) VALUES ($1, $2, $3, $4, $5)`,
		u.ID, u.Email, passwordHash, u.Role, sqlite.At(u.Created))
	if sqlite.IsUnique(err) {
		return ErrEmailTaken
	}
	return err
}

// User returns a user by id.
func (s *Store) User(ctx context.Context, userID string) (_ finance.User, err error) {
	defer doing("read user", &err)
	u, err := scanUser(s.db.Read().QueryRowContext(ctx, `SELECT `+userColumns+` FROM user WHERE id = $1`, userID))
	return u, notFound(err)
}

// UserByEmail returns the user with a normalised address, and the hash of the password.
func (s *Store) UserByEmail(ctx context.Context, email string) (_ finance.User, _ string, err error) {
	defer doing("find user by address", &err)
	var u finance.User
	var created sqlite.Time
	var hash string
	err = s.db.Read().QueryRowContext(ctx, `SELECT id, email, role, language, currency, created, password_hash FROM user WHERE email = $1`, email).
		Scan(&u.ID, &u.Email, &u.Role, &u.Language, &u.Currency, &created, &hash)
	u.Created = created.Time
	return u, hash, notFound(err)
}

// SetLanguage sets the language that pages speak to the user: two letters, or "" for that of the browser.
func (s *Store) SetLanguage(ctx context.Context, userID, language string) (err error) {
	defer doing("set language", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE user SET language = $1 WHERE id = $2`, language, userID))
	})
}

// PasswordHash returns the hash of the user's password.
func (s *Store) PasswordHash(ctx context.Context, userID string) (_ string, err error) {
	defer doing("read password hash", &err)
	var hash string
	err = s.db.Read().QueryRowContext(ctx, `SELECT password_hash FROM user WHERE id = $1`, userID).Scan(&hash)
	return hash, notFound(err)
}

// SetPassword stores a new password hash, ends all sign-ins of the user but keepSignIn, and links for a new password with them, and tells the user.
// finance.ErrNotFound when keepSignIn has ended: whoever changed the password before ended it, and was quicker.
func (s *Store) SetPassword(ctx context.Context, userID, hash, keepSignIn string) (err error) {
	defer doing("set password", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE user SET password_hash = $1 WHERE id = $2
			AND EXISTS (SELECT 1 FROM user_session WHERE id = $3 AND user_id = $2 AND revoked IS NULL)`, hash, userID, keepSignIn))
		if err != nil {
			return err
		}
		if err := dropResetLinks(ctx, tx, userID); err != nil {
			return err
		}
		if err := endOtherSignIns(ctx, tx, userID, keepSignIn); err != nil {
			return err
		}
		return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticePasswordChanged})
	})
}

// CreateSetupToken stores a setup token that is good for a time, in place of all earlier ones. ErrOwnerExists once set up.
func (s *Store) CreateSetupToken(ctx context.Context, token finance.Secret, lifetime time.Duration) (err error) {
	defer doing("create setup token", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		exists, err := hasOwner(ctx, tx)
		if err != nil {
			return err
		}
		if exists {
			return ErrOwnerExists
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM setup_token`); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO setup_token (token_hash, created, expires) VALUES ($1, $2, $3)`,
			hashOf(token), sqlite.At(tx.Now), sqlite.At(tx.Now.Add(lifetime)))
		return err
	})
}

// SetupTokenValid reports whether the token would create the owner now.
func (s *Store) SetupTokenValid(ctx context.Context, token finance.Secret) (_ bool, err error) {
	defer doing("check setup token", &err)
	var yes bool
	err = s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM setup_token WHERE token_hash = $1 AND used IS NULL AND expires > $2)
		AND NOT EXISTS (SELECT 1 FROM user WHERE role = 'owner')`, hashOf(token), sqlite.At(time.Now())).Scan(&yes)
	return yes, err
}

// Users lists all users by address, for the owner's list of who may sign in.
func (s *Store) Users(ctx context.Context) (_ []finance.User, err error) {
	defer doing("read users", &err)
	return users(ctx, s.db.Read())
}

func users(ctx context.Context, q querier) ([]finance.User, error) {
	return collect(ctx, q, scanUser, `SELECT `+userColumns+` FROM user ORDER BY email`)
}

// ErrOwnerStays says that the last owner is neither removed nor given another role: nobody else could look after the installation.
var ErrOwnerStays = errors.New("the last owner cannot be removed or given another role: nobody else could look after this Florin. Make somebody else an owner first")

// ErrHasAccounts says that somebody cannot become a viewer, who has no accounts and could not look after them.
var ErrHasAccounts = errors.New("this person has accounts, and a viewer has none: the person has to delete them first")

// SetRole gives a user another role. An owner who becomes something else takes back the invitations that are still open. The calendar address of a viewer
// ends, and what a viewer asked others to pay, or was asked to.
// finance.ErrNotFound when there is no such user, ErrOwnerStays for the last owner, ErrHasAccounts for a viewer to be who has accounts or banks.
func (s *Store) SetRole(ctx context.Context, userID string, role finance.Role) (err error) {
	defer doing("set role", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if role != finance.RoleOwner {
			if err := keepOwner(ctx, tx, userID); err != nil {
				return err
			}
			if role == finance.RoleViewer {
				var owns bool
				if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM account WHERE user_id = $1) OR EXISTS (SELECT 1 FROM connection WHERE user_id = $1)`,
					userID).Scan(&owns); err != nil {
					return err
				}
				if owns {
					return ErrHasAccounts
				}
				if _, err := tx.ExecContext(ctx, `DELETE FROM calendar_address WHERE user_id = $1`, userID); err != nil {
					return err
				}
				if err := endRequests(ctx, tx, userID); err != nil {
					return err
				}
			}
			if _, err := tx.ExecContext(ctx, `UPDATE invitation SET withdrawn = $1 WHERE user_id = $2 AND used IS NULL AND withdrawn IS NULL`, sqlite.At(tx.Now),
				userID); err != nil {
				return err
			}
		}
		return changed(tx.ExecContext(ctx, `UPDATE user SET role = $1 WHERE id = $2`, role, userID))
	})
}

// keepOwner returns ErrOwnerStays when the user is the last owner, finance.ErrNotFound when there is no such user.
func keepOwner(ctx context.Context, tx *sqlite.Tx, userID string) error {
	all, err := users(ctx, tx)
	switch {
	case err != nil:
		return err
	case !slices.ContainsFunc(all, func(u finance.User) bool { return u.ID == userID }):
		return finance.ErrNotFound
	case finance.LastOwner(all, userID):
		return ErrOwnerStays
	}
	return nil
}
