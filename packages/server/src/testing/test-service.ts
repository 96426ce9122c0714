import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sandglass } from '@sandglass/client'
import { patienceMs } from '@sandglass/machines/testing'
import pino from 'pino'
import { openPool, type Pool } from '../db/database.ts'
import type { EngineDefinition } from '../engines/engine-definition.ts'
import { type Service, type StartOptions, startService } from '../service.ts'
import { embeddedFolder, ownerAddress } from '../service-database.ts'
import { readSettings } from '../settings.ts'
import { cleanup } from './cleanup.ts'
import { copyCluster } from './copy-cluster.ts'
import { createServiceDatabase } from './database.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the bodies that it reads.
  readonly body: any
}

export interface Request {
  /** The API key. Defaults to that of the first owner; null sends none. */
  readonly key?: string | null
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** A service with its own data directory, port and database, and a client for it. */
export class TestService {
  readonly service: Service
  readonly folder: string
  readonly orgId: string
  /** The database of the service, for tests that read or change rows directly. */
  readonly pool: Pool
  /** Undefined if the database is embedded. */
  readonly databaseUrl: string | undefined
  /** A client of the first owner, which waits while the service is busy, as on a host that starts many machines at once. */
  readonly client: Sandglass

  constructor(service: Service, folder: string, pool: Pool, databaseUrl?: string) {
    this.service = service
    this.folder = folder
    this.orgId = service.credentials.orgId
    this.pool = pool
    this.databaseUrl = databaseUrl
    this.client = new Sandglass({
      ...service.credentials,
      retries: Number.POSITIVE_INFINITY,
      timeoutMs: patienceMs,
    })
  }

  /** Sends any request, also one that no client would send. */
  async call(method: string, path: string, { key, headers = {}, body }: Request = {}): Promise<Answer> {
    const credential = key === undefined ? this.service.credentials.apiKey : key
    const response = await fetch(this.service.url + this.expand(path), {
      method,
      headers: {
        ...(credential !== null && { 'x-api-key': credential }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }

  get(path: string, request?: Request): Promise<Answer> {
    return this.call('GET', path, request)
  }

  post(path: string, body?: unknown, request?: Request): Promise<Answer> {
    return this.call('POST', path, { ...request, body })
  }

  delete(path: string, request?: Request): Promise<Answer> {
    return this.call('DELETE', path, request)
  }

  /** Deletes something that is there. Fails with the answer if it is refused, which a later assertion could not explain. */
  async remove(path: string, request?: Request): Promise<void> {
    const { status, text } = await this.delete(path, request)
    assert.ok(status === 200 || status === 204, `DELETE ${path} was answered with ${status} ${text}`)
  }

  /** Calls the API as the operator. */
  operator(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.call(method, path, { key: this.service.credentials.operatorKey, body })
  }

  /** The value of a metric, which is given with its labels if it has some. */
  async metric(name: string): Promise<number> {
    const { text } = await this.operator('GET', '/metrics')
    const line = text.split('\n').find(each => each.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }

  /** Creates an API key with this role in the first organization. */
  async keyOf(role: string): Promise<string> {
    const { body } = await this.post('~/api-keys', { name: role, role })
    return body.apiKey
  }

  /** Creates another organization as the operator. */
  async otherOrganization(): Promise<{ orgId: string; apiKey: string }> {
    const { body } = await this.operator('POST', '/api/operator/organizations', { name: 'Another' })
    return { orgId: body.organization.id, apiKey: body.ownerKey.apiKey }
  }

  /** Replaces a leading `~` by the path of the first organization. */
  expand(path: string): string {
    return path.replace(/^~/, `/api/orgs/${this.orgId}`)
  }
}

/** Starts a service for the tests of a file, and closes it after them. */
export async function startTestService(
  env: Record<string, string> = {},
  openEngines?: StartOptions['openEngines'],
  definitions?: readonly EngineDefinition[],
  openWorkers?: StartOptions['openWorkers'],
  meminfo?: string,
): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-service-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const database = await createServiceDatabase()
  if (database) cleanup.defer(() => database.drop())
  const environment = {
    SANDGLASS_DATA: folder,
    SANDGLASS_PORT: '0',
    SANDGLASS_LIVE_UDP_PORT: 'none',
    // Tests poll for the conditions they wait for, which would exceed the default rate limit.
    SANDGLASS_RATE_LIMIT: '1000000',
    // On a slow box, everything takes long.
    SANDGLASS_ORGANIZATION_SHARE: '100',
    ...(database && { DATABASE_URL: database.url }),
    ...env,
  }
  const settings = readSettings(environment, definitions)
  if (settings.DATABASE_URL === undefined) await copyCluster(embeddedFolder(settings.SANDGLASS_DATA))
  const service = await startService(settings, pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }), {
    env: environment,
    openEngines,
    openWorkers,
    meminfo,
  })
  cleanup.defer(() => service.close())
  const pool = openPool(ownerAddress(settings), () => {})
  cleanup.defer(() => pool.close())
  return new TestService(service, folder, pool, settings.DATABASE_URL)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
