import { type Kysely, sql } from 'kysely'

/** Images that are built from steps, the saved disks that builds reuse, and machines that work for an organization. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The organization that a machine works for although it is no sandbox, such as one that builds an image.
  `ALTER TABLE machines ADD COLUMN org_id text`,
  `CREATE INDEX machines_at_work ON machines (org_id) WHERE org_id IS NOT NULL`,

  // The node that is making an image which has no disk yet.
  `ALTER TABLE machine_images ADD COLUMN made_by_node text`,
  `ALTER TABLE machine_images ADD COLUMN sealed_env text`,
  // An image shares its disk with the last step of its build, and with images that were built from the same steps.
  `ALTER TABLE machine_images DROP CONSTRAINT machine_images_disk_id_key`,
  `CREATE INDEX machine_images_of_disk ON machine_images (disk_id)`,

  `CREATE TABLE build_steps (
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    node_id text NOT NULL,
    key text NOT NULL,
    disk_id text NOT NULL REFERENCES saved_disks ON DELETE CASCADE,
    used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, node_id, key)
  )`,
  `CREATE INDEX build_steps_of_disk ON build_steps (disk_id)`,

  // The lock lets one of two concurrent deletes see that the other one removed the last other use of the disk.
  `CREATE OR REPLACE FUNCTION doom_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM 1 FROM saved_disks WHERE id = OLD.disk_id FOR UPDATE;
    UPDATE saved_disks SET state = 'doomed' WHERE id = OLD.disk_id AND state <> 'doomed'
      AND NOT EXISTS (SELECT 1 FROM machine_images WHERE disk_id = OLD.disk_id)
      AND NOT EXISTS (SELECT 1 FROM sandbox_snapshots WHERE disk_id = OLD.disk_id)
      AND NOT EXISTS (SELECT 1 FROM build_steps WHERE disk_id = OLD.disk_id);
    RETURN NULL; END $$`,
  `CREATE TRIGGER doom_disk AFTER DELETE ON build_steps FOR EACH ROW EXECUTE FUNCTION doom_disk()`,
  `CREATE TRIGGER doom_replaced_disk AFTER UPDATE OF disk_id ON build_steps
    FOR EACH ROW WHEN (OLD.disk_id <> NEW.disk_id) EXECUTE FUNCTION doom_disk()`,
]
