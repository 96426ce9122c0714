import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Context } from './context.ts'
import { version } from './version.ts'

export interface Check {
  readonly name: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly what: string
  readonly fix?: string
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

/** Runs the doctor of the service, which prints to this terminal. */
export async function runHostDoctor(checkout: string, env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn('npm', ['run', '--silent', 'doctor'], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

/** Whether there is a service, whether it accepts the key, and whether it is as old as this program. */
export async function checkConnection(context: Context): Promise<Check[]> {
  try {
    const { source } = await context.connection()
    const client = await context.client()
    const { url } = await client.credentials()
    const answer = await ask(`${url}/healthz`, context.signal)
    if (!answer.ok)
      return [
        {
          name: 'service',
          result: 'fail',
          what: `${url} ${answer.problem}`,
          fix: 'start the service with `sandglass up`, or set the right URL with `sandglass login`',
        },
      ]
    return [
      { name: 'service', result: 'ok', what: `${url} answers (from ${source})` },
      await checkKey(context, source),
      await checkVersion(url, context.signal),
    ]
  } catch (error) {
    context.signal.throwIfAborted()
    const fix = 'run `sandglass login`, or `sandglass up` in a checkout'
    return [{ name: 'service', result: 'fail', what: (error as Error).message, fix }]
  }
}

async function checkKey({ client, signal }: Context, source: string): Promise<Check> {
  try {
    const { name } = await (await client()).getOrganization({}, { signal })
    return { name: 'key', result: 'ok', what: `it is for ${name}` }
  } catch (error) {
    signal.throwIfAborted()
    const fix = `store another one with \`sandglass login\` (this one is from ${source})`
    return { name: 'key', result: 'fail', what: (error as Error).message, fix }
  }
}

async function checkVersion(url: string, signal: AbortSignal): Promise<Check> {
  const answer = await ask(`${url}/openapi.json`, signal)
  const theirs = answer.ok
    ? (JSON.parse(answer.text) as { info?: { version?: string } }).info?.version
    : undefined
  if (theirs === version) return { name: 'version', result: 'ok', what: version }
  return {
    name: 'version',
    result: 'warn',
    what: `the service has ${theirs ?? 'none'}, this program ${version}`,
    fix: 'use the same version for both if something does not work',
  }
}

type Answer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }

async function ask(url: string, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]) })
    if (response.ok) return { ok: true, text: await response.text() }
    return { ok: false, problem: `answers with status ${response.status}` }
  } catch {
    signal.throwIfAborted()
    return { ok: false, problem: 'does not answer' }
  }
}

export function printChecks({ output }: Context, checks: readonly Check[]): void {
  if (output.format === 'json') output.json(checks)
  else
    for (const { name, result, what, fix } of checks) {
      output.line(`${marks[result]}  ${name}: ${what}`)
      if (fix !== undefined) output.line(`      fix: ${fix}`)
    }
}
