// Package migrations holds the schema of both databases as embedded SQL files, one folder per database.
//
// Files are named 00001_what.sql and hold a "-- +goose Up" section only: a schema moves forward, never back.
// Foreign keys are enforced while they run (sqlite.MigrateTogether). A file that has landed is never changed: landed.txt holds its checksum.
//
// The folder repair of each mends databases that were made before some of the first files had their last text.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed app aggregator
var files embed.FS

// App is the schema of the web app's database, Aggregator that of the aggregation service.
var (
	App        = folder("app")
	Aggregator = folder("aggregator")
)

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // only an invalid name does this
	}
	return sub
}
