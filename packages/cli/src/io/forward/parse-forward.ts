import { UsageError } from '../../failures.ts'

/** A port of this computer, and the port of the machine that it leads to. */
export interface Forward {
  /** 0 takes any free one. */
  readonly localPort: number
  readonly remotePort: number
}

/** Reads `5000:80`, `9222` for the same port on both sides, or `0:9222` for any free port. */
export function parseForward(text: string): Forward {
  const [, local, remote = local] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(text) ?? []
  const localPort = Number(local)
  const remotePort = Number(remote)
  if (!(localPort >= 0 && localPort <= 65_535 && remotePort >= 1 && remotePort <= 65_535))
    throw new UsageError(
      `${JSON.stringify(text)} is not a port to forward.`,
      'Write 9222 for the same port on both sides, 5000:80 for port 80 of the machine, or 0:9222 for any free port here.',
    )
  return { localPort, remotePort }
}
