import { createReadStream, createWriteStream } from 'node:fs'
import { lchown, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../../contract/errors.ts'
import { awaitQemuSocket } from './await-qemu-socket.ts'
import type { QmpClient } from './qmp-client.ts'

/** The socket through which QEMU sends or receives the state of its machine, here and in its container. */
const socketName = 'state'
const address = `unix:/run/sandglass/sockets/${socketName}`

/** As fast as it can, since nothing runs meanwhile. */
const fast = { 'max-bandwidth': 0x4000_0000_0000 }

export interface StateOptions {
  readonly signal: AbortSignal
  /** Whether the memory of the machine is in a file of its own. */
  readonly withoutMemory: boolean
}

export interface SaveOptions extends StateOptions {
  /** The user that QEMU runs as. */
  readonly owner: number
  /** More than this is not the state of a machine, but an attempt to fill the disk. */
  readonly maxBytes: number
}

/** Both sides must say the same. A machine that started from a template keeps what it said then. */
async function prepare(qmp: QmpClient, { withoutMemory }: StateOptions): Promise<void> {
  const capabilities = [
    { capability: 'events', state: true },
    // Leaves out memory that is a shared file, because the file has it.
    { capability: 'x-ignore-shared', state: withoutMemory },
  ]
  await qmp.execute('migrate-set-capabilities', { capabilities })
}

function completed(qmp: QmpClient, signal: AbortSignal): Promise<true> {
  return qmp.event((name, { status }) => {
    if (name !== 'MIGRATION') return undefined
    if (status === 'failed' || status === 'cancelled')
      throw new MachineError('MACHINE_FAILED', `QEMU could not move the state of the machine: ${status}`)
    return status === 'completed' ? true : undefined
  }, signal)
}

/** Writes the state of a stopped machine to a file. */
export async function saveState(
  qmp: QmpClient,
  folder: string,
  target: string,
  options: SaveOptions,
): Promise<void> {
  const { signal, owner, maxBytes } = options
  await prepare(qmp, options)
  await qmp.execute('migrate-set-parameters', fast)
  const path = join(folder, socketName)
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer(socket => {
    socket.on('error', () => {})
    if (server.listening) accepted.resolve(socket)
    // Whatever follows the first connection is not the state.
    else socket.destroy()
    server.close()
  })
  try {
    await rm(path, { force: true })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
    // Not chmod, which follows a link that QEMU could put in its place.
    await lchown(path, owner, owner)
    const done = completed(qmp, signal)
    done.catch(() => {})
    const written = accepted.promise.then(socket =>
      pipeline(socket, limitTo(maxBytes), createWriteStream(target, { mode: 0o600 }), { signal }),
    )
    written.catch(() => {})
    await Promise.all([qmp.execute('migrate', { uri: address }), done, written])
  } finally {
    server.close()
    await rm(path, { force: true })
  }
}

const limitTo = (maxBytes: number) =>
  async function* (source: AsyncIterable<Buffer>) {
    let received = 0
    for await (const chunk of source) {
      received += chunk.length
      if (received > maxBytes)
        throw new MachineError('MACHINE_FAILED', `QEMU sent more than ${maxBytes} bytes of state`)
      yield chunk
    }
  }

/** Gives a machine that waits for it the state from a file. */
export async function loadState(
  qmp: QmpClient,
  folder: string,
  source: string,
  options: StateOptions,
): Promise<void> {
  const { signal } = options
  await prepare(qmp, options)
  const done = completed(qmp, signal)
  done.catch(() => {})
  await qmp.execute('migrate-incoming', { uri: address })
  const socket = await awaitQemuSocket(folder, socketName, signal)
  await Promise.all([pipeline(createReadStream(source), socket, { signal }), done])
}
