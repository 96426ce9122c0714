import type { FileChange, Machine, OpenFile } from '@sandglass/machines/contract'
import { type Channel, type Handlers, WithBytes } from '@sandglass/rpc'
import { closing, only } from '../channels.ts'
import type { fileMethods } from './methods.ts'
import { Part, packChange, unpackChange } from './schemas.ts'

/** Serves the files of machines, in the worker that they were given to. */
export function serveFiles(find: (machine: string) => Pick<Machine, 'files'>): Handlers<typeof fileMethods> {
  const filesOf = (machine: string) => find(machine).files
  return {
    'files.open': async ({ machine, path, user, part }, { signal, channels }) => {
      const content = only(channels)
      const file = await filesOf(machine).open(path, { user, signal })
      void send(file, part, content)
      return file.info
    },
    'files.write': async ({ machine, path, ...options }, { signal, channels }) => {
      const content = only(channels)
      content.end()
      // Nobody else uses the buffers that arrive.
      return await filesOf(machine).write(path, content, { ...options, signal, consume: true })
    },
    'files.create': ({ machine, path, user }, { signal, bytes }) =>
      filesOf(machine).create(path, bytes, { user, signal }),
    'files.readSmall': async ({ machine, path, user }, { signal }) => {
      const { info, content } = await filesOf(machine).readSmall(path, { user, signal })
      return new WithBytes({ info, isWhole: content !== undefined }, content ?? Buffer.alloc(0))
    },
    'files.copy': ({ machine, from, to, user }, { signal }) =>
      filesOf(machine).copy(from, to, { user, signal }),
    'files.stat': ({ machine, path, user }, { signal }) => filesOf(machine).stat(path, { user, signal }),
    'files.list': ({ machine, path, ...options }, { signal }) =>
      filesOf(machine).list(path, { ...options, signal }),
    'files.makeDirectory': ({ machine, path, user }, { signal }) =>
      filesOf(machine).makeDirectory(path, { user, signal }),
    'files.move': ({ machine, from, to, ...options }, { signal }) =>
      filesOf(machine).move(from, to, { ...options, signal }),
    'files.remove': ({ machine, path, ...options }, { signal }) =>
      filesOf(machine).remove(path, { ...options, signal }),
    'files.watch': async ({ machine, path, ...options }, { signal, channels }) => {
      const channel = only(channels)
      const until = AbortSignal.any([signal, closing(channel)])
      const changes = await filesOf(machine).watch(path, { ...options, signal: until })
      void report(changes, channel)
    },
  }
}

/** Sends a part of a file and closes the file, also if nothing of it is requested. */
async function send(file: OpenFile, part: Part | undefined, content: Channel): Promise<void> {
  let isRead = false
  try {
    const requested = part ?? Part.parse(JSON.parse(await textBeforeEnd(content)))
    // Nobody would close a file that is sent to a channel that was closed before.
    if (content.destroyed) return
    isRead = true
    content.resume()
    await file.sendTo(content, requested)
    content.end()
  } catch (error) {
    content.destroy(error instanceof Error ? error : new Error(String(error)))
  } finally {
    if (!isRead) file.close()
  }
}

/** Reads what the peer writes until it ends its direction, and leaves the other direction open. */
async function textBeforeEnd(channel: Channel): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of channel.iterator({ destroyOnReturn: false })) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Reports changes no faster than they are read. */
async function report(changes: AsyncIterable<FileChange>, channel: Channel): Promise<void> {
  try {
    channel.resume()
    for await (const change of changes) {
      const message = packChange(change)
      // The front would not listen to this worker any more, and the machine may have caused it.
      unpackChange(message)
      await new Promise<void>(resolve => channel.write(message, () => resolve()))
      if (channel.destroyed) return
    }
    channel.end()
  } catch (error) {
    channel.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}
