package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	_ "modernc.org/sqlite" // the driver

	"kayra/store"
)

// What stands in the file's header.
const (
	applicationID = 0x4b617972 // "Kayr"
	schemaVersion = 1
)

// schema: meta has one row. log keeps, for each of the last revisions, what it wrote, in the order it wrote it; a row
// without a value is a deletion. Keys are blobs, so that they sort by their bytes.
const schema = `
CREATE TABLE meta (
	id          INTEGER PRIMARY KEY CHECK (id = 1),
	revision    INTEGER NOT NULL,            -- the last one
	compacted   INTEGER NOT NULL,            -- the last one that is no longer in log
	log_bytes   INTEGER NOT NULL,            -- of the keys and values in log
	session     TEXT    NOT NULL DEFAULT '', -- the session that is held, or ''
	session_pid INTEGER NOT NULL DEFAULT 0   -- the process that holds it
) STRICT;
CREATE TABLE kv (
	key      BLOB    PRIMARY KEY,
	value    BLOB    NOT NULL,
	created  INTEGER NOT NULL,
	modified INTEGER NOT NULL,
	session  TEXT    NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX kv_session ON kv (session) WHERE session <> '';
CREATE TABLE log (
	revision INTEGER NOT NULL,
	seq      INTEGER NOT NULL,
	key      BLOB    NOT NULL,
	value    BLOB,
	created  INTEGER NOT NULL,
	session  TEXT    NOT NULL DEFAULT '',
	PRIMARY KEY (revision, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO meta (id, revision, compacted, log_bytes) VALUES (1, 1, 0, 0);
`

// dsn names the file for the driver: mode is SQLite's ro, rw or rwc, and pragmas are run on every new connection.
func dsn(path, mode string, pragmas ...string) string {
	q := url.Values{"mode": {mode}, "_pragma": pragmas}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	return u.String()
}

// build writes an empty store into an empty file.
func build(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", dsn(path, "rw", "synchronous(FULL)"))
	if err != nil {
		return fmt.Errorf("open new file: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	script := fmt.Sprintf("BEGIN; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT; PRAGMA journal_mode = WAL;",
		schema, applicationID, schemaVersion)
	if _, err := db.ExecContext(ctx, script); err != nil {
		return fmt.Errorf("write schema: %w", err)
	}
	return nil
}

// checkVersion judges what a file's header says.
func checkVersion(application, version int64) error {
	switch {
	case application != applicationID:
		return fmt.Errorf("not a store of Kayra; name another path: %w", store.ErrSchema)
	case version > schemaVersion:
		return fmt.Errorf("written by a newer version of Kayra (schema %d, this one knows %d); use that version: %w",
			version, schemaVersion, store.ErrSchema)
	case version < schemaVersion:
		return fmt.Errorf("schema %d is unknown; restore the file from a backup: %w", version, store.ErrCorrupt)
	}
	return nil
}
