import { type Kysely, sql } from 'kysely'

/** Saved disks of machines, the images and snapshots that they belong to, and hibernated sandboxes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE TABLE saved_disks (
    id text PRIMARY KEY,
    node_id text NOT NULL REFERENCES nodes,
    engine text NOT NULL,
    shape_name text NOT NULL,
    spec jsonb NOT NULL,
    handle jsonb,
    state text NOT NULL,
    size_mib double precision,
    number bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX saved_disks_of_node ON saved_disks (node_id, state)`,
  // Machines and disks share the counter of their node, so a disk that is newer than the database is recognized too.
  `CREATE TRIGGER number_disk BEFORE INSERT ON saved_disks FOR EACH ROW EXECUTE FUNCTION number_machine()`,

  `CREATE TABLE machine_images (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    description text,
    shape_name text NOT NULL,
    scope text NOT NULL DEFAULT 'ORG',
    status text NOT NULL DEFAULT 'CREATING',
    reason text,
    disk_id text UNIQUE REFERENCES saved_disks ON DELETE SET NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX machine_images_of_org ON machine_images (org_id, created_at)`,
  `CREATE INDEX public_machine_images ON machine_images (created_at) WHERE scope = 'PUBLIC'`,
  `CREATE TABLE sandbox_snapshots (
    id text PRIMARY KEY,
    org_id text NOT NULL,
    sandbox_id text NOT NULL REFERENCES sandboxes ON DELETE CASCADE,
    name text NOT NULL,
    status text NOT NULL DEFAULT 'CREATING',
    reason text,
    disk_id text UNIQUE REFERENCES saved_disks ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX snapshots_of_sandbox ON sandbox_snapshots (sandbox_id, created_at)`,
  `CREATE INDEX snapshots_of_org ON sandbox_snapshots (org_id)`,

  `ALTER TABLE machines ADD COLUMN disk_id text REFERENCES saved_disks ON DELETE SET NULL`,
  `CREATE INDEX machines_of_disk ON machines (disk_id) WHERE disk_id IS NOT NULL`,
  `ALTER TABLE sandboxes ADD COLUMN hibernated boolean NOT NULL DEFAULT false`,
  `ALTER TABLE plans ADD COLUMN snapshots integer`,

  // A disk belongs to one image or snapshot and ends with it, also if that is deleted with its sandbox or organization.
  `CREATE FUNCTION doom_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE saved_disks SET state = 'doomed' WHERE id = OLD.disk_id AND state <> 'doomed'; RETURN NULL; END $$`,
  ...['machine_images', 'sandbox_snapshots'].map(
    table => `CREATE TRIGGER doom_disk AFTER DELETE ON ${table} FOR EACH ROW
      WHEN (OLD.disk_id IS NOT NULL) EXECUTE FUNCTION doom_disk()`,
  ),
  // The node of a disk is notified that the disk must be removed.
  `CREATE FUNCTION announce_doomed_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('doomed_disks', NEW.node_id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_doomed_disk AFTER UPDATE OF state ON saved_disks
    FOR EACH ROW WHEN (NEW.state = 'doomed') EXECUTE FUNCTION announce_doomed_disk()`,
]
