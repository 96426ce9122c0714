import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { transact, transactFor } from '../../../db/transact.ts'
import type { Spool } from '../../../spool.ts'
import { lockPlanOfOrganization } from '../../plans/store.ts'
import { StepFailure } from './step-failure.ts'

const MiB = 1024 * 1024
/** The largest file, and what an organization can have uploaded at a time. */
export const maxUploadMiB = 64
const maxUploadsMiB = 256
/** A build follows its uploads at once, and nobody should wait for the end of a day to upload again. */
const keptMinutes = 60

/** Whose file it is, and how its uploader names it. */
export interface UploadKey {
  readonly orgId: string
  readonly hash: string
}

/** Files that were uploaded for image builds. They are in the database, because any process may receive or need them. */
export class BuildUploads {
  readonly #db: Database
  readonly #spool: Spool

  constructor(db: Database, spool: Spool) {
    this.#db = db
    this.#spool = spool
  }

  async has({ orgId, hash }: UploadKey): Promise<boolean> {
    const found = await this.#db
      .selectFrom('build_uploads')
      .select('id')
      .where('org_id', '=', orgId)
      .where('hash', '=', hash)
      // One that is about to be removed would be gone before its build.
      .where('created_at', '>', sql<Date>`now() - make_interval(mins => ${keptMinutes / 2})`)
      .executeTakeFirst()
    return found !== undefined
  }

  /** Stores a file in place of an earlier one of the same name. */
  async store({ orgId, hash }: UploadKey, content: Readable, signal: AbortSignal): Promise<void> {
    const tooLarge = () =>
      new ApiError('request.BODY_TOO_LARGE', { message: `The file is larger than ${maxUploadMiB} MiB.` })
    await using spooled = await this.#spool.store(content, {
      maxBytes: maxUploadMiB * MiB,
      tooLarge,
      signal,
    })
    await transactFor(this.#db, orgId, async tx => {
      await lockPlanOfOrganization(tx, orgId)
      await tx.deleteFrom('build_uploads').where('org_id', '=', orgId).where('hash', '=', hash).execute()
      const { total } = await tx
        .selectFrom('build_uploads')
        .select(({ fn }) => fn.sum<string | null>('size_bytes').as('total'))
        .where('org_id', '=', orgId)
        .executeTakeFirstOrThrow()
      if (Number(total ?? 0) + spooled.size > maxUploadsMiB * MiB)
        throw new ApiError('request.BODY_TOO_LARGE', {
          message: `The files that were uploaded in the last ${keptMinutes} minutes are larger than ${maxUploadsMiB} MiB.`,
        })
      const id = randomUUID()
      await tx
        .insertInto('build_uploads')
        .values({ id, org_id: orgId, hash, size_bytes: spooled.size })
        .execute()
      let position = 0
      for await (const bytes of spooled.read())
        await tx
          .insertInto('build_upload_pieces')
          .values({ upload_id: id, position: position++, bytes })
          .execute()
    })
  }

  /** Reads a file. Fails if it was not uploaded, or not completely any more. */
  async *read({ orgId, hash }: UploadKey): AsyncGenerator<Buffer> {
    const upload = await this.#db
      .selectFrom('build_uploads')
      .select(['id', 'size_bytes'])
      .where('org_id', '=', orgId)
      .where('hash', '=', hash)
      .executeTakeFirst()
    let left = upload?.size_bytes ?? -1
    for (let position = 0; upload && left > 0; position++) {
      const piece = await this.#db
        .selectFrom('build_upload_pieces')
        .select('bytes')
        .where('upload_id', '=', upload.id)
        .where('position', '=', position)
        .executeTakeFirst()
      if (!piece) break
      left -= piece.bytes.length
      yield piece.bytes
    }
    if (left !== 0)
      throw new StepFailure('The file was not uploaded, or is not kept any more. Upload it again.')
  }

  /** Removes what was uploaded long ago, of all organizations. */
  async removeOld(): Promise<void> {
    await transact(this.#db, tx =>
      tx
        .deleteFrom('build_uploads')
        .where('created_at', '<=', sql<Date>`now() - make_interval(mins => ${keptMinutes})`)
        .execute(),
    )
  }
}
