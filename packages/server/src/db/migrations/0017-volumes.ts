import { type Kysely, sql } from 'kysely'

/** Volumes, and the machines that have them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE TABLE volumes (
    id text PRIMARY KEY,
    org_id text REFERENCES organizations ON DELETE SET NULL,
    name text NOT NULL,
    size_mib integer NOT NULL,
    used_mib integer,
    node_id text REFERENCES nodes,
    engine text NOT NULL,
    handle jsonb,
    state text NOT NULL,
    reason text,
    created_by text NOT NULL,
    number bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  // A name can be used again as soon as the volume is deleted for its users.
  `CREATE UNIQUE INDEX volume_names ON volumes (org_id, name) WHERE state <> 'doomed'`,
  `CREATE INDEX volumes_of_node ON volumes (node_id, state)`,
  // Machines, disks and volumes share the counter of their node.
  `CREATE TRIGGER number_volume BEFORE INSERT ON volumes FOR EACH ROW EXECUTE FUNCTION number_machine()`,

  // The row of a machine is deleted after the engine has destroyed it, so until then the machine has its volumes.
  `CREATE TABLE volume_mounts (
    volume_id text NOT NULL REFERENCES volumes,
    machine_id text NOT NULL REFERENCES machines ON DELETE CASCADE,
    path text NOT NULL,
    read_only boolean NOT NULL,
    PRIMARY KEY (volume_id, machine_id)
  )`,
  `CREATE INDEX volumes_of_machine ON volume_mounts (machine_id)`,

  `ALTER TABLE plans ADD COLUMN volumes integer, ADD COLUMN volumes_mib integer`,

  // Volumes are not deleted with the row of their organization, but like any other: first on their node, then here.
  `CREATE FUNCTION doom_volume() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.state := 'doomed'; RETURN NEW; END $$`,
  `CREATE TRIGGER doom_volume BEFORE UPDATE OF org_id ON volumes
    FOR EACH ROW WHEN (NEW.org_id IS NULL) EXECUTE FUNCTION doom_volume()`,
  // The node of a volume is notified. Without one, there is nothing to delete but the row.
  `CREATE FUNCTION announce_doomed_volume() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.node_id IS NULL THEN DELETE FROM volumes WHERE id = NEW.id;
    ELSE PERFORM pg_notify('doomed_volumes', NEW.node_id); END IF;
    RETURN NULL; END $$`,
  `CREATE TRIGGER announce_doomed_volume AFTER UPDATE ON volumes
    FOR EACH ROW WHEN (NEW.state = 'doomed') EXECUTE FUNCTION announce_doomed_volume()`,
]
