import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openPool, type Pool } from '../db/database.ts'
import type { EngineDefinition } from '../engines/engine-definition.ts'
import { databaseAddress, type Service, type StartOptions, startService } from '../service.ts'
import { readSettings } from '../settings.ts'
import { cleanup } from './cleanup.ts'
import { ownDatabase } from './database.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks into, it knows the shape of.
  readonly body: any
}

export interface Request {
  /** Who calls; the first owner by default, null for nobody. */
  readonly key?: string | null
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** A whole service with a data directory, a port and a database of its own, and a client for it. */
export class TestService {
  readonly service: Service
  readonly folder: string
  readonly orgId: string
  /** The database behind the service, for what a test wants to see or to put there by itself. */
  readonly pool: Pool

  constructor(service: Service, folder: string, pool: Pool) {
    this.service = service
    this.folder = folder
    this.orgId = service.credentials.orgId
    this.pool = pool
  }

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

  /** As the operator. */
  operator(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.call(method, path, { key: this.service.credentials.operatorKey, body })
  }

  /** A new key of the first organization with this role. */
  async keyOf(role: string): Promise<string> {
    const { body } = await this.post('~/api-keys', { name: role, role })
    return body.apiKey
  }

  /** Another organization, by the operator. */
  async otherOrganization(): Promise<{ orgId: string; apiKey: string }> {
    const { body } = await this.operator('POST', '/api/operator/organizations', { name: 'Another' })
    return { orgId: body.organization.id, apiKey: body.ownerKey.apiKey }
  }

  /** `~` stands for the paths of the first organization. */
  expand(path: string): string {
    return path.replace(/^~/, `/api/orgs/${this.orgId}`)
  }
}

/** Starts a service for the tests of a file, and ends it after them. */
export async function startTestService(
  env: Record<string, string> = {},
  openEngines?: StartOptions['openEngines'],
  definitions?: readonly EngineDefinition[],
): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-service-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const database = await ownDatabase()
  if (database) cleanup.defer(() => database.drop())
  const whole = {
    SANDGLASS_DATA: folder,
    SANDGLASS_PORT: '0',
    SANDGLASS_LIVE_UDP_PORT: 'none',
    // Tests ask again and again for what they wait for, and more often than any caller should.
    SANDGLASS_RATE_LIMIT: '1000000',
    ...(database && { DATABASE_URL: database.url }),
    ...env,
  }
  const settings = readSettings(whole, definitions)
  const service = await startService(settings, pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }), {
    env,
    openEngines,
  })
  cleanup.defer(() => service.close())
  const pool = openPool(databaseAddress(settings), () => {})
  cleanup.defer(() => pool.close())
  return new TestService(service, folder, pool)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
