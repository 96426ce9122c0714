import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { type ChainBreak, type ChainHead, verifyAudit } from './audit/chain.ts'
import { readEnvironment } from './environment/read-environment.ts'
import { withOwnerDatabase } from './owner-database.ts'
import { readSettings } from './settings.ts'

const usage = `npm run audit:verify                          checks that no entry of the audit log was changed, removed or inserted
npm run audit:verify -- --save heads.json     also writes the last hash of each chain to a file; keep it where the service cannot write
npm run audit:verify -- --expect heads.json   also checks that the log still contains everything that it had when the file was written`

const Heads = z.array(z.object({ chain: z.string(), number: z.int(), hash: z.string() }))

/** `npm run audit:verify`. The exit code is 1 if a chain is broken. */
try {
  const { save, expect, help } = chosen()
  if (help) console.log(usage)
  else process.exitCode = (await verify(save, expect)) ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function verify(save: string | undefined, expect: string | undefined): Promise<boolean> {
  const settings = readSettings(readEnvironment(process.env))
  const expected = expect === undefined ? [] : await readHeads(expect)
  const { heads, breaks, entries } = await withOwnerDatabase(settings, db => verifyAudit(db, expected))
  for (const broken of breaks) console.error(described(broken))
  if (breaks.length > 0) {
    console.error('The audit log was changed from outside the service. Compare it with a backup.')
    return false
  }
  if (save !== undefined) await writeFile(save, `${JSON.stringify(heads, null, 2)}\n`)
  console.log(`The audit log is intact: ${entries} entries in ${heads.length} chains.`)
  return true
}

function described({ chain, number, entryId, problem }: ChainBreak): string {
  const where = [
    chain === '' ? "the operator's chain" : `the chain of organization ${chain}`,
    ...(number === undefined ? [] : [`link ${number}`]),
    ...(entryId === undefined ? [] : [`entry ${entryId}`]),
  ]
  return `${where.join(', ')}: ${problem}.`
}

async function readHeads(file: string): Promise<readonly ChainHead[]> {
  try {
    return Heads.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (cause) {
    throw new Error(`${file} is not a file that npm run audit:verify -- --save has written.`, { cause })
  }
}

function chosen() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({ options: { save: text, expect: text, help: { type: 'boolean', default: false } } })
      .values
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`, { cause })
  }
}
