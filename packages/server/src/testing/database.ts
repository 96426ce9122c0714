import { randomUUID } from 'node:crypto'
import pg from 'pg'

export interface TestDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

/** Creates an empty database on the server that TEST_DATABASE_URL names. Returns undefined if that is not set. */
export async function createTestDatabase(): Promise<TestDatabase | undefined> {
  const server = process.env['TEST_DATABASE_URL']
  return server ? await createDatabase(server) : undefined
}

/** Does the same for a service, whose tables may be there already, in the database that TEST_DATABASE_TEMPLATE names. */
export async function createServiceDatabase(): Promise<TestDatabase | undefined> {
  const server = process.env['TEST_DATABASE_URL']
  return server ? await createDatabase(server, process.env['TEST_DATABASE_TEMPLATE']) : undefined
}

/** Creates a database on a server, which is empty unless it is a copy of another one. */
export async function createDatabase(server: string, template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await run(server, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => run(server, `DROP DATABASE ${name} WITH (FORCE)`) }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
