import { type Kysely, sql } from 'kysely'

/** Warm machines of images. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // How many machines are kept ready on the node that has the disk of the image.
  `ALTER TABLE machine_images ADD COLUMN warm integer NOT NULL DEFAULT 0`,
  // It is no reference that becomes null with the image: a machine without an image is one of its shape, which any organization
  // could claim, with the files of another one.
  `ALTER TABLE machines ADD COLUMN image_id text`,
  `CREATE INDEX machines_of_image ON machines (image_id) WHERE image_id IS NOT NULL`,

  // Warm machines end with their image, also if it is deleted with its organization. Those that are sandboxes by now go on.
  `CREATE FUNCTION doom_warm_machines() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE machines SET state = 'doomed' WHERE image_id = OLD.id AND state IN ('starting', 'ready');
    RETURN NULL; END $$`,
  `CREATE TRIGGER doom_warm_machines AFTER DELETE ON machine_images
    FOR EACH ROW EXECUTE FUNCTION doom_warm_machines()`,
  // The node that has the disk is notified that it must keep more machines ready, or fewer.
  `CREATE FUNCTION announce_warm() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_notify('warm_images', node_id) FROM saved_disks WHERE id = NEW.disk_id; RETURN NULL; END $$`,
  `CREATE TRIGGER announce_warm AFTER UPDATE OF warm ON machine_images
    FOR EACH ROW WHEN (NEW.warm <> OLD.warm) EXECUTE FUNCTION announce_warm()`,
]
