import { BatchedWrites } from '../db/batched-writes.ts'
import type { Prepared } from '../db/database.ts'
import { type AuditRecord, appendAudits } from './store.ts'

/** Writes entries that are not part of a transaction. */
export class AuditWriter {
  readonly #writes: BatchedWrites<AuditRecord>

  constructor(prepared: Prepared) {
    this.#writes = new BatchedWrites(records => appendAudits(prepared, records))
  }

  /** Settles when the entry is committed. */
  append(record: AuditRecord): Promise<void> {
    return this.#writes.add(record)
  }
}
