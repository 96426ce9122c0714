import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** How many links are read at once. */
const pageSize = 1000

/** The last link of a chain. Whoever keeps it elsewhere can prove later that nothing before it was changed. */
export interface ChainHead {
  /** The id of the organization, or an empty text for the operator. */
  readonly chain: string
  readonly number: number
  readonly hash: string
}

/** The first problem of a chain. */
export interface ChainBreak {
  readonly chain: string
  /** The number of the link, if the problem has one. */
  readonly number?: number
  /** The id of the audit entry, if it is known. */
  readonly entryId?: string
  readonly problem: string
}

export interface Verification {
  readonly heads: readonly ChainHead[]
  readonly breaks: readonly ChainBreak[]
  readonly entries: number
}

interface Link {
  readonly number: string
  readonly entry_id: string
  readonly hash: Buffer
  /** Null if the entry is gone. */
  readonly id: string | null
  readonly fields: readonly (string | null)[]
}

/**
 * Walks every chain of the audit log. The hashes are computed here and not by the functions of the database, which
 * somebody who changed entries could have changed as well.
 *
 * @param expected heads that an earlier verification returned. Without them, the removal of the last entries of a chain, or of a
 * whole chain, is not noticed.
 */
export async function verifyAudit(db: Database, expected: readonly ChainHead[] = []): Promise<Verification> {
  const { rows } = await sql<{ chain: string }>`
    SELECT chain FROM audit_chain UNION SELECT coalesce(org_id, '') FROM audit_log ORDER BY chain`.execute(db)
  const heads: ChainHead[] = []
  const breaks: ChainBreak[] = []
  let entries = 0
  for (const chain of new Set([...rows.map(row => row.chain), ...expected.map(head => head.chain)])) {
    const wanted = expected.filter(head => head.chain === chain)
    const { head, problem } = await walk(db, chain, wanted)
    entries += head.number
    if (head.number > 0) heads.push(head)
    const broken = problem ?? (await unlinkedEntry(db, chain))
    if (broken) breaks.push({ chain, ...broken })
  }
  return { heads, breaks, entries }
}

type Problem = Omit<ChainBreak, 'chain'>

/** Follows a chain to its end or to its first problem. */
async function walk(
  db: Database,
  chain: string,
  expected: readonly ChainHead[],
): Promise<{ readonly head: ChainHead; readonly problem?: Problem }> {
  let head: ChainHead = { chain, number: 0, hash: '' }
  for (;;) {
    const links = await selectLinks(db, chain, head.number)
    for (const link of links) {
      const number = head.number + 1
      const problem = problemOf(link, head, expected)
      if (problem) return { head, problem: { number, ...problem } }
      head = { chain, number, hash: link.hash.toString('hex') }
    }
    if (links.length < pageSize) break
  }
  const missing = expected.find(({ number }) => number > head.number)
  if (!missing) return { head }
  const problem = `the chain ends at ${head.number}, and had ${missing.number} links before: its last entries were removed`
  return { head, problem: { number: head.number + 1, problem } }
}

function problemOf(link: Link, before: ChainHead, expected: readonly ChainHead[]): Problem | undefined {
  const number = before.number + 1
  const entryId = link.entry_id
  if (Number(link.number) !== number) return { problem: 'the link is missing' }
  if (link.id === null) return { entryId, problem: 'the entry is missing' }
  const hash = hashOf(Buffer.from(before.hash, 'hex'), [String(number), ...link.fields])
  if (!hash.equals(link.hash)) return { entryId, problem: 'the entry or its link was changed' }
  const isExpected = expected.every(head => head.number !== number || head.hash === hash.toString('hex'))
  return isExpected
    ? undefined
    : { entryId, problem: 'the chain was rewritten: it had another hash here before' }
}

/** Computes the hash of a link as the database does (0014-audit-chain.ts). */
function hashOf(before: Buffer, fields: readonly (string | null)[]): Buffer {
  const hash = createHash('sha256').update(before)
  // The database counts characters, and not UTF-16 units.
  for (const field of fields) hash.update(field === null ? '-' : `${[...field].length}:${field}`)
  return hash.digest()
}

async function selectLinks(db: Database, chain: string, after: number): Promise<Link[]> {
  const { rows } = await sql<Link>`
    SELECT link.number, link.entry_id, link.hash, entry.id,
      ARRAY[entry.id::text, entry.org_id, (extract(epoch FROM entry.at) * 1000000)::bigint::text, entry.actor_kind,
        entry.actor_id, entry.operation, entry.target, entry.outcome, entry.address, entry.request_id] AS fields
    FROM audit_chain AS link LEFT JOIN audit_log AS entry ON entry.id = link.entry_id
    WHERE link.chain = ${chain} AND link.number > ${after} ORDER BY link.number LIMIT ${pageSize}`.execute(db)
  return rows
}

/** An entry that was added while the trigger was off has no link. */
async function unlinkedEntry(db: Database, chain: string): Promise<Problem | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM audit_log AS entry WHERE org_id IS NOT DISTINCT FROM ${chain === '' ? null : chain}
      AND NOT EXISTS (SELECT 1 FROM audit_chain AS link WHERE link.entry_id = entry.id)
    ORDER BY id LIMIT 1`.execute(db)
  const [entry] = rows
  return entry && { entryId: entry.id, problem: 'the entry was added without a link' }
}
