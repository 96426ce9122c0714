import { pipeline } from 'node:stream/promises'
import { type KeptReader, MachineError } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import type { KeptMethods } from './kept-methods.ts'
import type { UseEngine } from './opened-engines.ts'
import type { SocketPasser } from './passed-sockets.ts'
import { socketPair } from './workers/socket-pair.ts'

/** Answers the requests of the front about what engines keep. */
export function keptHandlers(use: UseEngine, front: SocketPasser): Handlers<KeptMethods> {
  let isReading = false
  let read: Promise<void> = Promise.resolve()
  const useKept = <Result>(name: string, work: (kept: KeptReader) => Promise<Result>) =>
    use(name, async ({ kept }) => {
      if (!kept) throw new MachineError('INVALID', 'what this engine keeps cannot be read')
      return await work(kept)
    })
  return {
    describeKept: ({ engine, kind, id }) =>
      useKept(engine, async kept => (await kept.describe(kind, id)) ?? null),
    readKept: ({ engine, kind, id }) =>
      useKept(engine, async kept => {
        const [ofFront, ours] = await socketPair()
        if (isReading) {
          for (const end of [ofFront, ours]) end.destroy()
          throw new MachineError('STATE', 'something else is being read')
        }
        isReading = true
        read = kept
          .read(kind, id, content => pipeline(content, ours))
          .finally(() => {
            ours.destroy()
            isReading = false
          })
        // The front may have gone, and nobody asks.
        read.catch(() => {})
        return await front.pass(ofFront)
      }),
    keptRead: () => read,
  }
}
