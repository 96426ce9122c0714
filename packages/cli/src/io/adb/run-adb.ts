import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Context } from '../../context.ts'
import { listen } from '../forward/listen.ts'
import { AdbServer } from './adb-server.ts'

/** Runs adb for a phone, or keeps it connected until the command is interrupted. */
export async function runAdb(
  { client, signal, output, note, env, defer }: Context,
  sandboxId: string,
  args: readonly string[],
): Promise<number> {
  const service = await client()
  await service.getSandbox({ sandboxId }, { signal })
  let failure = ''
  const onFailure = (message: string) => {
    if (message !== failure) note(`adb: ${message}`)
    failure = message
  }
  const remote = { credentials: await service.credentials(), sandboxId, port: 'adb' } as const
  const phone = await listen(remote, { address: '127.0.0.1', port: 0, onFailure })
  defer(() => phone[Symbol.asyncDispose]())
  const server = await AdbServer.start()
  defer(() => server[Symbol.asyncDispose]())
  await server.connect(phone.authority, signal)
  const settings = { ANDROID_ADB_SERVER_PORT: String(server.port), ANDROID_SERIAL: phone.authority }
  if (args.length > 0) {
    const child = spawn('adb', args, { stdio: 'inherit', env: { ...env, ...settings } })
    const [code, name] = await once(child, 'exit')
    return code ?? 128 + constants.signals[name as NodeJS.Signals]
  }
  if (output.format === 'json')
    output.line(JSON.stringify({ address: phone.authority, adbServerPort: server.port }))
  else if (output.format === 'name') output.line(phone.authority)
  else {
    output.line(`The phone is at ${phone.authority}. In another terminal:`)
    output.line(
      `  export ${Object.entries(settings)
        .map(entry => entry.join('='))
        .join(' ')}`,
    )
    output.line('  adb shell')
  }
  note('Press Ctrl-C to end.')
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}
