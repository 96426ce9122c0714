import { once } from 'node:events'
import type { Context } from '../../context.ts'
import { listen } from './listen.ts'
import type { Forward } from './parse-forward.ts'

export { parseForward } from './parse-forward.ts'

/** Forwards ports until the command is interrupted. */
export async function forwardPorts(
  { client, signal, output, note, defer }: Context,
  sandboxId: string,
  forwards: readonly Forward[],
  address: string,
): Promise<never> {
  const service = await client()
  // A sandbox that is not there is reported now, and not when something connects.
  await service.getSandbox({ sandboxId }, { signal })
  const credentials = await service.credentials()
  for (const { localPort, remotePort } of forwards) {
    const listener = await listen(
      { credentials, sandboxId, port: remotePort },
      { address, port: localPort, onFailure: message => note(`${remotePort}: ${message}`) },
    )
    defer(() => listener[Symbol.asyncDispose]())
    const forward = { address, localPort: listener.port, remotePort }
    if (output.format === 'json') output.line(JSON.stringify(forward))
    else if (output.format === 'name') output.line(listener.authority)
    else output.line(`${listener.authority} leads to port ${remotePort} of the sandbox.`)
  }
  note('Press Ctrl-C to end.')
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}
