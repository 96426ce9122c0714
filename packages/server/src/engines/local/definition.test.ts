import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTable } from '../../setting-table.ts'
import { settingTable } from '../../settings.ts'
import { optionsOf } from './definition.ts'
import { localSettings } from './settings.ts'

const optionsWith = (env: Record<string, string>) =>
  optionsOf(readTable(localSettings, env), readTable(settingTable, env))

test('machines are promised each byte of disk once, and not what screenshots may take', () => {
  // Each of the 16 workers has a file of at most 128 MiB for them, and so have a few that have ended.
  const frames = 20 * 128
  const { diskOvercommit, reserveDiskMiB, unpromisedDiskMiB } = optionsWith({})
  assert.deepEqual(
    { diskOvercommit, reserveDiskMiB, unpromisedDiskMiB },
    {
      diskOvercommit: 1,
      reserveDiskMiB: 2048,
      unpromisedDiskMiB: 4096 + frames,
    },
  )
  assert.equal(optionsWith({ SANDGLASS_SCREENSHOTS_PER_NODE: '100' }).unpromisedDiskMiB, 100 + frames)
  assert.equal(optionsWith({ SANDGLASS_S3_BUCKET: 'elsewhere' }).unpromisedDiskMiB, frames)
  assert.equal(
    optionsWith({ SANDGLASS_S3_BUCKET: 'elsewhere', SANDGLASS_WORKERS: '1' }).unpromisedDiskMiB,
    5 * 128,
  )
})

test('machines are not given the memory that is reserved for the host', () => {
  assert.equal(optionsWith({}).reserveMemoryMiB, 768)
  assert.equal(optionsWith({ SANDGLASS_MEMORY_RESERVE: '2048' }).reserveMemoryMiB, 2048)
})
