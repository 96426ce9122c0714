import { sql } from 'kysely'
import { openPool } from '../../packages/server/src/db/database.ts'
import { ownerAddress, prepareDatabase } from '../../packages/server/src/service-database.ts'
import { readSettings } from '../../packages/server/src/settings.ts'

/**
 * Whoever connects first to a copy makes it an installation of its own, as if it had been made anew: machines in a cluster
 * that several services of a test share are told apart by it. Others that connect meanwhile wait.
 */
const becomeAnother = sql`
  CREATE FUNCTION become_another() RETURNS event_trigger SECURITY DEFINER LANGUAGE plpgsql AS $$
  BEGIN
    LOCK TABLE installation;
    IF EXISTS (SELECT FROM pg_event_trigger WHERE evtname = 'become_another') THEN
      UPDATE installation SET id = gen_random_uuid()::text;
      DROP EVENT TRIGGER become_another;
      DROP FUNCTION become_another();
    END IF;
  END $$`
const whenConnected = sql`CREATE EVENT TRIGGER become_another ON login EXECUTE FUNCTION become_another()`

/**
 * Makes the tables in the database of a service, so that it can be copied for services that would otherwise spend half a
 * second of processor time on that. Nobody may connect to it afterwards.
 */
export async function prepareToCopy(env: Readonly<Record<string, string>>): Promise<void> {
  const settings = readSettings(env)
  await prepareDatabase(settings)
  const { db, close } = openPool(ownerAddress(settings), () => {})
  await becomeAnother.execute(db)
  await whenConnected.execute(db)
  await close()
}
