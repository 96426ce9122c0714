import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { Sandbox } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { SandboxRow } from '../../../../records/sandboxes.ts'
import type { TestService } from '../../../../testing/test-service.ts'

/** A sandbox whose rules are tested. Its times are set in the database, so that no test waits for them. */
export class RuledSandbox {
  readonly id: string
  readonly path: string
  readonly #service: TestService

  constructor(service: TestService, id: string) {
    this.id = id
    this.path = `~/sandboxes/${id}`
    this.#service = service
  }

  /** Reads the row, because a call of the API would be use of the sandbox. */
  async row(): Promise<SandboxRow | undefined> {
    const { db } = this.#service.pool
    return db.selectFrom('sandboxes').selectAll().where('id', '=', this.id).executeTakeFirst()
  }

  async required(): Promise<SandboxRow> {
    return (await this.row()) ?? assert.fail('the sandbox has ended')
  }

  /** The sandbox as the API shows it in the list, which is no use of it. */
  async shown(): Promise<Sandbox | undefined> {
    const { body } = await this.#service.get('~/sandboxes')
    return body.find(({ id }: Sandbox) => id === this.id)
  }

  /** Lets the time of the sandbox be up now. */
  async letExpire(): Promise<void> {
    await sql`UPDATE sandboxes SET expires_at = now() WHERE id = ${this.id}`.execute(this.#service.pool.db)
  }

  /** Makes it due as if nobody had called it for its idle time. */
  async letIdle(): Promise<void> {
    await sql`UPDATE sandboxes SET idle_at = now() WHERE id = ${this.id}`.execute(this.#service.pool.db)
  }

  /** Lets the time be up, and waits until the sandbox is asleep. */
  async putToSleep(): Promise<void> {
    await this.letExpire()
    await this.asleep()
  }

  async asleep(): Promise<void> {
    await waitFor(async () => {
      const { paused, hibernated } = await this.required()
      return paused || hibernated
    })
  }

  async gone(): Promise<void> {
    await waitFor(async () => (await this.row()) === undefined)
  }

  /** The spans for which it is billed, in order. */
  async spans(): Promise<{ readonly from: number; readonly to: number | undefined }[]> {
    const rows = await this.#service.pool.db
      .selectFrom('usage_spans')
      .select(['started_at', 'ended_at'])
      .where('sandbox_id', '=', this.id)
      .orderBy('started_at')
      .execute()
    return rows.map(({ started_at, ended_at }) => ({
      from: started_at.getTime(),
      to: ended_at?.getTime(),
    }))
  }

  async operations(): Promise<string[]> {
    const { body } = await this.#service.get(`~/audit-log?target=${this.id}&limit=1000`)
    return body.entries
      .filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'service')
      .map(({ operation, actor }: { operation: string; actor: { id: string } }) => `${operation} ${actor.id}`)
      .reverse()
  }
}
