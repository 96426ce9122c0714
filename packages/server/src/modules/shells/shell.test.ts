import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import type { MachineProcess } from '@sandglass/machines/contract'
import { debianGuest } from '@sandglass/machines/guests'
import type { RunningMachine } from '@sandglass/workers/contract'
import { beginning } from './output-log.ts'
import { Shell } from './shell.ts'

const MiB = 1024 * 1024

test('output that arrives at once is not dropped while somebody reads, however much it is', async () => {
  const size = 5 * MiB
  const process: MachineProcess = {
    pid: 1,
    stdin: new PassThrough(),
    stdout: Readable.from([Buffer.alloc(size, 'x')], { objectMode: false }),
    stderr: Readable.from([]),
    exited: Promise.resolve({ code: 0 }),
    gone: Promise.resolve(),
    kill: () => {},
    resize: () => {},
    release: () => {},
  }
  const machine = {
    guest: debianGuest,
    exec: async () => process,
  } as Partial<RunningMachine> as RunningMachine
  const shell = await Shell.start(machine, { command: 'print', useTty: false })
  const reader = shell.log.reader(beginning)
  let length = 0
  for (let kind = ''; kind !== 'end'; ) {
    const taken = reader.take()
    if (!taken) {
      await shell.log.appended(60_000, new AbortController().signal)
      continue
    }
    assert.equal(taken.droppedBytes, 0)
    kind = taken.entry.kind
    length += taken.entry.bytes.length
  }
  assert.equal(length, size)
})
