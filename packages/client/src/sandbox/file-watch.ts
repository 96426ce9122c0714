import type { SandboxFileChange } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { pause } from '../pause.ts'
import { waitBeforeRetry } from '../retry.ts'
import type { Target } from './target.ts'

/** A change in a watched folder. */
export type FileChange = SandboxFileChange

export interface WatchOptions extends CallOptions {
  /** Whether folders in the folder are watched, too. */
  readonly recursive?: boolean | undefined
}

const maxFailures = 10
const never = new AbortController().signal

/** Watches a folder. After a lost connection, an `overflow` says that changes may have been missed. */
export async function* watchFolder(
  { client, sandboxId }: Target,
  path: string,
  options: WatchOptions,
): AsyncGenerator<FileChange> {
  const { recursive = false, ...call } = options
  const input = { sandboxId, path, recursive: recursive ? ('true' as const) : ('false' as const) }
  for (let failures = 0; ; ) {
    try {
      for await (const change of client.stream('watchSandboxFiles', input, { ...call, retries: 0 })) {
        failures = 0
        yield change
      }
      return
    } catch (error) {
      if (call.signal?.aborted) throw error
      const waitMs = waitBeforeRetry(error, { failures: ++failures, isRepeatable: true })
      if (waitMs === undefined || failures > (call.retries ?? maxFailures)) throw error
      await pause(waitMs, call.signal ?? never)
      yield { change: 'overflow' }
    }
  }
}
